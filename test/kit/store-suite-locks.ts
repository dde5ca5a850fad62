import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Tx } from '../../src/app/ports/transaction.ts';
import type { Change } from '../../src/domain/change.ts';
import type { SubmissionId, UpdateId } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import {
  PROVIDER,
  USER,
  arrival,
  birth,
  change,
  effectId,
  io,
  lifecycle,
  mailbox,
  newContractId,
  newLane,
  queued,
  succeeded,
  writes,
} from './store-rows.ts';
import type { MakeStore } from './store-under-test.ts';
import { arrive, dispatchAll, held, read, save } from './store-under-test.ts';

const open = (over: Partial<Change>): Change => change({ state: 'retrying', ...over });

export function lockCases(makeStore: MakeStore): void {
  test('locking makes the mailboxes that are missing', async () => {
    await using under = await makeStore();
    const lanes = [newLane(), newLane()].toSorted();
    const locked = await read(under.store, (tx) => tx.lock(lanes));
    expect(locked.mailboxes).toEqual(lanes.map((lane) => mailbox(lane)));
    expect([locked.lifecycles, locked.heads]).toEqual([[], []]);
  });

  test('locking gives what is in the lanes, and nothing of others', async () => {
    await using under = await makeStore();
    const [mine, other] = [lifecycle(), lifecycle()];
    await save(under.store, birth(mine));
    await save(under.store, birth(other));
    const head = change({ lane: mine.lane, lifecycleId: mine.id });
    await arrive(under.store, head);
    await arrive(under.store, change({ lane: other.lane, lifecycleId: other.id }));
    const locked = await read(under.store, (tx) => tx.lock([mine.lane]));
    expect(locked).toEqual({
      mailboxes: [mailbox(mine.lane, { head: head.id, nextNo: 2 })],
      lifecycles: [mine],
      heads: [head],
    });
  });

  test('locking gives what has not ended, and what the head is about', async () => {
    await using under = await makeStore();
    const active = lifecycle();
    const endedAt = '2026-01-02T00:00:00Z';
    const over = { lane: active.lane, state: 'renewed', endedAt };
    const [ended, ofHead] = [lifecycle(over), lifecycle(over)];
    for (const one of [active, ended, ofHead]) await save(under.store, birth(one));
    const inOrder = [active, ofHead].toSorted((a, b) => (a.id < b.id ? -1 : 1));
    await arrive(under.store, change({ lane: active.lane, lifecycleId: ofHead.id }));
    for (const lock of ['lock', 'lockFree'] as const) {
      const locked = await read(under.store, (tx) => tx[lock]([active.lane]));
      expect(locked.lifecycles.map(({ id }) => id)).toEqual(inOrder.map(({ id }) => id));
    }
  });

  test('of lanes that others have, the free ones are locked, be it none of them', async () => {
    await using under = await makeStore();
    const [first, second] = [lifecycle(), lifecycle()];
    await save(under.store, birth(first));
    await save(under.store, birth(second));
    const lanes = [first.lane, second.lane];
    await read(under.store, (tx) => tx.lock(lanes));
    await under.store.transact(io(), async (tx) => {
      await tx.lock([first.lane]);
      const some = await read(under.store, (other) => other.lockFree(lanes));
      expect(some.mailboxes.map(({ lane }) => lane)).toEqual([second.lane]);
      expect(some.lifecycles).toEqual([second]);
      await read(under.store, async (other) => {
        expect((await other.lockFree([second.lane])).lifecycles).toEqual([second]);
        // `lockFree` does not return a lane that is already locked.
        const none = await other.lockFree([first.lane]);
        expect(none).toEqual({ mailboxes: [], lifecycles: [], heads: [] });
      });
      const none = await read(under.store, (other) => other.lockFree([first.lane]));
      expect(none).toEqual({ mailboxes: [], lifecycles: [], heads: [] });
    });
  });

  test('a lane without a mailbox is among the free ones, and gets one', async () => {
    await using under = await makeStore();
    const [of, lane] = [lifecycle(), newLane()];
    await save(under.store, birth(of));
    await read(under.store, (tx) => tx.lock([of.lane]));
    for (const _again of [1, 2]) {
      const found = await read(under.store, (tx) => tx.lockFree([of.lane, lane]));
      expect(found.mailboxes.map((one) => one.lane).toSorted()).toEqual([of.lane, lane].toSorted());
    }
  });

  test('who has waited for a lane sees what the one before it left', async () => {
    await using under = await makeStore();
    const of = lifecycle();
    await save(under.store, birth(of));
    const step = () =>
      under.store.transact(io(), async (tx) => {
        const locked = await tx.lock([of.lane]);
        const [before] = locked.lifecycles;
        const [box] = locked.mailboxes;
        if (before === undefined || box === undefined) throw new Error('nothing was locked');
        await tx.save(
          writes({
            lifecycles: [{ ...before, version: before.version + 1 }],
            mailboxes: [{ ...box, nextNo: box.nextNo + 1 }],
          }),
        );
      });
    await Promise.all(Array.from({ length: 30 }, step));
    const { mailboxes, lifecycles } = await read(under.store, (tx) => tx.lock([of.lane]));
    expect([mailboxes[0]?.nextNo, lifecycles[0]?.version]).toEqual([31, 31]);
  });

  test('lanes that overlap are locked in whatever order they are named, by many at once', async () => {
    await using under = await makeStore();
    const lanes = Array.from({ length: 12 }, () => newLane());
    let tries = 0;
    const count = async (index: number) => {
      // Every second transaction locks its lanes in reverse order. Each transaction omits some lanes, and half of the
      // lanes are new to the store.
      const some = lanes.filter((_, place) => (place + index) % 3 !== 0);
      const named = index % 2 === 0 ? some : some.toReversed();
      await under.store.transact(io(), async (tx) => {
        tries += 1;
        const { mailboxes } = await tx.lock(named);
        const counted = mailboxes.map((box) => ({ ...box, nextNo: box.nextNo + 1 }));
        await tx.save(writes({ mailboxes: counted.toReversed() }));
      });
    };
    await Promise.all(Array.from({ length: 30 }, (_, index) => count(index)));
    const { mailboxes } = await read(under.store, (tx) => tx.lock(lanes));
    expect(mailboxes.map((box) => box.nextNo)).toEqual(lanes.map(() => 21));
    // No transaction had to be repeated, so none deadlocked: a deadlock would have been resolved only after a second.
    expect(tries).toBe(30);
  });

  test('an attempt that begins while its lane is being written is not forgotten', async () => {
    await using under = await makeStore();
    const head = change();
    await arrive(under.store, head);
    const [effect] = await dispatchAll(under.outbox);
    const begin = () =>
      under.outbox.startAttempt(
        effectId(head),
        effect?.dispatchNo ?? 0,
        trusted<SubmissionId>(randomUUID()),
        io(),
      );
    const rewrite = () =>
      under.store.transact(io(), async (tx) => {
        const [found] = (await tx.lock([head.lane])).heads;
        if (found === undefined) throw new Error('the head is gone');
        await tx.save(writes({ changes: [{ ...found, lifecycleId: trusted('install-x') }] }));
      });
    await Promise.all(Array.from({ length: 12 }, () => Promise.all([begin(), rewrite()])));
    const found = await read(under.store, (tx) => tx.change(head.id));
    expect(found).toMatchObject({ lifecycleId: 'install-x' });
    const attempts = await under.store.reads.attempts(head.id, io());
    expect(attempts.map((attempt) => attempt.n)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  });

  test('no attempt begins for a change that is being ended', async () => {
    await using under = await makeStore();
    const head = change();
    await arrive(under.store, head);
    const [effect] = await dispatchAll(under.outbox);
    let begun: Promise<unknown> = Promise.resolve('not asked');
    await under.store.transact(io(), async (tx) => {
      await tx.lock([head.lane]);
      const submissionId = trusted<SubmissionId>(randomUUID());
      begun = under.outbox.startAttempt(
        effectId(head),
        effect?.dispatchNo ?? 0,
        submissionId,
        io(),
      );
      await tx.save(writes({ changes: [succeeded(head)], effectsDone: [head.id] }));
    });
    expect(await begun).toBeNull();
    expect(await under.store.reads.attempts(head.id, io())).toEqual([]);
  });

  test('a command belongs to its acting party', async () => {
    await using under = await makeStore();
    const ours = change();
    await arrive(under.store, ours);
    const key = { actAs: ours.submitter.actAs, commandId: ours.commandId };
    const others = [
      { ...key, actAs: USER },
      { ...key, commandId: trusted<typeof key.commandId>('another') },
    ];
    expect(await read(under.store, (tx) => tx.changeByCommand(key))).toEqual(ours);
    for (const other of others) {
      expect(await read(under.store, (tx) => tx.changeByCommand(other))).toBeNull();
    }
  });

  test('those who wait come in the order of the lane, as many as asked for', async () => {
    await using under = await makeStore();
    const head = change({ mailboxNo: 1 });
    await arrive(under.store, head);
    const waiting = [4, 2, 3].map((place) => queued(head, place));
    await save(under.store, {
      mailboxes: [mailbox(head.lane, { head: head.id, nextNo: 5, waiting: 3 })],
      changes: waiting,
    });
    const places = async (afterNo: number, limit: number) =>
      (await read(under.store, (tx) => tx.queued(head.lane, afterNo, limit))).map(
        (one) => one.mailboxNo,
      );
    expect(await places(0, 10)).toEqual([2, 3, 4]);
    expect(await places(0, 2)).toEqual([2, 3]);
    expect(await places(3, 2)).toEqual([4]);
  });

  test('a batch of the ledger finds its lanes by contract, by submission and by accepted update', async () => {
    await using under = await makeStore();
    const of = lifecycle();
    await save(under.store, birth(of));
    const tried = change({ lane: of.lane, lifecycleId: of.id });
    const accepted = open({
      acceptance: { updateId: trusted('update-7'), offset: 7n, readBack: false },
    });
    const ended = succeeded({
      ...accepted,
      id: change().id,
      commandId: trusted('c'),
      lane: newLane(),
    });
    await arrive(under.store, tried);
    const [effect] = await dispatchAll(under.outbox);
    const submissionId = trusted<SubmissionId>(randomUUID());
    await under.outbox.startAttempt(effectId(tried), effect?.dispatchNo ?? 0, submissionId, io());
    await arrive(under.store, accepted);
    await read(under.store, (tx) => tx.lock([ended.lane]));
    await save(under.store, { changes: [ended] });
    const found = await read(under.store, (tx) =>
      tx.lanesOf({
        contracts: [of.contractId, newContractId()],
        submissions: [submissionId, trusted<SubmissionId>('of another client')],
        updates: [trusted('update-7'), trusted('update-8')],
        carried: [],
      }),
    );
    expect(found).toEqual({
      lineage: [{ contractId: of.contractId, lifecycleId: of.id, lane: of.lane }],
      submissions: [{ submissionId, changeId: tried.id, lane: of.lane, at: expect.any(String) }],
      waiting: [{ changeId: accepted.id, lane: accepted.lane }],
      unknown: [],
    });
  });

  test('what a batch concerns is found and locked in one call, with what has waited for its position', async () => {
    await using under = await makeStore();
    const of = lifecycle();
    const head = change({ lane: of.lane, lifecycleId: of.id });
    const waiting = open({ verifyAt: 50n });
    const [later, accepted, unknown] = [
      open({ verifyAt: 51n }),
      open({ acceptance: { updateId: trusted('update-70'), offset: 70n, readBack: false } }),
      change(),
    ];
    await save(under.store, birth(of));
    for (const one of [head, waiting, later, accepted]) await arrive(under.store, one);
    const query = {
      contracts: [of.contractId],
      submissions: [],
      updates: [trusted<UpdateId>('update-70')],
      carried: [unknown.id],
    };
    const cursors = new Map([['completions:app-provider', 50n]]);
    const lockOf = (tx: Tx) => tx.lockOf(query, cursors);
    const { locked, ...found } = await read(under.store, lockOf);
    expect(found).toEqual(await read(under.store, (tx) => tx.lanesOf(query)));
    expect(found.unknown).toEqual([unknown.id]);
    const lanes = [of.lane, waiting.lane, accepted.lane];
    const alone = await read(under.store, (tx) => tx.lock(lanes));
    expect(locked.mailboxes).toHaveLength(lanes.length);
    for (const part of ['mailboxes', 'lifecycles', 'heads'] as const) {
      expect(new Set<object>(locked[part])).toEqual(new Set<object>(alone[part]));
    }
    const holding = held(under.store, lockOf);
    await holding.worked;
    expect((await read(under.store, (tx) => tx.lockFree([...lanes, later.lane]))).heads).toEqual([
      later,
    ]);
    await holding.commit();
    const nothing = { contracts: [], submissions: [], updates: [], carried: [] };
    const none = await read(under.store, (tx) => tx.lockOf(nothing, new Map()));
    expect(none.locked).toEqual({ mailboxes: [], lifecycles: [], heads: [] });
  });

  test('a lane is found when the stream reaches what its head waits for', async () => {
    await using under = await makeStore();
    const elsewhere = {
      participant: trusted<Change['submitter']['participant']>('app-user'),
      ledgerUser: 'u',
      actAs: PROVIDER,
    };
    const verifying = open({ verifyAt: 50n });
    const verifyingElsewhere = open({ verifyAt: 50n, submitter: elsewhere });
    const accepted = open({
      acceptance: { updateId: trusted('update-60'), offset: 60n, readBack: false },
    });
    const ended = succeeded(change());
    for (const one of [verifying, verifyingElsewhere, accepted]) await arrive(under.store, one);
    await read(under.store, (tx) => tx.lock([ended.lane]));
    await save(under.store, { changes: [ended] });
    const reached = async (stream: string, to: bigint) =>
      new Set(await read(under.store, (tx) => tx.lanesWaitingFor(new Map([[stream, to]]))));
    expect(await reached('completions:app-provider', 49n)).toEqual(new Set());
    expect(await reached('completions:app-provider', 50n)).toEqual(new Set([verifying.lane]));
    expect(await reached('completions:app-user', 99n)).toEqual(new Set([verifyingElsewhere.lane]));
    expect(await reached('updates', 59n)).not.toContain(accepted.lane);
    expect(await reached('updates', 60n)).toContain(accepted.lane);
    // The stream of updates may reach the position later than the stream of completions.
    expect(await reached('updates', 50n)).toContain(verifying.lane);
  });

  test('a change that is recorded in one transaction is there for the next', async () => {
    await using under = await makeStore();
    const ours = change();
    await under.store.transact(io(), async (tx) => {
      await tx.lock([ours.lane]);
      await tx.save(writes(arrival(ours)));
      expect(await tx.change(ours.id)).toEqual(ours);
    });
    expect(await read(under.store, (tx) => tx.change(ours.id))).toEqual(ours);
  });
}
