import { describe, expect, test } from 'vitest';
import { LeaseLostError } from '../../src/app/engine/lanes/leased.ts';
import { LICENSE, LICENSE_RENEWAL_REQUEST } from '../../src/domain/licensing.ts';
import { trusted } from '../../src/domain/ids.ts';
import { DAY_MS, HOUR_MS, isoToMs } from '../../src/domain/time.ts';
import { IO, OTHER_USER, PROVIDER, USER } from '../kit/http-api.ts';
import { asking } from '../kit/http-ask.ts';
import { startRenewalsWorld } from '../kit/http-renewals.ts';
import { forFile } from '../kit/for-file.ts';
import { ending } from '../kit/ledger-stand-in.ts';
import { sellingIn } from '../kit/selling.ts';
import { announcedPrices, subscriptionsIn } from '../kit/subscriptions.ts';
import { judgeEvents } from '../kit/typed-events.ts';

/*
 * Licences that renew themselves, over the API, with the clock's background task and a ledger that executes every
 * command.
 */

const world = await forFile(startRenewalsWorld());
const { api, provider, user } = world;
const selling = sellingIn(world);
const duty = await subscriptionsIn(world);

const PLAN = {
  name: 'Orchard',
  period: 'P30D',
  prepareUntilDuration: 'P2D',
  settleBeforeDuration: 'P3D',
};

/** Waits until the ledger has executed every requested operation. */
const quiet = () =>
  expect
    .poll(async () => {
      const { rows } = await api.pool.query(
        'select count(*)::int as n from change where finished_at is null',
      );
      return rows[0].n;
    })
    .toBe(0);

/** Runs the background task until nothing is left to do at this time. */
async function look(): Promise<void> {
  for (let looks = 0; looks < 3; looks += 1) {
    await duty.look();
    await quiet();
  }
}

async function pass(ms: number): Promise<void> {
  api.clock.advance(ms);
  await look();
}

const of = (license: string) => `/licenses/${license}/subscription`;

const shown = async (license: string) => (await provider.get(of(license))).json();

const setAs = async (party: typeof PROVIDER, license: string, body: object = {}) =>
  api.app.inject({
    method: 'PUT',
    url: of(license),
    headers: { authorization: await api.as(party) },
    payload: body,
  });

const set = (license: string, body: object = {}) => setAs(PROVIDER, license, body);

const changePlan = async (id: string, payload: object) =>
  api.app.inject({
    method: 'PATCH',
    url: `/plans/${id}`,
    headers: { authorization: await api.as(PROVIDER) },
    payload,
  });

/** Creates a licence that renews itself. Returns the ID of its lifecycle. */
async function subscribed(body: object = {}, plan: object = {}): Promise<string> {
  const sold = await selling.sell(await selling.newPlan({ ...PLAN, ...plan }));
  const license = (await world.shown(sold.json().licenseId))['lifecycleId'] as string;
  const reply = await set(license, { endUnpaid: true, ...body });
  expect(`${reply.statusCode} ${reply.body}`).toMatch(/^200 /u);
  return license;
}

/** Pays the open offer as the user. */
async function pay(license: string): Promise<void> {
  const { offer } = await shown(license);
  await world.allocate(offer.renewalId);
  await look();
}

const expiresMs = async (license: string): Promise<number> =>
  isoToMs((await shown(license)).expiresAt);

/** Returns the states of all renewals of a licence, oldest first. */
async function renewals(license: string): Promise<string[]> {
  const { rows } = await api.pool.query(
    `select state from lifecycle where origin_id = $1 and kind = 'renewal' order by created_at, id`,
    [license],
  );
  return rows.map(({ state }) => state);
}

const operations = async (license: string): Promise<string[]> => {
  const { rows } = await api.pool.query(
    `select command_id, operation, state from change
     where policy = 'subscription' and (lifecycle_id = $1
       or lifecycle_id in (select id from lifecycle where origin_id = $1)) order by accepted_at`,
    [license],
  );
  return rows.map(({ operation, state }) => `${operation} ${state}`);
};

describe('the terms', () => {
  test('are the provider’s, and both parties read them with what comes next', async () => {
    const license = await subscribed({ offerBefore: 'P7D', tries: 2 });
    const own = (await user.get(of(license))).json();
    expect(own).toMatchObject({
      licenseId: license,
      state: 'pastDue',
      offerBefore: 'PT168H',
      tries: 2,
      endUnpaid: true,
      cancelledAt: null,
      offer: null,
      nextOffer: { fee: '12.5', instrument: 'Amulet', plan: { version: 1 } },
    });
    // Both parties see the reference and the plan; only the provider sees the customer's name.
    const { reference } = await world.shown(license);
    const theirs = (await provider.get(of(license))).json();
    expect([own.reference, theirs.reference]).toEqual([reference, reference]);
    expect([Object.hasOwn(own, 'customer'), theirs.customer]).toEqual([false, null]);
    expect(own.nextOffer.plan.name).toBe(PLAN.name);
    expect(isoToMs(own.nextOffer.until) - isoToMs(own.nextOffer.at)).toBe(30 * DAY_MS);
    expect((await setAs(USER, license)).statusCode).toBe(403);
    const other = await asking(api, OTHER_USER);
    expect((await other.get(of(license))).statusCode).toBe(404);
    expect((await other.delete(of(license))).statusCode).toBe(404);
    const alone = `/subscriptions?licenseId=${license}`;
    expect((await other.get('/subscriptions')).json()).toEqual([]);
    expect((await other.get(alone)).json()).toEqual([]);
    const second = await subscribed();
    expect((await user.get(alone)).json()).toMatchObject([{ licenseId: license }]);
    const page = await user.get('/subscriptions?limit=1&total=true');
    expect(page.headers['total-count']).toBe('2');
    const next = /cursor=([^&>]+)/u.exec(String(page.headers['link']))?.[1];
    const rest = (await user.get(`/subscriptions?cursor=${next}`)).json();
    const listed = [...page.json(), ...rest].map(({ licenseId }) => licenseId);
    expect(listed).toEqual([license, second].toSorted());
    // For a licence that is not in the projection, only the values that the projection provides are absent.
    await api.pool.query(
      `insert into subscription (lifecycle_id, provider, app_user, offer_before_ms, tries, ends_unpaid, due_at)
       select 'license-unknown', provider, app_user, 0, 1, false, null from subscription limit 1`,
    );
    const all = (await user.get('/subscriptions')).json();
    const unknown = { state: null, expiresAt: null, offer: null, nextOffer: null, tries: 1 };
    const isUnknown = ({ licenseId }: { licenseId: string }) => licenseId === 'license-unknown';
    expect([all.length, all.find(isUnknown)]).toMatchObject([3, unknown]);
    await api.pool.query(`delete from subscription where lifecycle_id = 'license-unknown'`);
  });

  test.each([
    [{ offerBefore: 'soon' }, 'offerBefore'],
    [{ offerBefore: '-P1D' }, 'offerBefore'],
    [{ tries: 0 }, 'tries'],
    [{ planId: 'nothing' }, 'planId'],
  ])('are refused as %j', async (body, field) => {
    const license = await subscribed();
    const refused = await set(license, body);
    expect([refused.statusCode, refused.json().field]).toEqual([400, field]);
  });

  test('need a plan and a licence that lasts', async () => {
    const plain = await world.newLicense();
    expect((await set(plain)).json()).toMatchObject({ code: 'REQUEST_INVALID', field: 'planId' });
    expect((await provider.get(of(plain))).statusCode).toBe(404);
    expect((await set(plain, { planId: await selling.newPlan() })).statusCode).toBe(200);
    await api.ledger.happen([ending(trusted(plain), LICENSE, 'License_Expire')]);
    expect((await set(plain)).json()).toMatchObject({ code: 'LIFECYCLE_ENDED' });
  });
});

describe('a plan that renews', () => {
  const RENEWS = { offerBefore: 'P4D', tries: 2 };
  const soldLicense = async (planId: string): Promise<string> => {
    const sold = await selling.sell(planId);
    return (await world.shown(sold.json().licenseId))['lifecycleId'] as string;
  };

  test('gives a licence the terms of the version that it is sold under', async () => {
    const id = await selling.newPlan({ ...PLAN, renews: RENEWS });
    const license = await soldLicense(id);
    const change = { renews: { ...RENEWS, tries: 5, endUnpaid: true } };
    const changed = await changePlan(id, change);
    expect(changed.json()).toMatchObject({ version: 2, ...change });
    const later = await soldLicense(id);
    const terms = { planId: null, offerBefore: 'PT96H', cancelledAt: null, version: 1 };
    expect(await shown(license)).toMatchObject({ ...terms, tries: 2, endUnpaid: false });
    expect(await shown(later)).toMatchObject({ ...terms, tries: 5, endUnpaid: true });
    await look();
    expect(await operations(license)).toEqual(['renew-license succeeded']);
    await changePlan(id, { renews: null });
    expect((await provider.get(of(await soldLicense(id)))).statusCode).toBe(404);
  });

  test('keeps what a person decides, also when the projection is built again', async () => {
    const license = await soldLicense(await selling.newPlan({ ...PLAN, renews: {} }));
    expect(await shown(license)).toMatchObject({ offerBefore: 'PT168H', tries: 3 });
    expect((await user.delete(of(license))).statusCode).toBe(200);
    await api.pool.query('delete from license_record where lifecycle_id = $1', [license]);
    await api.pool.query(
      `insert into license_record (lifecycle_id, provider, app_user, began_at, plan_id, plan_version, plan_since)
       select l.id, l.provider, l.app_user, l.created_at, p.id, 1, l.created_at
       from lifecycle l join plan p on p.provider = l.provider where l.id = $1 order by p.created_at desc limit 1`,
      [license],
    );
    expect((await shown(license)).cancelledAt).not.toBeNull();
  });
});

describe('a subscription', () => {
  test('offers a period before its end, settles what is paid in time, and waits for what is late', async () => {
    const license = await subscribed({ offerBefore: 'P4D' });
    await look();
    expect((await shown(license)).state).toBe('pastDue');
    await pay(license);
    const first = await expiresMs(license);
    expect(await shown(license)).toMatchObject({ state: 'active', offer: null });
    await pass(25 * DAY_MS);
    expect(await renewals(license)).toEqual(['renewed']);
    await pass(DAY_MS + HOUR_MS);
    const offered = await shown(license);
    expect(offered).toMatchObject({
      state: 'offerOpen',
      offer: { fee: '12.5000000000', isAllocated: false },
      nextOffer: null,
    });
    await pay(license);
    expect(await expiresMs(license)).toBe(first + 30 * DAY_MS);
    // The next period is paid late, after the second offer was made.
    await pass(30 * DAY_MS);
    await pass(3 * DAY_MS + HOUR_MS);
    expect(await renewals(license)).toEqual(['renewed', 'renewed', 'withdrawn', 'requested']);
    await pass(2 * DAY_MS);
    expect(await shown(license)).toMatchObject({ state: 'pastDue', offer: { isAllocated: false } });
    const nowMs = api.clock.nowMs();
    await pay(license);
    expect(await expiresMs(license)).toBeGreaterThanOrEqual(nowMs + 30 * DAY_MS);
    expect((await shown(license)).state).toBe('active');
  });

  test('ends a licence that nobody pays, after its tries and its grace', async () => {
    const license = await subscribed({ tries: 2 }, { grace: 'P10D' });
    await look();
    const { offer } = await shown(license);
    // The user rejects the first offer. The next offer is made when the window of the first one is over.
    const [requested] = (await world.shown(license))['renewalRequests'] as { contractId: string }[];
    const reject = ending(
      trusted(requested!.contractId),
      LICENSE_RENEWAL_REQUEST,
      'AllocationRequest_Reject',
    );
    await api.ledger.happen([reject]);
    await look();
    expect(await renewals(license)).toEqual(['rejected']);
    await pass(3 * DAY_MS + HOUR_MS);
    expect((await shown(license)).offer.renewalId).not.toBe(offer.renewalId);
    await pass(3 * DAY_MS + HOUR_MS);
    expect(await renewals(license)).toEqual(['rejected', 'withdrawn']);
    expect(await shown(license)).toMatchObject({ state: 'pastDue', offer: null, nextOffer: null });
    expect((await world.shown(license))['state']).toBe('active');
    await pass(5 * DAY_MS);
    expect((await shown(license)).state).toBe('ended');
    await look();
    expect(await operations(license)).toEqual([
      'renew-license succeeded',
      'renew-license succeeded',
      'withdraw-renewal succeeded',
      'expire-license succeeded',
    ]);
  });

  test('makes one offer, from however many processes and however often', async () => {
    const license = await subscribed();
    await Promise.all([duty.look(), duty.look(), duty.look()]);
    await quiet();
    await look();
    expect(await operations(license)).toEqual(['renew-license succeeded']);
    // A restored database lacks the operation, but the offer is still on the ledger.
    await api.pool.query(`update subscription set due_at = '-infinity', offer_id = null`);
    await api.pool.query(`update change set command_id = $1 where lifecycle_id = $1`, [license]);
    await look();
    expect(await renewals(license)).toEqual(['requested']);
    await pass(3 * DAY_MS + HOUR_MS);
    const { rows } = await api.pool.query(
      `select command_id from change where lifecycle_id = $1 and command_id like 'tenure:offer:%'`,
      [license],
    );
    expect(rows.map(({ command_id: id }) => id.split(':').at(-1))).toEqual(['2']);
    await expect(duty.look({}, duty.epoch + 1n)).rejects.toThrow(LeaseLostError);
  });

  test('offers nothing before the ledger is read to its end, and asks nothing while nothing is due', async () => {
    const license = await subscribed();
    let asked = 0;
    const behind = duty.look({
      ledgerEnd: async () => {
        asked += 1;
        return api.ledger.end() + 1n;
      },
    });
    await expect.poll(() => asked).toBe(1);
    expect(await operations(license)).toEqual([]);
    await api.ledger.happen([]);
    await behind;
    await quiet();
    expect(await renewals(license)).toEqual(['requested']);
    await look();
    await duty.look({ ledgerEnd: () => Promise.reject(new Error('nothing is due')) });
  });

  test('lets a manual renewal take its place', async () => {
    const license = await subscribed();
    await world.renew(license, { settleBeforeDuration: 'P1D' });
    await look();
    expect(await operations(license)).toEqual([]);
    await pass(DAY_MS + HOUR_MS);
    expect(await operations(license)).toEqual(['renew-license succeeded']);
    // The period is paid for through another renewal while the offer is open. So the offer is withdrawn, and a second
    // payment waits.
    const { offer } = await shown(license);
    await world.renew(license, { allowConcurrent: true });
    const { rows } = await api.pool.query(
      `select id from lifecycle where origin_id = $1 and ended_at is null order by created_at desc limit 1`,
      [license],
    );
    const view = await api.store.reads.lifecycle(rows[0].id, IO);
    const allocation = await world.allocate(rows[0].id);
    await world.allocate(offer.renewalId);
    const { contractId } = view!.lifecycle;
    expect((await world.complete(license, contractId, allocation)).statusCode).toBe(200);
    const paidUntil = await expiresMs(license);
    await look();
    expect((await shown(license)).offer).toMatchObject({ isAllocated: true });
    expect(await expiresMs(license)).toBe(paidUntil);
  });

  test('withdraws its offer while the licence is suspended, and leaves money that is set aside', async () => {
    const [unpaid, paid] = [await subscribed({ tries: 1 }), await subscribed()];
    await look();
    await world.allocate((await shown(paid)).offer.renewalId);
    for (const license of [unpaid, paid]) {
      await provider.post(`/licenses/${license}/suspend`, { reason: 'chargeback' });
    }
    await look();
    expect([await renewals(unpaid), await renewals(paid)]).toEqual([['withdrawn'], ['requested']]);
    await pass(HOUR_MS);
    expect(await renewals(unpaid)).toEqual(['withdrawn']);
    for (const license of [unpaid, paid]) {
      await provider.post(`/licenses/${license}/reinstate`, { reason: 'settled' });
    }
    await look();
    expect([await renewals(unpaid), await renewals(paid)]).toEqual([
      ['withdrawn', 'requested'],
      ['renewed'],
    ]);
  });

  test('is cancelled at the end of its period, and can be resumed', async () => {
    const license = await subscribed();
    await look();
    await pay(license);
    await pass(24 * DAY_MS);
    expect((await shown(license)).state).toBe('offerOpen');
    const cancelled = (await user.delete(of(license))).json();
    expect(cancelled).toMatchObject({ state: 'cancelled', version: 2, nextOffer: null });
    expect((await user.delete(of(license))).json()).toMatchObject({
      version: 2,
      cancelledAt: cancelled.cancelledAt,
    });
    await look();
    expect(await renewals(license)).toEqual(['renewed', 'withdrawn']);
    await pass(7 * DAY_MS);
    expect(await shown(license)).toMatchObject({ state: 'ended', offer: null });
    expect((await world.shown(license))['state']).toBe('active');
    expect((await set(license)).json()).toMatchObject({ state: 'pastDue', cancelledAt: null });
    await look();
    expect(await renewals(license)).toEqual(['renewed', 'withdrawn', 'requested']);
    const { rows } = await api.pool.query(`select act from audit where subject = $1 order by id`, [
      `license:${license}`,
    ]);
    expect(rows.map(({ act }) => act)).toEqual([
      'subscription-set',
      'subscription-cancelled',
      'subscription-set',
    ]);
  });

  test('offers the newest price, and an open offer keeps its own', async () => {
    const license = await subscribed();
    await look();
    const { plan } = (await shown(license)).nextOffer ?? { plan: null };
    expect(plan).toBe(null);
    const id = ((await world.shown(license))['plan'] as { id: string }).id;
    expect((await changePlan(id, { fee: '20' })).statusCode).toBe(200);
    expect((await shown(license)).offer.fee).toBe('12.5000000000');
    const announced = () => announcedPrices(api, license);
    await look();
    const before = { fee: '12.5', instrument: 'Amulet', period: 'P30D' };
    const told = { licenseId: license, plan: { id, version: 2 }, ...before, fee: '20', before };
    expect(await announced()).toMatchObject([told]);
    expect((await judgeEvents(api.pool)).refused).toEqual([]);
    // A change of other terms is not announced. A version of the plan is not announced twice.
    expect((await changePlan(id, { name: 'Professional' })).statusCode).toBe(200);
    await look();
    expect(await announced()).toHaveLength(1);
    await pay(license);
    expect((await shown(license)).nextOffer).toMatchObject({
      fee: '20',
      plan: { id, version: 3 },
      priceBefore: before,
    });
    await pass(24 * DAY_MS);
    expect((await shown(license)).offer.fee).toBe('20.0000000000');
  });
});

test('terms that another person has replaced are not replaced unseen', async () => {
  const license = await subscribed();
  const setFor = async (tag: string, url: string, payload: object) =>
    api.app.inject({
      method: 'PUT',
      url,
      headers: { authorization: await api.as(PROVIDER), 'if-match': tag },
      payload,
    });
  const first = await setFor('"1"', of(license), { tries: 4 });
  expect([first.statusCode, first.json().version, first.headers.etag]).toEqual([200, 2, '"2"']);
  const late = await setFor('"1"', of(license), { tries: 5 });
  expect(late.statusCode).toBe(412);
  expect(late.json()).toMatchObject({ version: 2, askedVersions: [1] });
  expect((await shown(license)).tries).toBe(4);
  const unset = await selling.sell(await selling.newPlan(PLAN));
  const other = (await world.shown(unset.json().licenseId))['lifecycleId'] as string;
  expect((await setFor('"1"', of(other), {})).statusCode).toBe(412);
});
