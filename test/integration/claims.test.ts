import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { claimingTogether } from '../../workers/claims.ts';
import type { Claim, Outbox } from '../../src/app/ports/outbox.ts';
import type { Change } from '../../src/domain/change.ts';
import { trusted } from '../../src/domain/ids.ts';
import { DatabaseUnreachableError } from '../../src/store/sql/database-unreachable.ts';
import { queryOnce } from '../kit/postgres-query.ts';
import { postgresStore, type PostgresStoreUnderTest } from '../kit/postgres-store.ts';
import { answer, change, effectId, io, writes } from '../kit/store-rows.ts';
import { arrive, dispatchAll, held } from '../kit/store-under-test.ts';

/* Claims made at the same time, on a real database. */

async function arrived(under: PostgresStoreUnderTest, count: number): Promise<Change[]> {
  const all = Array.from({ length: count }, () => change());
  await Promise.all(all.map((one) => arrive(under.store, one)));
  await dispatchAll(under.outbox);
  return all;
}

const submission = (): Claim['submissionId'] => trusted(randomUUID());

const claimOf = (of: Change): Claim => ({
  effect: effectId(of),
  dispatchNo: 1,
  submissionId: submission(),
  isReached: false,
});

/** Wraps an outbox to count the claims in each batch. */
function counted(outbox: Outbox) {
  const together: number[] = [];
  const startAttempts: Outbox['startAttempts'] = (claims, bounds) => {
    together.push(claims.length);
    return outbox.startAttempts(claims, bounds);
  };
  return { together, claim: claimingTogether({ ...outbox, startAttempts }) };
}

const attemptsOf = ({ store }: PostgresStoreUnderTest, of: Change) =>
  store.reads.attempts(of.id, io());

test('effects that come together are claimed together, two deliveries one after the other', async () => {
  await using under = await postgresStore();
  const all = await arrived(under, 20);
  const { together, claim } = counted(under.outbox);
  const twice = all[7]!;
  const begun = await Promise.all(
    [...all, twice].map((one) => claim(effectId(one), 1, submission(), io())),
  );
  expect(together).toEqual([21]);
  expect(begun.map((one) => one?.attempt)).toEqual([...all.map(() => 1), 2]);
  for (const one of all) {
    expect(await attemptsOf(under, one)).toHaveLength(one === twice ? 2 : 1);
  }
});

test('a change that another transaction has holds up its own job alone', async () => {
  await using under = await postgresStore();
  const [first, busy, last] = await arrived(under, 3);
  const { claim } = counted(under.outbox);
  const other = held(under.store, (tx) => tx.lock([busy!.lane]));
  await other.worked;
  const begun = [first, busy, last].map((one) => claim(effectId(one!), 1, submission(), io()));
  expect(await Promise.all([begun[0], begun[2]])).toMatchObject([{ attempt: 1 }, { attempt: 1 }]);
  expect(await attemptsOf(under, busy!)).toEqual([]);
  await other.commit();
  expect((await begun[1])?.attempt).toBe(1);
});

test('a claim among others never works on what another transaction has just changed', async () => {
  await using under = await postgresStore();
  const all = await arrived(under, 6);
  const ROUNDS = 25;
  // Records an answer that says that nothing was sent, so that the next attempt reuses the row of the previous one.
  const answerLast = (one: Change): Promise<void> =>
    under.store.transact(io(), async (tx) => {
      const [head] = (await tx.lock([one.lane])).heads;
      const last = (await tx.attemptsOf(one.id)).at(-1);
      if (head === undefined || last === undefined) return;
      const unsent = answer('refused', { unsent: true });
      await tx.save(
        writes({
          changes: [{ ...head, state: 'retrying' }],
          attempts: [{ submissionId: last.submissionId, answer: unsent }],
        }),
      );
    });
  const answering = async (): Promise<void> => {
    for (let i = 0; i < ROUNDS; i += 1) await Promise.all(all.map(answerLast));
  };
  let begun = 0;
  const claiming = async (): Promise<void> => {
    for (let i = 0; i < 4 * ROUNDS; i += 1) {
      const claimed = await under.outbox.startAttempts(all.map(claimOf), io());
      begun += claimed.filter((one) => one !== null && one !== 'apart').length;
    }
  };
  await Promise.all([answering(), claiming(), claiming()]);
  const left = await Promise.all(all.map((one) => attemptsOf(under, one)));
  const tries = left.flat().map(({ unsent }) => 1 + (unsent?.tries ?? 0));
  expect(tries.reduce((sum, count) => sum + count, 0)).toBe(begun);
  // An earlier implementation of claims would have left the answer in the row.
  const behind = left.flatMap((attempts) => attempts.slice(0, -1));
  expect(behind.filter((one) => one.answer !== null)).toEqual([]);
});

test('a connection that breaks under a claim fails for all of it, and what is claimed then is claimed once', async () => {
  await using under = await postgresStore();
  const all = await arrived(under, 4);
  const { claim } = counted(under.outbox);
  // A trigger that makes each insert of an attempt wait.
  await queryOnce(
    under.url,
    `create function wait() returns trigger language plpgsql as $$
     begin perform pg_advisory_xact_lock(14); return new; end $$;
     create trigger wait before insert on attempt for each row execute function wait()`,
  );
  const blocker = new Client({ connectionString: under.url });
  await blocker.connect();
  await blocker.query('select pg_advisory_lock(14)');
  const begun = all.map((one) => claim(effectId(one), 1, submission(), io()));
  const settled = Promise.allSettled(begun);
  const blocked = () =>
    queryOnce<{ pid: number }>(
      under.url,
      `select pid from pg_stat_activity where wait_event = 'advisory' and datname = current_database()`,
    );
  await expect.poll(blocked, { timeout: 10_000 }).toHaveLength(1);
  await queryOnce(under.url, `select pg_terminate_backend(${(await blocked())[0]!.pid}) as ended`);
  for (const one of await settled) {
    expect(one).toMatchObject({ status: 'rejected', reason: expect.any(DatabaseUnreachableError) });
  }
  await blocker.end();
  for (const one of all) expect(await attemptsOf(under, one)).toEqual([]);
  const again = await Promise.all(all.map((one) => claim(effectId(one), 1, submission(), io())));
  expect(again.map((one) => one?.attempt)).toEqual([1, 1, 1, 1]);
});
