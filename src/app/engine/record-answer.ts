import type { LedgerAnswer } from '../../domain/answer.ts';
import type { Change } from '../../domain/change.ts';
import type { ParticipantName, SubmissionId } from '../../domain/ids.ts';
import { timesOf } from './lane.ts';
import { recordRefusal } from './outcomes.ts';
import type { AnsweredAttempt } from './outcomes.ts';
import type { ContractModel } from '../contract/model.ts';
import type { LedgerClock, WallClock } from '../ports/clocks.ts';
import type { Io, Signals } from '../ports/io.ts';
import type { LedgerGateway } from '../ports/ledger.ts';
import type { Store } from '../ports/transaction.ts';
import { WorkingSet } from './working-set.ts';

export interface RecordAnswerDeps {
  readonly model: ContractModel;
  readonly store: Store;
  readonly gateway: LedgerGateway;
  readonly wallClock: WallClock;
  readonly ledgerClock: LedgerClock;
  readonly signals: Signals;
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
  const { participant } = change.submitter;
  // Before the ledger end: what is no longer possible now, the ledger has passed there.
  const times = timesOf(deps);
  // The answer is recorded whether or not these can be had.
  const [ledgerEnd, duplicate] = await Promise.all([
    needsLedgerEnd(answer) ? orNull(deps.gateway.ledgerEnd(participant, io)) : null,
    orNull(readDuplicate(deps.gateway, participant, answer, io)),
  ]);
  await deps.store.transact(io, async (tx) => {
    const ws = new WorkingSet(deps.model);
    ws.add(await tx.lock([change.lane]));
    const current = await ws.findChange(tx, change.id);
    if (current === null) return;
    const from = { submissionId, answer, offset: null, ledgerEnd, duplicate };
    await recordRefusal(ws, tx, current, from, times, deps.random());
    await tx.save(ws.writes());
  });
  deps.signals.effectsDue();
}
