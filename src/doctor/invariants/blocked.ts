import { isBlockedBy } from '../../domain/pause.ts';
import type { Evidence } from './evidence.ts';
import type { Violation } from './violation.ts';

/**
 * Finds violations of I15: effects that are blocked although no pause, drain or foreign ledger applies to them. A
 * finished effect does not count as blocked.
 */
export function blockedWithoutCause({ changes, causes }: Evidence): Violation[] {
  return changes.flatMap(({ change, effect }): Violation[] => {
    if (effect === null || effect.heldAt === null || effect.doneAt !== null) return [];
    const { operation, provider, submitter, commandId } = change;
    const { participant } = submitter;
    const of = { participant, operation, provider, madeAt: effect.madeAt };
    const hasCause =
      causes.foreign.includes(participant) || causes.pauses.some((pause) => isBlockedBy(pause, of));
    if (hasCause) return [];
    return [
      {
        invariant: 'I15',
        what: `${operation} ${commandId} has been blocked since ${effect.heldAt}, but no pause, drain or foreign ledger is in force for the operation`,
        subjects: { changeId: change.id, commandId, lane: change.lane },
        todo: 'Check that a process with the role worker runs. Its relay releases such an operation within seconds. If a worker runs, report a defect of Tenure.',
      },
    ];
  });
}
