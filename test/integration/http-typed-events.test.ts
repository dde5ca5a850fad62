import { expect, test } from 'vitest';
import { forFile } from '../kit/for-file.ts';
import { asOperator } from '../kit/http-ops.ts';
import { startRenewalsWorld } from '../kit/http-renewals.ts';
import { judgeEvents } from '../kit/typed-events.ts';

/* Events of real operations and acts are compared with the schemas of the OpenAPI document. */

const world = await forFile(startRenewalsWorld());
const { api, provider, user } = world;

test('events are as the document types them', async () => {
  const license = await world.newLicense();
  await user.post(`/licenses/${license}/comments?commandId=typed-1`, { body: 'Hello' });
  await provider.post(`/licenses/${license}/suspend`, { reason: 'chargeback' });
  await provider.post(`/licenses/${license}/reinstate`, { reason: 'paid' });
  await world.renew(license);
  await user.post(`/licenses/${license}/expire?commandId=typed-2`, {});
  const headers = { authorization: await asOperator(api) };
  const payload = { mode: 'pause', scope: 'operation', name: 'renew-license', reason: 'a test' };
  const paused = await api.app.inject({ method: 'POST', url: '/ops/pauses', headers, payload });
  expect(paused.statusCode).toBe(201);
  const { types, refused } = await judgeEvents(api.pool);
  expect(refused).toEqual([]);
  const expected = [
    'tenure.operation.accepted',
    'tenure.operation.succeeded',
    'tenure.lifecycle.began',
    'tenure.lifecycle.changed',
    'tenure.lifecycle.ended',
    'tenure.license.suspended',
    'tenure.license.reinstated',
    'tenure.comment.made',
    'tenure.audit.recorded',
  ];
  expect(expected.filter((type) => !types.has(type))).toEqual([]);
});
