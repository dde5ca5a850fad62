import type { Standstill } from '../domain/standstill.ts';
import type { ParticipantName } from '../domain/ids.ts';
import { isoToMs } from '../domain/time.ts';
import type { Finding } from './findings.ts';
import { well, wrong } from './findings.ts';
import { PATIENCE_MS } from '../app/desk/overdue.ts';

/* Turns the reasons for which participants report no progress into findings with advice. Pure. */

const ADVICE = {
  behind:
    'Check the participant and its connection to the synchronizers. Operations wait and continue automatically when the participant has caught up.',
  gone: 'Check whether the participant will be connected to its synchronizer again. Operations then continue automatically. If the connection is lost permanently, see "Behind, quiet and gone" in docs/OPERATIONS.md.',
  clock:
    'Correct the clocks of the participant, of its sequencers and of the database. The next submissions show whether the clocks agree.',
  replay:
    'Requests continue automatically when Tenure has read from the ledger which operations took effect: see "After a restore" in docs/OPERATIONS.md. If the finding names a cause, remove the cause.',
} as const;

/** Returns a finding for each standstill. @param nowMs this process's time in milliseconds since 1970 */
export function judgeStandstills(
  standstills: readonly (Standstill & { readonly participant: ParticipantName })[],
  nowMs: number,
): Finding[] {
  if (standstills.length === 0) return [well('streams', 'no participant is stalled')];
  return standstills.map(({ participant, kind, since, detail }) => {
    const what = `participant ${participant} has been stalled (${kind}) since ${since}: ${detail}`;
    // A quiet ledger is not a fault: operations that wait too long for it are reported separately.
    const isWrong = kind !== 'quiet' && nowMs - isoToMs(since) > PATIENCE_MS[kind];
    return isWrong ? wrong('streams', what, ADVICE[kind]) : well('streams', what);
  });
}
