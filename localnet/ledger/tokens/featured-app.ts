import { contractId, list, numeric, party, record } from '../lf-types.ts';
import type { LfValue } from '../lf-types.ts';
import { definePackage, typeNamer } from '../package-definition.ts';
import type { InterfaceChoice, InterfaceDefinition } from '../package-definition.ts';

const PACKAGE_NAME = 'splice-api-featured-app-v1';
const inModule = (entity: string) =>
  typeNamer(PACKAGE_NAME)(`Splice.Api.FeaturedAppRightV1:${entity}`);

/** A party that gets a share of an app's reward. */
export const AppRewardBeneficiary = record(inModule('AppRewardBeneficiary'), {
  beneficiary: party,
  weight: numeric(10),
});
export type AppRewardBeneficiary = LfValue<typeof AppRewardBeneficiary>;

const RightView = record(inModule('FeaturedAppRightView'), { dso: party, provider: party });
type RightView = LfValue<typeof RightView>;

const Created = record(inModule('FeaturedAppRight_CreateActivityMarkerResult'), {
  activityMarkerCids: list(contractId),
});

/** Records that the app was used, and who gets the reward. */
export const CreateActivityMarker: InterfaceChoice<
  RightView,
  { readonly beneficiaries: readonly AppRewardBeneficiary[] },
  LfValue<typeof Created>
> = {
  name: 'FeaturedAppRight_CreateActivityMarker',
  kind: 'nonconsuming',
  argument: record(inModule('FeaturedAppRight_CreateActivityMarker'), {
    beneficiaries: list(AppRewardBeneficiary),
  }),
  result: Created,
  controllers: ({ provider }) => [provider],
};

/** The right of a provider whose app gets additional rewards from the network. */
export const FeaturedApp: InterfaceDefinition<RightView> = {
  kind: 'interface',
  name: inModule('FeaturedAppRight'),
  view: RightView,
  choices: [CreateActivityMarker],
};

const MarkerView = record(inModule('FeaturedAppActivityMarkerView'), {
  dso: party,
  provider: party,
  beneficiary: party,
  weight: numeric(10),
});

/** A record that a featured app was used. */
export const ActivityMarker: InterfaceDefinition<LfValue<typeof MarkerView>> = {
  kind: 'interface',
  name: inModule('FeaturedAppActivityMarker'),
  view: MarkerView,
  choices: [],
};

export const featuredAppPackage = definePackage({
  name: PACKAGE_NAME,
  version: '1.0.0',
  publishedId: '7804375fe5e4c6d5afe067bd314c42fe0b7d005a1300019c73154dd939da4dda',
  interfaces: [FeaturedApp, ActivityMarker],
});
