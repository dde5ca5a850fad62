import { record, text, textMap } from '../lf-types.ts';
import type { LfValue } from '../lf-types.ts';
import { definePackage, typeNamer } from '../package-definition.ts';

const PACKAGE_NAME = 'splice-api-token-metadata-v1';
const named = typeNamer(PACKAGE_NAME);

/** Free-form text beside a contract: what the token standard calls metadata. */
export const Metadata = record(named('Splice.Api.Token.MetadataV1:Metadata'), {
  values: textMap(text),
});
export type Metadata = LfValue<typeof Metadata>;

/** The published package of the token standard that the licensing contracts take `Metadata` from. */
export const tokenMetadataPackage = definePackage({
  name: PACKAGE_NAME,
  version: '1.0.0',
  publishedId: '4ded6b668cb3b64f7a88a30874cd41c75829f5e064b3fbbadf41ec7e8363354f',
});
