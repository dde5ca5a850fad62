import type { Attempt, Change } from '../../../domain/change.ts';
import { NOT_YET_KNOWN, isOpen } from '../../../domain/change.ts';
import type { SubmissionId } from '../../../domain/ids.ts';
import { trusted } from '../../../domain/ids.ts';
import type { Replay } from '../../ports/tombstones.ts';

/**
 * The ID of an attempt that stands for all submissions of a change that the database may have lost. No row has this ID.
 */
export const LOST_SUBMISSION = trusted<SubmissionId>('lost submissions');

/**
 * Returns an undecided attempt for the submissions of a change that the database may have lost, because it was restored
 * to an earlier state; empty if no such submission can take effect. Only a change that was recorded before the replay
 * can have them: its deduplication offset is not after the offset up to which the replay reads.
 */
export function lostAttempts(
  change: Change,
  replay: Pick<Replay, 'lostUntil' | 'to'> | undefined,
): readonly Attempt[] {
  if (replay === undefined || replay.lostUntil === null || !isOpen(change.state)) return [];
  if (change.deduplicationOffset > (replay.to ?? 0n)) return [];
  const lost: Attempt = {
    changeId: change.id,
    n: 0,
    submissionId: LOST_SUBMISSION,
    submitter: change.submitter,
    contractId: null,
    // The projector bounds these submissions: see `LostWatch`. A call that another process makes does not.
    at: NOT_YET_KNOWN,
    overAt: replay.lostUntil === NOT_YET_KNOWN ? null : replay.lostUntil,
    answer: null,
  };
  return [lost];
}
