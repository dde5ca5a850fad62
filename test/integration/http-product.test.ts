import { describe, expect, test } from 'vitest';
import { SCHEDULER_LEASE } from '../../src/app/ports/leases.ts';
import { DAY_MS, isoAfter, isoToMs } from '../../src/domain/time.ts';
import { createLeases } from '../../src/store/engine/lease.ts';
import { createTimers } from '../../src/store/policies/timers.ts';
import { IO, OTHER_USER, PROVIDER, USER } from '../kit/http-api.ts';
import { EXPIRY_POLICY } from '../kit/http-policies.ts';
import { sellingIn } from '../kit/selling.ts';
import { startRenewalsWorld } from '../kit/http-renewals.ts';
import { forFile } from '../kit/for-file.ts';

/* Customers, plans, references and suspensions over REST, with a ledger that executes every command at once. */

const world = await forFile(startRenewalsWorld());
const { api } = world;

async function ask(
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE',
  url: string,
  body?: object,
  more = {},
) {
  const headers = { authorization: await api.as(PROVIDER), ...more };
  return api.app.inject({ method, url, headers, ...(body === undefined ? {} : { payload: body }) });
}

const selling = sellingIn(world);
const { PLAN } = selling;

describe('a customer', () => {
  test('gives a party its name and its licences their prefix, and keeps what a change leaves out', async () => {
    const body = {
      party: USER,
      name: 'Acme 100%',
      shortName: 'ACME',
      externalReferences: { crm: '4711' },
    };
    const made = await ask('POST', '/customers', body);
    expect([made.statusCode, made.headers['etag']]).toEqual([201, '"1"']);
    const { id } = made.json();
    expect((await ask('POST', '/customers', body)).json()).toMatchObject({
      code: 'ALREADY_EXISTS',
    });
    const license = await world.newLicense();
    const shown = await world.shown(license);
    expect(shown).toMatchObject({
      customer: { id, name: 'Acme 100%' },
      plan: null,
      suspended: null,
    });
    expect(shown['reference']).toMatch(/^ACME-\d{4}$/u);
    const changed = await ask(
      'PATCH',
      `/customers/${id}`,
      { name: 'Acme AG', emails: ['a@b.example'] },
      { 'if-match': '"1"' },
    );
    expect(changed.json()).toMatchObject({
      name: 'Acme AG',
      externalReferences: { crm: '4711' },
      version: 2,
    });
    const stale = await ask('PATCH', `/customers/${id}`, { note: 'x' }, { 'if-match': '"1"' });
    expect([stale.statusCode, stale.json().version]).toEqual([412, 2]);
    for (const search of ['acme', '4711', USER]) {
      const found = await ask('GET', `/customers?search=${encodeURIComponent(search)}`);
      expect(found.json()).toHaveLength(1);
    }
    const first = await ask('GET', '/customers?sort=-name&limit=1');
    const usual = (await ask('GET', '/customers')).json<readonly { readonly id: string }[]>();
    expect(first.json()[0].id).toBe(usual.at(-1)?.id);
    const none = await ask('GET', '/customers?search=%25&total=true');
    expect([none.json(), none.headers['total-count']]).toEqual([[], '0']);
    expect((await ask('GET', '/customers?search=acme&total=true')).headers['total-count']).toBe(
      '1',
    );
    const listed = await ask('GET', `/licenses?search=${String(shown['reference'])}`);
    expect(listed.json()).toMatchObject([{ lifecycleId: shown['lifecycleId'], customer: { id } }]);
    const byName = (await ask('GET', '/licenses?search=acme&limit=1')).json();
    expect(byName).toMatchObject([{ user: USER }]);
    expect((await ask('GET', '/licenses?search=nobody')).json()).toEqual([]);
    const [install] = (await ask('GET', '/app-installs')).json();
    expect(install.customer).toEqual({ id, name: 'Acme AG' });
    // The user sees the licence's reference, but not the name that the provider has given to the user.
    const own = (await world.user.get(`/licenses/${license}`)).json();
    expect([own.reference, 'customer' in own]).toEqual([shown['reference'], false]);
    expect((await world.user.get('/customers')).statusCode).toBe(403);
    expect((await ask('DELETE', `/customers/${id}`)).statusCode).toBe(204);
    expect((await world.shown(license))['reference']).toBe(shown['reference']);
    const { rows } = await api.pool.query(
      `select detail::text as detail from audit where subject = 'customer:${id}' order by id`,
    );
    expect(rows).toHaveLength(3);
    expect(JSON.stringify(rows)).not.toContain('Acme');
  });

  test.each([
    [{ party: 'x y;', name: 'A' }, 'party'],
    [{ party: OTHER_USER, name: ' ' }, 'name'],
    [{ party: OTHER_USER, name: 'A', emails: ['a@b', 'a b@c\r\nBcc: d@e'] }, 'emails.1'],
    [{ party: OTHER_USER, name: 'A', timeZone: 'Europe/Nowhere' }, 'timeZone'],
    [{ party: OTHER_USER, name: 'A', language: 'de_CH!' }, 'language'],
    [{ party: OTHER_USER, name: 'A', shortName: 'acme corp' }, 'shortName'],
  ])('is refused as %j', async (body, field) => {
    const refused = await ask('POST', '/customers', body);
    expect([refused.statusCode, refused.json().field]).toEqual([400, field]);
  });
});

describe('references', () => {
  test('count the licences of the provider without holes', async () => {
    const some = await Promise.all([1, 2, 3].map(() => world.newLicense()));
    const shown = await Promise.all(some.map((license) => world.shown(license)));
    const numbers = shown.map(({ reference }) => Number(String(reference).split('-')[1]));
    expect(new Set(numbers).size).toBe(3);
    expect(Math.max(...numbers) - Math.min(...numbers)).toBe(2);
  });
});

describe('a plan', () => {
  test('has a version for each change, and none is ever lost', async () => {
    const id = await selling.newPlan();
    expect((await ask('POST', '/plans', { ...PLAN, id })).json().code).toBe('ALREADY_EXISTS');
    const same = await ask('PATCH', `/plans/${id}`, { fee: '12.5' });
    expect(same.json()).toMatchObject({ version: 1, fee: '12.5', offlineTime: 'P7D', seats: 5 });
    const next = await ask('PATCH', `/plans/${id}`, { fee: '15' }, { 'if-match': '"1"' });
    expect([next.json().version, next.headers['etag']]).toEqual([2, '"2"']);
    expect(
      (await ask('PATCH', `/plans/${id}`, { fee: '16' }, { 'if-match': '"1"' })).statusCode,
    ).toBe(412);
    const versions = (await ask('GET', `/plans/${id}/versions`)).json();
    const first = await ask('GET', `/plans/${id}/versions?limit=1`);
    const cursor = /cursor=([^&>]+)/u.exec(String(first.headers['link']))?.[1];
    const second = await ask('GET', `/plans/${id}/versions?cursor=${cursor}`);
    expect([...first.json(), ...second.json()]).toEqual(versions);
    expect(second.headers['link']).toBeUndefined();
    expect(
      versions.map((each: Record<string, unknown>) => [
        each['version'],
        each['fee'],
        each['archivedAt'] === null,
      ]),
    ).toEqual([
      [2, '15', true],
      [1, '12.5', false],
    ]);
    expect((await ask('POST', `/plans/${id}/archive`)).json().archivedAt).not.toBeNull();
    const ids = async (query: string) =>
      (await ask('GET', `/plans${query}`)).json().map((plan: { id: string }) => plan.id);
    expect([(await ids('')).includes(id), (await ids('?archived=true')).includes(id)]).toEqual([
      false,
      true,
    ]);
    expect((await selling.sell(id)).json()).toMatchObject({ code: 'PLAN_ARCHIVED' });
    expect((await ask('POST', `/plans/${id}/restore`)).json()).toMatchObject({
      version: 2,
      archivedAt: null,
    });
  });

  test.each([
    [{ fee: '0' }, 'fee'],
    [{ period: 'P0M' }, 'period'],
    [{ period: 'soon' }, 'period'],
    [{ settleBeforeDuration: 'PT10M' }, 'settleBeforeDuration'],
    [{ grace: '-PT1S' }, 'grace'],
    [{ offlineTime: 'PT0S' }, 'offlineTime'],
    [{ seats: 0 }, 'seats'],
    [{ renews: { offerBefore: 'soon' } }, 'renews.offerBefore'],
    [{ renews: { tries: 11 } }, 'renews.tries'],
    [{ renews: { often: true } }, 'renews.often'],
    [
      {
        entitlements: Object.fromEntries(
          Array.from({ length: 20 }, (_, n) => [`e${n}`, 'x'.repeat(255)]),
        ),
      },
      'entitlements',
    ],
  ])('is refused with %j', async (over, field) => {
    const refused = await ask('POST', '/plans', { ...PLAN, id: 'refused', ...over });
    expect([refused.statusCode, refused.json().field]).toEqual([400, field]);
  });

  test('is sold with its version, which the licence keeps, and a repeated sale is the same sale', async () => {
    const id = await selling.newPlan();
    const commandId = world.command();
    const sold = await selling.sell(id, commandId, { meta: { data: { note: 'first' } } });
    expect(sold.statusCode).toBe(201);
    await ask('PATCH', `/plans/${id}`, { fee: '20', seats: 7, entitlements: {} });
    const again = await selling.sell(id, commandId, { meta: { data: { note: 'first' } } });
    expect([again.headers['idempotent-replayed'], again.json()]).toEqual(['true', sold.json()]);
    const other = await selling.sell(await selling.newPlan(), commandId, {
      meta: { data: { note: 'first' } },
    });
    expect(other.json().code).toBe('COMMAND_ID_REUSED');
    const shown = await world.shown(sold.json().licenseId);
    expect(shown).toMatchObject({
      params: {
        meta: {
          data: {
            note: 'first',
            'tenure/plan': id,
            'tenure/plan-version': '1',
            'tenure/seats': '5',
          },
        },
      },
      plan: { id, version: 1, name: 'Pro', from: 'contract' },
      terms: {
        seats: { value: 5, from: 'contract' },
        entitlements: { value: { projects: '10' }, from: 'contract' },
        offlineTime: { value: 'P7D', from: 'tenure' },
      },
    });
    const taken = await selling.sell(id, world.command(), {
      meta: { data: { 'tenure/plan': 'free' } },
    });
    expect([taken.statusCode, taken.json().field]).toEqual([400, 'params.meta.data.tenure/plan']);
    expect((await selling.sell('nothing')).json()).toMatchObject({ status: 400, field: 'planId' });
  });

  test('in metadata of another client is shown as far as it can be read', async () => {
    const strange = {
      'tenure/plan': 'Zwölf!',
      'tenure/plan-version': '99999999999',
      'tenure/entitlements': '[',
    };
    const unknown = {
      'tenure/plan': 'gone',
      'tenure/plan-version': '3',
      'tenure/entitlements': '{"a":"b"}',
    };
    const [install] = (await world.provider.get('/app-installs')).json();
    const make = async (data: object) => {
      const path = `/app-installs/${install.lifecycleId}:create-license?commandId=${world.command()}`;
      return world.shown(
        (await world.provider.post(path, { params: { meta: { data } } })).json().licenseId,
      );
    };
    expect(await make(strange)).toMatchObject({ plan: null, terms: null });
    expect(await make(unknown)).toMatchObject({
      plan: { id: 'gone', version: 3, name: null, from: 'contract' },
      terms: {
        seats: { value: null, from: 'contract' },
        entitlements: { value: { a: 'b' }, from: 'contract' },
      },
    });
  });

  test('gives a renewal its terms, which the description names, and applies once it is paid', async () => {
    const [license, id] = [await world.newLicense(), await selling.newPlan({ instrument: 'Gold' })];
    const commandId = world.command();
    const url = `/licenses/${license}:renew?commandId=${commandId}`;
    expect((await world.provider.post(url, { planId: id })).statusCode).toBe(201);
    await ask('PATCH', `/plans/${id}`, { fee: '99' });
    const again = await world.provider.post(url, { planId: id });
    expect([again.statusCode, again.headers['idempotent-replayed']]).toEqual([201, 'true']);
    const renewal = await world.renewalOf(license);
    expect(renewal).toMatchObject({
      licenseFeeAmount: 12.5,
      licenseFeeInstrument: 'Gold',
      description: `Pro [plan ${id} version 1]`,
    });
    expect((await world.shown(license))['plan']).toBeNull();
    const allocation = await world.allocate(renewal.contractId);
    const done = await world.complete(license, renewal.contractId, allocation);
    expect(done.statusCode).toBe(200);
    const shown = await world.shown(license);
    expect(shown).toMatchObject({
      plan: { id, version: 1, from: 'renewal' },
      terms: { seats: { value: 5, from: 'tenure' } },
    });
    const [from, to] = [new Date(api.clock.nowMs()), new Date(String(shown['expiresAt']))];
    const months =
      (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth();
    expect(months).toBe(1);
    // A fee and a description in the request replace those of the plan, but the description still names the plan.
    const paid = await selling.renewAndPay(license, {
      planId: id,
      licenseFeeCc: '3',
      description: 'One more',
    });
    expect(paid).toMatchObject({
      licenseFeeAmount: 3,
      description: `One more [plan ${id} version 2]`,
    });
    expect((await world.shown(license))['plan']).toMatchObject({ id, version: 2, from: 'renewal' });
    // Without a plan in the request, a renewal works as before, and the licence keeps its plan.
    expect((await world.renew(license, { licenseFeeCc: undefined })).json()).toMatchObject({
      field: 'licenseFeeCc',
    });
    await selling.renewAndPay(license, {
      licenseFeeCc: 1,
      licenseExtensionDuration: 'P1D',
      prepareUntilDuration: 'PT1M',
      settleBeforeDuration: 'PT2M',
      description: 'x',
    });
    expect((await world.shown(license))['plan']).toMatchObject({ id, version: 2 });
  });

  test('that is archived renews the licences that have it, at their version', async () => {
    const id = await selling.newPlan();
    const license = (await selling.sell(id)).json().licenseId;
    await ask('PATCH', `/plans/${id}`, { fee: '20' });
    const url = () => `/licenses/${license}:renew?commandId=${world.command()}`;
    expect(
      (await selling.renewAndPay(license, { planId: id, planVersion: 1 })).licenseFeeAmount,
    ).toBe(12.5);
    await ask('POST', `/plans/${id}/archive`);
    expect((await world.provider.post(url(), { planId: id })).json().code).toBe('PLAN_ARCHIVED');
    expect((await world.provider.post(url(), { planId: id, planVersion: 1 })).statusCode).toBe(201);
    const missing = await world.provider.post(url(), { planId: id, planVersion: 9 });
    expect(missing.json().field).toBe('planVersion');
  });
});

describe('a suspension', () => {
  const act = (license: string, verb: string, reason = 'chargeback') =>
    ask('POST', `/licenses/${license}/${verb}`, { reason });

  test('is shown with its reason, audited and told once, and ends when the licence is reinstated', async () => {
    const license = await world.newLicense();
    const { lifecycleId, reference } = await world.shown(license);
    const suspended = await act(license, 'suspend');
    expect(suspended.json()).toMatchObject({ lifecycleId, suspended: { reason: 'chargeback' } });
    expect((await act(license, 'suspend', 'again')).json().suspended.reason).toBe('chargeback');
    expect((await world.user.get(`/licenses/${license}`)).json().suspended.reason).toBe(
      'chargeback',
    );
    const foreign = await world.user.post(`/licenses/${license}/suspend`, { reason: 'x' });
    expect(foreign.statusCode).toBe(403);
    expect((await act(license, 'reinstate', 'paid')).json().suspended).toBeNull();
    const { rows: audit } = await api.pool.query(
      `select act, reason from audit where subject = $1 order by id`,
      [`license:${String(lifecycleId)}`],
    );
    expect(audit).toEqual([
      { act: 'license-suspended', reason: 'chargeback' },
      { act: 'license-reinstated', reason: 'paid' },
    ]);
    const { rows: told } = await api.pool.query(
      `select e from arrival, jsonb_array_elements(events) e
       where e ->> 'type' like 'tenure.license.%' and e ->> 'subject' = $1 order by place`,
      [lifecycleId],
    );
    expect(told.map(({ e }) => [e.type, e.data.reference, e.parties])).toEqual([
      ['tenure.license.suspended', reference, [PROVIDER, USER]],
      ['tenure.license.reinstated', reference, [PROVIDER, USER]],
    ]);
  });

  test('keeps policies from ending the licence, as trial and grace of its plan do, also in previews', async () => {
    const policy = { ...EXPIRY_POLICY, mode: 'on', grace: 'PT0S', includeNeverRenewed: true };
    const reach = async (over: object = {}) =>
      (await ask('POST', '/policies/expiry/preview', { ...policy, ...over })).json().ends;
    const before = await reach();
    const soldWith = async (over: object) =>
      (await selling.sell(await selling.newPlan(over))).json().licenseId;
    const licenses = {
      plain: await world.newLicense(),
      suspended: await world.newLicense(),
      trial: await soldWith({ trial: 'P1D' }),
      grace: await soldWith({ grace: 'P2D' }),
    };
    await act(licenses.suspended, 'suspend');
    const names = new Map<string, string>();
    for (const [name, license] of Object.entries(licenses)) {
      names.set(String((await world.shown(license))['lifecycleId']), name);
    }
    const timers = createTimers(api.pool);
    const epoch = await createLeases(api.pool).acquire(SCHEDULER_LEASE, 'test', 600_000, IO);
    const nowMs = Date.now() + 1_000;
    const queryAt = (ms: number, withSuspended: boolean) => ({
      provider: PROVIDER,
      kind: 'expire' as const,
      withNeverRenewed: true,
      withSuspended,
      lapsedBy: isoAfter(ms),
      closedBy: isoAfter(ms),
      wallNow: isoAfter(ms),
    });
    const dueAt = async (days: number, withSuspended = false) => {
      const query = queryAt(nowMs + days * DAY_MS, withSuspended);
      const found = (await timers.due(query, 1_000, epoch!, IO)) ?? [];
      return found.flatMap(({ lifecycleId }) => names.get(lifecycleId) ?? []).toSorted();
    };
    expect(await dueAt(0)).toEqual(['plain']);
    expect(await dueAt(1)).toEqual(['plain', 'trial']);
    expect(await dueAt(2)).toEqual(['grace', 'plain', 'trial']);
    expect(await dueAt(0, true)).toEqual(['plain', 'suspended']);
    // The next check is due when the first of the timers that wait may fire again.
    const { close } = await timers.nextDue(queryAt(nowMs, false), IO);
    expect(isoToMs(close ?? '') - nowMs).toBeLessThanOrEqual(DAY_MS);
    const ends = await reach();
    const more = (name: string) => ends[name] - before[name];
    expect(['atOnce', 'within24Hours', 'ever'].map(more)).toEqual([1, 2, 3]);
    const wider = await reach({ includeSuspended: true });
    expect([wider.ever - ends.ever, wider.afterChange - ends.afterChange]).toEqual([1, -1]);
    const headers = { 'if-match': '*' };
    const set = await ask('PUT', '/policies/expiry', { ...policy, mode: 'dry-run' }, headers);
    expect(set.statusCode).toBe(200);
    const shown = (await ask('GET', '/policies/expiry/preview')).json();
    const verdicts = shown.flatMap((each: Record<string, string>) => {
      const name = names.get(each['lifecycleId'] ?? '');
      return name === undefined
        ? []
        : [[name, each['verdict'], each['why']?.replace(/ until.*/u, '')]];
    });
    expect(verdicts.toSorted()).toEqual([
      ['grace', 'later', 'the grace period lasts'],
      ['plain', 'due', 'the licence has expired'],
      ['suspended', 'never', 'the licence is suspended'],
      ['trial', 'later', 'the trial lasts'],
    ]);
    await act(licenses.suspended, 'reinstate');
    expect(await dueAt(0)).toEqual(['plain', 'suspended']);
  });
});
