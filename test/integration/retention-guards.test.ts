import { expect, test } from 'vitest';
import { isUndecided } from '../../src/app/engine/doubts/proof.ts';
import { SCHEDULER_LEASE } from '../../src/app/ports/leases.ts';
import type { ChangeId } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import { createLeases } from '../../src/store/engine/lease.ts';
import { createRetention } from '../../src/store/desk/retention.ts';
import { IO, PROVIDER } from '../kit/http-api.ts';
import { asking } from '../kit/http-ask.ts';
import { startContractsWorld } from '../kit/http-contracts.ts';
import { REFUSAL } from '../kit/ledger-stand-in.ts';
import { forFile } from '../kit/for-file.ts';

/* Retention must delete nothing that an operator could still need. */

const DAY_MS = 24 * 60 * 60 * 1_000;

const world = await forFile(startContractsWorld());
const operator = await asking(world.api, PROVIDER, {
  claims: { sub: 'olga', roles: ['operator'] },
});
const leases = createLeases(world.api.pool);
const epoch = (await leases.acquire(SCHEDULER_LEASE, 'this test', 600_000, IO)) ?? 0n;

/**
 * Records the creation of a licence that the ledger refused a hundred days ago. No other submission is made during
 * this.
 */
async function refusedLongAgo(): Promise<ChangeId> {
  world.follow();
  const install = await world.installed();
  await world.pause();
  const url = `/app-installs/${install}:create-license?commandId=${world.id('create')}`;
  const asked = await world.provider.post(url, { params: {} }, { prefer: 'respond-async' });
  const id = trusted<ChangeId>(asked.json().id);
  await world.api.ledger.step(REFUSAL);
  await world.api.pool.query(
    `update change set finished_at = now() - interval '100 days' where id = $1`,
    [id],
  );
  return id;
}

const prune = () =>
  createRetention(world.api.pool, trusted('app-provider')).changes(
    { olderThanMs: 90 * DAY_MS, limit: 100 },
    epoch,
    IO,
  );
const retry = (id: ChangeId) => operator.post(`/ops/operations/${id}:retry`, { reason: 'because' });
const attempts = (id: ChangeId) => world.api.store.reads.attempts(id, IO);

test('an attempt without a verdict outlives retention, and stands in the way of a retry as it did before', async () => {
  const [lost, refused] = [await refusedLongAgo(), await refusedLongAgo()];
  // An older version left this state: the operation is refused, although the answer to an attempt was lost.
  await world.api.pool.query(`update attempt set verdict = 'unknown' where change_id = $1`, [lost]);
  expect(await prune()).toBe(1);
  expect(await attempts(refused)).toEqual([]);
  expect((await attempts(lost)).filter(isUndecided)).toHaveLength(1);
  const stopped = await retry(lost);
  expect([stopped.statusCode, stopped.json().code]).toEqual([409, 'NOT_RETRYABLE']);
  expect((await retry(refused)).statusCode).toBe(202);
  // When the verdict is known, the attempt is no longer needed.
  await world.api.pool.query(
    `update attempt set verdict = 'refused', answered_at = now(), explanation = 'found out' where change_id = $1`,
    [lost],
  );
  expect(await prune()).toBe(1);
  expect(await attempts(lost)).toEqual([]);
  expect((await retry(lost)).statusCode).toBe(202);
});
