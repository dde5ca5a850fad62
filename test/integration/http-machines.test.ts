import { expect, test } from 'vitest';
import { CHARTS } from '../../machines/charts.ts';
import { describe as describeKind } from '../../machines/registry.ts';
import { LIFECYCLE_KINDS } from '../../src/domain/licensing.ts';
import { PROVIDER, USER, startApi } from '../kit/http-api.ts';
import { asking } from '../kit/http-ask.ts';
import { forFile } from '../kit/for-file.ts';

/* Charts of the state machines, for the pages of the web application: every signed-in caller may see them. */

const api = await forFile(startApi());
const user = await asking(api, USER);
const provider = await asking(api, PROVIDER);

test('the list has every version of every machine, and says which is the newest', async () => {
  const reply = await user.get('/api/machines');
  expect(reply.statusCode).toBe(200);
  const newest = reply.json().filter((machine: { newest: boolean }) => machine.newest);
  expect(
    newest.map(({ kind, version }: { kind: string; version: number }) => [kind, version]),
  ).toEqual(LIFECYCLE_KINDS.map((kind) => [kind, describeKind(kind).version]));
  expect(reply.json()).toHaveLength(CHARTS.length);
  for (const { kind, version, title, states, href } of reply.json()) {
    expect(href).toBe(`/api/machines/${kind}/${version}`);
    const chart = (await provider.get(href)).json();
    expect(chart).toMatchObject({ kind, version, title });
    expect(chart.states.map(({ id }: { id: string }) => id)).toEqual(states);
  }
});

test('a chart has states, who may, guards and places, and may be kept', async () => {
  const reply = await user.get('/machines/license/3');
  expect(reply.statusCode).toBe(200);
  const { newest, ...chart } = CHARTS.find((one) => one.kind === 'license' && one.version === 3)!;
  expect(newest).toBe(true);
  expect(reply.json()).toEqual(chart);
  expect(reply.json().transitions).toContainEqual(
    expect.objectContaining({
      from: 'active',
      to: 'expiring',
      events: ['license.expire'],
      action: { name: 'expire', operation: 'expire-license', role: 'either', path: ':expire' },
      guard: 'its time is over',
    }),
  );
  expect(reply.json().rail.transitions).toContainEqual(
    expect.objectContaining({ from: null, to: 'expired', events: ['ledger.licenseExpired'] }),
  );
  expect(reply.headers['cache-control']).toBe('private, max-age=86400, immutable');
  const tag = String(reply.headers['etag']);
  const again = await user.get('/machines/license/3', { 'if-none-match': `"other", W/${tag}` });
  expect([again.statusCode, again.body, again.headers['etag']]).toEqual([304, '', tag]);
  expect((await user.get('/machines/license/3', { 'if-none-match': '"other"' })).statusCode).toBe(
    200,
  );
});

test.each([
  '/machines/license/99',
  '/machines/license/0',
  '/machines/license/x',
  '/machines/nothing/1',
])('%s is not known, which is not kept', async (url) => {
  const reply = await user.get(url);
  expect([reply.statusCode, reply.json().code]).toEqual([404, 'NOT_FOUND']);
  expect(reply.headers['cache-control']).toBe('no-store');
});

test('nothing of it is for callers without a token', async () => {
  for (const url of ['/machines', '/machines/license/3']) {
    const { statusCode } = await api.app.inject({ method: 'GET', url });
    expect(statusCode).toBe(401);
  }
});
