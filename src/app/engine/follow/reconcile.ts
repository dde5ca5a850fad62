import type { Change } from '../../../domain/change.ts';
import { isOpen } from '../../../domain/change.ts';
import type { LifecycleId, Party, SubmissionId } from '../../../domain/ids.ts';
import type { ActiveContract } from '../../../domain/ledger.ts';
import type { Lifecycle } from '../../../domain/lifecycle.ts';
import type { ContractModel } from '../../contract/model.ts';
import { lifecycleOf } from '../../contract/model.ts';
import type { Times } from '../lanes/lane.ts';
import type { Origin } from '../lanes/lifecycles.ts';
import { agrees, applyFact, bear, correct } from '../lanes/lifecycles.ts';
import { doubt } from '../outcomes/outcomes.ts';
import { isUndecided } from '../doubts/proof.ts';
import type { RebuildTx } from '../../ports/rebuilds.ts';
import { settleUnseen } from '../outcomes/settle.ts';
import { WorkingSet } from '../lanes/working-set.ts';
import { LIMITS } from '../../../domain/limits.ts';

/*
 * Makes the projection agree with the ledger's active contracts, even if updates were missed. Lifecycles keep their IDs
 * and their history. Lifecycles with an active contract continue; the other lifecycles end, with an unknown cause.
 */

/** Number of changed rows by kind. */
export interface Reconciled {
  readonly contractsAdded: number;
  readonly contractsCorrected: number;
  readonly lifecyclesBegun: number;
  readonly lifecyclesCorrected: number;
}

const originOf = (contract: ActiveContract): Origin => ({
  offset: contract.createdAtOffset,
  updateId: null,
  effectiveAt: contract.createdAt,
});

/** Reconciles the rows and lifecycles of one page of active contracts. */
export async function reconcilePage(
  tx: RebuildTx,
  model: ContractModel,
  contracts: readonly ActiveContract[],
  readAs: readonly Party[],
  at: Origin,
): Promise<Reconciled> {
  const { added, corrected } = await tx.correctContracts(contracts, readAs);
  const standing = contracts.flatMap((contract) => {
    const lifecycle = lifecycleOf(model, contract.created);
    return lifecycle === null ? [] : [{ kind: lifecycle.description.kind, contract }];
  });
  const known = new Map(
    (await tx.lifecyclesOf(standing.map(({ contract }) => contract.created.contractId))).map(
      ({ contractId, lifecycle }) => [contractId, lifecycle],
    ),
  );
  const wrong = standing.flatMap(({ contract: { created } }) => {
    const lifecycle = known.get(created.contractId);
    return lifecycle === undefined || agrees(model, lifecycle, created)
      ? []
      : [{ created, lifecycle }];
  });
  const ws = new WorkingSet(model);
  const lanes = new Set(wrong.map(({ lifecycle }) => lifecycle.lane));
  if (lanes.size > 0) ws.add(await tx.lock([...lanes].sort()));
  await ws.loadEnded(
    tx,
    wrong.map(({ lifecycle }) => ({ lifecycleId: lifecycle.id })),
  );
  await tx.reopen(wrong.map(({ lifecycle }) => lifecycle.id));
  for (const { created, lifecycle } of wrong) {
    correct(ws, ws.lifecycle(lifecycle.id) ?? lifecycle, created, at);
  }
  const unknown = standing.filter(({ contract }) => !known.has(contract.created.contractId));
  for (const { kind, contract } of unknown) bear(ws, kind, contract.created, originOf(contract));
  await tx.save(ws.writes());
  return {
    contractsAdded: added,
    contractsCorrected: corrected,
    lifecyclesBegun: unknown.length,
    lifecyclesCorrected: wrong.length,
  };
}

/** Ends the lifecycles whose contract is no longer active. */
export async function endGone(
  tx: RebuildTx,
  model: ContractModel,
  gone: readonly Pick<Lifecycle, 'id' | 'lane' | 'contractId'>[],
  at: Origin,
): Promise<readonly LifecycleId[]> {
  for (let from = 0; from < gone.length; from += LIMITS.reconcilePage) {
    const page = gone.slice(from, from + LIMITS.reconcilePage);
    const ws = new WorkingSet(model);
    ws.add(await tx.lock([...new Set(page.map(({ lane }) => lane))].sort()));
    for (const { contractId } of page) {
      applyFact(
        ws,
        { kind: 'happened', contractId, event: { type: 'ledger.gone' }, choice: null },
        at,
      );
    }
    await tx.save(ws.writes());
  }
  return gone.map(({ id }) => id);
}

/** Resolves open changes whose effect or completions were pruned before they were read. */
export async function resolveChanges(
  tx: RebuildTx,
  model: ContractModel,
  changes: readonly Change[],
  times: Times,
  resolve: {
    /** Returns whether the change's effect was pruned before it was read. */
    readonly isUnseen: (change: Change) => boolean;
    /** Returns the offset up to which completions of the change's participant were pruned, or `null`. */
    readonly lost: (change: Change) => bigint | null;
    /** Returns whether a completion that can still be read answers the attempt. */
    readonly isAnswered: (submissionId: SubmissionId) => boolean;
  },
): Promise<{ readonly settled: number; readonly inDoubt: number }> {
  let [settled, inDoubt] = [0, 0];
  const inOrder = changes.toSorted((a, b) => (a.lane < b.lane ? -1 : 1));
  for (const { lane, id } of inOrder) {
    const ws = new WorkingSet(model);
    ws.add(await tx.lock([lane]));
    const change = ws.change(id);
    if (change === undefined || !isOpen(change.state)) continue;
    const lost = resolve.lost(change);
    if (change.acceptance !== null) {
      if (!resolve.isUnseen(change)) continue;
      await settleUnseen(ws, tx, change, times);
      settled += 1;
    } else if (lost !== null && (await hasUnanswered(ws, tx, change, resolve.isAnswered))) {
      const why = `completions up to offset ${lost} were pruned before Tenure read them; they may include an attempt of this operation`;
      doubt(ws, change, why, times);
      inDoubt += 1;
    }
    await tx.save(ws.writes());
  }
  return { settled, inDoubt };
}

async function hasUnanswered(
  ws: WorkingSet,
  tx: RebuildTx,
  change: Change,
  isAnswered: (submissionId: SubmissionId) => boolean,
): Promise<boolean> {
  if (change.state === 'in-doubt') return false;
  const undecided = (await ws.attemptsOf(tx, change.id)).filter(isUndecided);
  return undecided.some(({ submissionId }) => !isAnswered(submissionId));
}
