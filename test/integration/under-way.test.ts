import { expect, test } from 'vitest';
import type { LifecycleFilter } from '../../src/app/desk/lifecycle-search.ts';
import type { Change } from '../../src/domain/change.ts';
import type { Party } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import type { Lifecycle } from '../../src/domain/lifecycle.ts';
import { createLifecycleSearch } from '../../src/store/desk/lifecycle-search.ts';
import { asking } from '../../src/store/sql/ask.ts';
import { forFile } from '../kit/for-file.ts';
import { queryOnce } from '../kit/postgres-query.ts';
import { postgresStore } from '../kit/postgres-store.ts';
import {
  arrival,
  birth,
  change,
  created,
  io,
  lifecycle,
  mailbox,
  succeeded,
  transaction,
  writes,
} from '../kit/store-rows.ts';
import { save } from '../kit/store-under-test.ts';

/*
 * While an operation on a lifecycle is in progress, the lifecycle's row stays in its database page and its index
 * entries do not change. Nevertheless, lists, the desk's search and its counts find the lifecycle by its current state.
 */

const under = await forFile(postgresStore(4, 'pristine'));
const desk = createLifecycleSearch(asking(under.pool));
let parties = 0;
let offset = 100n;

/** Creates a new provider with this number of active installs. */
async function installs(count: number): Promise<{ party: Party; all: Lifecycle[] }> {
  parties += 1;
  const party = trusted<Party>(`provider-${parties}::1220aa`);
  const all = Array.from({ length: count }, (_, n) =>
    lifecycle({ provider: party, createdAt: `2026-01-0${n + 1}T00:00:00.000000Z` }),
  );
  offset += 1n;
  const update = transaction(
    offset,
    all.map((of, nodeId) => created(of, { nodeId })),
  );
  await under.store.transact(io(), async (tx) => {
    for (const of of all) await tx.save(writes(birth(of)));
    await tx.insertUpdates([update], [party]);
  });
  return { party, all };
}

const step = (of: Lifecycle, over: Partial<Lifecycle>): Lifecycle => ({
  ...of,
  version: of.version + 1,
  ...over,
});

/** Begins an operation on the lifecycle. */
async function begin(of: Lifecycle, state: string): Promise<{ of: Lifecycle; by: Change }> {
  const next = step(of, { state });
  const by = change({ lane: of.lane, lifecycleId: of.id, provider: of.provider });
  await save(under.store, { ...arrival(by), lifecycles: [next] });
  return { of: next, by };
}

const end = (by: Change, lifecycles: readonly Lifecycle[]): Promise<void> =>
  save(under.store, {
    mailboxes: [mailbox(by.lane, { nextNo: 2 })],
    changes: [succeeded(by)],
    lifecycles,
  });

/** Returns the lifecycles that are in each state: according to lists, to the desk's search, and to its counts. */
async function told(party: Party, states: readonly string[]) {
  const ids: Record<string, readonly string[]> = {};
  for (const state of states) {
    const list = { kind: 'install', party, state, limit: 50 } as const;
    const scope = { of: 'provider', party } as const;
    const listed = (await under.store.reads.list(list, io())).map((one) => one.lifecycle.id);
    const found = await desk.find({ scope, state, limit: 50 }, io());
    expect(found.map((one) => one.lifecycle.id).toSorted()).toEqual(listed.toSorted());
    ids[state] = listed.toSorted();
  }
  return ids;
}

const counts = async (party: Party, over: Partial<LifecycleFilter> = {}) => {
  const counted = await desk.count({ scope: { of: 'provider', party }, ...over }, io());
  return counted.map(({ state, count, oldestAt }) => [
    state,
    count,
    new Date(oldestAt).toISOString().slice(0, 10),
  ]);
};

const STATES = ['active', 'creatingLicense', 'cancelling'];

// This test must be the first of the file, because the updates of other tests would be counted too.
test('an operation that begins and ends changes nothing that is indexed', async () => {
  const { party, all } = await installs(1);
  const { of, by } = await begin(all[0]!, 'creatingLicense');
  await end(by, [step(of, { state: 'active', contractId: trusted('00replaced') })]);
  await expect
    .poll(async () => {
      // Each session reports its statistics at the end of a transaction that follows a second or more later.
      await Promise.all([1, 2, 3, 4].map(() => counts(party)));
      const [row] = await queryOnce<{ all: bigint; hot: bigint }>(
        under.url,
        `select n_tup_upd as all, n_tup_hot_upd as hot from pg_stat_user_tables where relname = 'lifecycle'`,
      );
      return [row!.all, row!.hot];
    })
    .toEqual([2n, 2n]);
});

test('what is under way is told as what it is, and as what it was once that is over', async () => {
  const { party, all } = await installs(4);
  const [first, second, third, fourth] = all.map(({ id }) => id);
  const one = await begin(all[0]!, 'creatingLicense');
  const other = await begin(all[1]!, 'cancelling');
  expect(await told(party, STATES)).toEqual({
    active: [third!, fourth!].toSorted(),
    creatingLicense: [first],
    cancelling: [second],
  });
  expect(await counts(party)).toEqual([
    ['active', 2, '2026-01-03'],
    ['cancelling', 1, '2026-01-02'],
    ['creatingLicense', 1, '2026-01-01'],
  ]);
  expect(await counts(party, { state: 'cancelling' })).toEqual([['cancelling', 1, '2026-01-02']]);
  expect(await counts(party, { kind: 'license' })).toEqual([]);
  expect(await counts(party, { before: '2026-01-02T00:00:00Z' })).toEqual([
    ['creatingLicense', 1, '2026-01-01'],
  ]);
  const ended = { state: 'cancelled', endedAt: '2026-02-01T00:00:00Z' };
  await end(one.by, [step(one.of, { state: 'active' })]);
  await end(other.by, [step(other.of, ended)]);
  expect(await told(party, STATES)).toEqual({
    active: [first!, third!, fourth!].toSorted(),
    creatingLicense: [],
    cancelling: [],
  });
  const gone = { kind: 'install', party, endedAs: ['cancelled'], limit: 50 } as const;
  expect((await under.store.reads.list(gone, io())).map((of) => of.lifecycle.id)).toEqual([second]);
});

test('what its operation leaves as it is stays in its state', async () => {
  const { party, all } = await installs(1);
  const { of, by } = await begin(all[0]!, 'creatingLicense');
  await end(by, []);
  expect(await told(party, STATES)).toEqual({
    active: [],
    creatingLicense: [of.id],
    cancelling: [],
  });
  expect(await counts(party)).toEqual([['creatingLicense', 1, '2026-01-01']]);
});

test('a step of a version that does not tell how it is listed is found', async () => {
  const { party, all } = await installs(2);
  const [by] = all;
  // Writes the row as version 0.2.0 does.
  await queryOnce(
    under.url,
    `update lifecycle set state = 'cancelling', version = version + 1 where id = '${by!.id}'`,
  );
  expect((await told(party, STATES))['cancelling']).toEqual([by!.id]);
  expect(await counts(party)).toEqual([
    ['active', 1, '2026-01-02'],
    ['cancelling', 1, '2026-01-01'],
  ]);
});
