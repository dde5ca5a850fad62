import { Client } from 'pg';
import { expect, test } from 'vitest';
import { changeParts, headOf } from '../../src/doctor/gather.ts';
import { NEWEST_MODEL } from '../../src/app/licensing/model.ts';
import type { ParticipantName } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import { withSnapshot } from '../../src/store/evidence/snapshot.ts';
import { STORE_LIMITS } from '../../src/store/limits.ts';
import { forFile } from '../kit/for-file.ts';
import { postgresStore } from '../kit/postgres-store.ts';

/* The doctor inspects tables that another transaction has locked. */

const under = await forFile(postgresStore());
const inspect = (signal: AbortSignal) =>
  withSnapshot(under.pool, signal, async (snapshot) => {
    const ownership = {
      projected: trusted<ParticipantName>('app-provider'),
      readAs: [],
      model: NEWEST_MODEL,
    };
    const head = await headOf(snapshot, ownership);
    for await (const _ of changeParts(snapshot, head)) continue;
  });

async function locked(): Promise<AsyncDisposable> {
  const client = new Client({ connectionString: under.url });
  await client.connect();
  await client.query('begin');
  await client.query('lock table lease, effect, change in access exclusive mode');
  return { [Symbol.asyncDispose]: () => client.end() };
}

test('waits for them for some seconds, and says what it waited for', async () => {
  await using _ = await locked();
  const began = performance.now();
  await expect(inspect(new AbortController().signal)).rejects.toMatchObject({ reason: 'locked' });
  expect(performance.now() - began).toBeLessThan(STORE_LIMITS.snapshotLockMs + 3_000);
});

test('ends at once when it is told to stop', async () => {
  await using _ = await locked();
  const stop = new AbortController();
  const looking = inspect(stop.signal);
  looking.catch(() => undefined);
  await expect
    .poll(async () => {
      const { rows } = await under.pool.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows.length;
    })
    .toBe(1);
  const began = performance.now();
  stop.abort(new Error('told to stop'));
  await expect(looking).rejects.toThrow('told to stop');
  expect(performance.now() - began).toBeLessThan(1_000);
});
