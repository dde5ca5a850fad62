import type { LedgerAnswer } from '../../domain/answer.ts';
import type { Change } from '../../domain/change.ts';
import type { ParticipantName, SubmissionId } from '../../domain/ids.ts';
import { LIMITS } from '../../domain/limits.ts';
import { createGathering, msUntil } from './gathering.ts';
import type { Times } from './lane.ts';
import { timesOf } from './lane.ts';
import { recordRefusal } from './outcomes.ts';
import type { AnsweredAttempt } from './outcomes.ts';
import type { ContractModel } from '../contract/model.ts';
import type { LedgerClock, WallClock } from '../ports/clocks.ts';
import type { Io } from '../ports/io.ts';
import type { LedgerGateway } from '../ports/ledger.ts';
import type { Store } from '../ports/transaction.ts';
import { WorkingSet } from './working-set.ts';

export interface RecordAnswerDeps {
  readonly model: ContractModel;
  readonly store: Store;
  readonly gateway: LedgerGateway;
  readonly wallClock: WallClock;
  readonly ledgerClock: LedgerClock;
  readonly random: () => number;
}

/** Answers that may lead to a decision which needs to know how far the ledger was. */
const needsLedgerEnd = (answer: LedgerAnswer): boolean =>
  answer.class === 'stale-contract' ||
  answer.class === 'refused' ||
  answer.class === 'contention' ||
  answer.class === 'busy' ||
  (answer.class === 'unknown' && answer.heard);

/** `null` where the ledger could not be asked. */
export const orNull = async <T>(asked: Promise<T>): Promise<T | null> => {
  try {
    return await asked;
  } catch {
    return null;
  }
};

/** The accepted update behind a duplicate answer, as far as we may see it. */
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

/** An answer with what had to be asked of the ledger to judge it. */
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
  // Before the ledger end: what is no longer possible now, the ledger has passed there.
  const times = timesOf(deps);
  // The answer is recorded whether or not these can be had.
  const [ledgerEnd, duplicate] = await Promise.all([
    needsLedgerEnd(answer) ? orNull(deps.gateway.ledgerEnd(participant, io)) : null,
    orNull(readDuplicate(deps.gateway, participant, answer, io)),
  ]);
  return { change, from: { submissionId, answer, offset: null, ledgerEnd, duplicate }, times };
}

/** One transaction, in which each is recorded as if those before it had been. */
async function record(
  { model, store, random }: RecordAnswerDeps,
  all: readonly Heard[],
  io: Io,
): Promise<void> {
  await store.transact(io, async (tx) => {
    const ws = new WorkingSet(model);
    ws.add(await tx.lock([...new Set(all.map(({ change }) => change.lane))]));
    for (const { change, from, times } of all) {
      const current = await ws.findChange(tx, change.id);
      if (current !== null) await recordRefusal(ws, tx, current, from, times, random());
    }
    await tx.save(ws.writes());
  });
}

/**
 * Records what a submission was answered at once. Answers that come by completion are recorded by the
 * projector, through the same decisions.
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
  /** It says that the database does not serve: nothing is to be found out by asking it for less. */
  readonly isUnavailable: (error: unknown) => boolean;
}

interface Waiting {
  readonly heard: Heard;
  readonly untilMs: number;
}

/**
 * {@link recordAnswer}, for many: what comes while one transaction is under way is recorded together by the next, in
 * the order in which it came. Where that fails for one of them, each is recorded by itself.
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
      // One after the other: of a lane, the first that came is the first.
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
