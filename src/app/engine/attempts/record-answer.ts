import type { LedgerAnswer } from '../../../domain/answer.ts';
import type { Change } from '../../../domain/change.ts';
import type { ParticipantName, SubmissionId } from '../../../domain/ids.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { createGathering, msUntil } from '../lanes/gathering.ts';
import type { Times } from '../lanes/lane.ts';
import { timesOf } from '../lanes/lane.ts';
import { recordRefusal } from '../outcomes/outcomes.ts';
import type { AnsweredAttempt } from '../outcomes/outcomes.ts';
import type { ContractModel } from '../../contract/model.ts';
import type { LedgerClock, WallClock } from '../../ports/clocks.ts';
import type { Io } from '../../ports/io.ts';
import type { LedgerGateway } from '../../ports/ledger.ts';
import { isReadAgain } from '../../ports/streams.ts';
import type { Store } from '../../ports/transaction.ts';
import { WorkingSet } from '../lanes/working-set.ts';

export interface RecordAnswerDeps {
  readonly model: ContractModel;
  readonly store: Store;
  readonly gateway: LedgerGateway;
  readonly wallClock: WallClock;
  readonly ledgerClock: LedgerClock;
  readonly random: () => number;
}

/** Returns whether the decision about an answer may need the ledger end. */
const needsLedgerEnd = (answer: LedgerAnswer): boolean =>
  answer.class === 'stale-contract' ||
  answer.class === 'refused' ||
  answer.class === 'contention' ||
  answer.class === 'busy' ||
  (answer.class === 'unknown' && answer.heard);

/** Returns `null` if the ledger call failed. */
export const orNull = async <T>(asked: Promise<T>): Promise<T | null> => {
  try {
    return await asked;
  } catch {
    return null;
  }
};

/** Returns the accepted update that a duplicate answer refers to, if it is visible to us. */
export async function readDuplicate(
  gateway: LedgerGateway,
  participant: ParticipantName,
  answer: LedgerAnswer,
  io: Io,
): Promise<AnsweredAttempt['duplicate']> {
  const offset = answer.duplicateOf?.accepted === true ? answer.duplicateOf.offset : null;
  if (offset === null) return null;
  const update = await gateway.updateAt(participant, offset, io);
  if (update === null) return null;
  return { updateId: update.updateId, workflowId: update.workflowId, offset };
}

/** An answer, with the data read from the ledger to judge it. */
interface Heard {
  readonly change: Change;
  readonly from: AnsweredAttempt;
  readonly times: Times;
}

async function hear(
  deps: RecordAnswerDeps,
  change: Change,
  submissionId: SubmissionId,
  answer: LedgerAnswer,
  io: Io,
): Promise<Heard> {
  const { participant } = change.submitter;
  // Taken before the ledger end is read, so effects of attempts that are impossible from now on are before that end.
  const times = timesOf(deps);
  // If these reads fail, the answer is recorded without their results.
  const [ledgerEnd, duplicate] = await Promise.all([
    needsLedgerEnd(answer) ? orNull(deps.gateway.ledgerEnd(participant, io)) : null,
    orNull(readDuplicate(deps.gateway, participant, answer, io)),
  ]);
  return { change, from: { submissionId, answer, offset: null, ledgerEnd, duplicate }, times };
}

/** Records answers in one transaction. Each is judged as if the previous ones had been recorded. */
async function record(
  { model, store, random }: RecordAnswerDeps,
  all: readonly Heard[],
  io: Io,
): Promise<void> {
  await store.transact(io, async (tx) => {
    const lanes = [...new Set(all.map(({ change }) => change.lane))];
    // Read under the locks: if the replay has ended before, the locked changes have the outcomes that it delivered.
    const [locked, { replaying }] = await Promise.all([tx.lock(lanes), tx.followed()]);
    const ws = new WorkingSet(model, ({ submitter }) =>
      isReadAgain(replaying, submitter.participant),
    );
    ws.add(locked);
    for (const { change, from, times } of all) {
      const current = await ws.findChange(tx, change.id);
      if (current !== null) await recordRefusal(ws, tx, current, from, times, random());
    }
    await tx.save(ws.writes());
  });
}

/**
 * Records the immediate answer to a submission. The projector records answers that arrive as completions; both use the
 * same decisions.
 */
export async function recordAnswer(
  deps: RecordAnswerDeps,
  change: Change,
  submissionId: SubmissionId,
  answer: LedgerAnswer,
  io: Io,
): Promise<void> {
  await record(deps, [await hear(deps, change, submissionId, answer, io)], io);
}

export interface RecordTogetherDeps extends RecordAnswerDeps {
  /** Returns whether an error means that the database is unavailable: smaller transactions would fail as well. */
  readonly isUnavailable: (error: unknown) => boolean;
}

interface Waiting {
  readonly heard: Heard;
  readonly untilMs: number;
}

/**
 * Like {@link recordAnswer}, in batches: the next transaction records all answers that arrived during the previous one,
 * in order of arrival. If one of them makes the transaction fail, each is recorded in its own transaction.
 */
export function recordingTogether(
  deps: RecordTogetherDeps,
): (change: Change, submissionId: SubmissionId, answer: LedgerAnswer, io: Io) => Promise<void> {
  const gather = createGathering<Waiting, void>({
    max: LIMITS.answerBatchMax,
    run: async (waiting, signal) => {
      const deadlineMs = msUntil(Math.max(...waiting.map(({ untilMs }) => untilMs)));
      const all = waiting.map(({ heard }) => heard);
      const [whole] = await Promise.allSettled([record(deps, all, { signal, deadlineMs })]);
      const isFinal =
        whole.status === 'fulfilled' ||
        all.length === 1 ||
        signal.aborted ||
        deps.isUnavailable(whole.reason);
      if (isFinal) return all.map(() => whole);
      const apart: PromiseSettledResult<void>[] = [];
      // One after another, so that answers of the same lane keep their order.
      for (const { heard, untilMs } of waiting) {
        const io = { signal, deadlineMs: msUntil(untilMs) };
        apart.push(...(await Promise.allSettled([record(deps, [heard], io)])));
      }
      return apart;
    },
  });
  return async (change, submissionId, answer, io) => {
    const untilMs = performance.now() + io.deadlineMs;
    const heard = await hear(deps, change, submissionId, answer, io);
    await gather({ heard, untilMs }, io.signal);
  };
}
