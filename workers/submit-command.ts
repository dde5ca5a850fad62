import { randomUUID } from 'node:crypto';
import type { Io, LedgerGateway, Outbox, StartedAttempt } from '../src/app/ports.ts';
import type { PreparedCommand } from '../src/app/prepare-command.ts';
import type { LedgerAnswer } from '../src/domain/answer.ts';
import type { Change } from '../src/domain/change.ts';
import type { EffectId, SubmissionId } from '../src/domain/ids.ts';
import { trusted, workflowIdOf } from '../src/domain/ids.ts';

export interface SubmitCommandJob {
  readonly effectId: EffectId;
  readonly dispatchNo: number;
}

export interface SubmitCommandDeps {
  readonly outbox: Pick<Outbox, 'startAttempt'>;
  readonly gateway: Pick<LedgerGateway, 'submit'>;
  /** The command of an attempt, or the answer that there is none because something it needs could not be asked for. */
  readonly prepare: (attempt: StartedAttempt, io: Io) => Promise<PreparedCommand | LedgerAnswer>;
  /** Writes a synchronous answer and what follows from it. */
  readonly recordAnswer: (
    change: Change,
    submissionId: SubmissionId,
    answer: LedgerAnswer,
    io: Io,
  ) => Promise<void>;
}

/**
 * Submits the command of a dispatched effect's change, once.
 *
 * The attempt is committed before anything is sent, so that whatever the ledger says later finds whom it is about. The
 * submission ID is new each time; the command ID and the deduplication offset are the change's, so that however often
 * this runs, and wherever it is killed, the ledger applies the change at most once. When the ledger takes the command,
 * nothing is recorded here: its streams tell the outcome.
 */
export async function submitCommand(
  job: SubmitCommandJob,
  deps: SubmitCommandDeps,
  io: Io,
): Promise<void> {
  const submissionId = trusted<SubmissionId>(randomUUID());
  const started = await deps.outbox.startAttempt(job.effectId, job.dispatchNo, submissionId, io);
  if (started === null) return;
  const { change } = started;
  const prepared = await deps.prepare(started, io);
  const answer =
    'class' in prepared
      ? prepared
      : await deps.gateway.submit(
          {
            submitter: change.submitter,
            commandId: change.commandId,
            submissionId,
            workflowId: workflowIdOf(change.id),
            deduplicationOffset: change.deduplicationOffset,
            ...prepared,
          },
          io,
        );
  if (answer !== null) await deps.recordAnswer(change, submissionId, answer, io);
}
