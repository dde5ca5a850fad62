import { divideUnits, decimalOf, timesUnits, unitsOf } from '../decimal.ts';
import { int64, numeric, optional, party, record, timestamp } from '../lf-types.ts';
import type { LfValue } from '../lf-types.ts';
import { choice, template, typeNamer } from '../package-definition.ts';
import type { ChoiceContext } from '../package-definition.ts';
import { RelTime } from '../standard-library.ts';
import { IssuanceConfig, TransferConfig } from './amulet-config.ts';
import { fetchChecked, forDso, requireGroup } from './contract-groups.ts';

const named = typeNamer('splice-amulet');
const inModule = (entity: string) => named(`Splice.Round:${entity}`);

export const Round = record(named('Splice.Types:Round'), { number: int64 });

const Payload = record(inModule('OpenMiningRound'), {
  dso: party,
  round: Round,
  amuletPrice: numeric(10),
  opensAt: timestamp,
  targetClosesAt: timestamp,
  issuingFor: RelTime,
  transferConfigUsd: TransferConfig,
  issuanceConfig: IssuanceConfig,
  tickDuration: RelTime,
});
export type OpenMiningRoundPayload = LfValue<typeof Payload>;

interface DefinedRound {
  readonly round: LfValue<typeof Round>;
}
const isDefined = ({ round }: DefinedRound) => round.number >= 0n;

/** Returns the payload of the round to any party that knows the contract. */
const FetchRound = choice({
  name: 'OpenMiningRound_Fetch',
  kind: 'nonconsuming',
  argument: record(inModule('OpenMiningRound_Fetch'), { p: party }),
  result: Payload,
  controllers: (_round: OpenMiningRoundPayload, { p }) => [p],
  exercise: (_ledger, { payload }) => payload,
});

const FormerPayload = record(inModule('OpenMiningRound'), {
  dso: party,
  round: Round,
  amuletPrice: numeric(10),
  opensAt: timestamp,
  targetClosesAt: timestamp,
  issuingFor: RelTime,
  tickDuration: RelTime,
});

/** The open round, in which new amulets are created. LocalNet has one such round, which never closes. */
export const OpenMiningRound = template<OpenMiningRoundPayload>({
  name: inModule('OpenMiningRound'),
  payload: Payload,
  signatories: ({ dso }) => [dso],
  observers: () => [],
  ensure: isDefined,
  choices: [FetchRound],
  former: template({
    name: inModule('OpenMiningRound'),
    payload: FormerPayload,
    signatories: ({ dso }) => [dso],
    observers: () => [],
  }),
});

const IssuingPayload = record(inModule('IssuingMiningRound'), {
  dso: party,
  round: Round,
  issuancePerValidatorRewardCoupon: numeric(10),
  issuancePerFeaturedAppRewardCoupon: numeric(10),
  issuancePerUnfeaturedAppRewardCoupon: numeric(10),
  issuancePerSvRewardCoupon: numeric(10),
  opensAt: timestamp,
  targetClosesAt: timestamp,
  optIssuancePerValidatorFaucetCoupon: optional(numeric(10)),
});

/** A round from which rewards are paid. LocalNet never has one. */
export const IssuingMiningRound = template<LfValue<typeof IssuingPayload>>({
  name: inModule('IssuingMiningRound'),
  payload: IssuingPayload,
  signatories: ({ dso }) => [dso],
  observers: () => [],
  ensure: isDefined,
});

const groupOf = ({ dso }: { readonly dso: string }) => forDso(dso);

/** Fetches the open round that a caller passed. The round must be the DSO party's. */
export const fetchOpenRound = (
  ledger: ChoiceContext,
  dso: string,
  contractId: string,
): OpenMiningRoundPayload =>
  fetchChecked(ledger, OpenMiningRound, contractId, forDso(dso), groupOf);

/** Like `fetchOpenRound`, for a choice that no stakeholder of the round authorizes. */
export function fetchOpenRoundAs(
  ledger: ChoiceContext,
  dso: string,
  contractId: string,
  p: string,
): OpenMiningRoundPayload {
  const round = ledger.exercise(OpenMiningRound, contractId, FetchRound, { p });
  requireGroup(ledger, forDso(dso), groupOf(round), () => contractId);
  return round;
}

const ONE = unitsOf('1.0000000000');

/** Converts units of USD to units of coins, at the round's price. */
export const coinsFor = ({ amuletPrice }: OpenMiningRoundPayload, usdUnits: bigint): bigint =>
  timesUnits(divideUnits(ONE, unitsOf(amuletPrice)), usdUnits);

/** Returns the amount that a coin loses in each round. */
export const holdingFeeOf = (round: OpenMiningRoundPayload): string =>
  decimalOf(coinsFor(round, unitsOf(round.transferConfigUsd.holdingFee.rate))) ?? '';
