import { randomUUID } from 'node:crypto';
import type { WallClock } from '../src/app/ports/clocks.ts';
import type { Io } from '../src/app/ports/io.ts';
import type { LedgerGateway } from '../src/app/ports/ledger.ts';
import type { Outbox, StartedAttempt, SubmissionObserver } from '../src/app/ports/outbox.ts';
import type { PreparedCommand } from '../src/app/engine/prepare-command.ts';
import { SENT_WITHIN_MS } from '../src/app/engine/proof.ts';
import type { LedgerAnswer } from '../src/domain/answer.ts';
import { NOTHING_SENT } from '../src/domain/answer.ts';
import type { Change } from '../src/domain/change.ts';
import { errorText } from '../src/domain/error-text.ts';
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
  takesNoTry: true,
  ...NOTHING_SENT,
};

/** What the command needs could not be read here, of the database for one: nothing of it has left. */
const notPrepared = (error: unknown): LedgerAnswer => ({
  class: 'unknown',
  code: 'NOT_PREPARED',
  explanation: 'what the command needs could not be read',
  text: errorText(error),
  takesNoTry: true,
  ...NOTHING_SENT,
});

export interface SubmitCommandDeps {
  readonly outbox: Pick<Outbox, 'startAttempt' | 'putOff' | 'participantReached'>;
  readonly gateway: Pick<LedgerGateway, 'submit' | 'reach'>;
  /** The command of an attempt, or the answer that there is none because something it needs could not be asked for. */
  readonly prepare: (attempt: StartedAttempt, io: Io) => Promise<PreparedCommand | LedgerAnswer>;
  /** @default nothing is told */
  readonly observer?: SubmissionObserver;
  /** @default the clock of the process */
  readonly wallClock?: WallClock;
  /** Another one for each attempt, by which its cell is known: there is none that would do without. */
  readonly newSubmissionId: () => SubmissionId;
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

/** An attempt that is committed, and of which nothing is sent yet. */
interface Begun {
  readonly started: StartedAttempt;
  readonly submissionId: SubmissionId;
  /** What the submission continues, where it is traced. */
  readonly traceparent: string | undefined;
  readonly elapsedMs: () => number;
}

async function begin(
  { effectId, dispatchNo }: SubmitCommandJob,
  { outbox, observer, wallClock = { nowMs: Date.now }, newSubmissionId }: SubmitCommandDeps,
  io: Io,
  isReached: boolean,
): Promise<Begun | null> {
  const submissionId = newSubmissionId();
  const elapsedMs = stopwatch(wallClock);
  const started = await outbox.startAttempt(effectId, dispatchNo, submissionId, io, isReached);
  if (started === null) return null;
  return { started, submissionId, traceparent: observer?.begun(started), elapsedMs };
}

/**
 * Where its participant cannot be reached, what is dispatched only finds out whether that is so still. It asks
 * something that takes no effect: a command of which nobody knows what became would be one more to wait for.
 */
async function beginOnceReached(
  job: SubmitCommandJob,
  deps: SubmitCommandDeps,
  io: Io,
): Promise<Begun | null> {
  const probe = await deps.outbox.putOff(job.effectId, job.dispatchNo, io);
  if (probe === null) return null;
  const answer = await deps.gateway.reach(probe.submitter.participant, io);
  if (answer === null) return begin(job, deps, io, true);
  // No attempt has this submission ID: nothing was sent.
  await deps.recordAnswer(probe, trusted<SubmissionId>(randomUUID()), answer, io);
  return null;
}

async function submitBegun(
  { started, submissionId, traceparent, elapsedMs }: Begun,
  deps: SubmitCommandDeps,
  io: Io,
): Promise<void> {
  const { change } = started;
  const prepared = await deps.prepare(started, io).catch(async (error: unknown) => {
    // Who tells us to end has no time for the record; the attempt is gone about by whoever comes next.
    if (!io.signal.aborted) await deps.recordAnswer(change, submissionId, notPrepared(error), io);
    throw error;
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
            ...(traceparent === undefined ? {} : { traceparent }),
          },
          { signal: io.signal, deadlineMs: Math.min(io.deadlineMs, leftMs) },
        );
  if (answer !== null) await deps.recordAnswer(change, submissionId, answer, io);
  else if (started.circuit === 'unreachable') {
    // This was the probe: what has been put off need not wait until the streams tell that it got through.
    await deps.outbox.participantReached(change.submitter.participant, io);
  }
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
  const begun = (await begin(job, deps, io, false)) ?? (await beginOnceReached(job, deps, io));
  if (begun !== null) await submitBegun(begun, deps, io);
}
