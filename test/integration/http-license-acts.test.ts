import { expect, test } from 'vitest';
import { DAY_MS } from '../../src/domain/time.ts';
import { OTHER_USER, PROVIDER } from '../kit/http-api.ts';
import { asking } from '../kit/http-ask.ts';
import { startRenewalsWorld } from '../kit/http-renewals.ts';
import { forFile } from '../kit/for-file.ts';
import { sellingIn } from '../kit/selling.ts';

/* Acts of a provider on all licences that match a filter. */

const world = await forFile(startRenewalsWorld());
const { api, provider, user } = world;
const selling = sellingIn(world);

const soldUnder = async (planId: string): Promise<string> => {
  const sold = await selling.sell(planId);
  return (await world.shown(sold.json().licenseId))['lifecycleId'] as string;
};

const preview = async (action: string, filter: object, more: object = {}) =>
  provider.post('/licenses/preview-bulk', { action, filter, ...more });

const act = async (action: string, filter: object, more: object = {}) => {
  const seen = await preview(action, filter, more);
  const { token, count } = seen.json();
  const body = {
    action,
    filter,
    ...more,
    reason: 'the price list',
    confirmation: { token, count },
  };
  const reply = await provider.post('/licenses/bulk', body);
  expect(`${reply.statusCode} ${reply.body}`).toMatch(/^200 /u);
  return reply.json();
};

test('licences of a filter are offered their next period, each once', async () => {
  const plan = await selling.newPlan();
  const [first, second, open, suspended] = [
    await soldUnder(plan),
    await soldUnder(plan),
    await soldUnder(plan),
    await soldUnder(plan),
  ];
  await soldUnder(await selling.newPlan());
  await world.renew(open);
  await provider.post(`/licenses/${suspended}/suspend`, { reason: 'chargeback' });
  const filter = { plan };
  const seen = (await preview('offer', filter)).json();
  expect(seen).toMatchObject({
    count: 2,
    refused: expect.arrayContaining([
      { reason: 'a renewal of the licence is open', count: 1 },
      { reason: 'the licence is suspended', count: 1 },
    ]),
  });
  const sampled = seen.sample.map(({ licenseId }: { licenseId: string }) => licenseId);
  expect(sampled.toSorted()).toEqual([first, second].toSorted());
  // The confirmation is valid for one use, for this act and by this person.
  const confirmation = { token: seen.token, count: 2 };
  const body = { action: 'offer', filter, reason: 'the yearly invoice', confirmation };
  const asked = async (over: object) => {
    const reply = await provider.post('/licenses/bulk', { ...body, ...over });
    return [reply.statusCode, reply.json().code];
  };
  expect(await asked({ confirmation: undefined })).toEqual([428, 'CONFIRMATION_REQUIRED']);
  expect(await asked({ confirmation: { token: seen.token, count: 3 } })).toEqual([
    409,
    'COUNT_MISMATCH',
  ]);
  expect(await asked({ filter: { plan, suspended: false } })).toEqual([409, 'PREVIEW_OVER']);
  // The act would affect more licences than the person has seen in the preview.
  const counted = (await preview('offer', filter)).json();
  const late = await soldUnder(plan);
  expect(await asked({ confirmation: { token: counted.token, count: 2 } })).toEqual([
    409,
    'COUNT_MISMATCH',
  ]);
  await provider.post(`/licenses/${late}/suspend`, { reason: 'chargeback' });
  const again = (await preview('offer', filter)).json();
  const done = await provider.post('/licenses/bulk', {
    ...body,
    confirmation: { token: again.token, count: 2 },
  });
  expect(done.json()).toMatchObject({
    done: 2,
    refused: [],
    operations: [{}, {}].map(() => expect.any(String)),
  });
  const { id } = done.json();
  for (const license of [first, second]) {
    const commandId = `tenure:licenses:${id}:${license}`;
    const { rows } = await api.pool.query('select operation from change where command_id = $1', [
      commandId,
    ]);
    expect(rows).toEqual([{ operation: 'renew-license' }]);
  }
  await expect
    .poll(async () => ((await world.shown(first))['renewalRequests'] as object[]).length)
    .toBe(1);
  expect((await preview('offer', filter)).json().count).toBe(0);
  const { rows } = await api.pool.query(
    `select reason, detail ->> 'action' as action from audit where act = 'licenses-acted-on'`,
  );
  expect(rows).toEqual([{ reason: 'the yearly invoice', action: 'offer' }]);
});

test('licences are suspended, reinstated and ended, and get another plan at their next renewal', async () => {
  const trial = await selling.newPlan({ trial: 'P1D' });
  const plan = await selling.newPlan();
  const [license, other] = [await soldUnder(plan), await soldUnder(trial)];
  const filter = { plan };
  const isSuspended = async () => (await world.shown(license))['suspended'] !== null;
  expect(await act('suspend', filter)).toMatchObject({ done: 1, refused: [], operations: [] });
  expect(await isSuspended()).toBe(true);
  expect(await act('reinstate', { plan, suspended: true })).toMatchObject({ done: 1 });
  expect(await isSuspended()).toBe(false);

  const { refused } = (await preview('change-plan', filter, { planId: trial })).json();
  expect(refused).toEqual([{ reason: 'the licence does not renew itself', count: 1 }]);
  const put = await api.app.inject({
    method: 'PUT',
    url: `/licenses/${license}/subscription`,
    headers: { authorization: await api.as(PROVIDER) },
    payload: {},
  });
  expect(put.statusCode).toBe(200);
  expect((await preview('offer', filter)).json().refused).toEqual([
    { reason: 'the licence renews itself', count: 1 },
  ]);
  expect(await act('change-plan', filter, { planId: trial })).toMatchObject({ done: 1 });
  const shown = (await user.get(`/licenses/${license}/subscription`)).json();
  expect(shown).toMatchObject({ planId: trial, tries: 3, version: 2 });

  // A licence for which nothing was ever paid lapses at once, except during its trial.
  expect((await preview('expire', { plan: trial })).json().refused).toEqual([
    { reason: 'the licence is in its trial or grace period', count: 1 },
  ]);
  api.clock.advance(DAY_MS * 2);
  expect(await act('expire', { plan: trial })).toMatchObject({ done: 1 });
  await expect.poll(async () => (await world.shown(other))['state']).toBe('expired');
});

test('an act is the provider’s, has a filter, and is bounded', async () => {
  const of = async (body: object) => {
    const reply = await provider.post('/licenses/preview-bulk', body);
    return [reply.statusCode, reply.json().field];
  };
  expect(await of({ action: 'offer', filter: {} })).toEqual([400, 'filter']);
  expect(await of({ action: 'offer', filter: { expiresBefore: 'soon' } })).toEqual([
    400,
    'expiresBefore',
  ]);
  expect(await of({ action: 'change-plan', filter: { plan: 'a' } })).toEqual([400, 'planId']);
  const changed = { action: 'change-plan', filter: { plan: 'a' }, planId: 'nothing' };
  expect(await of(changed)).toEqual([400, 'planId']);
  const stranger = await asking(api, OTHER_USER);
  const refused = await stranger.post('/licenses/preview-bulk', {
    action: 'suspend',
    filter: { suspended: false },
  });
  expect(refused.statusCode).toBe(403);
});

test('an act on chosen licences reaches these alone, and only those of the provider', async () => {
  const plan = await selling.newPlan();
  const [chosen, other] = [await soldUnder(plan), await soldUnder(plan)];
  const filter = { licenseIds: [chosen, 'license-of-nobody'] };
  expect(await act('suspend', filter)).toMatchObject({ done: 1, refused: [] });
  const isSuspended = async (license: string) => (await world.shown(license))['suspended'] !== null;
  expect([await isSuspended(chosen), await isSuspended(other)]).toEqual([true, false]);
  const both = await preview('suspend', { ...filter, search: 'ACME' });
  expect([both.statusCode, both.json().field]).toEqual([400, 'filter.licenseIds']);
});
