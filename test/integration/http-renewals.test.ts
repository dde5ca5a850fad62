import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonRecord } from '../../src/domain/json.ts';
import { ALLOCATION, LICENSE_RENEWAL_REQUEST } from '../../src/domain/licensing.ts';
import { trusted } from '../../src/domain/ids.ts';
import { OTHER_USER, USER } from '../kit/http-api.ts';
import { asking } from '../kit/http-ask.ts';
import type { Populated } from '../kit/http-refusals.ts';
import { expectProblem, startPopulated, traces } from '../kit/http-refusals.ts';
import { allocationFor, ending } from '../kit/ledger-stand-in.ts';

/* A renewal from the provider's request to the licence's new contract, over the API alone. */

let world: Populated;
let following: { stop(): Promise<void> };
let count = 0;

beforeAll(async () => {
  world = await startPopulated();
  following = world.api.ledger.follow();
});
afterAll(async () => {
  await following.stop();
  await world.api[Symbol.asyncDispose]();
});

const command = (): string => `renewal-${(count += 1)}`;

const RENEW = {
  licenseFeeCc: 100,
  licenseExtensionDuration: 'P30D',
  prepareUntilDuration: 'PT10M',
  settleBeforeDuration: 'PT20M',
  description: 'One more month',
};

/** A licence of its own for each test, so that no test finds the renewals of another. */
async function newLicense(): Promise<string> {
  const { install } = await current();
  const path = `/app-installs/${install}:create-license?commandId=${command()}`;
  const reply = await world.provider.post(path, { params: {} });
  return reply.json().licenseId;
}

async function current(): Promise<{ install: string }> {
  const [install] = (await world.provider.get('/app-installs')).json();
  return { install: install.contractId };
}

const renew = (license: string, over: object = {}, id = command()) =>
  world.provider.post(`/licenses/${license}:renew?commandId=${id}`, { ...RENEW, ...over });

async function shown(license: string): Promise<Record<string, unknown>> {
  return (await world.provider.get(`/licenses/${license}`)).json();
}

interface Shown {
  readonly contractId: string;
  readonly lifecycleId: string;
}

async function renewalOf(license: string): Promise<Shown> {
  const { renewalRequests } = (await shown(license)) as { renewalRequests: Shown[] };
  expect(renewalRequests).toHaveLength(1);
  return renewalRequests[0]!;
}

async function payloadOf(renewal: string): Promise<JsonRecord> {
  const view = await world.api.store.reads.lifecycle(renewal, {
    signal: new AbortController().signal,
    deadlineMs: 5_000,
  });
  return view!.payload;
}

/** The user's wallet sets the money aside. */
async function allocate(renewal: string, over: { amount?: string; requestId?: string } = {}) {
  const allocation = allocationFor(await payloadOf(renewal), over);
  await world.api.ledger.happen([allocation]);
  return allocation.contractId;
}

const complete = (license: string, renewal: string, allocation: string, id = command()) =>
  world.provider.post(`/licenses/${license}:complete-renewal?commandId=${id}`, {
    renewalRequestContractId: renewal,
    allocationContractId: allocation,
  });

describe('a renewal', () => {
  test('is asked for, paid and completed, and the licence is valid for the extension', async () => {
    const license = await newLicense();
    const asked = await renew(license, { licenseFeeCc: '100.25' });
    expect([asked.statusCode, asked.body, asked.headers['content-type']]).toEqual([
      201,
      '',
      undefined,
    ]);
    const renewal = await renewalOf(license);
    expect(renewal).toMatchObject({
      user: USER,
      licenseFeeInstrument: 'Amulet',
      licenseExtensionDuration: '30 days',
      description: 'One more month',
      allocationCid: null,
      allocationMatches: null,
      prepareDeadlinePassed: false,
      settleDeadlinePassed: false,
      state: 'requested',
    });
    const allocation = await allocate(renewal.contractId);
    expect(await renewalOf(license)).toMatchObject({
      allocationCid: allocation,
      allocationMatches: true,
      allocationDiffers: [],
    });
    const before = (await shown(license))['lifecycleId'];
    const done = await complete(license, renewal.contractId, allocation);
    expect([done.statusCode, Object.keys(done.json())]).toEqual([200, ['licenseId']]);
    const { licenseId } = done.json();
    expect(licenseId).not.toBe(license);
    expect(await shown(licenseId)).toMatchObject({
      contractId: licenseId,
      lifecycleId: before,
      isExpired: false,
      renewalRequests: [],
    });
    // The old contract leads to the licence still.
    expect((await shown(license))['contractId']).toBe(licenseId);
    const one = await world.provider.get(`/license-renewal-requests/${renewal.contractId}`);
    expect(one.json()).toMatchObject({ state: 'renewed' });
  });

  test('keeps the digits of its fee from the body to the answer', async () => {
    const license = await newLicense();
    // As text: JSON.stringify would go through a float.
    const payload = JSON.stringify(RENEW).replace('100', '9007199254740993.0000000001');
    const reply = await world.api.app.inject({
      method: 'POST',
      url: `/licenses/${license}:renew?commandId=${command()}`,
      headers: {
        authorization: await world.api.as(world.api.deps.hosting.provider),
        'content-type': 'application/json',
      },
      payload,
    });
    expect(reply.statusCode).toBe(201);
    const { rows } = await world.api.pool.query(
      `select body ->> 'licenseFeeCc' as fee from change where operation = 'renew-license'
       order by accepted_at desc limit 1`,
    );
    expect(rows).toEqual([{ fee: '9007199254740993.0000000001' }]);
    expect((await world.provider.get(`/licenses/${license}`)).body).toMatch(
      /"licenseFeeAmount":9007199254740993\.\d{10},/u,
    );
  });

  test('carries the same ids and times however often it is repeated', async () => {
    const license = await newLicense();
    const id = command();
    const [first, second] = [await renew(license, {}, id), await renew(license, {}, id)];
    expect([first.statusCode, second.statusCode]).toEqual([201, 201]);
    expect(second.headers['idempotent-replayed']).toBe('true');
    await renewalOf(license);
    // Another way of writing the same thing is the same thing.
    const same = { licenseFeeCc: '100.00', prepareUntilDuration: 'PT600S' };
    expect((await renew(license, same, id)).statusCode).toBe(201);
    expect((await renew(license, { licenseFeeCc: 101 }, id)).statusCode).toBe(422);
    await renewalOf(license);
  });

  test('is one at a time, unless its provider wants more', async () => {
    const license = await newLicense();
    const both = await Promise.all([renew(license), renew(license)]);
    expect(both.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([201, 409]);
    const refused = both.find(({ statusCode }) => statusCode === 409)!.json();
    expect(refused).toMatchObject({ code: 'STEP_NOT_ALLOWED', state: 'active' });
    expect(refused.message).toContain('a renewal of this licence is open');
    const actions = (await world.provider.get(`/licenses/${license}/actions`)).json();
    expect(actions.find(({ name }: { name: string }) => name === 'renew')).toMatchObject({
      allowed: false,
    });
    expect((await renew(license, { allowConcurrent: true })).statusCode).toBe(201);
    expect((await shown(license))['renewalRequests']).toHaveLength(2);
  });

  test('can be asked for anew when the window of the last one has closed', async () => {
    const license = await newLicense();
    expect((await renew(license)).statusCode).toBe(201);
    const { contractId } = await renewalOf(license);
    const allocation = await allocate(contractId);
    world.api.clock.advance(20 * 60_000);
    expect(await renewalOf(license)).toMatchObject({
      prepareDeadlinePassed: true,
      settleDeadlinePassed: true,
    });
    const late = await complete(license, contractId, allocation);
    expect([late.statusCode, late.json().code]).toEqual([409, 'STEP_NOT_ALLOWED']);
    expect(late.json().message).toContain('its window closed at');
    expect((await renew(license)).statusCode).toBe(201);
    const withdrawn = await world.provider.post(
      `/license-renewal-requests/${contractId}:withdraw?commandId=${command()}`,
    );
    expect([withdrawn.statusCode, withdrawn.body]).toEqual([204, '']);
    await renewalOf(license);
  });

  test('whose window closes while its completion waits is judged by the clock of its turn', async () => {
    const license = await newLicense();
    await renew(license);
    const { contractId, lifecycleId } = await renewalOf(license);
    const allocation = await allocate(contractId);
    await following.stop();
    const ask = (path: string, body: object) =>
      world.provider.post(`${path}?commandId=${command()}`, body, { prefer: 'respond-async' });
    const ahead = await ask(`/licenses/${license}:renew`, { ...RENEW, allowConcurrent: true });
    expect(ahead.statusCode).toBe(202);
    // The clock of whoever records it is ahead of the one by which it is judged.
    world.api.clock.advance(20 * 60_000);
    const body = { allocationContractId: allocation };
    const late = await ask(`/license-renewal-requests/${contractId}:complete`, body);
    expect(late.statusCode).toBe(202);
    world.api.clock.advance(-20 * 60_000);
    following = world.api.ledger.follow();
    await expect
      .poll(async () =>
        (await world.provider.get(`/license-renewal-requests/${lifecycleId}`)).json(),
      )
      .toMatchObject({ state: 'renewed' });
  });

  test('ends as the ledger says, whoever ended it', async () => {
    const license = await newLicense();
    await renew(license);
    const { contractId, lifecycleId } = await renewalOf(license);
    const reject = ending(trusted(contractId), LICENSE_RENEWAL_REQUEST, 'AllocationRequest_Reject');
    await world.api.ledger.happen([reject]);
    expect((await shown(license))['renewalRequests']).toEqual([]);
    const one = await world.user.get(`/license-renewal-requests/${lifecycleId}`);
    expect(one.json()).toMatchObject({ contractId, state: 'rejected' });
    const again = await world.provider.post(
      `/license-renewal-requests/${contractId}:withdraw?commandId=${command()}`,
    );
    expect([again.statusCode, again.json().code]).toEqual([409, 'LIFECYCLE_ENDED']);
  });
});

describe('an allocation', () => {
  test('that does not match is shown as such, and not sent', async () => {
    const license = await newLicense();
    await renew(license);
    const { contractId } = await renewalOf(license);
    const wrong = await allocate(contractId, { amount: '99.0000000000' });
    expect(await renewalOf(license)).toMatchObject({
      allocationCid: wrong,
      allocationMatches: false,
      allocationDiffers: ['amount'],
    });
    const refused = await complete(license, contractId, wrong);
    expect(refused.json()).toMatchObject({
      status: 409,
      code: 'ALLOCATION_MISMATCH',
      field: 'allocationContractId',
      differs: ['amount'],
    });
    // One row, whatever the number of allocations: the one that will do.
    const right = await allocate(contractId);
    await allocate(contractId, { amount: '1.0000000000' });
    expect(await renewalOf(license)).toMatchObject({
      allocationCid: right,
      allocationMatches: true,
    });
    // The user takes it back.
    await world.api.ledger.happen([ending(right, ALLOCATION, 'Allocation_Withdraw')]);
    expect(await renewalOf(license)).toMatchObject({ allocationMatches: false });
    const gone = await complete(license, contractId, right);
    expect(gone.json()).toMatchObject({ status: 422, code: 'ALLOCATION_NOT_FOUND' });
  });

  test('of another renewal is refused', async () => {
    const [license, other] = [await newLicense(), await newLicense()];
    await renew(license);
    await renew(other);
    const [mine, theirs] = [await renewalOf(license), await renewalOf(other)];
    const allocation = await allocate(theirs.contractId);
    const refused = await complete(license, mine.contractId, allocation);
    expect(refused.json()).toMatchObject({ code: 'ALLOCATION_MISMATCH' });
    expect(refused.json().differs).toContain('settlementRef');
    // Nor does a renewal extend another licence than its own.
    const crossed = await complete(license, theirs.contractId, allocation);
    expect([crossed.statusCode, crossed.json().code]).toEqual([409, 'CONTRACT_GONE']);
    expect((await complete(other, theirs.contractId, allocation)).statusCode).toBe(200);
  });

  test('is completed by the renewal’s own address too', async () => {
    const license = await newLicense();
    await renew(license);
    const { contractId } = await renewalOf(license);
    const allocation = await allocate(contractId);
    const done = await world.provider.post(
      `/api/license-renewal-requests/${contractId}:complete?commandId=${command()}`,
      { allocationContractId: allocation },
    );
    expect(done.statusCode).toBe(200);
    expect(await shown(license)).toMatchObject({ contractId: done.json().licenseId });
  });

  test('is completed once, by whichever address and name of the licence it is repeated', async () => {
    const [license, other] = [await newLicense(), await newLicense()];
    await renew(license);
    const { contractId } = await renewalOf(license);
    const allocation = await allocate(contractId);
    const id = command();
    const first = await complete(license, contractId, allocation, id);
    expect(first.statusCode).toBe(200);
    const { lifecycleId } = (await shown(license)) as { lifecycleId: string };
    const again = [
      await complete(first.json().licenseId, contractId, allocation, id),
      await complete(lifecycleId, contractId, allocation, id),
      await world.provider.post(
        `/license-renewal-requests/${contractId}:complete?commandId=${id}`,
        { allocationContractId: allocation },
      ),
    ];
    for (const reply of again) {
      expect([reply.statusCode, reply.headers['idempotent-replayed']]).toEqual([200, 'true']);
      expect(reply.json()).toEqual(first.json());
    }
    const elsewhere = await complete(other, contractId, allocation, id);
    expect(elsewhere.json()).toMatchObject({ status: 422, code: 'COMMAND_ID_REUSED' });
  });

  test('is completed on the licence as it was seen: the tag is of what the path names', async () => {
    const license = await newLicense();
    const tag = async (path: string) => (await world.provider.get(path)).headers['etag'] as string;
    await renew(license);
    const { contractId } = await renewalOf(license);
    const allocation = await allocate(contractId);
    const tags = {
      license: await tag(`/licenses/${license}`),
      renewal: await tag(`/license-renewal-requests/${contractId}`),
    };
    expect(tags.license).not.toBe(tags.renewal);
    const completeIf = (ifMatch: string) =>
      world.provider.post(
        `/licenses/${license}:complete-renewal?commandId=${command()}`,
        { renewalRequestContractId: contractId, allocationContractId: allocation },
        { 'if-match': ifMatch },
      );
    expect((await completeIf(tags.renewal)).statusCode).toBe(412);
    // In the ledger's words the path names the renewal, and the argument the licence.
    const choice = 'LicenseRenewalRequest_CompleteRenewal';
    const exercised = await world.provider.post(
      `/contracts/${contractId}/exercise?commandId=${command()}`,
      { choice, argument: { allocationCid: allocation, licenseCid: license } },
      { 'if-match': tags.license },
    );
    expect(exercised.statusCode).toBe(412);
    expect((await completeIf(tags.license)).statusCode).toBe(200);
  });
});

describe('what is refused leaves nothing', () => {
  test.each([
    ['a fee below zero', { licenseFeeCc: -1 }, 'licenseFeeCc'],
    ['no fee', { licenseFeeCc: 0 }, 'licenseFeeCc'],
    ['11 digits after the point', { licenseFeeCc: '0.00000000001' }, 'licenseFeeCc'],
    ['29 digits before it', { licenseFeeCc: '1e28' }, 'licenseFeeCc'],
    ['an enormous exponent', { licenseFeeCc: '1e999999999' }, 'licenseFeeCc'],
    ['a fee that is none', { licenseFeeCc: 'free' }, 'licenseFeeCc'],
    ['months', { licenseExtensionDuration: 'P1M' }, 'licenseExtensionDuration'],
    ['no duration', { licenseExtensionDuration: '30d' }, 'licenseExtensionDuration'],
    ['nothing', { licenseExtensionDuration: 'PT0S' }, 'licenseExtensionDuration'],
    ['a thousand years', { licenseExtensionDuration: 'P365250D' }, 'licenseExtensionDuration'],
    ['a long text', { prepareUntilDuration: `PT${'1'.repeat(80)}S` }, 'prepareUntilDuration'],
    ['going back', { prepareUntilDuration: '-PT1M' }, 'prepareUntilDuration'],
    ['windows in disorder', { settleBeforeDuration: 'PT10M' }, 'settleBeforeDuration'],
    ['no description', { description: undefined }, 'description'],
    ['another type', { description: {} }, 'description'],
  ])('%s', async (_what, over, field) => {
    const license = await newLicense();
    const before = await traces(world.api);
    const reply = await renew(license, over);
    expect([reply.statusCode, reply.json().code]).toEqual([400, 'REQUEST_INVALID']);
    expect(reply.json().field).toBe(field);
    expect(await traces(world.api)).toBe(before);
  });

  test('by the user, by somebody else, and of what is not there', async () => {
    const license = await newLicense();
    await renew(license);
    const { contractId } = await renewalOf(license);
    const allocation = await allocate(contractId);
    const before = await traces(world.api);
    const other = await asking(world.api, OTHER_USER);
    const body = { renewalRequestContractId: contractId, allocationContractId: allocation };
    const paths = {
      renew: `/licenses/${license}:renew`,
      complete: `/licenses/${license}:complete-renewal`,
      withdraw: `/license-renewal-requests/${contractId}:withdraw`,
    };
    for (const [path, payload] of [
      [paths.renew, RENEW],
      [paths.complete, body],
      [paths.withdraw, undefined],
    ] as const) {
      const mine = await world.user.post(`${path}?commandId=c-1`, payload);
      expect([mine.statusCode, mine.json().code]).toEqual([403, 'FORBIDDEN']);
      const theirs = await other.post(`${path}?commandId=c-1`, payload);
      expect([theirs.statusCode, theirs.json().code]).toEqual([404, 'NOT_FOUND']);
    }
    const unknown = trusted<string & {}>(`00${'ab'.repeat(68)}`);
    expectProblem(await complete(license, unknown, allocation, 'c-1'), paths.complete, {
      code: 'NOT_FOUND',
      message: `Active renewal request not found for contract ${unknown}`,
      commandId: 'c-1',
    });
    const nowhere = `/licenses/${unknown}:complete-renewal`;
    expectProblem(await complete(unknown, contractId, allocation, 'c-1'), nowhere, {
      code: 'NOT_FOUND',
      message: `License not found for contract ${unknown}`,
      commandId: 'c-1',
    });
    const gone = `/license-renewal-requests/${unknown}:withdraw`;
    expectProblem(await world.provider.post(`${gone}?commandId=c-1`), gone, {
      code: 'NOT_FOUND',
      message: `AllocationRequest ${unknown} not found`,
      commandId: 'c-1',
    });
    expect((await complete(license, contractId, 'no contract ID')).statusCode).toBe(422);
    expect(await traces(world.api)).toBe(before);
  });
});

test('each side sees its own renewals in the list', async () => {
  const license = await newLicense();
  await renew(license);
  const { contractId } = await renewalOf(license);
  const listed = async (who: Awaited<ReturnType<typeof asking>>) =>
    (await who.get('/license-renewal-requests'))
      .json()
      .map((renewal: { contractId: string }) => renewal.contractId);
  expect(await listed(world.provider)).toContain(contractId);
  expect(await listed(world.user)).toContain(contractId);
  expect(await listed(await asking(world.api, OTHER_USER))).toEqual([]);
});
