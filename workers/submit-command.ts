import { randomUUID } from 'node:crypto';
import type { Io, LedgerGateway, Outbox } from '../src/app/ports.ts';
import type { LedgerAnswer } from '../src/domain/answer.ts';
import type { Change } from '../src/domain/change.ts';
import type { EffectId, SubmissionId } from '../src/domain/ids.ts';
import { trusted } from '../src/domain/ids.ts';
import type { LedgerCommand } from '../src/domain/ledger.ts';
import type { Lifecycle } from '../src/domain/lifecycle.ts';

export interface SubmitCommandJob {
  readonly effectId: EffectId;
  readonly dispatchNo: number;
}

export interface SubmitCommandDeps {
  readonly outbox: Pick<Outbox, 'startAttempt'>;
  readonly gateway: Pick<LedgerGateway, 'submit'>;
  /** The same command for every attempt, but for the contract ID, which is the lifecycle's current one. */
  readonly commandFor: (change: Change, lifecycle: Lifecycle | null) => LedgerCommand;
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
  const { change, lifecycle } = started;
  const answer = await deps.gateway.submit(
    {
      submitter: change.submitter,
      commandId: change.commandId,
      submissionId,
      workflowId: `tenure-${change.id}`,
      deduplicationOffset: change.deduplicationOffset,
      command: deps.commandFor(change, lifecycle),
    },
    io,
  );
  if (answer !== null) await deps.recordAnswer(change, submissionId, answer, io);
}
