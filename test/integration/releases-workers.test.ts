import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ReleaseInterface } from '../../scripts/release-interface.ts';
import { releaseFile } from '../../scripts/release-interface.ts';
import { createClockReports } from '../../src/store/engine/clock-reports.ts';
import { createQueueShards } from '../../src/store/engine/queue-shards.ts';
import { STORE_LIMITS } from '../../src/store/limits.ts';
import { postgresStore } from '../kit/postgres-store.ts';
import { queryOnce } from '../kit/postgres-query.ts';
import { change, io } from '../kit/store-rows.ts';
import { arrive } from '../kit/store-under-test.ts';

/* Workers of 0.2.0 know a single queue, and process only the first effect of a job. */

const { statements } = JSON.parse(readFileSync(releaseFile('0.2.0'), 'utf8')) as ReleaseInterface;
const { clockReportMsMax, clockUpdatesMax } = STORE_LIMITS;

/** Reports a process's clock as a process of 0.2.0 does. */
const reported = async (url: string, process: string, roles: string): Promise<void> => {
  const text = statements['report-clock']?.text ?? '';
  await queryOnce(url, text, [process, roles, null, null, null, clockReportMsMax, clockUpdatesMax]);
};

test('while one runs each operation is a job of its own, and there is one queue', async () => {
  await using under = await postgresStore();
  const shards = createQueueShards(under.pool);
  const clocks = createClockReports(under.pool);
  const isApart = async (): Promise<boolean | null> => {
    let told: boolean | null = null;
    await arrive(under.store, change());
    const put = async (_effects: unknown, _shards: number, each: boolean) => void (told = each);
    await under.outbox.dispatchDue(100, put, io());
    return told;
  };
  const now = { difference: null, ledgerApartMs: null, roles: 'api,worker,projector' };
  await clocks.report({ ...now, process: 'new' }, io());
  expect(await isApart()).toBe(false);
  expect(await shards.set(2, io())).toBe(true);
  expect(await shards.set(1, io())).toBe(true);

  await reported(under.url, 'no worker', 'api,projector,clock');
  expect(await isApart()).toBe(false);
  await reported(under.url, 'a worker', 'worker,projector');
  await clocks.report({ ...now, process: 'new' }, io());
  expect(await isApart()).toBe(true);
  expect(await shards.set(2, io())).toBe(false);
  expect(await shards.set(1, io())).toBe(true);
  expect(await shards.read(io())).toMatchObject({ shards: 1 });

  // The worker was killed: its last report is 61 s old.
  const gone = `update process_clock set seen_at = now() - interval '61 s' where process = 'a worker'`;
  await queryOnce(under.url, gone);
  expect(await isApart()).toBe(false);
  expect(await shards.set(2, io())).toBe(true);
});
