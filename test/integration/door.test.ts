import { Client } from 'pg';
import { expect, test } from 'vitest';
import type {
  ChangeRequest,
  RequestedChange,
} from '../../src/app/engine/requests/change-request.ts';
import { openDoor } from '../../src/app/engine/requests/request-change.ts';
import type { Caller } from '../../src/domain/caller.ts';
import type { Party } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import { isDatabaseUnavailable } from '../../src/store/sql/deadline.ts';
import { IO, PROVIDER, USER } from '../kit/http-api.ts';
import { startContractsWorld } from '../kit/http-contracts.ts';
import { PATIENCE_MS } from '../kit/patience.ts';
import { queryOnce } from '../kit/postgres-query.ts';

/*
 * Several requests in one transaction. Each gets the same answer as if the requests had arrived alone, one after
 * another.
 */

const POLLED = { timeout: PATIENCE_MS, interval: 20 };

const callerOf = (party: Party, role: 'provider' | 'user'): Caller => ({
  party,
  roles: new Set([role]),
  via: 'bearer',
  tenantId: 'a-tenant',
  subject: 'a-subject',
  name: 'a-name',
});
const provider = callerOf(PROVIDER, 'provider');
const user = callerOf(USER, 'user');

const cancelOf = (target: string, commandId: string): ChangeRequest => ({
  operation: 'cancel-install',
  target,
  commandId: trusted(commandId),
  body: {},
});
const createOf = (target: string, commandId: string): ChangeRequest => ({
  operation: 'create-license',
  target,
  commandId: trusted(commandId),
  body: { params: { meta: { data: {} } } },
});
const requestOf = (commandId: string): ChangeRequest => ({
  operation: 'request-install',
  target: null,
  commandId: trusted(commandId),
  body: { provider: PROVIDER, meta: { data: {} } },
});

/**
 * Opens a request batcher that is busy with one request until the test releases it, so that all later requests form one
 * batch. The test counts transactions, not the requests in them.
 */
async function openWorld() {
  const world = await startContractsWorld();
  world.follow();
  const { api } = world;
  let transactions = 0;
  const shares = new Set<string | undefined>();
  let held: Promise<void> | null = null;
  const store: typeof api.deps.store = {
    ...api.deps.store,
    transact: async (io, work) => {
      transactions += 1;
      shares.add(io.turn?.share);
      await held;
      return api.deps.store.transact(io, work);
    },
  };
  const door = openDoor({
    ...api.deps,
    store,
    isUnavailable: isDatabaseUnavailable,
    // With this limit, a batch ends only when a test ends it.
    slowMs: PATIENCE_MS,
  });
  /** Submits all requests in one batch. @returns the outcome of each, and the number of transactions */
  async function together(asked: readonly (readonly [Caller, ChangeRequest])[]) {
    const gate = Promise.withResolvers<void>();
    held = gate.promise;
    const first = door(user, requestOf(world.id('first')), IO);
    await expect.poll(() => transactions, POLLED).toBeGreaterThan(0);
    const outcomes = asked.map(([caller, request]) => door(caller, request, IO));
    const settled = Promise.allSettled(outcomes);
    // At this moment all requests are in the queue, because each of them has made its queries.
    await new Promise((resolve) => setImmediate(resolve));
    transactions = 0;
    held = null;
    gate.resolve();
    await first;
    return { settled, count: () => transactions };
  }
  return {
    ...world,
    door,
    together,
    shares,
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  };
}

const codeOf = (outcome: PromiseSettledResult<RequestedChange> | undefined): unknown =>
  outcome?.status === 'rejected' ? outcome.reason.details?.code : 'recorded';

test('requests of many lanes are one transaction, and each is recorded once', async () => {
  await using world = await openWorld();
  const installs = [await world.installed(), await world.installed(), await world.installed()];
  const before = await world.api.changes();
  const asked = installs.flatMap((install, i) => [
    [provider, createOf(install, `many-${i}-a`)] as const,
    [provider, createOf(install, `many-${i}-b`)] as const,
    [user, requestOf(`many-${i}-c`)] as const,
  ]);
  const { settled, count } = await world.together(asked);
  const made = await settled;
  expect(made.map(codeOf)).toEqual(asked.map(() => 'recorded'));
  expect(count()).toBe(1);
  expect(await world.api.changes()).toBe(before + asked.length + 1);
  // The second change of a lane waits behind the first one.
  const states = made.map((one) => one.status === 'fulfilled' && one.value.change.state);
  expect(states.slice(0, 3)).toEqual(['submitting', 'queued', 'submitting']);
});

test('one command asked twice is recorded once, and another meaning of it is refused', async () => {
  await using world = await openWorld();
  const [install, other] = [await world.installed(), await world.installed()];
  const { settled, count } = await world.together([
    [provider, createOf(install, 'twice')],
    [provider, createOf(install, 'twice')],
    [provider, createOf(other, 'twice')],
  ]);
  const [first, again, otherwise] = await settled;
  expect(first).toMatchObject({ value: { replayed: false } });
  expect(again).toMatchObject({ value: { replayed: true } });
  expect(codeOf(otherwise)).toBe('COMMAND_ID_REUSED');
  expect(count()).toBe(1);
});

test('who names the version of before meets what was recorded just before it', async () => {
  await using world = await openWorld();
  const install = await world.installed();
  const at = await queryOnce<{ version: number }>(
    world.api.database.url,
    `select l.version from lineage a join lifecycle l on l.id = a.lifecycle_id where a.contract_id = $1`,
    [install],
  );
  const ifVersions = [at[0]!.version];
  const { settled } = await world.together([
    [provider, { ...createOf(install, 'version-1'), ifVersions }],
    [provider, { ...createOf(install, 'version-2'), ifVersions }],
  ]);
  expect((await settled).map(codeOf)).toEqual(['recorded', 'PRECONDITION_FAILED']);
});

test('what is refused leaves its neighbours and no trace', async () => {
  await using world = await openWorld();
  const install = await world.installed();
  const { settled, count } = await world.together([
    [user, requestOf('beside-1')],
    [user, createOf(install, 'not-the-users')],
    [provider, createOf('00'.repeat(34), 'of-nothing')],
    [provider, cancelOf(install, 'beside-2')],
  ]);
  expect((await settled).map(codeOf)).toEqual(['recorded', 'FORBIDDEN', 'NOT_FOUND', 'recorded']);
  expect(count()).toBe(1);
  const refused = await queryOnce(
    world.api.database.url,
    `select from change where command_id in ('not-the-users', 'of-nothing')`,
  );
  expect(refused).toEqual([]);
});

test('a lane that another transaction has locked holds up only its own requests', async () => {
  await using world = await openWorld();
  const [busy, free] = [await world.installed(), await world.installed()];
  const holder = new Client({ connectionString: world.api.database.url });
  await holder.connect();
  const lane = `select l.lane from lineage a join lifecycle l on l.id = a.lifecycle_id where a.contract_id = $1`;
  await holder.query(`insert into mailbox (lane) ${lane} on conflict do nothing`, [busy]);
  await holder.query('begin');
  await holder.query(`select from mailbox where lane = (${lane}) for update`, [busy]);
  try {
    const held = world.door(provider, createOf(busy, 'held-1'), IO);
    let isOver = false;
    void held.finally(() => (isOver = true)).catch(() => undefined);
    const { settled } = await world.together([
      [provider, createOf(busy, 'held-2')],
      [provider, createOf(free, 'free-1')],
    ]);
    const made = Promise.race([
      settled.then(() => 'all'),
      world.door(provider, createOf(free, 'free-2'), IO).then(({ change }) => change.commandId),
    ]);
    expect(await made).toBe('free-2');
    expect(isOver).toBe(false);
    await holder.query('rollback');
    expect((await settled).map(codeOf)).toEqual(['recorded', 'recorded']);
    expect((await held).replayed).toBe(false);
  } finally {
    await holder.end();
  }
});

test('a row that the database refuses fails alone', async () => {
  await using world = await openWorld();
  const install = await world.installed();
  await queryOnce(
    world.api.database.url,
    `create function refuse() returns trigger language plpgsql as
       $$ begin if new.command_id = 'poison' then raise exception 'poisoned'; end if; return new; end $$;
     create trigger refuse before insert on change for each row execute function refuse()`,
  );
  const { settled } = await world.together([
    [user, requestOf('clean-1')],
    [user, requestOf('poison')],
    [provider, createOf(install, 'clean-2')],
  ]);
  const [before, poison, after] = await settled;
  expect([codeOf(before), codeOf(after)]).toEqual(['recorded', 'recorded']);
  expect(poison).toMatchObject({ reason: { message: expect.stringContaining('poisoned') } });
  const rows = await queryOnce<{ command_id: string }>(
    world.api.database.url,
    `select command_id from change where command_id in ('clean-1', 'clean-2', 'poison') order by 1`,
  );
  expect(rows.map((row) => row.command_id)).toEqual(['clean-1', 'clean-2']);
});

test('a batch uses the connections of those who ask: the clock has none of the API', async () => {
  await using world = await openWorld();
  await world.door(user, requestOf(world.id('engine')), IO);
  expect([...world.shares]).toEqual([undefined]);
  const turn = { share: 'writes', of: { party: USER, subject: 'anna' } } as const;
  await world.door(user, requestOf(world.id('caller')), { ...IO, turn });
  expect([...world.shares]).toEqual([undefined, 'writes']);
});
