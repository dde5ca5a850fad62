import { expect, test } from 'vitest';
import type { Party } from '../../src/domain/ids.ts';
import { workflowIdOf } from '../../src/domain/ids.ts';
import { APP_INSTALL } from '../../src/domain/licensing.ts';
import { STORE_LIMITS } from '../../src/store/limits.ts';
import {
  PROVIDER,
  USER,
  change,
  created,
  exercised,
  io,
  lifecycle,
  transaction,
} from './store-rows.ts';
import type { MakeStore } from './store-under-test.ts';
import { read } from './store-under-test.ts';

/** Updates that have the workflow ID of an operation: tests for every store. */
export function carryingCases(makeStore: MakeStore): void {
  test('updates of its party are found by the workflow ID that they carry, the oldest first', async () => {
    await using under = await makeStore();
    const one = change();
    const { id, commandId } = one;
    const carrying = { workflowId: workflowIdOf(id), commandId };
    const install = () => lifecycle({ kind: 'install' });
    const acted = (actingParties: readonly Party[]) => {
      const on = install();
      return [
        created(on, { signatories: [USER], nodeId: 0 }),
        exercised(on.contractId, APP_INSTALL, {
          actingParties,
          nodeId: 1,
          lastDescendantNodeId: 1,
        }),
      ];
    };
    const updates = [
      transaction(3n, acted([PROVIDER])),
      transaction(4n, acted([USER]), carrying),
      transaction(5n, acted([PROVIDER]), carrying),
      transaction(6n, acted([PROVIDER]), { ...carrying, commandId: 'of another' }),
      // This update was written by a version that did not store the parties.
      transaction(7n, acted([]), { ...carrying, commandId: '' }),
      transaction(8n, [created(install(), { signatories: [PROVIDER] })], carrying),
      transaction(9n, [], carrying),
    ];
    const seen = await under.store.transact(io(), async (tx) => {
      await tx.insertUpdates(updates, [PROVIDER]);
      return tx.updatesCarrying(one);
    });
    expect(seen).toEqual(['update-5', 'update-7', 'update-8']);
    expect(await read(under.store, (tx) => tx.updatesCarrying(one))).toEqual(seen);
    expect(await read(under.store, (tx) => tx.updatesCarrying(change()))).toEqual([]);
  });

  test('no more updates than a bound are looked at for one operation', async () => {
    await using under = await makeStore();
    const one = change();
    const carrying = { workflowId: workflowIdOf(one.id), commandId: one.commandId };
    const updates = Array.from({ length: STORE_LIMITS.updatesCarryingMax + 1 }, (_none, n) =>
      transaction(BigInt(n + 1), [created(lifecycle({ kind: 'install' }))], carrying),
    );
    const seen = await under.store.transact(io(), async (tx) => {
      await tx.insertUpdates(updates, [PROVIDER]);
      return tx.updatesCarrying(one);
    });
    expect(seen).toHaveLength(STORE_LIMITS.updatesCarryingMax);
    expect(seen[0]).toBe('update-1');
  });
}
