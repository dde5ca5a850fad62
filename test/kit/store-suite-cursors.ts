import { expect, test } from 'vitest';
import type { Store } from '../../src/app/ports/transaction.ts';
import type { Lost, Tombstone } from '../../src/app/ports/tombstones.ts';
import type { CursorMove } from '../../src/app/ports/writes.ts';
import { UPDATES_STREAM } from '../../src/app/ports/streams.ts';
import { NOT_YET_KNOWN } from '../../src/domain/change.ts';
import { APP_INSTALL, LICENSE } from '../../src/domain/licensing.ts';
import type { UpdateId } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import type { LedgerTransaction } from '../../src/domain/ledger.ts';
import {
  PROVIDER,
  USER,
  birth,
  created,
  exercised,
  io,
  lifecycle,
  transaction,
  writes,
} from './store-rows.ts';
import type { MakeStore } from './store-under-test.ts';
import { read } from './store-under-test.ts';

const COMPLETIONS = 'completions:app-provider';
const TTL_MS = 60_000;

const move = (stream: string, from: bigint, to: bigint): CursorMove => ({
  stream,
  from,
  to,
  recordTime: '2026-01-01T00:00:00.000001Z',
});

const cursorsOf = (store: Store): Promise<ReadonlyMap<string, bigint>> =>
  read(store, (tx) => tx.cursors());

export function cursorCases(makeStore: MakeStore): void {
  /** A store whose projector lease is held, with both cursors at 5. */
  async function projecting() {
    const under = await makeStore();
    const epoch = await under.leases.acquire('projector', 'one', TTL_MS, io());
    if (epoch === null) throw new Error('a new lease is free');
    await under.store.transact(io(), async (tx) => {
      expect(await tx.startCursor(move(UPDATES_STREAM, 0n, 5n), epoch)).toBe(true);
      expect(await tx.startCursor(move(COMPLETIONS, 0n, 5n), epoch)).toBe(true);
    });
    const advance = (moves: readonly CursorMove[], as = epoch) =>
      under.store.transact(io(), (tx) => tx.moveCursors(moves, as));
    return { ...under, epoch, advance, [Symbol.asyncDispose]: () => under[Symbol.asyncDispose]() };
  }

  test('a stream has one first cursor, set by the holder of the lease', async () => {
    await using under = await makeStore();
    expect((await cursorsOf(under.store)).size).toBe(0);
    expect((await read(under.store, (tx) => tx.followed())).ledgerTime).toBeNull();
    const start = (epoch: bigint) =>
      under.store.transact(io(), (tx) => tx.startCursor(move(UPDATES_STREAM, 0n, 7n), epoch));
    expect(await start(1n)).toBe(false);
    const epoch = (await under.leases.acquire('projector', 'one', TTL_MS, io())) ?? 0n;
    expect(await start(epoch + 1n)).toBe(false);
    expect(await start(epoch)).toBe(true);
    expect(await start(epoch)).toBe(false);
    expect(await cursorsOf(under.store)).toEqual(new Map([[UPDATES_STREAM, 7n]]));
  });

  test('cursors move together from where the writer believes them', async () => {
    await using under = await projecting();
    const moved = await under.advance([move(UPDATES_STREAM, 5n, 9n), move(COMPLETIONS, 5n, 8n)]);
    expect(moved).toBe(true);
    expect(await under.advance([move(UPDATES_STREAM, 9n, 9n)])).toBe(true);
    expect(await cursorsOf(under.store)).toEqual(
      new Map([
        [UPDATES_STREAM, 9n],
        [COMPLETIONS, 8n],
      ]),
    );
  });

  test('the ledger has reached the newest record time of its updates', async () => {
    await using under = await projecting();
    const ledgerTime = async () => (await read(under.store, (tx) => tx.followed())).ledgerTime;
    expect(await ledgerTime()).toBe('2026-01-01T00:00:00.000001Z');
    const later = { ...move(UPDATES_STREAM, 5n, 9n), recordTime: '2026-01-01T00:00:00.000002Z' };
    await under.advance([later]);
    // A stream may report a position without a time, and completions must not change the time that is stored.
    await under.advance([{ ...move(UPDATES_STREAM, 9n, 10n), recordTime: null }]);
    await under.advance([{ ...move(COMPLETIONS, 5n, 9n), recordTime: '2027-01-01T00:00:00Z' }]);
    expect(await ledgerTime()).toBe(later.recordTime);
  });

  test('a stream is read again up to where its ledger ended, and what it tells of lost operations is kept', async () => {
    await using under = await projecting();
    const { store, epoch } = under;
    const begin = (to: bigint, as = epoch) =>
      store.transact(io(), (tx) => tx.beginReplay(UPDATES_STREAM, { to, ledgerUser: null }, as));
    const replays = async () => (await read(store, (tx) => tx.replays())).get(UPDATES_STREAM);
    const replaying = async () => (await read(store, (tx) => tx.followed())).replaying;
    const none = { ledgerUser: null, lostUntil: null, heldFrom: null };
    expect(await replays()).toEqual({ isChecked: true, to: null, ...none });
    expect(await begin(8n, epoch + 1n)).toBe(false);
    expect(await begin(5n)).toBe(true);
    expect([...(await replaying())]).toEqual([]);
    expect(await begin(8n)).toBe(true);
    expect(await replays()).toEqual({ isChecked: true, to: 8n, ...none });
    expect([...(await replaying())]).toEqual([UPDATES_STREAM]);
    await under.advance([move(UPDATES_STREAM, 5n, 8n)]);
    expect([...(await replaying())]).toEqual([]);

    const lost = (id: string, commandId: string): Tombstone => ({
      updateId: trusted(id),
      commandId: trusted(commandId),
      actAs: [PROVIDER],
    });
    const bury = (...all: readonly Tombstone[]) => store.transact(io(), (tx) => tx.bury(all));
    expect(await bury(lost('u-1', 'a'), lost('u-2', 'b'))).toHaveLength(2);
    expect(await bury(lost('u-2', 'b'), lost('u-3', 'c'))).toEqual([lost('u-3', 'c')]);
    const { tombstones } = await read(store, (tx) => tx.followed([trusted('b'), trusted('x')]));
    expect(tombstones).toEqual([lost('u-2', 'b')]);
  });

  test('requests wait where the ledger user was rotated while a lost submission may be under way', async () => {
    await using under = await projecting();
    const { store } = under;
    const begin = (ledgerUser: string, to = 5n) =>
      store.transact(io(), (tx) => tx.beginReplay(COMPLETIONS, { to, ledgerUser }, under.epoch));
    const bound = (before: Lost, now: Lost, epoch = under.epoch) =>
      store.transact(io(), (tx) => tx.boundLost(COMPLETIONS, before, now, epoch));
    const replay = async () => (await read(store, (tx) => tx.replays())).get(COMPLETIONS);
    const replaying = async () =>
      (await read(store, (tx) => tx.followed())).replaying.has(COMPLETIONS);
    const none = { lostUntil: null, heldFrom: null };
    const unheard = { lostUntil: NOT_YET_KNOWN, heldFrom: null };
    const until = '2026-01-01T00:00:00.5Z';

    await begin('first');
    expect(await replay()).toEqual({ isChecked: true, to: null, ledgerUser: 'first', ...none });
    // Only the ledger user has changed: the fate of everything that was sent before is known.
    await begin('second');
    expect(await replay()).toMatchObject({ ledgerUser: 'second', ...none });
    // Only the database server was restarted: the ledger recognises a repeated command as a duplicate.
    await under.startAnew();
    await begin('second');
    expect(await replay()).toMatchObject(unheard);
    expect(await replaying()).toBe(false);
    // The ledger user may also change after the restart.
    await begin('third', 4n);
    const held = { lostUntil: NOT_YET_KNOWN, heldFrom: 4n };
    expect(await replay()).toMatchObject({ ledgerUser: 'third', ...held });
    expect(await replaying()).toBe(true);
    // A result that was read before the change of the ledger user changes nothing.
    expect(await bound(unheard, none)).toBe(false);
    expect(await bound(held, none, under.epoch + 1n)).toBe(false);
    const known = { lostUntil: until, heldFrom: 5n };
    expect(await bound(held, known)).toBe(true);
    expect(await replaying()).toBe(true);
    expect(await bound(known, none)).toBe(true);
    expect(await replay()).toMatchObject(none);
    expect(await replaying()).toBe(false);
    // The ledger user may also change before the restart.
    await under.startAnew();
    await begin('fourth', 5n);
    expect(await replay()).toMatchObject({ lostUntil: NOT_YET_KNOWN, heldFrom: 5n });
  });

  test('a stream is known by the newest update that moved it', async () => {
    await using under = await projecting();
    const landmarks = () => read(under.store, (tx) => tx.landmarks());
    expect((await landmarks()).size).toBe(0);
    const first = { offset: 9n, updateId: trusted<UpdateId>('update-9') };
    await under.advance([{ ...move(UPDATES_STREAM, 5n, 9n), landmark: first }]);
    // A move to a position without an update leaves the landmark as it was.
    await under.advance([{ ...move(UPDATES_STREAM, 9n, 12n), landmark: null }]);
    const second = { offset: 7n, updateId: trusted<UpdateId>('update-7') };
    await under.advance([{ ...move(COMPLETIONS, 5n, 8n), landmark: second }]);
    expect(await landmarks()).toEqual(
      new Map([
        [UPDATES_STREAM, first],
        [COMPLETIONS, second],
      ]),
    );
  });

  test('one cursor elsewhere, or a stream without one, and none moves', async () => {
    await using under = await projecting();
    const right = move(UPDATES_STREAM, 5n, 9n);
    for (const wrong of [move(COMPLETIONS, 4n, 8n), move('completions:app-user', 5n, 8n)]) {
      expect(await under.advance([right, wrong])).toBe(false);
    }
    expect((await cursorsOf(under.store)).get(UPDATES_STREAM)).toBe(5n);
  });

  test('a projector that has been replaced moves nothing', async () => {
    await using under = await projecting();
    await under.leases.release('projector', 'one', under.epoch, io());
    const next = await under.leases.acquire('projector', 'two', TTL_MS, io());
    expect(next).toBeGreaterThan(under.epoch);
    const moves = [move(UPDATES_STREAM, 5n, 9n)];
    expect(await under.advance(moves)).toBe(false);
    // Without the lease, a process may not even search for waiting changes, because that search writes.
    expect(await under.advance([])).toBe(false);
    expect(await under.advance([], next ?? 0n)).toBe(true);
    expect(await under.advance(moves, next ?? 0n)).toBe(true);
  });

  test('of two that move the same cursor one succeeds', async () => {
    await using under = await projecting();
    const moves = [move(UPDATES_STREAM, 5n, 9n), move(COMPLETIONS, 5n, 9n)];
    const moved = await Promise.all(
      [moves, moves.toReversed(), moves].map((some) => under.advance(some)),
    );
    expect(moved.filter(Boolean)).toHaveLength(1);
  });

  test('an epoch is given out once, also by a database that went back to an earlier state', async () => {
    await using under = await makeStore();
    const acquire = () => under.leases.acquire('clock', 'a', TTL_MS, io());
    expect(await acquire()).toBe(1n);
    await under.startAnew();
    const first = await acquire();
    // The epoch is derived from the time, so that no epoch of the lost database is used again.
    expect(first).toBeGreaterThan(BigInt(Date.now()) * 900n);
    expect(await acquire()).toBe((first ?? 0n) + 1n);
  });

  test('a lease has one holder at a time, and its epoch rises with each', async () => {
    await using under = await makeStore();
    const { leases } = under;
    const rivals = await Promise.all(
      ['a', 'b', 'c'].map((holder) => leases.acquire('clock', holder, TTL_MS, io())),
    );
    expect(rivals.filter((epoch) => epoch !== null)).toEqual([1n]);
    const holder = ['a', 'b', 'c'][rivals.findIndex((epoch) => epoch !== null)] ?? '';
    expect(await leases.acquire('clock', 'd', TTL_MS, io())).toBeNull();
    expect(await leases.acquire('other', 'd', TTL_MS, io())).toBe(1n);
    expect(await leases.renew('clock', holder, 1n, TTL_MS, io())).toBe(true);
    expect(await leases.renew('clock', 'd', 1n, TTL_MS, io())).toBe(false);
    // Even the holder itself gets a new epoch, which replaces its previous one.
    expect(await leases.acquire('clock', holder, TTL_MS, io())).toBe(2n);
    expect(await leases.renew('clock', holder, 1n, TTL_MS, io())).toBe(false);
    await leases.release('clock', holder, 1n, io());
    expect(await leases.acquire('clock', 'd', TTL_MS, io())).toBeNull();
    await leases.release('clock', holder, 2n, io());
    expect(await leases.acquire('clock', 'd', TTL_MS, io())).toBe(3n);
  });

  test('a lease that is not renewed runs out, and the next in line takes over', async () => {
    await using under = await makeStore();
    const { leases } = under;
    expect(await leases.acquire('clock', 'one', 50, io())).toBe(1n);
    await expect
      .poll(() => leases.acquire('clock', 'two', TTL_MS, io()), { interval: 10 })
      .toBe(2n);
    expect(await leases.renew('clock', 'one', 1n, TTL_MS, io())).toBe(false);
  });

  test('an applied update can be read back, in its own transaction and later', async () => {
    await using under = await makeStore();
    const before = lifecycle();
    const [after, license] = [lifecycle(), lifecycle({ kind: 'license' })];
    const update = transaction(9_007_199_254_740_993n, [
      exercised(before.contractId, APP_INSTALL, { lastDescendantNodeId: 2 }),
      created(after, { nodeId: 1 }),
      created(license, { nodeId: 2 }),
    ]);
    const expected = {
      updateId: update.updateId,
      offset: update.offset,
      commandId: update.commandId,
      workflowId: '',
      created: [
        {
          contractId: after.contractId,
          templateFqn: 'quickstart-licensing:Licensing.AppInstall:AppInstall',
          payload: created(after).payload,
          signatories: created(after).signatories,
        },
        {
          contractId: license.contractId,
          templateFqn: 'quickstart-licensing:Licensing.License:License',
          payload: created(license).payload,
          signatories: created(license).signatories,
        },
      ],
      exercised: [
        {
          contractId: before.contractId,
          choice: 'AppInstall_CreateLicense',
          result: { licenseId: 'l' },
          actingParties: [PROVIDER],
        },
      ],
    };
    await under.store.transact(io(), async (tx) => {
      await tx.insertUpdates([transaction(7n, [created(before)]), update], [PROVIDER]);
      expect(await tx.appliedUpdate(update.updateId)).toEqual(expected);
    });
    expect(await read(under.store, (tx) => tx.appliedUpdate(update.updateId))).toEqual(expected);
    expect(await read(under.store, (tx) => tx.appliedUpdate(trusted('unknown')))).toBeNull();
  });

  test('an update without events is one too, and one without a command ID of ours', async () => {
    await using under = await makeStore();
    const empty = transaction(3n, [], { commandId: '' });
    await under.store.transact(io(), (tx) => tx.insertUpdates([empty], [PROVIDER]));
    expect(await read(under.store, (tx) => tx.appliedUpdate(empty.updateId))).toEqual({
      updateId: empty.updateId,
      offset: 3n,
      commandId: '',
      workflowId: '',
      created: [],
      exercised: [],
    });
  });

  test('no update is applied twice', async () => {
    await using under = await makeStore();
    const once = (update: LedgerTransaction) =>
      under.store.transact(io(), (tx) => tx.insertUpdates([update], [PROVIDER]));
    await once(transaction(3n, []));
    await expect(once(transaction(3n, []))).rejects.toThrow();
    await expect(once(transaction(4n, [], { updateId: trusted('update-3') }))).rejects.toThrow();
  });

  test('a contract of the snapshot may be told again by the stream', async () => {
    await using under = await makeStore();
    const of = lifecycle();
    const first = created(of);
    const snapshot = {
      created: first,
      createdAtOffset: 4n,
      createdAt: '2026-01-01T00:00:00.000004Z',
      synchronizerId: 's',
    };
    await under.store.transact(io(), async (tx) => {
      await tx.insertActiveContracts([snapshot], [PROVIDER]);
      await tx.insertActiveContracts([snapshot], [PROVIDER]);
      await tx.save(writes(birth(of)));
    });
    await under.store.transact(io(), (tx) =>
      tx.insertUpdates(
        [transaction(9n, [created(of, { payload: { other: 'payload' } })])],
        [PROVIDER],
      ),
    );
    const view = await under.store.reads.lifecycle(of.contractId, io());
    expect(view).toMatchObject({ lifecycle: of, payload: first.payload });
  });

  test('many contracts may be created and consumed in one batch', async () => {
    await using under = await makeStore();
    const chain = Array.from({ length: 60 }, () => lifecycle({ kind: 'license' }));
    const updates = chain.map((of, index) => {
      const before = chain[index - 1];
      const ends = before === undefined ? [] : [exercised(before.contractId, LICENSE)];
      return transaction(BigInt(index + 1), [...ends, created(of, { nodeId: 1 })]);
    });
    await under.store.transact(io(), (tx) => tx.insertUpdates(updates, [PROVIDER, USER]));
    const last = await read(under.store, (tx) => tx.appliedUpdate(trusted('update-60')));
    expect(last?.exercised).toMatchObject([{ contractId: chain[58]?.contractId }]);
  });
}
