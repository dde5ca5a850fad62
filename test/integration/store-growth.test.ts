import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ParticipantName } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import { STORE_LIMITS } from '../../src/store/limits.ts';
import { statement } from '../../src/store/sql/statement.ts';
import { onConnection } from '../../src/store/sql/transact.ts';
import { queryOnce } from '../kit/postgres-query.ts';
import type { PostgresStoreUnderTest } from '../kit/postgres-store.ts';
import { postgresStore } from '../kit/postgres-store.ts';
import { BIG } from '../kit/store-fill.ts';
import { io } from '../kit/store-rows.ts';
import { completionsStream } from '../../src/app/ports/streams.ts';

/*
 * Reads that the engine makes often must cost the same, however many rows wait. The tests count the rows that are read.
 */

const WAITING = 10_000;
const CALLERS = 500;
const PARTICIPANT = trusted<ParticipantName>('app-provider');

let under: PostgresStoreUnderTest;
beforeAll(async () => {
  // With a single connection, its statistics count all reads.
  under = await postgresStore(1, 'pristine');
  await queryOnce(
    under.url,
    `insert into mailbox (lane, next_no) select 'lane-' || n, 2 from generate_series(1, ${WAITING}) n;
     insert into change (id, command_id, operation, lane, mailbox_no, caller_party, caller_subject, participant,
                         ledger_user, act_as, body, fingerprint, state, accepted_at, deduplication_offset, verify_at)
     select gen_random_uuid(), 'c-' || n, 'create-license', 'lane-' || n, 1, '${BIG}', 's', '${PARTICIPANT}', 'u',
            '${BIG}', '{}', 'f', 'in-doubt', now(), 1, n
     from generate_series(1, ${WAITING}) n;
     insert into effect (id, change_id, due_at, provider, party)
     select 'fx-' || id, id, now() - verify_at * interval '1 ms', '${BIG}', 'caller-' || verify_at % ${CALLERS}
     from change;
     insert into lifecycle (id, kind, machine_version, state, context, lane, provider, app_user, contract_id,
                            license_num, version, created_at)
     select 'renewal-' || n, 'renewal', 1, 'requested', '{}', 'lane-' || n, '${BIG}', 'user', 'k' || n, n, 1, now()
     from generate_series(1, ${WAITING}) n;
     insert into timer (lifecycle_id, kind, provider, lapses_at, never_renewed, not_before)
     select 'renewal-' || n, 'withdraw', '${BIG}', now() - n * interval '1 ms', false,
            case when n = 7 then now() + interval '1 hour' end
     from generate_series(1, ${WAITING}) n`,
  );
});
afterAll(async () => {
  await under[Symbol.asyncDispose]();
});

const FLUSH = statement<never>('test-flush-growth', 'select pg_stat_force_next_flush()');

/** Returns how many rows of a table the store's connection has read so far, by any access path. */
async function readSoFar(table: string): Promise<number> {
  await onConnection(under.pool, io(), (session) => session.run(FLUSH));
  await onConnection(under.pool, io(), (session) => session.run(FLUSH));
  const [row] = await queryOnce<{ rows: bigint }>(
    under.url,
    `select (seq_tup_read + (select coalesce(sum(i.idx_tup_read), 0)::bigint
                             from pg_stat_user_indexes i where i.relid = t.relid))::bigint as rows
     from pg_stat_user_tables t where relname = '${table}'`,
  );
  return Number(row?.rows ?? 0n);
}

/** Returns how many rows of a table `work` reads. */
async function readBy(table: string, work: () => Promise<unknown>): Promise<number> {
  const before = await readSoFar(table);
  await work();
  return (await readSoFar(table)) - before;
}

test('a round of the relay reads a few effects of each of many callers', async () => {
  const parties = new Set<string>();
  const read = await readBy('effect', async () => {
    const taken = await under.outbox.dispatchDue(
      100,
      async (effects) => effects.forEach(({ party }) => parties.add(party)),
      io(),
    );
    expect(taken).toBe(100);
  });
  expect(parties.size).toBe(100);
  // The callers are found one after another; then each caller has one effect, and its share of the round is read.
  expect(read).toBeLessThan(4 * CALLERS + 2 * STORE_LIMITS.turnRowsPerTaken * 100);
});

test('what waits for a position is looked at in part, from another one on each time', async () => {
  const cursors = new Map([[completionsStream(PARTICIPANT), BigInt(WAITING)]]);
  const seen = new Set<string>();
  const look = async () => {
    const found = await under.store.transact(io(), (tx) => tx.lanesWaitingFor(cursors));
    for (const lane of found) seen.add(lane);
  };
  const read = await readBy('change', look);
  expect(read).toBeLessThan(2.2 * STORE_LIMITS.lanesWaitingMax);
  expect(seen.size).toBeGreaterThanOrEqual(STORE_LIMITS.lanesWaitingMax);
  await expect
    .poll(async () => {
      await look();
      return seen.size;
    })
    .toBe(WAITING);
});

test('the next timer of renewals is found without those that have lapsed', async () => {
  const now = new Date().toISOString();
  const query = {
    provider: BIG,
    kind: 'withdraw',
    lapsedBy: now,
    closedBy: now,
    wallNow: now,
    withNeverRenewed: true,
  } as const;
  const read = await readBy('timer', async () => {
    expect(await under.timers.nextDue(query, io())).toMatchObject({
      lapse: null,
      wall: expect.any(String),
    });
  });
  expect(read).toBeLessThan(10);
});
