import type { Standstill } from '../domain/standstill.ts';
import type { ParticipantName } from '../domain/ids.ts';
import { isoToMs } from '../domain/time.ts';
import type { Finding } from './findings.ts';
import { well, wrong } from './findings.ts';
import { PATIENCE_MS } from '../app/desk/overdue.ts';

/* Turns the reasons for which participants report no progress into findings with advice. Pure. */

const ADVICE = {
  behind:
    'Look at the participant and at what is between it and the network. Operations wait and go on by themselves when it has caught up.',
  gone: 'See on the participant whether it will be connected again: then all goes on by itself. If it never will be, see "Behind, quiet and gone" in docs/OPERATIONS.md.',
  clock:
    'Put the clocks of the participant, of its sequencers and of the database right. What is submitted after that shows whether they agree.',
  replay:
    'Requests go on by themselves when the ledger has told what took effect: see "After a restore" in docs/OPERATIONS.md. Where a cause is named, mend that.',
} as const;

/** Returns a finding for each standstill. @param nowMs this process's time in milliseconds since 1970 */
export function judgeStandstills(
  standstills: readonly (Standstill & { readonly participant: ParticipantName })[],
  nowMs: number,
): Finding[] {
  if (standstills.length === 0) return [well('streams', 'no participant stands still')];
  return standstills.map(({ participant, kind, since, detail }) => {
    const what = `${participant} is ${kind} since ${since}: ${detail}`;
    // A quiet ledger is not a fault: operations that wait too long for it are reported separately.
    const isWrong = kind !== 'quiet' && nowMs - isoToMs(since) > PATIENCE_MS[kind];
    return isWrong ? wrong('streams', what, ADVICE[kind]) : well('streams', what);
  });
}
