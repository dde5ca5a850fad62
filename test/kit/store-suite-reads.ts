import { expect, test } from 'vitest';
import type { ListKey, ListQuery } from '../../src/app/ports/views.ts';
import type { Store } from '../../src/app/ports/transaction.ts';
import type { Change } from '../../src/domain/change.ts';
import type { ContractId, LifecycleId, Party } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import type { Lifecycle } from '../../src/domain/lifecycle.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import {
  OTHER_USER,
  PROVIDER,
  USER,
  birth,
  change,
  created,
  io,
  lifecycle,
  mailbox,
  newContractId,
  queued,
  transaction,
  writes,
} from './store-rows.ts';
import type { MakeStore } from './store-under-test.ts';
import { allOf } from './all-of.ts';
import { arrive, save } from './store-under-test.ts';

const BOTH = trusted<Party>('both::1220ee');

/** Stores lifecycles with their contracts, as the projector does. */
async function project(store: Store, all: readonly Lifecycle[], offset = 1n): Promise<void> {
  await store.transact(io(), async (tx) => {
    const events = all.map((of, nodeId) => created(of, { nodeId }));
    await tx.insertUpdates([transaction(offset, events)], [PROVIDER]);
    await tx.save(
      writes({ lifecycles: all, lineage: all.flatMap((of) => birth(of).lineage ?? []) }),
    );
  });
}

const license = (appUser: Party, licenseNum: bigint, over: Partial<Lifecycle> = {}): Lifecycle =>
  lifecycle({ kind: 'license', appUser, licenseNum, ...over });

const keyOf = (of: Lifecycle): ListKey => ({
  appUser: of.appUser,
  listNo: String(of.licenseNum ?? 0n),
  id: of.id,
});

const query = (over: Partial<ListQuery> = {}): ListQuery => ({
  kind: 'license',
  party: PROVIDER,
  limit: 100,
  ...over,
});

export function readCases(makeStore: MakeStore): void {
  const idsOf = async (store: Store, over: Partial<ListQuery>): Promise<LifecycleId[]> =>
    (await store.reads.list(query(over), io())).map((view) => view.lifecycle.id);

  test('one lifecycle is read with its payload, by any contract it had and by its own id', async () => {
    await using under = await makeStore();
    const first = lifecycle();
    const next = { ...first, version: 2, contractId: newContractId() };
    await project(under.store, [first], 1n);
    await project(under.store, [next], 2n);
    const expected = {
      lifecycle: next,
      payload: created(next).payload,
      renewals: [],
      allocations: [],
      endedBy: null,
    };
    for (const id of [first.id, first.contractId, next.contractId]) {
      expect(await under.store.reads.lifecycle(id, io())).toEqual(expected);
    }
    for (const unknown of [newContractId(), 'license-unknown', "' or 1=1", '']) {
      expect(await under.store.reads.lifecycle(unknown, io())).toBeNull();
    }
  });

  test('lists are in the order of user, number and id', async () => {
    await using under = await makeStore();
    const expected = [
      license(USER, 2n),
      license(USER, 10n),
      ...[license(USER, 11n), license(USER, 11n)].toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      license(OTHER_USER, 1n),
    ];
    await project(under.store, expected.toReversed());
    expect(await idsOf(under.store, {})).toEqual(expected.map((of) => of.id));
    const [view] = await under.store.reads.list(query({ limit: 1 }), io());
    expect(view).toMatchObject({ lifecycle: expected[0], payload: created(expected[0]!).payload });
  });

  test('a list holds what is active, of one kind, of the party on either side', async () => {
    await using under = await makeStore();
    const mine = license(USER, 1n);
    const used = license(BOTH, 2n);
    const provided = license(USER, 3n, { provider: BOTH });
    const own = license(BOTH, 4n, { provider: BOTH });
    const ended = license(USER, 5n, { state: 'expired', endedAt: '2026-01-02T00:00:00.001Z' });
    await project(under.store, [mine, used, provided, own, ended, lifecycle()]);
    expect(await idsOf(under.store, {})).toEqual([mine.id, used.id]);
    expect(await idsOf(under.store, { party: USER })).toEqual([mine.id, provided.id]);
    // The lists are ordered by the users' parties: `app-user` comes before `both`.
    expect(await idsOf(under.store, { party: BOTH })).toEqual([provided.id, used.id, own.id]);
    expect(await idsOf(under.store, { party: OTHER_USER })).toEqual([]);
  });

  test('a list of what has ended holds those of its ends, in the same order', async () => {
    await using under = await makeStore();
    const end = '2026-01-02T00:00:00.001Z';
    const ended = [
      license(USER, 1n, { state: 'expired', endedAt: end }),
      license(USER, 2n, { state: 'gone', endedAt: end }),
      license(OTHER_USER, 3n, { state: 'expired', endedAt: end }),
    ];
    await project(under.store, [...ended.toReversed(), license(USER, 4n)]);
    const of = (over: Partial<ListQuery>) => idsOf(under.store, over);
    const [first, second, third] = ended.map(({ id }) => id);
    expect(await of({ endedAs: ['expired', 'gone'] })).toEqual([first, second, third]);
    expect(await of({ endedAs: ['gone'] })).toEqual([second]);
    expect(await of({ endedAs: [] })).toEqual([]);
    expect(await of({ endedAs: ['expired'], listNo: 3n })).toEqual([third]);
    expect(await of({ endedAs: ['expired', 'gone'], party: USER, limit: 1 })).toEqual([first]);
    expect(await of({ endedAs: ['active'] })).toEqual([]);
    expect(await of({ listNo: 4n })).toHaveLength(1);
  });

  test('lists are filtered by user, provider, state and expiry, and never beyond the party', async () => {
    await using under = await makeStore();
    const early = license(USER, 1n, { expiresAt: '2026-01-01T00:00:00.000001Z' });
    const late = license(USER, 2n, { expiresAt: '2026-01-01T00:00:00.000002Z', state: 'expiring' });
    const other = license(OTHER_USER, 1n, { expiresAt: '2027-01-01T00:00:00Z' });
    await project(under.store, [early, late, other]);
    const some = async (over: Partial<ListQuery>) => idsOf(under.store, over);
    expect(await some({ appUser: OTHER_USER })).toEqual([other.id]);
    expect(await some({ state: 'expiring' })).toEqual([late.id]);
    expect(await some({ expiresBefore: '2026-01-01T00:00:00.000002Z' })).toEqual([early.id]);
    expect(await some({ provider: PROVIDER, appUser: USER })).toEqual([early.id, late.id]);
    expect(await some({ provider: USER })).toEqual([]);
    expect(await some({ party: USER, appUser: OTHER_USER })).toEqual([]);
    expect(await some({ party: USER, provider: PROVIDER })).toEqual([early.id, late.id]);
    expect(await some({ party: BOTH, provider: PROVIDER, appUser: USER })).toEqual([]);
  });

  test.each([1, 2, 3, 7, 100])('pages of %i put together are the list', async (limit) => {
    await using under = await makeStore();
    const all = [
      ...Array.from({ length: 9 }, (_, index) => license(USER, BigInt(index % 4))),
      ...Array.from({ length: 5 }, (_, index) => license(BOTH, BigInt(index))),
      ...Array.from({ length: 4 }, (_, index) => license(USER, BigInt(index), { provider: BOTH })),
    ];
    await project(under.store, all);
    for (const party of [PROVIDER, BOTH, USER]) {
      const whole = await under.store.reads.list(query({ party }), io());
      const pages: LifecycleId[] = [];
      let after: ListKey | undefined;
      for (;;) {
        const position = after === undefined ? {} : { after };
        const page = await under.store.reads.list(query({ party, limit, ...position }), io());
        pages.push(...page.map((view) => view.lifecycle.id));
        const last = page.at(-1);
        if (page.length < limit || last === undefined) break;
        after = keyOf(last.lifecycle);
      }
      expect(pages).toEqual(whole.map((view) => view.lifecycle.id));
    }
  });

  test('kinds without a number are listed and paged like licences', async () => {
    await using under = await makeStore();
    const all = Array.from({ length: 5 }, () => lifecycle()).toSorted((a, b) =>
      a.id < b.id ? -1 : 1,
    );
    await project(under.store, all);
    const page = await idsOf(under.store, { kind: 'install', after: keyOf(all[1]!), limit: 2 });
    expect(page).toEqual([all[2]?.id, all[3]?.id]);
  });

  test('the whole list is the list, however many chunks it takes', async () => {
    await using under = await makeStore();
    const all = Array.from({ length: 2 * LIMITS.listChunk + 3 }, (_, index) =>
      license(USER, BigInt(index)),
    );
    await project(under.store, all);
    const seen: ContractId[] = [];
    for await (const view of under.store.reads.listAll({ kind: 'license', party: USER }, io())) {
      seen.push(view.lifecycle.contractId);
    }
    expect(seen).toEqual(all.map((of) => of.contractId));
    const none = under.store.reads.listAll({ kind: 'install', party: USER }, io());
    for await (const view of none) throw new Error(`listed ${view.lifecycle.id}`);
  });

  test('who stops reading a whole list halfway is given no more of it', async () => {
    await using under = await makeStore();
    await project(
      under.store,
      Array.from({ length: 5 }, (_, index) => license(USER, BigInt(index))),
    );
    for await (const view of under.store.reads.listAll({ kind: 'license', party: USER }, io())) {
      expect(view.lifecycle.licenseNum).toBe(0n);
      break;
    }
    expect(await idsOf(under.store, { limit: 1 })).toHaveLength(1);
  });

  test('changes are found by command for the party that asked, newest first', async () => {
    await using under = await makeStore();
    const commandId = trusted<ReturnType<typeof change>['commandId']>('same');
    const older = change({ commandId });
    const newer = change({
      commandId,
      acceptedAt: '2026-01-03T00:00:00.001Z',
      submitter: { ...older.submitter, actAs: USER },
    });
    const foreign = change({
      commandId,
      callerParty: OTHER_USER,
      submitter: { ...older.submitter, actAs: OTHER_USER },
    });
    for (const one of [older, newer, foreign]) await arrive(under.store, one);
    const found = await under.store.reads.changesByCommand(commandId, PROVIDER, io());
    expect(found).toEqual([newer, older]);
    expect(await under.store.reads.changesByCommand(commandId, USER, io())).toEqual([]);
  });

  test('a place in a mailbox counts who stands before', async () => {
    await using under = await makeStore();
    const head = change();
    await arrive(under.store, head);
    const waiting = [2, 3, 5].map((place) => queued(head, place));
    await save(under.store, {
      mailboxes: [mailbox(head.lane, { head: head.id, nextNo: 6, waiting: 3 })],
      changes: waiting,
    });
    const places = await Promise.all(
      [head, ...waiting].map((one) => under.store.reads.placeInMailbox(one, io())),
    );
    expect(places).toEqual([0, 1, 2, 3]);
    expect(await under.store.reads.headOf(head.lane, io())).toEqual(head);
    expect(await under.store.reads.headOf(change().lane, io())).toBeNull();
  });

  test('heads of lanes are found by how long they have waited, and those in doubt apart', async () => {
    await using under = await makeStore();
    const since = (second: number) => `2026-01-01T00:00:0${second}.000Z`;
    const waits = (second: number, state: Change['state'] = 'submitting') =>
      change({
        state,
        acceptedAt: since(9 - second).replace('.000', '.001'),
        waitingFor: { kind: 'ledger', detail: 'x', since: since(second) },
      });
    const [third, first, second] = [waits(3), waits(1), waits(2, 'in-doubt')];
    for (const one of [third, first, second]) await arrive(under.store, one);
    await save(under.store, {
      mailboxes: [mailbox(first.lane, { head: first.id, nextNo: 3, waiting: 1 })],
      changes: [queued(first, 2)],
    });
    const { reads } = under.store;
    const longest = (until: number, accepted: number, limit = 10) =>
      reads.longestWaiting({ since: since(until), acceptedBefore: since(accepted), limit }, io());
    expect(await longest(3, 0)).toEqual([first, second]);
    expect(await longest(9, 0, 1)).toEqual([first]);
    expect(await longest(0, 7)).toEqual([third]);
    expect(await reads.inDoubt(10, io())).toEqual([second]);
    expect(await reads.inDoubt(0, io())).toEqual([]);
  });

  test('a lease is seen by everybody', async () => {
    await using under = await makeStore();
    const seen = () => under.store.reads.leaseOf('some', io());
    expect(await seen()).toBeNull();
    const epoch = await under.leases.acquire('some', 'one', 60_000, io());
    expect(await seen()).toMatchObject({ holder: 'one', epoch, isHeld: true });
    await under.leases.release('some', 'one', epoch ?? 0n, io());
    expect(await seen()).toMatchObject({ holder: 'one', epoch, isHeld: false });
  });

  test('what is not there is nothing', async () => {
    await using under = await makeStore();
    const { reads } = under.store;
    expect(await allOf(reads.history(trusted('unknown'), io()))).toEqual([]);
    expect(await reads.attempts(change().id, io())).toEqual([]);
    expect(await reads.changesById([change().id], io())).toEqual([]);
  });
}
