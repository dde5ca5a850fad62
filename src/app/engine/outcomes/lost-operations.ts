import type { Change } from '../../../domain/change.ts';
import { isOpen } from '../../../domain/change.ts';
import type { ChangeId, CommandId, ContractId, Party, UpdateId } from '../../../domain/ids.ts';
import { changeOfWorkflow, trusted } from '../../../domain/ids.ts';
import type { LedgerCompletion, LedgerTransaction } from '../../../domain/ledger.ts';
import type { Times } from '../lanes/lane.ts';
import { isOfLost } from './lost-repeats.ts';
import { awaitReadBack } from './outcomes.ts';
import type { Tombstone } from '../../ports/tombstones.ts';
import type { Tx } from '../../ports/transaction.ts';
import type { CommandKey } from '../../ports/writes.ts';
import type { WorkingSet } from '../lanes/working-set.ts';

/*
 * A restored database lacks the attempts and operations that were committed after the backup. The ledger has their
 * effects, and the streams deliver these effects again.
 */

/** Effects that the streams delivered for attempts and operations that the store does not have. */
export interface Lost {
  readonly tombstones: readonly Tombstone[];
  /** Accepted completions of attempts that the store does not have, but whose change it has. */
  readonly accepted: readonly { readonly change: Change; readonly completion: LedgerCompletion }[];
}

export const NOTHING_LOST: Lost = { tombstones: [], accepted: [] };

/** Returns the parties that made a transaction, from its outermost events. */
function actorsOf({ events }: LedgerTransaction): readonly Party[] {
  let within = -1;
  const actors = new Set<Party>();
  for (const event of events) {
    if (event.nodeId <= within) continue;
    const isExercise = event.kind === 'exercised';
    if (isExercise) within = event.lastDescendantNodeId;
    for (const party of isExercise ? event.actingParties : event.signatories) actors.add(party);
  }
  return [...actors];
}

/**
 * Returns the tombstones of transactions. Only a participant of the acting party shows a transaction's command ID; on
 * other participants, the ID is taken from the completion.
 */
const buriedBy = (
  transactions: readonly LedgerTransaction[],
  unknown: ReadonlySet<ChangeId>,
): Tombstone[] =>
  transactions.flatMap((transaction) => {
    const { workflowId, commandId, updateId } = transaction;
    const change = changeOfWorkflow(workflowId);
    if (change === null || !unknown.has(change) || commandId === '') return [];
    return [{ commandId: trusted<CommandId>(commandId), actAs: actorsOf(transaction), updateId }];
  });

/**
 * Returns whether an accepted command of a change that the store has is the effect of a lost operation with the same
 * command. If the update is not known yet, this holds if the change has ended without an effect.
 */
async function isRepeated(tx: Tx, change: Change, updateId: UpdateId): Promise<boolean> {
  const applied = await tx.appliedUpdate(updateId);
  if (applied !== null) return isOfLost(tx, applied.workflowId);
  return change.state !== 'succeeded' && !isOpen(change.state);
}

/**
 * Finds the attempts and operations that the store has lost.
 *
 * @param strays accepted completions of Tenure's own submissions without an attempt in the store
 * @param unknown changes that the store does not have, but whose workflow ID an update carries
 */
export async function findLost(
  tx: Tx,
  { transactions }: { readonly transactions: readonly LedgerTransaction[] },
  strays: readonly LedgerCompletion[],
  unknown: ReadonlySet<ChangeId>,
): Promise<Lost> {
  const found = await Promise.all(
    strays.map(async (completion) => {
      const commandId = trusted<CommandId>(completion.commandId);
      const keys = completion.actAs.map((actAs): CommandKey => ({ actAs, commandId }));
      const known = await Promise.all(keys.map((key) => tx.changeByCommand(key)));
      const change = known.find((each) => each !== null) ?? null;
      const { actAs, updateId } = completion;
      const isLost =
        updateId !== null && (change === null || (await isRepeated(tx, change, updateId)));
      const tombstones = isLost ? [{ commandId, actAs, updateId }] : [];
      return { completion, change, tombstones };
    }),
  );
  return {
    tombstones: [
      ...buriedBy(transactions, unknown),
      ...found.flatMap(({ tombstones }) => tombstones),
    ],
    accepted: found.flatMap(({ completion, change }) =>
      change !== null && isOpen(change.state) ? [{ completion, change }] : [],
    ),
  };
}

/**
 * Records the effects of operations that the store does not have. Another deployment may act for the same users, so an
 * effect counts only if a party of `readAs` has a stake in a contract that the effect creates or exercises a choice on.
 *
 * @param transactions as the acting parties see them, with command IDs, in the order of the ledger
 * @param created contracts of these parties created by earlier transactions; the contracts created by `transactions`
 * are added
 * @returns the new tombstones
 */
export async function buryLost(
  tx: Tx,
  transactions: readonly LedgerTransaction[],
  readAs: ReadonlySet<Party>,
  created: Set<ContractId>,
): Promise<readonly Tombstone[]> {
  const events = transactions.flatMap((transaction) => transaction.events);
  for (const event of events) {
    if (event.kind !== 'created') continue;
    const { contractId, signatories, observers } = event;
    if ([...signatories, ...observers].some((party) => readAs.has(party))) created.add(contractId);
  }
  const carried = transactions.flatMap(({ workflowId }) => changeOfWorkflow(workflowId) ?? []);
  if (carried.length === 0) return [];
  const contracts = events.flatMap((event) =>
    event.kind === 'exercised' ? [event.contractId] : [],
  );
  const found = await tx.lanesOf({ contracts, submissions: [], updates: [], carried });
  const stored = new Set(found.lineage.map(({ contractId }) => contractId));
  const own = transactions.filter((transaction) =>
    transaction.events.some(({ contractId }) => created.has(contractId) || stored.has(contractId)),
  );
  return tx.bury(buriedBy(own, new Set(found.unknown)));
}

/** Makes the change at the head of its lane wait for the update of one of its lost attempts. */
export async function recordLost(
  ws: WorkingSet,
  tx: Tx,
  { accepted }: Lost,
  times: Times,
): Promise<void> {
  for (const { change: seen, completion } of accepted) {
    const change = await ws.findChange(tx, seen.id);
    const { updateId, offset } = completion;
    if (change === null || updateId === null) continue;
    const isHead = ws.headOf(change.lane)?.id === change.id;
    if (isHead && change.acceptance === null)
      awaitReadBack(ws, change, { updateId, offset }, times);
  }
}
