import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Store } from '../../src/app/ports/transaction.ts';
import type { ChangeId, LaneId } from '../../src/domain/ids.ts';
import { trusted, workflowIdOf } from '../../src/domain/ids.ts';
import { APP_INSTALL } from '../../src/domain/licensing.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { statement } from '../../src/store/sql/statement.ts';
import { onConnection } from '../../src/store/sql/transact.ts';
import { int64, party } from '../contract/kit/values.ts';
import type { PostgresStoreUnderTest } from '../kit/postgres-store.ts';
import { postgresStore } from '../kit/postgres-store.ts';
import { queryOnce } from '../kit/postgres-query.ts';
import { P, PROVIDER, ProjectorWorld, USER, reached, readiness } from '../kit/projector-world.ts';
import { crowd, endedRenewals, openRenewals } from '../kit/store-crowd.ts';
import { TEMPLATES } from '../kit/store-fill.ts';
import { oneLife } from '../kit/store-life.ts';
import { birth, io, lifecycle, PROVIDER as OWN } from '../kit/store-rows.ts';
import { save } from '../kit/store-under-test.ts';
import { allOf } from '../kit/all-of.ts';
import { consumes, newContract } from '../kit/told-ledger.ts';

/* A lane in which thousands of changes wait, or that had thousands of lifecycles, compared with other lanes. */

describe('a store in which 100 000 operations wait in one lane, with 10 000 renewals that have ended', () => {
  const WAITING = 100_000;
  const license = lifecycle({ kind: 'license', licenseNum: 1n });
  let busy: PostgresStoreUnderTest;
  let idle: PostgresStoreUnderTest;

  beforeAll(async () => {
    // Each store has a single connection, so that plans are cached and the connection's statistics count all reads.
    [busy, idle] = await Promise.all([postgresStore(1, 'pristine'), postgresStore(1, 'pristine')]);
    for (const { url, store } of [busy, idle]) {
      await queryOnce(url, TEMPLATES);
      await save(store, birth(license));
    }
    const lane = license.lane;
    await queryOnce(
      busy.url,
      crowd(lane, {
        lifecycleId: license.id,
        party: license.provider,
        participant: 'app-provider',
        head: { id: randomUUID(), operation: 'renew-license' },
        waiting: { operation: 'renew-license', count: WAITING },
      }),
    );
    await queryOnce(busy.url, endedRenewals(lane, license.provider, 10_000));
    await queryOnce(busy.url, 'analyze');
  });

  afterAll(async () => {
    await busy[Symbol.asyncDispose]();
    await idle[Symbol.asyncDispose]();
  });

  const FLUSH = statement<never>('test-flush-lanes', 'select pg_stat_force_next_flush()');

  /** Returns how many rows of a table the connection has read so far, by any access path. */
  async function rowsRead(table: string): Promise<number> {
    await onConnection(busy.pool, io(), (session) => session.run(FLUSH));
    await onConnection(busy.pool, io(), (session) => session.run(FLUSH));
    const [row] = await queryOnce<{ rows: bigint }>(
      busy.url,
      `select (seq_tup_read + (select coalesce(sum(i.idx_tup_read), 0) from pg_stat_user_indexes i
                               where i.relid = t.relid))::bigint as rows
       from pg_stat_user_tables t where relname = '${table}'`,
    );
    return Number(row!.rows);
  }

  test('other lanes cost what they cost where nothing waits', async () => {
    const took: Record<'busy' | 'idle', number[]> = { busy: [], idle: [] };
    const one = async (which: 'busy' | 'idle', under: PostgresStoreUnderTest) => {
      const fromMs = performance.now();
      await oneLife(under);
      took[which].push(performance.now() - fromMs);
    };
    for (let turn = 0; turn < 12; turn += 1) {
      await one('busy', busy);
      await one('idle', idle);
    }
    const before = await rowsRead('change');
    await oneLife(busy);
    expect((await rowsRead('change')) - before).toBeLessThan(200);
    const best = (all: number[]): number => Math.min(...all.slice(2));
    expect(best(took.busy) / best(took.idle)).toBeLessThan(3);
  });

  test('the lane itself is locked with what has not ended, and what is next in it is one probe', async () => {
    const turn = (store: Store, afterNo: number) =>
      store.transact(io(), async (tx) => {
        const { lifecycles, heads } = await tx.lock([license.lane]);
        expect(lifecycles.map(({ id }) => id)).toEqual([license.id]);
        expect(heads).toHaveLength(1);
        return tx.queued(license.lane, afterNo, 1);
      });
    for (let again = 0; again < 7; again += 1) await turn(busy.store, 50_000);
    const [changes, lifecycles] = [await rowsRead('change'), await rowsRead('lifecycle')];
    expect(await turn(busy.store, 50_000)).toMatchObject([{ mailboxNo: 50_001 }]);
    expect((await rowsRead('change')) - changes).toBeLessThan(10);
    expect((await rowsRead('lifecycle')) - lifecycles).toBeLessThan(10);
    const free = await busy.store.transact(io(), (tx) => tx.lockFree([license.lane]));
    expect(free.lifecycles.map(({ id }) => id)).toEqual([license.id]);
  });

  test('a history of 10 000 lines is read in parts', async () => {
    await queryOnce(
      busy.url,
      `insert into history (lifecycle_id, seq, n, at, kind, state, detail)
       select '${license.id}', 2 + n / 300, n, now(), 'line-' || n, 'active', '{}' from generate_series(1, 10000) n;
       analyze history`,
    );
    const history = () => busy.store.reads.history(license.id, io());
    const before = await rowsRead('history');
    for await (const { kind } of history()) {
      expect(kind).toBe('line-1');
      break;
    }
    expect((await rowsRead('history')) - before).toBeLessThan(1_000);
    const kinds = (await allOf(history())).map(({ kind }) => kind);
    expect(kinds).toEqual(Array.from({ length: 10_000 }, (_, n) => `line-${n + 1}`));
  });
});

test('a renewal of a licence with 5 000 others that have not ended writes two timers', async () => {
  await using under = await postgresStore(1, 'pristine');
  const license = lifecycle({ kind: 'license', appUser: OWN, expiresAt: '2029-01-01T00:00:00Z' });
  await queryOnce(under.url, TEMPLATES);
  await save(under.store, { ...birth(license), timerLanes: [license.lane] });
  await queryOnce(under.url, openRenewals(license.lane, license.provider, 5_000));
  await queryOnce(under.url, 'analyze');
  const one = lifecycle({
    kind: 'renewal',
    lane: license.lane,
    originId: license.id,
    appUser: OWN,
    context: { settleBefore: '2031-01-01T00:00:00Z' },
  });
  await save(under.store, { ...birth(one), timerLanes: [license.lane] });
  expect(
    await queryOnce(under.url, 'select kind, open_until from timer order by kind'),
  ).toMatchObject([
    { kind: 'expire', open_until: expect.stringContaining('2031') },
    { kind: 'withdraw' },
  ]);
});

const install = () =>
  newContract(
    APP_INSTALL,
    { provider: party(PROVIDER), user: party(USER), numLicensesCreated: int64(0n) },
    [PROVIDER],
  );

describe('a projector', () => {
  const WAITING = 20_000;

  test('goes on while the 20 000 operations end that waited for an install', async () => {
    await using world = await ProjectorWorld.open();
    const { under, ledger } = world;
    const projector = await world.ready();
    const [mine, other] = [install(), install()];
    const at = ledger.create(mine, other);
    await expect.poll(() => reached(projector)).toBe(at);
    const [row] = await queryOnce<{ id: string; lane: LaneId }>(
      under.url,
      `select id, lane from lifecycle where contract_id = '${mine.contractId}'`,
    );
    const head = trusted<ChangeId>(randomUUID());
    await queryOnce(
      under.url,
      `${crowd(row!.lane, {
        lifecycleId: row!.id,
        party: PROVIDER,
        participant: P,
        head: { id: head, operation: 'cancel-install' },
        waiting: { operation: 'create-license', count: WAITING },
      })}
       insert into attempt (change_id, n, submission_id, participant, ledger_user, act_as, contract_id, at)
       values ('${head}', 1, 'first', '${P}', 'backend', '${PROVIDER}', '${mine.contractId}', now());`,
    );
    const ended = async (): Promise<number[]> =>
      (
        await queryOnce<{ mailbox_no: number }>(
          under.url,
          `select mailbox_no from change where lane = '${row!.lane}' and finished_at is not null order by 1`,
        )
      ).map(({ mailbox_no }) => mailbox_no);
    ledger.transact([consumes(mine, 'AppInstall_Cancel')], undefined, {
      workflowId: workflowIdOf(head),
    });
    await expect.poll(async () => (await ended()).length).toBeGreaterThan(1);
    // The lane of another install is served at the same time.
    const next = ledger.transact([consumes(other, 'AppInstall_Cancel')]);
    await expect.poll(() => reached(projector)).toBe(next);
    expect(readiness(projector)).toBe('ok');
    const before = await ended();
    expect(before.length).toBeLessThan(WAITING);
    await projector.stop();
    const stopped = (await ended()).length;
    // The new process knows nothing but the contents of the store.
    const second = world.start();
    await expect.poll(async () => (await ended()).length).toBeGreaterThan(stopped + 400);
    await second.stop();
    const all = await ended();
    expect(all).toEqual(all.map((_, index) => index + 1));
    const [most] = await queryOnce<{ most: bigint; codes: string[] }>(
      under.url,
      `select max(n) as most, array_agg(distinct code) as codes
       from (select count(*) as n, min(error ->> 'code') as code from change
             where lane = '${row!.lane}' and state = 'rejected' group by finished_at) t`,
    );
    expect(Number(most!.most)).toBeLessThanOrEqual(LIMITS.refusedTogetherMax);
    expect(most!.codes).toEqual(['LIFECYCLE_ENDED']);
  });

  test('that can apply nothing is not ready as long as updates wait', async () => {
    await using world = await ProjectorWorld.open();
    let isBroken = false;
    const store: Store = {
      ...world.store,
      transact: (asked, work) =>
        world.store.transact(asked, (tx) =>
          work(
            new Proxy(tx, {
              get(target, name) {
                if (isBroken && name === 'insertUpdates') throw new Error('it takes too long');
                const value: unknown = Reflect.get(target, name);
                return typeof value === 'function' ? (value.bind(target) as unknown) : value;
              },
            }),
          ),
        ),
    };
    const projector = world.start({ store, isUnavailable: () => true });
    await expect.poll(() => readiness(projector)).toBe('ok');
    expect(projector.status().stall).toMatchObject({ ms: 0, reason: null });
    isBroken = true;
    const at = world.ledger.create(install());
    await expect.poll(() => projector.status().stall.reason).toContain('it takes too long');
    const { ms } = projector.status().stall;
    // After each term that fails, a new term begins, and the stall continues.
    await expect.poll(() => projector.status().stall.ms).toBeGreaterThan(ms + 1_000);
    expect(reached(projector)).toBeLessThan(at);
    isBroken = false;
    await expect.poll(() => reached(projector)).toBe(at);
    expect(projector.status().stall).toMatchObject({ ms: 0, reason: null });
  });
});
