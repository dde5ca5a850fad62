import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { OpsScope } from '../../src/app/ports/ops-scope.ts';
import type { StartedAttempt } from '../../src/app/ports/outbox.ts';
import type { Caller } from '../../src/domain/caller.ts';
import type { Change } from '../../src/domain/change.ts';
import type { SubmissionId } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import { createFailureList } from '../../src/store/desk/failure-list.ts';
import { postgresStore, type PostgresStoreUnderTest } from '../kit/postgres-store.ts';
import { queryOnce } from '../kit/postgres-query.ts';
import {
  PROVIDER,
  arrival,
  birth,
  change,
  effectId,
  io,
  lifecycle,
  newLane,
  rejected,
  succeeded,
  writes,
} from '../kit/store-rows.ts';
import { arrive, dispatchAll, read, save } from '../kit/store-under-test.ts';

/** Returns `LOCKED` if another session has locked the row, else `FREE`. */
async function stateOf(url: string, table: string, key: string, value: string): Promise<string> {
  try {
    await queryOnce(url, `select 1 from ${table} where ${key} = $1 for no key update nowait`, [
      value,
    ]);
    return 'FREE';
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === '55P03') return 'LOCKED';
    throw error;
  }
}

test('where no lane is free none is told, whatever a plan was made of', async () => {
  await using under = await postgresStore();
  const lane = newLane();
  await read(under.store, (tx) => tx.lock([lane]));
  // Because of this, the planner expects one row for each lane.
  await queryOnce(under.url, 'analyze mailbox');
  await under.store.transact(io(), async (tx) => {
    await tx.lock([lane]);
    const none = await read(under.store, (other) => other.lockFree([lane]));
    expect(none).toEqual({ mailboxes: [], lifecycles: [], heads: [] });
  });
});

test('a lane is locked with its mailbox, its lifecycles and its head, and no other lane is', async () => {
  await using under = await postgresStore();
  const rows = await Promise.all(
    ['mine', 'other'].map(async (name) => {
      const of = lifecycle();
      const head = change({ lane: of.lane, lifecycleId: of.id });
      await save(under.store, birth(of));
      await arrive(under.store, head);
      return { name, of, head };
    }),
  );
  const states = () =>
    Promise.all(
      rows.map(async ({ of, head }) => [
        await stateOf(under.url, 'mailbox', 'lane', of.lane),
        await stateOf(under.url, 'lifecycle', 'id', of.id),
        await stateOf(under.url, 'change', 'id', head.id),
      ]),
    );
  const free = ['FREE', 'FREE', 'FREE'];
  await under.store.transact(io(), async (tx) => {
    await tx.lock([rows[0]!.of.lane]);
    expect(await states()).toEqual([['LOCKED', 'LOCKED', 'LOCKED'], free]);
  });
  expect(await states()).toEqual([free, free]);
});

test('who holds a lane does not stop others from referring to what is in it', async () => {
  await using under = await postgresStore();
  const head = change();
  await arrive(under.store, head);
  await under.store.transact(io(), async (tx) => {
    await tx.lock([head.lane]);
    // The check of a foreign key needs only the weakest lock, which it gets.
    await queryOnce(
      under.url,
      `set lock_timeout = '5s'; insert into attempt (change_id, n, submission_id, participant, ledger_user, act_as, at)
       values ('${head.id}', 1, 's', 'p', 'u', 'a', now())`,
    );
  });
  expect(await under.store.reads.attempts(head.id, io())).toHaveLength(1);
});

/** Returns a row for each connection that waits for a lock of another connection. */
const blockedOn = (url: string) =>
  queryOnce(
    url,
    `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
  );

const untilBlocked = (url: string, count: number): Promise<void> =>
  expect.poll(() => blockedOn(url)).toHaveLength(count);

const begin = (under: PostgresStoreUnderTest, of: Change): Promise<StartedAttempt | null> =>
  under.outbox.startAttempt(effectId(of), 1, trusted<SubmissionId>(randomUUID()), io());

test('a job that overtakes the commit of its dispatch waits for it', async () => {
  await using under = await postgresStore();
  const head = change();
  await arrive(under.store, head);
  let begun: Promise<StartedAttempt | null> = Promise.resolve(null);
  const put = async (): Promise<void> => {
    begun = begin(under, head);
    await untilBlocked(under.url, 1);
  };
  await under.outbox.dispatchDue(1, put, io());
  expect((await begun)?.attempt).toBe(1);
});

test('an attempt and the end of its change never wait for each other in a circle', async () => {
  await using under = await postgresStore();
  const head = change();
  await arrive(under.store, head);
  await dispatchAll(under.outbox);
  let tries = 0;
  let begun: Promise<StartedAttempt | null> = Promise.resolve(null);
  await under.store.transact(io(), async (tx) => {
    tries += 1;
    await tx.lock([head.lane]);
    begun = begin(under, head);
    await untilBlocked(under.url, 1);
    await tx.save(writes({ changes: [succeeded(head)], effectsDone: [head.id] }));
  });
  expect(await begun).toBeNull();
  expect(tries).toBe(1);
});

test('an attempt names the contract that was recorded of it, though another takes its place meanwhile', async () => {
  await using under = await postgresStore();
  const of = lifecycle();
  await save(under.store, birth(of));
  const head = change({ lane: of.lane, lifecycleId: of.id });
  await arrive(under.store, head);
  await dispatchAll(under.outbox);
  // This imitates another transaction that commits between two statements of the transaction that begins.
  await queryOnce(
    under.url,
    `create function replace_contract() returns trigger language plpgsql as $$
     begin
       update lifecycle set contract_id = 'replaced', version = version + 1 where contract_id = new.contract_id;
       return null;
     end $$;
     create trigger replaced after insert on attempt for each row execute function replace_contract()`,
  );
  const started = await begin(under, head);
  expect(started?.lifecycle).toMatchObject({ id: of.id, contractId: of.contractId });
  expect(await under.store.reads.attempts(head.id, io())).toMatchObject([
    { contractId: of.contractId },
  ]);
  expect(await under.store.transact(io(), (tx) => tx.findLifecycle(of.id))).toMatchObject({
    contractId: 'replaced',
  });
});

test('of several who record a command at the same moment, the others find it recorded', async () => {
  await using under = await postgresStore();
  const rivals = Array.from({ length: 3 }, () => change({ commandId: trusted('the-same') }));
  let looked = 0;
  const allLooked = Promise.withResolvers<void>();
  const record = (one: Change): Promise<Change> =>
    under.store.transact(io(), async (tx) => {
      const known = await tx.changeByCommand({ ...one.submitter, commandId: one.commandId });
      looked += 1;
      if (looked === rivals.length) allLooked.resolve();
      await allLooked.promise;
      if (known !== null) return known;
      await tx.lock([one.lane]);
      await tx.save(writes(arrival(one)));
      return one;
    });
  const recorded = await Promise.all(rivals.map(record));
  expect(new Set(recorded.map((one) => one.id)).size).toBe(1);
  expect(looked).toBeGreaterThan(rivals.length);
});

test('a relay does not wait for what another one has in hand, and takes the rest', async () => {
  await using under = await postgresStore();
  const all = [change(), change(), change()];
  for (const one of all) await arrive(under.store, one);
  const taken: string[] = [];
  await under.outbox.dispatchDue(
    1,
    async (effects) => {
      taken.push(...effects.map((effect) => effect.id));
      taken.push(...(await dispatchAll(under.outbox)).map((effect) => effect.id));
    },
    io(5_000),
  );
  expect(taken.toSorted()).toEqual(all.map(effectId).toSorted());
});

test('a failure that happens again while it is being resolved is open', async () => {
  await using under = await postgresStore();
  const fails = async (): Promise<void> => {
    const open = change();
    await arrive(under.store, open);
    await save(under.store, writes({ changes: [rejected(open)] }));
  };
  await fails();
  const failures = createFailureList(under.pool);
  const scope: OpsScope = { of: 'provider', party: PROVIDER };
  const listed = () => failures.list({ scope, limit: 10 }, io());
  const [seen] = await listed();
  const by: Caller = {
    party: PROVIDER,
    roles: new Set(['operator']),
    via: 'bearer',
    tenantId: 'provider',
    subject: 'olga',
    name: 'Olga',
  };
  const client = await under.pool.connect();
  let failed = false;
  try {
    // The act waits at its insert into the audit log, which comes before its commit.
    await client.query('begin; lock table audit in share mode');
    const asked = { act: 'resolve', by, reason: 'mended' } as const;
    const resolving = failures.act(scope, seen!.failure.fingerprint, asked, io());
    await untilBlocked(under.url, 1);
    const failing = fails().finally(() => {
      failed = true;
    });
    await expect.poll(async () => failed || (await blockedOn(under.url)).length === 2).toBe(true);
    await client.query('commit');
    await Promise.all([resolving, failing]);
    expect(await listed()).toMatchObject([{ state: 'open', decision: { state: 'resolved' } }]);
  } finally {
    client.release(true);
  }
});
