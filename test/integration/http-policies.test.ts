import { describe, expect, test } from 'vitest';
import { rearmTimer } from '../../src/app/policies/rearm-timer.ts';
import type { Caller } from '../../src/domain/caller.ts';
import { TIMERS_CHANNEL } from '../../src/store/sql/channels.ts';
import { openListener } from '../../src/store/sql/listen.ts';
import { IO, OTHER_USER, PROVIDER, USER, startApi } from '../kit/http-api.ts';
import { asking } from '../kit/http-ask.ts';
import { asOperator, givenUp, refusedChange } from '../kit/http-ops.ts';
import { EXPIRY_POLICY } from '../kit/http-policies.ts';
import { lifecycle, newLane } from '../kit/store-rows.ts';
import { save } from '../kit/store-under-test.ts';
import { forFile } from '../kit/for-file.ts';

/*
 * Policies that providers set over REST: a policy is set completely or not at all, and afterwards affects the
 * provider's licences.
 */

const api = await forFile(startApi());

async function ask(method: 'GET' | 'PUT', url: string, body?: object, more: object = {}) {
  const authorization = await api.as(PROVIDER);
  const headers = { authorization, ...more };
  return api.app.inject({ method, url, headers, ...(body === undefined ? {} : { payload: body }) });
}

const put = (body: object, headers: object = {}) => ask('PUT', '/policies/expiry', body, headers);

describe('the expiry policy', () => {
  test('is off until it is set, has a version, and leaves a line in the audit log with each change', async () => {
    const before = await ask('GET', '/policies/expiry');
    expect([before.headers['etag'], before.json().mode]).toEqual(['"0"', 'off']);
    const first = await put(EXPIRY_POLICY, { 'if-match': '"0"' });
    expect([first.statusCode, first.headers['etag'], first.json()]).toEqual([
      200,
      '"1"',
      { ...EXPIRY_POLICY, version: 1 },
    ]);
    const stale = await put({ ...EXPIRY_POLICY, mode: 'on' }, { 'if-match': '"0"' });
    expect([stale.statusCode, stale.json().code, stale.json().version]).toEqual([
      412,
      'PRECONDITION_FAILED',
      1,
    ]);
    // If two policies are set at the same moment, one is applied after the other.
    const both = await Promise.all([put(EXPIRY_POLICY), put(EXPIRY_POLICY)]);
    expect(new Set(both.map(({ headers }) => headers['etag']))).toEqual(new Set(['"2"', '"3"']));
    expect((await ask('GET', '/policies/expiry')).json()).toEqual({ ...EXPIRY_POLICY, version: 3 });
    const { rows } = await api.pool.query(
      `select act, by_party, detail from audit where act = 'set-expiry-policy' order by id`,
    );
    expect(rows).toHaveLength(3);
    expect(rows[0]).toMatchObject({
      by_party: PROVIDER,
      detail: {
        version: 1,
        before: { mode: 'off' },
        after: { mode: 'dry-run', graceMs: 259_200_000 },
      },
    });
  });

  test.each([
    ['mode', { mode: 'sometimes' }],
    ['grace', { grace: 'three days' }],
    ['grace', { grace: 'P1M' }],
    ['grace', { grace: '-PT1S' }],
    ['grace', { grace: 'P4000D' }],
    ['maxInFlight', { maxInFlight: 0 }],
    ['maxInFlight', { maxInFlight: 1_001 }],
    ['maxInFlight', { maxInFlight: 1.5 }],
    ['paused', { paused: undefined }],
    ['forced', { forced: true }],
    ['quietHours.0.from', { quietHours: [{ from: '24:00', to: '06:00', timeZone: 'UTC' }] }],
    ['quietHours.0.to', { quietHours: [{ from: '22:00', to: '22:00', timeZone: 'UTC' }] }],
    ['quietHours.0.to', { quietHours: [{ from: '22:00', to: '6:00', timeZone: 'UTC' }] }],
    ['quietHours.0.timeZone', { quietHours: [{ from: '22:00', to: '06:00', timeZone: 'Mars' }] }],
  ])('is refused whole for an impossible %s', async (field, over) => {
    const before = (await ask('GET', '/policies/expiry')).headers['etag'];
    const refused = await put({ ...EXPIRY_POLICY, ...over });
    expect([refused.statusCode, refused.json().code, refused.json().field]).toEqual([
      400,
      'REQUEST_INVALID',
      field,
    ]);
    expect((await ask('GET', '/policies/expiry')).headers['etag']).toBe(before);
  });

  test('is previewed page by page, and its timers are the operator’s to see', async () => {
    const expiresAt = [
      '2020-01-01T00:00:00.000001Z',
      '2020-01-02T00:00:00Z',
      '2090-01-01T00:00:00Z',
    ];
    const mine = expiresAt.map((at, n) =>
      lifecycle({
        kind: 'license',
        provider: PROVIDER,
        appUser: USER,
        lane: newLane(),
        licenseNum: BigInt(n + 1),
        expiresAt: at,
        createdAt: n === 1 ? at : '2019-01-01T00:00:00Z',
      }),
    );
    await save(api.store, { lifecycles: mine, timerLanes: mine.map(({ lane }) => lane) });
    const first = await ask('GET', '/policies/expiry/preview?limit=2');
    const [, next = ''] = /<([^>]+)>; rel="next"/u.exec(String(first.headers['link'])) ?? [];
    const rest = await ask('GET', next);
    expect([...first.json(), ...rest.json()]).toMatchObject([
      { lifecycleId: mine[0]!.id, verdict: 'due', licenseNum: 1, heldBy: 'dry-run' },
      { lifecycleId: mine[1]!.id, verdict: 'never', why: 'it was never renewed' },
      { lifecycleId: mine[2]!.id, verdict: 'later', user: USER },
    ]);
    expect(rest.headers['link']).toBeUndefined();
    const timers = async (query: string, authorization: string) =>
      api.app.inject({ method: 'GET', url: `/ops/timers${query}`, headers: { authorization } });
    const operator = await asOperator(api);
    expect((await timers('?kind=expire&state=waiting', operator)).json()).toMatchObject(
      mine.map(({ id, expiresAt: lapsesAt }) => ({ lifecycleId: id, lapsesAt, generation: 0 })),
    );
    expect((await timers('?state=given-up', operator)).json()).toEqual([]);
    // The user of a licence can see when the licence lapses, but not which operations its provider has requested.
    const { id: operationId } = await refusedChange(api);
    await api.pool.query('update timer set change_id = $1 where lifecycle_id = $2', [
      operationId,
      mine[0]!.id,
    ]);
    const tenant = await api.as(USER, { claims: { roles: ['operator'] } });
    const fired = async (who: string) => (await timers('?kind=expire&state=fired', who)).json();
    expect(await fired(operator)).toMatchObject([{ lifecycleId: mine[0]!.id, operationId }]);
    const [theirs, ...others] = await fired(tenant);
    expect([theirs.lifecycleId, theirs.operationId, others]).toEqual([mine[0]!.id, undefined, []]);
    expect((await timers('?state=lost', operator)).json().field).toBe('state');
    expect((await timers('', await api.as(PROVIDER))).statusCode).toBe(403);
    const user = { authorization: await api.as(USER) };
    for (const url of ['/policies/expiry', '/policies/renewal', '/policies/expiry/preview']) {
      expect((await api.app.inject({ method: 'GET', url, headers: user })).statusCode).toBe(403);
    }
  });

  test('asks anew where a timer was given up and an operator says why, and not beside what is on its way', async () => {
    const { license, change } = await givenUp(api);
    const operator = await asking(api, PROVIDER, {
      claims: { sub: 'olga', roles: ['operator'], name: 'olga' },
    });
    const rearm = (id: string, by = operator) =>
      by.post(`/ops/timers/${encodeURIComponent(id)}:rearm`, { reason: 'the right is back' });
    // A party of the licence sees the timer but may not start it again; other parties do not see the timer.
    const asOf = (party: typeof PROVIDER, id: string = license.id) => {
      const by: Caller = {
        party,
        roles: new Set(['operator']),
        via: 'bearer',
        tenantId: '',
        subject: 'other',
        name: 'other',
      };
      return rearmTimer(api.deps, id, { by, reason: 'because' }, IO);
    };
    await expect(asOf(USER)).rejects.toMatchObject({ details: { code: 'FORBIDDEN' } });
    for (const id of [license.id, 'license-0']) {
      const details = { code: 'NOT_FOUND', message: `no timer ${id}` };
      await expect(asOf(OTHER_USER, id)).rejects.toMatchObject({ details });
    }
    expect((await rearm(license.id, await asking(api, PROVIDER))).json().code).toBe('FORBIDDEN');
    expect((await rearm('license-0')).json().code).toBe('NOT_FOUND');

    // The retry of the failed change is another change than that of the timer, but has the same effect.
    const retry = await operator.post(`/ops/operations/${change.id}:retry`, {
      reason: 'once more',
    });
    expect(retry.statusCode, retry.payload).toBe(202);
    const beside = (await rearm(license.id)).json();
    expect(beside).toMatchObject({ code: 'NOT_REARMABLE', operationId: retry.json().id });
    await operator.post(`/ops/operations/${retry.json().id}:cancel`, { reason: 'not like this' });
    const clock = openListener({ url: api.database.url, applicationName: 'tenure test clock' });
    await using _stopping = { [Symbol.asyncDispose]: () => clock.stop() };
    const rung = Promise.withResolvers<void>();
    await new Promise<void>((onGap) => {
      clock.on(TIMERS_CHANNEL, { onMessage: () => rung.resolve(), onGap });
    });
    const replies = await Promise.all([rearm(license.id), rearm(license.contractId)]);
    const [done] = replies.filter(({ statusCode }) => statusCode === 200);
    expect(done?.json()).toMatchObject({
      lifecycleId: license.id,
      contractId: license.contractId,
      state: 'waiting',
      generation: 5,
    });
    expect(done?.json()).not.toHaveProperty('operationId');
    const [refused] = replies.filter(({ statusCode }) => statusCode === 409);
    expect(refused?.json()).toMatchObject({
      code: 'NOT_REARMABLE',
      state: 'waiting',
      message: expect.stringContaining('not given up'),
    });
    await rung.promise;
    const rows = await api.pool.query(
      'select failures, not_before from timer where lifecycle_id = $1',
      [license.id],
    );
    expect(rows.rows).toEqual([{ failures: 0, not_before: null }]);
    const audit = await operator.get(`/ops/audit?object=timer:${license.id}`);
    expect(audit.json()).toMatchObject([
      {
        act: 'rearmed',
        bySubject: 'olga',
        reason: 'the right is back',
        detail: { kind: 'expire', generation: 5, failures: 5, operationId: change.id },
      },
    ]);
  });
});

describe('the renewal policy', () => {
  const RENEWAL_POLICY = { complete: true, withdrawLapsed: true };
  const renewal = (body?: object) =>
    ask(body === undefined ? 'GET' : 'PUT', '/policies/renewal', body);

  test('is off until it is set, and refused whole for what it cannot be', async () => {
    const before = await renewal();
    const off = { complete: false, withdrawLapsed: false, version: 0 };
    expect([before.headers['etag'], before.json()]).toEqual(['"0"', off]);
    for (const [field, over] of [
      ['complete', { complete: 'yes' }],
      ['complete', { complete: undefined }],
      ['withdrawLapsed', { withdrawLapsed: 1 }],
      ['withdrawLapsed', { withdrawLapsed: null }],
      ['forced', { forced: true }],
    ] as const) {
      const refused = await renewal({ ...RENEWAL_POLICY, ...over });
      const { code, field: named } = refused.json();
      expect([refused.statusCode, code, named]).toEqual([400, 'REQUEST_INVALID', field]);
    }
    const after = await renewal();
    expect([after.headers['etag'], after.json()]).toEqual(['"0"', off]);
    const set = await renewal(RENEWAL_POLICY);
    expect([set.statusCode, set.headers['etag'], set.json()]).toEqual([
      200,
      '"1"',
      { ...RENEWAL_POLICY, version: 1 },
    ]);
  });
});
