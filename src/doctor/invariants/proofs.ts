import { UPDATES_STREAM, completionsStream } from '../../app/ports/streams.ts';
import { isProven } from '../../app/engine/doubts/proof.ts';
import type { Change } from '../../domain/change.ts';
import type { ParticipantName } from '../../domain/ids.ts';
import { BEGIN_OF_TIME } from '../../domain/ledger.ts';
import { isoToMs } from '../../domain/time.ts';
import type { ChangeEvidence, Evidence } from './evidence.ts';
import { cursorOf } from './evidence.ts';
import type { Violation } from './violation.ts';

const DEFECT =
  'Keep a copy of the database, compare the operation with the ledger, and report a defect of Tenure.';

/**
 * Returns the record time up to which the streams have reported all results of submissions through a participant. Only
 * synchronizers that have reported a time count: a synchronizer connected later proves nothing about earlier
 * submissions.
 */
export function toldUpTo(
  evidence: Pick<Evidence, 'cursors'>,
  participant: ParticipantName,
): string | null {
  const updates = cursorOf(evidence, UPDATES_STREAM)?.times;
  const told = [...(cursorOf(evidence, completionsStream(participant))?.times ?? [])]
    .filter(([, at]) => at !== BEGIN_OF_TIME)
    .flatMap(([synchronizer, at]) => [at, updates?.get(synchronizer) ?? at]);
  return told.toSorted((a, b) => isoToMs(a) - isoToMs(b))[0] ?? null;
}

const nameOf = ({ operation, commandId }: Change): string => `${operation} ${commandId}`;

function* unproven(evidence: Evidence, { change, attempts }: ChangeEvidence): Generator<Violation> {
  for (const { n, at, answer, submissionId } of attempts) {
    const provenAt = answer?.provenAt;
    if (provenAt === undefined) continue;
    const found = (why: string): Violation => ({
      invariant: 'I14',
      what: `attempt ${n} of ${nameOf(change)} was declared unable to take effect at ledger time ${provenAt}, but ${why}`,
      subjects: { changeId: change.id, commandId: change.commandId, submissionId },
      todo: DEFECT,
    });
    if (isoToMs(provenAt) <= isoToMs(at)) yield found(`the attempt began at ${at}`);
    // The cursors may since have passed a time that was not proven when the attempt was judged, so the observer's
    // record of that moment takes precedence.
    const then = evidence.observed?.proofs.get(submissionId);
    const told = then === undefined ? toldUpTo(evidence, change.submitter.participant) : then;
    if (isProven(provenAt, told)) continue;
    yield found(
      told === null
        ? 'the streams have reported no ledger time'
        : `the streams have reported the ledger only up to ${told}`,
    );
  }
}

/**
 * Finds violations of I14: attempts that were declared over (unable to take effect any more) although the streams had
 * not proven it.
 */
export const overWithoutProof = (evidence: Evidence): Violation[] =>
  evidence.changes.flatMap((entry) => [...unproven(evidence, entry)]);
