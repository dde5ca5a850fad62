import { expect, test } from 'vitest';
import { USER } from '../kit/http-api.ts';
import { asking } from '../kit/http-ask.ts';
import { ASYNC, bulkActsOf, startBulkWorld } from '../kit/http-bulk.ts';
import { forFile } from '../kit/for-file.ts';

/* What a tenant's operator does to many operations at once. */

const world = await forFile(startBulkWorld());
const tenant = await asking(world.api, USER, { claims: { sub: 'tina', roles: ['operator'] } });

const { preview, waiting } = bulkActsOf(() => world);

test('it means what the tenant has asked for, and nothing else', async () => {
  await waiting(2);
  await world.user.post(`/app-install-requests?commandId=${world.id('request')}`, {}, ASYNC);
  const asked = { action: 'cancel', filter: {} };
  const { count, refused } = (await preview(asked, tenant)).json();
  const { rows } = await world.api.pool.query(
    'select count(*)::int as n from change where caller_party = $1',
    [USER],
  );
  const sum = refused.reduce((n: number, one: { count: number }) => n + one.count, count);
  expect(count).toBeGreaterThan(0);
  expect(sum).toBe(rows[0].n);
});
