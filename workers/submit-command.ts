import { randomUUID } from 'node:crypto';
import type { WallClock } from '../src/app/ports/clocks.ts';
import type { Io } from '../src/app/ports/io.ts';
import type { LedgerGateway } from '../src/app/ports/ledger.ts';
import type {
  Outbox,
  RecordedAttempt,
  StartedAttempt,
  SubmissionObserver,
} from '../src/app/ports/outbox.ts';
import type { PreparedCommand } from '../src/app/engine/attempts/prepare-command.ts';
import { stopwatch } from '../src/app/engine/attempts/prepare-command.ts';
import { SENT_WITHIN_MS } from '../src/app/engine/doubts/proof.ts';
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

/** The process was suspended, so other processes may consider the attempt over. The attempt is no longer sent. */
const BEGUN_TOO_LATE: LedgerAnswer = {
  class: 'unknown',
  code: 'BEGUN_TOO_LATE',
  explanation: 'the attempt was not sent, because the process was suspended for too long',
  text: 'not sent',
  takesNoTry: true,
  ...NOTHING_SENT,
};

/** The database session that the attempt names has ended, and another process has taken over. */
const TAKEN_OVER: LedgerAnswer = {
  class: 'unknown',
  code: 'TAKEN_OVER',
  explanation: 'the attempt was not sent, because the process lost its database session',
  text: 'not sent',
  takesNoTry: true,
  ...NOTHING_SENT,
};

/** The data of the command could not be read, for example from the database. Nothing was sent. */
const notPrepared = (error: unknown): LedgerAnswer => ({
  class: 'unknown',
  code: 'NOT_PREPARED',
  explanation: 'the data for the command could not be read',
  text: errorText(error),
  takesNoTry: true,
  ...NOTHING_SENT,
});

export interface SubmitCommandDeps {
  readonly outbox: Pick<Outbox, 'startAttempt' | 'putOff' | 'participantReached' | 'isCurrent'>;
  readonly gateway: Pick<LedgerGateway, 'submit' | 'reach'>;
  /** Returns the command of an attempt, or an answer if data that it needs could not be read. */
  readonly prepare: (attempt: StartedAttempt, io: Io) => Promise<PreparedCommand | LedgerAnswer>;
  /** @default no observer */
  readonly observer?: SubmissionObserver;
  /** @default the clock of the process */
  readonly wallClock?: WallClock;
  /** Returns a new ID for each attempt, which also identifies the cell; there is no default. */
  readonly newSubmissionId: () => SubmissionId;
  /** Records a synchronous answer and its consequences. */
  readonly recordAnswer: (
    change: Change,
    submissionId: SubmissionId,
    answer: LedgerAnswer,
    io: Io,
  ) => Promise<void>;
}

/** A committed attempt that has not been sent yet. */
interface Begun {
  readonly started: StartedAttempt;
  readonly submissionId: SubmissionId;
  /** The trace that the submission belongs to, if there is one. */
  readonly traceparent: string | undefined;
  readonly elapsedMs: () => number;
  /** See `RecordedAttempt`. @default never */
  readonly isDoubtful?: () => boolean;
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
 * Begins an attempt. If the participant is unreachable, the effect only checks whether this is still so. The check has
 * no effect on the ledger: a command with an unknown outcome would have to be resolved later.
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
  // No attempt has this submission ID, because nothing was sent.
  await deps.recordAnswer(probe, trusted<SubmissionId>(randomUUID()), answer, io);
  return null;
}

async function submitBegun(
  begun: Begun,
  job: SubmitCommandJob,
  deps: SubmitCommandDeps,
  io: Io,
): Promise<void> {
  const { started, submissionId, traceparent, elapsedMs } = begun;
  const { change } = started;
  const prepared = await deps.prepare(started, io).catch(async (error: unknown) => {
    // On shutdown the answer is not recorded. The next worker resumes the attempt.
    if (!io.signal.aborted) await deps.recordAnswer(change, submissionId, notPrepared(error), io);
    throw error;
  });
  const isDoubtful = begun.isDoubtful?.() === true;
  if (isDoubtful && !(await deps.outbox.isCurrent(job.effectId, submissionId, io))) {
    return deps.recordAnswer(change, submissionId, TAKEN_OVER, io);
  }
  // After a pause, other processes may have treated this attempt as sent long ago, and have accepted a refusal.
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
    // This attempt was the probe and has succeeded: effects that were postponed need not wait until the streams report
    // this.
    await deps.outbox.participantReached(change.submitter.participant, io);
  }
}

/**
 * Submits the command of a dispatched effect's change, once.
 *
 * The attempt is committed before anything is sent, so that later reports of the ledger find their attempt. Each
 * submission has a new submission ID, but the command ID and the deduplication offset are those of the change. The
 * ledger therefore applies the change at most once, however often this function runs and wherever it is killed. If the
 * ledger accepts the command, nothing is recorded here, because its streams report the outcome.
 *
 * A command that could not be sent within `SENT_WITHIN_MS` is not sent: the process was suspended, and other processes
 * already assume that this attempt can have no later effect.
 *
 * @param recorded the attempt, if the transaction that recorded the change has started it
 */
export async function submitCommand(
  job: SubmitCommandJob,
  deps: SubmitCommandDeps,
  io: Io,
  recorded?: RecordedAttempt,
): Promise<void> {
  const begun =
    recorded === undefined
      ? ((await begin(job, deps, io, false)) ?? (await beginOnceReached(job, deps, io)))
      : { ...recorded, traceparent: deps.observer?.begun(recorded.started) };
  if (begun !== null) await submitBegun(begun, job, deps, io);
}
