import { int64, numeric, party, record, timestamp } from '../lf-types.ts';
import type { LfValue } from '../lf-types.ts';
import { template, typeNamer } from '../package-definition.ts';
import type { ChoiceContext } from '../package-definition.ts';
import { RelTime } from '../standard-library.ts';

const named = typeNamer('splice-amulet');

export const Round = record(named('Splice.Types:Round'), { number: int64 });

const Payload = record(named('Splice.Round:OpenMiningRound'), {
  dso: party,
  round: Round,
  amuletPrice: numeric(10),
  opensAt: timestamp,
  targetClosesAt: timestamp,
  issuingFor: RelTime,
  tickDuration: RelTime,
});
export type OpenMiningRoundPayload = LfValue<typeof Payload>;

/** The round that new amulets are counted to. LocalNet has one, which never closes. */
export const OpenMiningRound = template<OpenMiningRoundPayload>({
  name: named('Splice.Round:OpenMiningRound'),
  payload: Payload,
  signatories: ({ dso }) => [dso],
  observers: () => [],
});

/** The open round that a caller has brought along; one of the DSO's and of no other party. */
export function fetchOpenRound(
  ledger: ChoiceContext,
  dso: string,
  contractId: string,
): OpenMiningRoundPayload {
  const round = ledger.fetch(OpenMiningRound, contractId);
  ledger.require('Open mining round is of the DSO party', round.dso === dso);
  return round;
}
