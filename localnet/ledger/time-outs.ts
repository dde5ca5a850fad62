import type { ParticipantName } from '../ports.ts';
import type { LedgerState } from './ledger-state.ts';
import type { LedgerStore } from './ledger-store.ts';
import type { UnsequencedRecord } from './records.ts';
import { notSequenced } from './verdicts.ts';

/** Returns the submissions of a participant that never reached the sequencer, in the order of their deadlines. */
export function unsequencedOf(
  { unsequenced }: LedgerState,
  name: ParticipantName,
): readonly UnsequencedRecord[] {
  if (unsequenced.size === 0) return [];
  return [...unsequenced.values()]
    .filter(({ submitter }) => submitter.participant === name)
    .sort((a, b) => Number(a.maxSequencingTime - b.maxSequencingTime));
}

/**
 * Adds the rejections of submissions that were never sequenced and whose deadline is `upTo` or earlier. Each is
 * published before anything with a later record time, and after everything that was sequenced at the same record time.
 */
export function addTimeOuts(store: LedgerStore, name: ParticipantName, upTo: bigint): void {
  const { state } = store;
  for (const unsequenced of unsequencedOf(state, name)) {
    const { submitter, traceContext, deduplicationOffset, maxSequencingTime } = unsequenced;
    if (maxSequencingTime > upTo) return;
    const participant = state.participants[name];
    const { recordTime } = participant.received;
    store.add({
      kind: 'rejection',
      completion: {
        offset: participant.nextOffset(),
        submitter,
        updateId: '',
        traceContext,
        deduplicationOffset,
        recordTime: maxSequencingTime > recordTime ? maxSequencingTime : recordTime,
        rejection: notSequenced,
        paidTrafficCost: 0n,
      },
    });
  }
}
