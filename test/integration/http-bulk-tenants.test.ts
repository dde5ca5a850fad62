import { expect, test } from 'vitest';
import { USER } from '../kit/http-api.ts';
import { asking } from '../kit/http-ask.ts';
import { ASYNC, bulkActsOf, onLane, startBulkWorld } from '../kit/http-bulk.ts';
import { forFile } from '../kit/for-file.ts';

/* Previews of bulk acts: on a tenant's operations, and on lifecycles that have ended. */

const world = await forFile(startBulkWorld());
const tenant = await asking(world.api, USER, { claims: { sub: 'tina', roles: ['operator'] } });

const { preview, refused, seen, waiting } = bulkActsOf(() => world);

test('it means what the tenant has asked for, and nothing else', async () => {
  await waiting(2);
  await world.user.post(`/app-install-requests?commandId=${world.id('request')}`, {}, ASYNC);
  const asked = { action: 'cancel', filter: {} };
  const { count, refused: others } = (await preview(asked, tenant)).json();
  const { rows } = await world.api.pool.query(
    'select count(*)::int as n from change where caller_party = $1',
    [USER],
  );
  const sum = others.reduce((n: number, one: { count: number }) => n + one.count, count);
  expect(count).toBeGreaterThan(0);
  expect(sum).toBe(rows[0].n);
});

test('a preview of a retry leaves out operations whose lifecycle has ended', async () => {
  const { install, ids } = await refused(2);
  const { lifecycleId } = await seen(ids[0]!);
  const before = (await preview(onLane('retry', lifecycleId))).json();
  expect(before).toMatchObject({ count: 2, refused: [] });
  world.follow();
  await world.provider.post(`/app-installs/${install}:cancel?commandId=${world.id('cancel')}`);
  await world.pause();
  expect((await preview(onLane('retry', lifecycleId))).json()).toMatchObject({
    count: 0,
    refused: [{ reason: 'its lifecycle has ended', count: 2 }],
  });
});
