import { decimalOr } from '../contract-failures.ts';
import { unitsOf } from '../decimal.ts';
import { compareUtf8 } from '../lf-values.ts';
import { numeric, party, record } from '../lf-types.ts';
import type { LfValue } from '../lf-types.ts';
import { implementChoice, template, typeNamer } from '../package-definition.ts';
import type { ChoiceContext, InterfaceImplementation } from '../package-definition.ts';
import {
  ActivityMarker,
  CreateActivityMarker,
  FeaturedApp,
  type AppRewardBeneficiary,
} from '../tokens/featured-app.ts';

/* Shares of an app's reward, and the records of the app's use. */

const ONE = unitsOf('1.0000000000');
const BENEFICIARIES_MAX = 20;

/** Fails unless there are at most 20 shares of an app's reward, all of which are positive, and which add up to 1. */
export function checkBeneficiaries(
  ledger: ChoiceContext,
  beneficiaries: readonly AppRewardBeneficiary[],
): void {
  const weights = beneficiaries.map(({ weight }) => unitsOf(weight));
  ledger.require(
    'Beneficiary weights are between 0.0 and 1.0',
    weights.every((weight) => weight > 0n && weight <= ONE),
  );
  const all = weights.reduce((sum, weight) => sum + weight, 0n);
  ledger.require('Beneficiary weights add up to 1.0', all === ONE);
  ledger.require('There are at most 20 beneficiaries', beneficiaries.length <= BENEFICIARIES_MAX);
}

/** Returns the share of each beneficiary in units, in order of the parties. */
export function sharesOf(
  beneficiaries: readonly AppRewardBeneficiary[],
): readonly (readonly [beneficiary: string, weight: bigint])[] {
  const weights = new Map<string, bigint>();
  for (const { beneficiary, weight } of beneficiaries) {
    weights.set(beneficiary, (weights.get(beneficiary) ?? 0n) + unitsOf(weight));
  }
  return [...weights].sort(([a], [b]) => compareUtf8(a, b));
}

const MarkerPayload = record(
  typeNamer('splice-amulet')('Splice.Amulet:FeaturedAppActivityMarker'),
  {
    dso: party,
    provider: party,
    beneficiary: party,
    weight: numeric(10),
  },
);
type MarkerPayload = LfValue<typeof MarkerPayload>;

/** Records that an app was used. The network would convert the marker into a reward coupon. */
export const FeaturedAppActivityMarker = template<MarkerPayload>({
  name: MarkerPayload.name,
  payload: MarkerPayload,
  signatories: ({ dso }) => [dso],
  observers: ({ provider, beneficiary }) => [provider, beneficiary],
  ensure: ({ weight }) => unitsOf(weight) > 0n && unitsOf(weight) <= ONE,
  implements: [{ iface: ActivityMarker, view: (payload) => payload, choices: {} }],
});

interface Right {
  readonly dso: string;
  readonly provider: string;
}
const view = ({ dso, provider }: Right): Right => ({ dso, provider });

/** The featured app's right in the form of the interface that apps use. */
export const featuredApp: InterfaceImplementation<Right, Right> = {
  iface: FeaturedApp,
  view,
  choices: {
    [CreateActivityMarker.name]: implementChoice(
      CreateActivityMarker,
      view,
      (ledger, { payload: { dso, provider } }, { beneficiaries }) => {
        checkBeneficiaries(ledger, beneficiaries);
        const activityMarkerCids = sharesOf(beneficiaries).map(([beneficiary, weight]) =>
          ledger.create(FeaturedAppActivityMarker, {
            dso,
            provider,
            beneficiary,
            weight: decimalOr(ledger, weight, 'ADD_NUMERIC'),
          }),
        );
        return { activityMarkerCids };
      },
    ),
  },
};
