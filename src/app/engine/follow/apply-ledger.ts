import { cellOfSubmission } from '../../../domain/cell.ts';
import type { Change } from '../../../domain/change.ts';
import type {
  ChangeId,
  ContractId,
  LifecycleId,
  ParticipantName,
  Party,
  SubmissionId,
} from '../../../domain/ids.ts';
import { changeOfWorkflow, trusted } from '../../../domain/ids.ts';
import type {
  ActiveContract,
  LedgerCompletion,
  LedgerTransaction,
} from '../../../domain/ledger.ts';
import { templateFqn } from '../../../domain/ledger.ts';
import { LIMITS } from '../../../domain/limits.ts';
import type { ContractModel } from '../../contract/model.ts';
import { lifecycleOf } from '../../contract/model.ts';
import { contractsIn, factsOf, hasNews, newsOf } from '../lanes/facts.ts';
import type { Times } from '../lanes/lane.ts';
import { LeaseLostError } from '../lanes/leased.ts';
import { applyFact, bear } from '../lanes/lifecycles.ts';
import { findLost, NOTHING_LOST, recordLost } from '../outcomes/lost-operations.ts';
import { recordAcceptance, recordRefusal } from '../outcomes/outcomes.ts';
import type { Duplicate } from '../outcomes/outcomes.ts';
import type { Progress } from '../outcomes/settle.ts';
import { settleCarried } from '../outcomes/own-effect.ts';
import { isEffectOf } from '../lanes/results.ts';
import type { RecordClocks } from '../doubts/record-clocks.ts';
import { settleAccepted, settleOutdated, settleVerified } from '../outcomes/settle.ts';
import type { Ticks } from '../doubts/ticks.ts';
import type { Io } from '../../ports/io.ts';
import type { Tombstone } from '../../ports/tombstones.ts';
import type { AppliedUpdate, Store, Tx } from '../../ports/transaction.ts';
import type { CursorMove, SubmissionRef } from '../../ports/writes.ts';
import {
  UPDATES_STREAM,
  completionsStream,
  isReadAgain,
  participantOf,
} from '../../ports/streams.ts';
import { WorkingSet } from '../lanes/working-set.ts';

/** The elements of the streams since the last batch, each stream in its own order. */
export interface LedgerBatch {
  readonly transactions: readonly LedgerTransaction[];
  readonly completions: readonly LedgerCompletion[];
  readonly moves: readonly CursorMove[];
  /** Positions of all streams after this batch. */
  readonly cursors: ReadonlyMap<string, bigint>;
  /** Streams that are still replaying after this batch, because the database was restored to an earlier state. */
  readonly replaying: ReadonlySet<string>;
  /** The accepted update that each duplicate answer refers to, read before the batch is applied. */
  readonly duplicates: ReadonlyMap<SubmissionId, Duplicate>;
  /** Ledger end of each participant that refused a command of the batch, read after the batch was closed. */
  readonly ledgerEnds: ReadonlyMap<ParticipantName, bigint>;
}

export interface ApplyDeps {
  readonly model: ContractModel;
  readonly store: Store;
  readonly readAs: readonly Party[];
  readonly projected: ParticipantName;
  readonly leaseEpoch: bigint;
  readonly clocks: RecordClocks;
  readonly ticks: Ticks;
  readonly random: () => number;
}

const appliedOf = (transaction: LedgerTransaction): AppliedUpdate => ({
  updateId: transaction.updateId,
  offset: transaction.offset,
  commandId: transaction.commandId,
  workflowId: transaction.workflowId,
  created: transaction.events.flatMap((event) =>
    event.kind === 'created' && event.payload !== null
      ? [
          {
            contractId: event.contractId,
            templateFqn: templateFqn(event.template),
            payload: event.payload,
            signatories: event.signatories,
          },
        ]
      : [],
  ),
  exercised: transaction.events.flatMap((event) => (event.kind === 'exercised' ? [event] : [])),
});

function progressAfter(
  batch: LedgerBatch,
  { projected, clocks }: Pick<ApplyDeps, 'projected' | 'clocks'>,
): Progress {
  const updates = batch.cursors.get(UPDATES_STREAM) ?? 0n;
  const hasProjected: Progress['hasProjected'] = ({ submitter }, offset) =>
    submitter.participant === projected && updates >= offset;
  return {
    hasProjected,
    isReplaying: ({ submitter }) => isReadAgain(batch.replaying, submitter.participant),
    isBelieved: ({ submitter }) => clocks.apartMs(submitter.participant) === null,
    hasSettled: (change, offset) => {
      const { participant } = change.submitter;
      const completions = batch.cursors.get(completionsStream(participant)) ?? 0n;
      // Completions of the projected participant are usable only after the updates that they name have been applied.
      return completions >= offset && (participant !== projected || hasProjected(change, offset));
    },
  };
}

/** Returns whether the update created a contract that a policy may wait for. */
const wakesPolicies = ({ awaited }: ContractModel, { events }: LedgerTransaction): boolean =>
  events.some(
    (event) =>
      event.kind === 'created' &&
      event.views.some((view) => awaited.has(templateFqn(view.interface))),
  );

/**
 * Returns the lifecycle for which a concurrent operation (such as a comment) created the update's contracts; `null` if
 * another client made the update, whatever workflow ID that client set.
 */
async function originOf(
  ws: WorkingSet,
  tx: Tx,
  { workflowId }: LedgerTransaction,
  applied: AppliedUpdate,
): Promise<LifecycleId | null> {
  const id = changeOfWorkflow(workflowId);
  const change = id === null ? null : await ws.findChange(tx, id);
  const isOurs =
    change !== null &&
    ws.model.isAside(change.operation) &&
    isEffectOf(ws.model, change, applied, []);
  return isOurs ? change.lifecycleId : null;
}

async function applyFacts(
  ws: WorkingSet,
  tx: Tx,
  batch: LedgerBatch,
  readAs: ReadonlySet<Party>,
): Promise<void> {
  for (const transaction of batch.transactions) {
    const applied = appliedOf(transaction);
    ws.addApplied(applied);
    for (const fact of factsOf(ws.model, transaction, readAs)) applyFact(ws, fact, transaction);
    if (hasNews(ws.model, transaction)) {
      const origin = await originOf(ws, tx, transaction, applied);
      for (const event of newsOf(ws.model, transaction, readAs, origin)) {
        ws.tell(event);
        if (origin !== null) ws.belongs(trusted<ContractId>(event.subject), origin);
      }
    }
    if (wakesPolicies(ws.model, transaction)) ws.wakeClock();
  }
}

async function applyCompletions(
  ws: WorkingSet,
  tx: Tx,
  deps: ApplyDeps,
  batch: LedgerBatch,
  refs: ReadonlyMap<SubmissionId, SubmissionRef>,
  times: Times,
): Promise<void> {
  for (const completion of batch.completions) {
    const ref = refs.get(completion.submissionId);
    const begunAt = ref?.at ?? deps.ticks.completed(completion);
    if (begunAt !== null) deps.clocks.completed(completion, begunAt, times.now);
    // The completion belongs to no attempt: it is of a tick, or of another client of the participant.
    if (ref === undefined) continue;
    const change = await ws.findChange(tx, ref.changeId);
    if (change === null) continue;
    await applyCompletion(ws, tx, deps, batch, completion, change, times);
  }
}

async function applyCompletion(
  ws: WorkingSet,
  tx: Tx,
  deps: ApplyDeps,
  batch: LedgerBatch,
  completion: LedgerCompletion,
  change: Change,
  times: Times,
): Promise<void> {
  const { submissionId, offset, cost } = completion;
  const paid = cost === undefined ? {} : { cost };
  if (completion.updateId !== null) {
    const update = { updateId: completion.updateId, offset };
    recordAcceptance(ws, change, { submissionId, ...paid }, update, times);
    return;
  }
  if (completion.answer === null) return;
  // A repeated completion: the stream was moved back, or the participant sent it twice.
  const attempts = await ws.attemptsOf(tx, change.id);
  const known = attempts.find((attempt) => attempt.submissionId === submissionId)?.answer;
  if (known?.verdict === 'refused' && known.offset === offset) return;
  const from = {
    submissionId,
    answer: completion.answer,
    offset,
    ...paid,
    ledgerEnd: batch.ledgerEnds.get(completion.participant) ?? null,
    duplicate: batch.duplicates.get(submissionId) ?? null,
  };
  await recordRefusal(ws, tx, change, from, times, deps.random());
}

async function settle(ws: WorkingSet, tx: Tx, progress: Progress, times: Times): Promise<void> {
  for (const head of ws.heads()) {
    if (head.acceptance !== null) await settleAccepted(ws, tx, head, progress, times);
    else if (ws.appliedFor(head.id) !== null && (await settleCarried(ws, tx, head, times)))
      continue;
    // The replay may still deliver the change's effect, so the refusal is not applied yet.
    else if (progress.isReplaying(head)) continue;
    else if (head.verifyAt !== null) await settleVerified(ws, tx, head, progress, times);
    else await settleOutdated(ws, tx, head, times);
  }
}

/** Returns the changes whose workflow ID is in an update of the batch: their completions may come later or be lost. */
const carriedIn = ({ transactions }: Pick<LedgerBatch, 'transactions'>): ChangeId[] =>
  transactions.flatMap(({ workflowId }) => changeOfWorkflow(workflowId) ?? []);

/** After a restore, a change in a mailbox may have taken effect already. Ends such changes before their turn. */
async function settleQueued(
  ws: WorkingSet,
  tx: Tx,
  carried: readonly { readonly changeId: ChangeId }[],
  times: Times,
): Promise<void> {
  for (const { changeId } of carried) {
    const change = await ws.findChange(tx, changeId);
    if (change?.state === 'queued') await settleCarried(ws, tx, change, times);
  }
}

/** Compares the record times of the completion streams with this process's clock. */
function compareClocks({ moves }: LedgerBatch, { clocks }: ApplyDeps, { now }: Times): void {
  for (const { stream, times } of moves) {
    const participant = participantOf(stream);
    if (participant !== null && times !== undefined) clocks.told(participant, times, now);
  }
}

/**
 * Returns at most `max` entries, from a random position on. The next batch or poll finds the omitted ones. The position
 * is random because some entries wait for a decision made elsewhere, and each query returns those entries again.
 */
function someOf<T>(all: readonly T[], max: number, random: () => number): readonly T[] {
  if (all.length <= max) return all;
  const from = Math.floor(random() * all.length);
  return [...all.slice(from), ...all.slice(0, from)].slice(0, max);
}

/** Returns accepted completions of Tenure's own submissions that have no attempt in the store. */
const straysIn = (
  { completions }: LedgerBatch,
  refs: ReadonlyMap<SubmissionId, unknown>,
): LedgerCompletion[] =>
  completions.filter(
    ({ updateId, submissionId }) =>
      updateId !== null && !refs.has(submissionId) && cellOfSubmission(submissionId) !== null,
  );

/** Finds the rows that the batch concerns, and locks their lanes and those whose wait is over. */
async function lockFor(
  tx: Tx,
  { random }: ApplyDeps,
  { transactions, completions, cursors }: LedgerBatch,
  moved: Promise<boolean>,
): ReturnType<Tx['lockOf']> {
  if (transactions.length + completions.length > 0) {
    const query = {
      contracts: contractsIn(transactions),
      submissions: completions.map(({ submissionId }) => submissionId),
      updates: transactions.map(({ updateId }) => updateId),
      carried: carriedIn({ transactions }),
    };
    return tx.lockOf(query, cursors);
  }
  // Runs even if no stream has moved: a lane may have started waiting after the stream passed its position.
  const waiting = await tx.lanesWaitingFor(cursors);
  const isOurs = waiting.length > 0 && (await moved);
  const lanes = isOurs ? someOf(waiting, LIMITS.overdueLanesMax, random).toSorted() : [];
  const locked = await tx.lock(lanes);
  return { lineage: [], submissions: [], waiting: [], unknown: [], locked };
}

async function applyInTx(
  tx: Tx,
  deps: ApplyDeps,
  batch: LedgerBatch,
  times: Times,
): Promise<readonly Tombstone[]> {
  // Sends all statements without waiting for the first one: a lost lease or a moved cursor rolls back the transaction.
  const moved = tx.moveCursors(batch.moves, deps.leaseEpoch);
  const asked = Promise.all([
    lockFor(tx, deps, batch, moved),
    tx.insertUpdates(batch.transactions, deps.readAs),
  ]);
  // If the first statement fails, its error also explains why these statements fail.
  asked.catch(() => {});
  if (!(await moved)) throw new LeaseLostError();
  const [found] = await asked;
  const refs = new Map(found.submissions.map((ref) => [ref.submissionId, ref]));
  const strays = straysIn(batch, refs);
  const isWhole = strays.length === 0 && found.unknown.length === 0;
  const lost = isWhole ? NOTHING_LOST : await findLost(tx, batch, strays, new Set(found.unknown));
  const buried = lost.tombstones.length === 0 ? [] : await tx.bury(lost.tombstones);
  const progress = progressAfter(batch, deps);
  const ws = new WorkingSet(deps.model, (change) => progress.isReplaying(change));
  ws.add(found.locked);
  const locked = new Set(found.locked.mailboxes.map(({ lane }) => lane));
  const others = new Set(
    lost.accepted.map(({ change }) => change.lane).filter((lane) => !locked.has(lane)),
  );
  // Only after a restore. If another transaction locks these lanes in another order, one of both begins again.
  if (others.size > 0) ws.add(await tx.lock([...others].sort()));
  ws.addLineage(found.lineage);
  await ws.loadEnded(tx, found.lineage);
  await applyFacts(ws, tx, batch, new Set(deps.readAs));
  compareClocks(batch, deps, times);
  await applyCompletions(ws, tx, deps, batch, refs, times);
  if (lost.accepted.length > 0) await recordLost(ws, tx, lost, times);
  await settleQueued(ws, tx, found.waiting, times);
  await settle(ws, tx, progress, times);
  await tx.save(ws.writes());
  return buried;
}

/**
 * Applies one batch of the streams in one transaction: contract rows, outcomes, machine steps, new effects and cursors
 * are all committed, or none of them.
 *
 * @returns new tombstones: effects of operations that the store does not have
 * @throws LeaseLostError if this process is no longer the projector
 */
export const applyLedger = (
  deps: ApplyDeps,
  batch: LedgerBatch,
  times: Times,
  io: Io,
): Promise<readonly Tombstone[]> =>
  deps.store.transact(io, (tx) => applyInTx(tx, deps, batch, times));

/** Stores a page of the active contract set, and begins a lifecycle for each contract of a lifecycle's template. */
export async function applySnapshot(
  tx: Tx,
  model: ContractModel,
  contracts: readonly ActiveContract[],
  readAs: readonly Party[],
): Promise<void> {
  await tx.insertActiveContracts(contracts, readAs);
  const found = await tx.lanesOf({
    contracts: contracts.map((contract) => contract.created.contractId),
    submissions: [],
    updates: [],
    carried: [],
  });
  const ws = new WorkingSet(model);
  ws.addLineage(found.lineage);
  for (const contract of contracts) {
    const lifecycle = lifecycleOf(model, contract.created);
    if (lifecycle === null) continue;
    bear(ws, lifecycle.description.kind, contract.created, {
      offset: contract.createdAtOffset,
      updateId: null,
      effectiveAt: contract.createdAt,
    });
  }
  await tx.save(ws.writes());
}
