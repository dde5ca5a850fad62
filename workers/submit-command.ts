import { randomUUID } from 'node:crypto';
import type { Io, LedgerGateway, Outbox, StartedAttempt, WallClock } from '../src/app/ports.ts';
import type { PreparedCommand } from '../src/app/prepare-command.ts';
import { SENT_WITHIN_MS } from '../src/app/proof.ts';
import type { LedgerAnswer } from '../src/domain/answer.ts';
import { NOTHING_SENT } from '../src/domain/answer.ts';
import type { Change } from '../src/domain/change.ts';
import type { EffectId, SubmissionId } from '../src/domain/ids.ts';
import { trusted, workflowIdOf } from '../src/domain/ids.ts';

export interface SubmitCommandJob {
  readonly effectId: EffectId;
  readonly dispatchNo: number;
}

/** Its process slept, so that others may take the attempt for over: it is not sent any more. */
const BEGUN_TOO_LATE: LedgerAnswer = {
  class: 'unknown',
  code: 'BEGUN_TOO_LATE',
  explanation: 'the process was held up for so long that the attempt was not sent',
  text: 'not sent',
  unsent: true,
  ...NOTHING_SENT,
};

/** What the command needs could not be read here, of the database for one: nothing of it has left. */
const notPrepared = (error: unknown): LedgerAnswer => ({
  class: 'unknown',
  code: 'NOT_PREPARED',
  explanation: 'what the command needs could not be read',
  text: error instanceof Error ? error.message : String(error),
  unsent: true,
  ...NOTHING_SENT,
});

export interface SubmitCommandDeps {
  readonly outbox: Pick<Outbox, 'startAttempt' | 'participantReached'>;
  readonly gateway: Pick<LedgerGateway, 'submit'>;
  /** The command of an attempt, or the answer that there is none because something it needs could not be asked for. */
  readonly prepare: (attempt: StartedAttempt, io: Io) => Promise<PreparedCommand | LedgerAnswer>;
  /** @default the clock of the process */
  readonly wallClock?: WallClock;
  /** Writes a synchronous answer and what follows from it. */
  readonly recordAnswer: (
    change: Change,
    submissionId: SubmissionId,
    answer: LedgerAnswer,
    io: Io,
  ) => Promise<void>;
}

/** A steady clock stands still while its machine sleeps, and a wall clock may be set back: the later of both counts. */
function stopwatch(wallClock: WallClock): () => number {
  const [steadyMs, wallMs] = [performance.now(), wallClock.nowMs()];
  return () => Math.max(performance.now() - steadyMs, wallClock.nowMs() - wallMs);
}

/**
 * Submits the command of a dispatched effect's change, once.
 *
 * The attempt is committed before anything is sent, so that whatever the ledger says later finds whom it is about. The
 * submission ID is new each time; the command ID and the deduplication offset are the change's, so that however often
 * this runs, and wherever it is killed, the ledger applies the change at most once. When the ledger takes the command,
 * nothing is recorded here: its streams tell the outcome.
 *
 * What could not be sent within `SENT_WITHIN_MS` is not sent: the process was stopped meanwhile, and whoever judges the
 * change takes it that nothing of this attempt is still to come.
 */
export async function submitCommand(
  job: SubmitCommandJob,
  deps: SubmitCommandDeps,
  io: Io,
): Promise<void> {
  const submissionId = trusted<SubmissionId>(randomUUID());
  const elapsedMs = stopwatch(deps.wallClock ?? { nowMs: Date.now });
  const started = await deps.outbox.startAttempt(job.effectId, job.dispatchNo, submissionId, io);
  if (started === null) return;
  const { change } = started;
  const prepared = await deps.prepare(started, io).catch((error: unknown) => {
    // Who tells us to end has no time for the record; the attempt is gone about by whoever comes next.
    if (io.signal.aborted) throw error;
    return notPrepared(error);
  });
  // After a pause others may have gone on as if this attempt had been sent long ago, and have believed a refusal.
  const leftMs = SENT_WITHIN_MS - elapsedMs();
  if (leftMs <= 0) return deps.recordAnswer(change, submissionId, BEGUN_TOO_LATE, io);
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
          { signal: io.signal, deadlineMs: Math.min(io.deadlineMs, leftMs) },
        );
  if (answer !== null) await deps.recordAnswer(change, submissionId, answer, io);
  else if (started.circuit === 'unreachable') {
    // This was the probe: what has been put off need not wait until the streams tell that it got through.
    await deps.outbox.participantReached(change.submitter.participant, io);
  }
}
