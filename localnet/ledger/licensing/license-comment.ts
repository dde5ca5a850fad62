import { int64, party, record, text, timestamp } from '../lf-types.ts';
import type { LfValue } from '../lf-types.ts';
import { template, typeNamer } from '../package-definition.ts';

const named = typeNamer('quickstart-licensing');

const Payload = record(named('Licensing.LicenseComment:LicenseComment'), {
  provider: party,
  user: party,
  licenseNum: int64,
  commenter: party,
  body: text,
  createdAt: timestamp,
});
export type LicenseCommentPayload = LfValue<typeof Payload>;

/** A comment on a licence, signed only by the party that comments. The comment names the licence by its number. */
export const LicenseComment = template<LicenseCommentPayload>({
  name: named('Licensing.LicenseComment:LicenseComment'),
  payload: Payload,
  signatories: ({ commenter }) => [commenter],
  observers: ({ provider, user }) => [provider, user],
  choices: [],
});
