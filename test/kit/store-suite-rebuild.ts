import { expect, test } from 'vitest';
import type { RebuildTx } from '../../src/app/ports/rebuilds.ts';
import { UPDATES_STREAM } from '../../src/app/ports/streams.ts';
import type { ActiveContract } from '../../src/domain/ledger.ts';
import { BEGIN_OF_TIME } from '../../src/domain/ledger.ts';
import type { Lifecycle } from '../../src/domain/lifecycle.ts';
import {
  PROVIDER,
  birth,
  change,
  created,
  io,
  lifecycle,
  newContractId,
  succeeded,
  transaction,
  writes,
} from './store-rows.ts';
import type { MakeStore, StoreUnderTest } from './store-under-test.ts';
import { arrive, read, save } from './store-under-test.ts';

const COMPLETIONS = 'completions:app-provider';
const NOW = '2026-01-02T00:00:00.000001Z';

const active = (of: Lifecycle, over: Parameters<typeof created>[1] = {}): ActiveContract => ({
  created: created(of, over),
  createdAtOffset: 3n,
  createdAt: '2026-01-01T00:00:03.000001Z',
  synchronizerId: 'global::1220dd',
});

/** Runs `work` in a transaction in which a rebuild is in progress. */
const rebuilding = <T>({ rebuilds }: StoreUnderTest, work: (tx: RebuildTx) => Promise<T>) =>
  rebuilds.transact(io(), work);

/** Calls that only a rebuild may make: tests for every store. */
export function rebuildCases(makeStore: MakeStore): void {
  test('contracts that are missing are added, those that differ or have ended are put right', async () => {
    await using under = await makeStore();
    const [there, ended, missing] = [lifecycle(), lifecycle(), lifecycle()];
    const correct = (...told: readonly ActiveContract[]) =>
      rebuilding(under, (tx) => tx.correctContracts(told, [PROVIDER]));
    expect(await correct(active(there), active(ended))).toEqual({ added: 2, corrected: 0 });
    expect(await correct(active(there), active(ended))).toEqual({ added: 0, corrected: 0 });
    await rebuilding(under, (tx) =>
      tx.endContracts([ended.contractId], { offset: 2n, effectiveAt: NOW }),
    );
    expect(await rebuilding(under, (tx) => tx.activeContracts())).toEqual([there.contractId]);
    const other = active(there, { payload: { licenseNum: '9' } });
    expect(await correct(other, active(ended), active(missing))).toEqual({
      added: 1,
      corrected: 2,
    });
    const found = await rebuilding(under, (tx) => tx.activeContracts());
    expect([...found].sort()).toEqual(
      [there.contractId, ended.contractId, missing.contractId].sort(),
    );
    const view = await under.store.reads.contract(there.contractId, io());
    expect(view).toMatchObject({ payload: { licenseNum: '9' }, archived: null });
  });

  test('what ends ends as of the position, and not before it began', async () => {
    await using under = await makeStore();
    const one = lifecycle();
    await rebuilding(under, (tx) => tx.correctContracts([active(one)], [PROVIDER]));
    const end = (offset: bigint) =>
      rebuilding(under, (tx) => tx.endContracts([one.contractId], { offset, effectiveAt: NOW }));
    await end(1n);
    await end(9n);
    const view = await under.store.reads.contract(one.contractId, io());
    expect(view?.archived?.offset).toBe(3n);
  });

  test('lifecycles are found by their contracts, those that stand alone, and one that had ended can be saved', async () => {
    await using under = await makeStore();
    const [stands, over] = [lifecycle(), lifecycle({ endedAt: NOW, state: 'expired' })];
    await save(under.store, birth(stands));
    await save(under.store, birth(over));
    const of = await rebuilding(under, (tx) =>
      tx.lifecyclesOf([stands.contractId, over.contractId, newContractId()]),
    );
    expect(of.map(({ lifecycle: { id } }) => id).sort()).toEqual([stands.id, over.id].sort());
    const standing = await rebuilding(under, (tx) => tx.standing());
    expect(standing).toEqual([{ id: stands.id, lane: stands.lane, contractId: stands.contractId }]);
    const again = { ...over, endedAt: null, version: over.version + 1 };
    await expect(save(under.store, { lifecycles: [again] })).rejects.toThrow();
    await rebuilding(under, async (tx) => {
      await tx.reopen([over.id, stands.id]);
      await tx.save(writes({ lifecycles: [again] }));
    });
    expect((await read(under.store, (tx) => tx.findLifecycle(over.id)))?.endedAt).toBeNull();
  });

  test('open changes are those that have no outcome', async () => {
    await using under = await makeStore();
    const [open, over] = [change(), change()];
    await arrive(under.store, open);
    await arrive(under.store, over);
    await save(under.store, { changes: [succeeded(over)] });
    const found = await rebuilding(under, (tx) => tx.openChanges());
    expect(found.map(({ id }) => id)).toEqual([open.id]);
  });

  test('cursors go elsewhere, also back, by the holder of the lease and all or none', async () => {
    await using under = await makeStore();
    const epoch = (await under.leases.acquire('projector', 'one', 60_000, io())) ?? 0n;
    const start = (stream: string) => ({ stream, from: 0n, to: 5n, recordTime: NOW });
    await under.store.transact(io(), async (tx) => {
      await tx.startCursor(start(UPDATES_STREAM), epoch);
      await tx.startCursor(start(COMPLETIONS), epoch);
      await tx.insertUpdates([transaction(4n, [])], [PROVIDER]);
    });
    const reset = (to: bigint, as: bigint, streams: readonly string[]) =>
      rebuilding(under, (tx) =>
        tx.resetCursors(
          streams.map((stream) => ({ stream, to })),
          as,
        ),
      );
    const cursors = () => read(under.store, (tx) => tx.cursors());
    expect(await reset(2n, epoch + 1n, [COMPLETIONS])).toBe(false);
    expect((await cursors()).get(COMPLETIONS)).toBe(5n);
    expect(await reset(2n, epoch, [COMPLETIONS])).toBe(true);
    expect(await reset(4n, epoch, [UPDATES_STREAM])).toBe(true);
    expect(Object.fromEntries(await cursors())).toEqual({
      [COMPLETIONS]: 2n,
      [UPDATES_STREAM]: 4n,
    });
    expect(await reset(3n, epoch, [COMPLETIONS, 'completions:nobody'])).toBe(false);
  });

  test('how far synchronizers were told is to be told again, and one that has come back stays', async () => {
    await using under = await makeStore();
    const epoch = (await under.leases.acquire('projector', 'one', 60_000, io())) ?? 0n;
    const participant = change().submitter.participant;
    const [early, late] = ['2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z'];
    const tell = (times: Record<string, string>, to: bigint) => ({
      stream: COMPLETIONS,
      from: to - 1n,
      to,
      recordTime: null,
      times: new Map(Object.entries(times)),
    });
    await under.store.transact(io(), async (tx) => {
      await tx.startCursor({ stream: COMPLETIONS, from: 0n, to: 5n, recordTime: NOW }, epoch);
      await tx.moveCursors([tell({ known: late, left: early, back: early }, 6n)], epoch);
      await tx.giveUpSynchronizer(participant, 'left', early);
      await tx.giveUpSynchronizer(participant, 'back', early);
    });
    await under.store.transact(io(), (tx) => tx.moveCursors([tell({ back: late }, 7n)], epoch));
    await rebuilding(under, (tx) => tx.resetCursors([{ stream: COMPLETIONS, to: 7n }], epoch));
    const known = await read(under.store, (tx) => tx.synchronizersOf(participant));
    const told = { toldAt: BEGIN_OF_TIME, passedAt: BEGIN_OF_TIME };
    expect(known).toEqual([
      { synchronizer: 'back', ...told, isGivenUp: false },
      { synchronizer: 'known', ...told, isGivenUp: false },
      { synchronizer: 'left', ...told, isGivenUp: true },
    ]);
  });

  test('nobody has asked, until somebody has', async () => {
    await using under = await makeStore();
    expect(await under.rebuilds.asked(io())).toBeNull();
  });
}
