import { numeric, party, record } from '../lf-types.ts';
import type { LfValue } from '../lf-types.ts';
import { definePackage, typeNamer } from '../package-definition.ts';

const PACKAGE_NAME = 'splice-api-featured-app-v1';
const named = typeNamer(PACKAGE_NAME);

/** Somebody who gets a share of an app's reward. */
export const AppRewardBeneficiary = record(
  named('Splice.Api.FeaturedAppRightV1:AppRewardBeneficiary'),
  { beneficiary: party, weight: numeric(10) },
);
export type AppRewardBeneficiary = LfValue<typeof AppRewardBeneficiary>;

export const featuredAppPackage = definePackage({
  name: PACKAGE_NAME,
  version: '1.0.0',
  publishedId: '7804375fe5e4c6d5afe067bd314c42fe0b7d005a1300019c73154dd939da4dda',
});
