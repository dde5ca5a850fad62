import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Change } from '../../src/domain/change.ts';
import { trusted } from '../../src/domain/ids.ts';
import type { PauseMode, PauseScope } from '../../src/domain/pause.ts';
import { createOutbox } from '../../src/store/engine/outbox.ts';
import { STORE_LIMITS } from '../../src/store/limits.ts';
import { NEWEST_MODEL } from '../../src/app/licensing/model.ts';
import { changeParts, headOf } from '../../src/doctor/gather.ts';
import { CHECKS } from '../../src/doctor/invariants/check.ts';
import { withSnapshot } from '../../src/store/evidence/snapshot.ts';
import type { PostgresStoreUnderTest } from '../kit/postgres-store.ts';
import { postgresStore } from '../kit/postgres-store.ts';
import { PROVIDER, arrival, change, effectId, io, writes } from '../kit/store-rows.ts';
import { arrive, dispatchAll, save } from '../kit/store-under-test.ts';

/*
 * An effect is blocked exactly if there is a cause, such as a pause: this must be true after any concurrent
 * administrative writes.
 */

const P = trusted<Change['submitter']['participant']>('app-provider');
const BY = { byParty: PROVIDER, bySubject: 'olga' };
const ROUNDS = 14;

type Undo = () => Promise<unknown>;
/** Blocks the effects of the participant. Returns a function that removes the cause. */
type Cause = (under: PostgresStoreUnderTest, epoch: bigint) => Promise<Undo>;

const pausing =
  (scope: PauseScope, name: string, mode: PauseMode = 'pause'): Cause =>
  async ({ pauses }) => {
    const { id } = await pauses.put({ scope, name, mode, reason: 'x' }, BY, io());
    return () => pauses.remove(id, { ...BY, reason: 'x' }, io());
  };

const marking =
  (stream: string): Cause =>
  async ({ store }, epoch) => {
    const mark = { stream, participant: P, reason: 'it ends before the store' };
    await store.transact(io(), (tx) => tx.markForeign(mark, epoch));
    return () => store.transact(io(), (tx) => tx.clearForeign([stream], epoch));
  };

const circuit: Cause = async ({ store, outbox }) => {
  await save(store, { circuits: [{ participant: P, reason: 'unreachable', ledgerCode: 'GONE' }] });
  return () => outbox.participantReached(P, io());
};

const CAUSES: Readonly<Record<string, Cause>> = {
  'pause of a participant': pausing('participant', P),
  'pause of an operation': pausing('operation', change().operation),
  'drain of a provider': pausing('provider', PROVIDER, 'drain'),
  'mark of the updates': marking('updates'),
  'mark of the completions': marking(`completions:${P}`),
  'circuit of a participant': circuit,
};

const NAMES = Object.keys(CAUSES);
const PAIRS = NAMES.flatMap((one, i) => NAMES.slice(i + 1).map((two) => [one, two] as const));

let under: PostgresStoreUnderTest;
let epoch: bigint;
beforeAll(async () => {
  under = await postgresStore();
  epoch = (await under.leases.acquire('projector', 'one', 600_000, io())) ?? 0n;
});
afterAll(() => under[Symbol.asyncDispose]());

const isBlocked = async ({ id }: Change): Promise<boolean | undefined> => {
  const { rows } = await under.pool.query<{ blocked: boolean }>(
    'select held_at is not null as blocked from effect where change_id = $1',
    [id],
  );
  return rows[0]?.blocked;
};

/**
 * Lets waiting writes continue at the same moment. Each of them has done everything that precedes its first access to
 * an effect, or waits for another write.
 */
async function endTogether(ends: readonly Undo[]): Promise<void> {
  const gate = await under.pool.connect();
  await gate.query('begin; lock table effect in exclusive mode');
  const done = Promise.all(ends.map((end) => end()));
  const waiting = `select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  await expect
    .poll(async () => (await under.pool.query(waiting)).rows[0].count, { interval: 5 })
    .toBe(ends.length);
  await gate.query('commit');
  gate.release();
  await done;
}

describe.each(PAIRS)('%s and %s', (one, two) => {
  test(`end ${ROUNDS} times at the same instant, and nothing stays blocked`, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const ends = [await CAUSES[one]!(under, epoch), await CAUSES[two]!(under, epoch)];
      // A drain blocks only effects that were created after it began.
      const mine = change({ body: { provider: PROVIDER } });
      await arrive(under.store, mine);
      expect(await dispatchAll(under.outbox)).toEqual([]);
      // The first round forces the worst order of the writes; in the other rounds the order is random.
      await (round === 0 ? endTogether(ends) : Promise.all(ends.map((end) => end())));
      expect(await isBlocked(mine), `round ${round}`).toBe(false);
      const dispatched = await dispatchAll(createOutbox(under.pool));
      expect(dispatched, `round ${round}`).toMatchObject([{ id: effectId(mine) }]);
      await under.pool.query('update effect set done_at = now() where done_at is null');
    }
  });
});

test.each(PAIRS)('%s ends while %s begins, and the effect stays blocked', async (one, two) => {
  if (two === 'circuit of a participant') return;
  const first = await CAUSES[one]!(under, epoch);
  const mine = change({ body: { provider: PROVIDER } });
  await arrive(under.store, mine);
  await dispatchAll(under.outbox);
  const [second] = await Promise.all([CAUSES[two]!(under, epoch), first()]);
  // A drain blocks only effects that were created after it began.
  await under.pool.query('update effect set made_at = clock_timestamp() where done_at is null');
  expect(await dispatchAll(createOutbox(under.pool))).toEqual([]);
  await second();
  expect(await dispatchAll(createOutbox(under.pool))).toMatchObject([{ id: effectId(mine) }]);
  await under.pool.query('update effect set done_at = now() where done_at is null');
});

/** Returns the doctor's findings about blocked effects. */
const causeless = async (): Promise<readonly string[]> => {
  const { signal } = new AbortController();
  return withSnapshot(under.pool, signal, async (snapshot) => {
    const ownership = { projected: P, readAs: [PROVIDER], model: NEWEST_MODEL };
    const head = await headOf(snapshot, ownership);
    const found: string[] = [];
    for await (const { evidence } of changeParts(snapshot, head)) {
      found.push(...CHECKS.I15(evidence, {}).map(({ what }) => what));
    }
    return found;
  });
};

test('a relay releases what nothing blocks, also behind hundreds that a pause blocks', async () => {
  const paused = change({ operation: 'renew-license' });
  const free = change();
  await pausing('operation', paused.operation)(under, epoch);
  for (const one of [paused, free]) await arrive(under.store, one);
  const more = Array.from({ length: STORE_LIMITS.releaseLookMax }, () =>
    change({ operation: paused.operation }),
  );
  await under.store.transact(io(), async (tx) => {
    for (const one of more) await tx.save(writes(arrival(one)));
  });
  await under.pool.query(
    `update effect set held_at = now() - interval '1 hour' where done_at is null and change_id <> $1`,
    [free.id],
  );
  await under.pool.query('update effect set held_at = now() where change_id = $1', [free.id]);
  expect(await causeless()).toEqual([
    expect.stringContaining(`${free.operation} ${free.commandId} has been blocked since `),
  ]);
  const outbox = createOutbox(under.pool);
  const dispatched: unknown[] = [];
  const look = async () => void dispatched.push(...(await dispatchAll(outbox)));
  await look();
  expect(dispatched).toEqual([]);
  // The next check begins where the previous one ended.
  await expect.poll(async () => (await look(), dispatched.length), { timeout: 10_000 }).toBe(1);
  expect(dispatched).toMatchObject([{ id: effectId(free) }]);
  expect(await isBlocked(paused)).toBe(true);
  expect(await causeless()).toEqual([]);
});

test('another relay releases what was put off for a circuit that closed during a pause', async () => {
  await under.pool.query('delete from pause');
  await under.pool.query('update effect set done_at = now() where done_at is null');
  // The effect was tried before, so the end of the pause alone does not make it due earlier.
  const waitingFor = { ...change().waitingFor!, kind: 'participant' as const };
  const mine = change({ waitingFor });
  await arrive(under.store, mine);
  const closeCircuit = await circuit(under, epoch);
  expect(await dispatchAll(under.outbox)).toEqual([]);
  await under.pool.query(
    `update effect set due_at = now() + interval '1 hour' where change_id = $1`,
    [mine.id],
  );
  const resume = await pausing('participant', P)(under, epoch);
  await closeCircuit();
  await resume();
  expect(await dispatchAll(createOutbox(under.pool))).toMatchObject([{ id: effectId(mine) }]);
});

describe('more effects than one transaction may write', () => {
  const MAX = STORE_LIMITS.heldTogetherMax;
  const COUNT = 2 * MAX + 1;
  const many = Array.from({ length: COUNT }, () => change({ operation: 'withdraw-renewal' }));

  beforeAll(async () => {
    await under.pool.query('delete from pause');
    await under.pool.query('update effect set done_at = now() where done_at is null');
    await under.store.transact(io(), async (tx) => {
      for (const one of many) await tx.save(writes(arrival(one)));
    });
    await under.pool.query(`update effect set dispatch_no = 1, due_at = now() + interval '1 hour'
      where done_at is null`);
  });

  /** For the open effects in this state, returns how many of them each transaction wrote last. */
  const partsOf = async (state: string): Promise<readonly number[]> => {
    const { rows } = await under.pool.query<{ count: number }>(
      `select count(*)::int as count from effect where done_at is null and ${state}
       group by xmin::text order by 1`,
    );
    return rows.map(({ count }) => count);
  };
  const PARTS = [1, MAX, MAX];
  const BLOCKED = 'held_at is not null';
  const FREE = 'held_at is null';
  const DUE = 'due_at <= now() and held_at is null';

  /** Does the work of the relay until this number of effects is in the state. */
  async function untilRelayed(state: string, count: number): Promise<void> {
    const outbox = createOutbox(under.pool);
    const relayed = async () => {
      const put = () => Promise.resolve();
      await outbox.dispatchDue(1, put, io());
      return (await partsOf(state)).reduce((sum, each) => sum + each, 0);
    };
    await expect.poll(relayed, { interval: 1, timeout: 10_000 }).toBe(count);
    // The relay may also have dispatched one effect in the same transaction.
    expect(Math.max(...(await partsOf(state)))).toBeLessThanOrEqual(MAX + 1);
  }

  test('are blocked by a pause, and released, in parts, before the writes return', async () => {
    const resume = await pausing('participant', P)(under, epoch);
    expect(await partsOf(BLOCKED)).toEqual(PARTS);
    await resume();
    expect(await partsOf(FREE)).toEqual(PARTS);
  });

  test('are read in parts by a pause that blocks none of them', async () => {
    let parts = 0;
    await using _ear = await under.listen({
      onChanges: () => undefined,
      onEffects: () => (parts += 1),
    });
    const resume = await pausing('operation', 'renew-license')(under, epoch);
    // The last part is empty or not full.
    await expect.poll(() => parts).toBe(Math.ceil((COUNT + 1) / MAX));
    await resume();
    await expect.poll(() => parts).toBe(2 * Math.ceil((COUNT + 1) / MAX));
    expect(await partsOf(BLOCKED)).toEqual([]);
  });

  test('are stopped by a mark at once, and released by a relay in parts', async () => {
    const clear = await marking('updates')(under, epoch);
    expect(await partsOf(BLOCKED)).toEqual([MAX]);
    const { rows } = await under.pool.query<{ id: string }>(
      `select id from effect where done_at is null and ${FREE} limit 1`,
    );
    const effect = trusted<ReturnType<typeof effectId>>(rows[0]!.id);
    expect(await under.outbox.startAttempt(effect, 1, trusted('unsent'), io())).toBeNull();
    await under.pool.query(`update effect set held_at = now() where done_at is null and ${FREE}`);
    await clear();
    expect((await partsOf(FREE)).toSorted((a, b) => a - b)).toEqual([MAX]);
    await untilRelayed(FREE, COUNT);
  });

  test('come due in parts when a circuit closes', async () => {
    const close = await circuit(under, epoch);
    await under.pool.query(
      `update effect set put_off_by = $1, due_at = now() + interval '1 hour' where done_at is null`,
      [P],
    );
    await close();
    expect(await partsOf(DUE)).toEqual([MAX]);
    await untilRelayed('put_off_by is null', COUNT);
  });

  test('come due in parts when completions are followed again', async () => {
    await under.pool.query(
      `with tried as (
         update change c set state = 'submitting', last_attempt_no = 1 from effect e
         where e.change_id = c.id and e.done_at is null
         returning c.id, c.participant, c.ledger_user, c.act_as
       )
       insert into attempt (change_id, n, submission_id, participant, ledger_user, act_as, at)
       select id, 1, gen_random_uuid(), participant, ledger_user, act_as, now() - interval '1 minute' from tried`,
    );
    await under.pool.query(
      `update effect set due_at = now() + interval '1 hour' where done_at is null`,
    );
    await under.outbox.completionsBack(P, io());
    expect(await partsOf(`due_at < now() + interval '1 minute'`)).toEqual(PARTS);
  });
});
