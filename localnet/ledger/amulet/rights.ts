import {
  bool,
  contractId,
  enumeration,
  numeric,
  optional,
  party,
  record,
  text,
} from '../lf-types.ts';
import type { LfValue } from '../lf-types.ts';
import { unitsOf } from '../decimal.ts';
import { choice, template, typeNamer } from '../package-definition.ts';
import type { TemplateDefinition } from '../package-definition.ts';
import { featuredApp } from './app-rewards.ts';
import { requireMatchingContract } from './contract-groups.ts';
import { Round } from './round.ts';

/*
 * Rights to rewards for the use of the network. LocalNet creates these contracts as the real network does, but never
 * pays the rewards, because LocalNet has no rounds that issue coins.
 */

const named = typeNamer('splice-amulet');
const inModule = (entity: string) => named(`Splice.Amulet:${entity}`);

const ValidatorRightPayload = record(inModule('ValidatorRight'), {
  dso: party,
  user: party,
  validator: party,
});
type ValidatorRightPayload = LfValue<typeof ValidatorRightPayload>;

const endRight = (
  name: string,
  controllers: (payload: ValidatorRightPayload) => readonly string[],
) =>
  choice({
    name,
    kind: 'consuming',
    argument: record(inModule(name), {}),
    result: enumeration(inModule(`${name}Result`), [`${name}Result`]),
    controllers,
    exercise: () => `${name}Result`,
  });

/** Lets a validator collect the coupons of its user. */
export const ValidatorRight: TemplateDefinition<ValidatorRightPayload> = template({
  name: inModule('ValidatorRight'),
  payload: ValidatorRightPayload,
  signatories: ({ user, validator }) => [user, validator],
  observers: () => [],
  choices: [
    endRight('ValidatorRight_ArchiveAsValidator', ({ validator }) => [validator]),
    endRight('ValidatorRight_ArchiveAsUser', ({ user }) => [user]),
  ],
});

const FeaturedAppRightPayload = record(inModule('FeaturedAppRight'), {
  dso: party,
  provider: party,
});
type FeaturedAppRightPayload = LfValue<typeof FeaturedAppRightPayload>;

/** Ends the right when its provider asks for this. */
export const CancelFeaturing = choice({
  name: 'FeaturedAppRight_Cancel',
  kind: 'consuming',
  argument: record(inModule('FeaturedAppRight_Cancel'), {}),
  result: enumeration(inModule('FeaturedAppRight_CancelResult'), ['FeaturedAppRight_CancelResult']),
  controllers: ({ provider }: FeaturedAppRightPayload) => [provider],
  exercise: () => 'FeaturedAppRight_CancelResult' as const,
});

/** The right of a provider whose app gets additional rewards from the network. */
export const FeaturedAppRight: TemplateDefinition<FeaturedAppRightPayload> = template({
  name: inModule('FeaturedAppRight'),
  payload: FeaturedAppRightPayload,
  signatories: ({ dso }) => [dso],
  observers: ({ provider }) => [provider],
  choices: [
    choice({
      name: 'FeaturedAppRight_Withdraw',
      kind: 'consuming',
      argument: record(inModule('FeaturedAppRight_Withdraw'), { reason: text }),
      result: enumeration(inModule('FeaturedAppRight_WithdrawResult'), [
        'FeaturedAppRight_WithdrawResult',
      ]),
      controllers: ({ dso }: FeaturedAppRightPayload) => [dso],
      exercise: () => 'FeaturedAppRight_WithdrawResult' as const,
    }),
    CancelFeaturing,
  ],
  implements: [featuredApp],
});

const AppCoupon = record(inModule('AppRewardCoupon'), {
  dso: party,
  provider: party,
  featured: bool,
  amount: numeric(10),
  round: Round,
  beneficiary: optional(party),
});

interface Coupon {
  readonly amount: string;
}
const isPositive = ({ amount }: Coupon) => unitsOf(amount) > 0n;

export const AppRewardCoupon = template<LfValue<typeof AppCoupon>>({
  name: inModule('AppRewardCoupon'),
  payload: AppCoupon,
  signatories: ({ dso }) => [dso],
  observers: ({ provider, beneficiary }) => [
    provider,
    ...(beneficiary === null ? [] : [beneficiary.some]),
  ],
  ensure: isPositive,
});

const ValidatorCoupon = record(inModule('ValidatorRewardCoupon'), {
  dso: party,
  user: party,
  amount: numeric(10),
  round: Round,
});

/** Archives the coupon after the user's validator has been paid for it. */
const ArchiveCoupon = choice({
  name: 'ValidatorRewardCoupon_ArchiveAsValidator',
  kind: 'consuming',
  argument: record(inModule('ValidatorRewardCoupon_ArchiveAsValidator'), {
    validator: party,
    rightCid: contractId,
  }),
  result: record(inModule('ValidatorRewardCoupon_ArchiveAsValidatorResult'), {}),
  controllers: ({ dso }: LfValue<typeof ValidatorCoupon>, { validator }) => [dso, validator],
  exercise: (ledger, { payload: { dso, user } }, { validator, rightCid }) => {
    requireMatchingContract(ledger, ValidatorRight, rightCid, { dso, user, validator });
    return {};
  },
});

export const ValidatorRewardCoupon = template<LfValue<typeof ValidatorCoupon>>({
  name: inModule('ValidatorRewardCoupon'),
  payload: ValidatorCoupon,
  signatories: ({ dso }) => [dso],
  observers: ({ user }) => [user],
  ensure: isPositive,
  choices: [ArchiveCoupon],
});
