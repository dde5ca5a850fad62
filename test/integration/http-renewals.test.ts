import { describe, expect, test } from 'vitest';
import { ALLOCATION, LICENSE_RENEWAL_REQUEST } from '../../src/domain/licensing.ts';
import { trusted } from '../../src/domain/ids.ts';
import { OTHER_USER, USER } from '../kit/http-api.ts';
import type { Ask } from '../kit/http-ask.ts';
import { asking } from '../kit/http-ask.ts';
import { expectProblem, traces } from '../kit/http-refusals.ts';
import { RENEW, startRenewalsWorld } from '../kit/http-renewals.ts';
import { ending } from '../kit/ledger-stand-in.ts';
import { forFile } from '../kit/for-file.ts';

/* A renewal, from the provider's request to the licence's new contract, with nothing but the API. */

const world = await forFile(startRenewalsWorld());

describe('a renewal', () => {
  test('is asked for, paid and completed, and the licence is valid for the extension', async () => {
    const license = await world.newLicense();
    const asked = await world.renew(license, { licenseFeeCc: '100.25' });
    expect([asked.statusCode, asked.body, asked.headers['content-type']]).toEqual([
      201,
      '',
      undefined,
    ]);
    const renewal = await world.renewalOf(license);
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
    const allocation = await world.allocate(renewal.contractId);
    expect(await world.renewalOf(license)).toMatchObject({
      allocationCid: allocation,
      allocationMatches: true,
      allocationDiffers: [],
    });
    const before = (await world.shown(license))['lifecycleId'];
    const done = await world.complete(license, renewal.contractId, allocation);
    expect([done.statusCode, Object.keys(done.json())]).toEqual([
      200,
      ['licenseId', 'lifecycleId', 'version', 'machineVersion', 'state'],
    ]);
    const { licenseId, ...stands } = done.json();
    expect(licenseId).not.toBe(license);
    expect(await world.shown(licenseId)).toMatchObject(stands);
    expect(await world.shown(licenseId)).toMatchObject({
      contractId: licenseId,
      lifecycleId: before,
      isExpired: false,
      renewalRequests: [],
    });
    // The former contract ID still finds the licence.
    expect((await world.shown(license))['contractId']).toBe(licenseId);
    const one = await world.provider.get(`/license-renewal-requests/${renewal.contractId}`);
    expect(one.json()).toMatchObject({ state: 'renewed' });
  });

  test('keeps the digits of its fee from the body to the answer', async () => {
    const license = await world.newLicense();
    // The body is written as a string, because JSON.stringify would write the number as a float, with fewer digits.
    const payload = JSON.stringify(RENEW).replace('100', '9007199254740993.0000000001');
    const reply = await world.api.app.inject({
      method: 'POST',
      url: `/licenses/${license}:renew?commandId=${world.command()}`,
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
    const license = await world.newLicense();
    const id = world.command();
    const [first, second] = [
      await world.renew(license, {}, id),
      await world.renew(license, {}, id),
    ];
    expect([first.statusCode, second.statusCode]).toEqual([201, 201]);
    expect(second.headers['idempotent-replayed']).toBe('true');
    await world.renewalOf(license);
    // The same values in another notation are the same request.
    const same = { licenseFeeCc: '100.00', prepareUntilDuration: 'PT600S' };
    expect((await world.renew(license, same, id)).statusCode).toBe(201);
    expect((await world.renew(license, { licenseFeeCc: 101 }, id)).statusCode).toBe(422);
    await world.renewalOf(license);
  });

  test('is one at a time, unless its provider wants more', async () => {
    const license = await world.newLicense();
    const both = await Promise.all([world.renew(license), world.renew(license)]);
    expect(both.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([201, 409]);
    const refused = both.find(({ statusCode }) => statusCode === 409)!.json();
    expect(refused).toMatchObject({ code: 'STEP_NOT_ALLOWED', state: 'active' });
    expect(refused.message).toContain('a renewal of this licence is open');
    const actions = (await world.provider.get(`/licenses/${license}/actions`)).json();
    expect(actions.find(({ name }: { name: string }) => name === 'renew')).toMatchObject({
      allowed: false,
    });
    expect((await world.renew(license, { allowConcurrent: true })).statusCode).toBe(201);
    expect((await world.shown(license))['renewalRequests']).toHaveLength(2);
  });

  test('is not offered to a client that may only read', async () => {
    const { api, provider } = world;
    const url = `/licenses/${await world.newLicense()}/actions`;
    const reader = await asking(api, api.deps.hosting.provider, { claims: { azp: 'only-read' } });
    expect((await reader.get('/user')).json().permissions).toEqual(['read']);
    const actionsOf = async (caller: Ask) => {
      const actions: readonly Record<string, unknown>[] = (await caller.get(url)).json();
      return actions.filter(({ reason }) => !String(reason).startsWith('only the user'));
    };
    const own = await actionsOf(provider);
    expect(own.find(({ name }) => name === 'renew')).toMatchObject({ allowed: true });
    const refused = { allowed: false, reason: 'the caller has only the permission to read' };
    expect(await actionsOf(reader)).toEqual(own.map((action) => ({ ...action, ...refused })));
  });

  test('can be asked for anew when the window of the last one has closed', async () => {
    const license = await world.newLicense();
    expect((await world.renew(license)).statusCode).toBe(201);
    const { contractId } = await world.renewalOf(license);
    const allocation = await world.allocate(contractId);
    world.api.clock.advance(20 * 60_000);
    expect(await world.renewalOf(license)).toMatchObject({
      prepareDeadlinePassed: true,
      settleDeadlinePassed: true,
    });
    const late = await world.complete(license, contractId, allocation);
    expect([late.statusCode, late.json().code]).toEqual([409, 'STEP_NOT_ALLOWED']);
    expect(late.json().message).toContain('the time to pay ended at');
    expect((await world.renew(license)).statusCode).toBe(201);
    const withdrawn = await world.provider.post(
      `/license-renewal-requests/${contractId}:withdraw?commandId=${world.command()}`,
    );
    expect([withdrawn.statusCode, withdrawn.body]).toEqual([204, '']);
    await world.renewalOf(license);
  });

  test('ends as the ledger says, whoever ended it', async () => {
    const license = await world.newLicense();
    await world.renew(license);
    const { contractId, lifecycleId } = await world.renewalOf(license);
    const reject = ending(trusted(contractId), LICENSE_RENEWAL_REQUEST, 'AllocationRequest_Reject');
    await world.api.ledger.happen([reject]);
    expect((await world.shown(license))['renewalRequests']).toEqual([]);
    const one = await world.user.get(`/license-renewal-requests/${lifecycleId}`);
    expect(one.json()).toMatchObject({ contractId, state: 'rejected' });
    const again = await world.provider.post(
      `/license-renewal-requests/${contractId}:withdraw?commandId=${world.command()}`,
    );
    expect([again.statusCode, again.json().code]).toEqual([409, 'LIFECYCLE_ENDED']);
  });
});

describe('an allocation', () => {
  test('that does not match is shown as such, and not sent', async () => {
    const license = await world.newLicense();
    await world.renew(license);
    const { contractId } = await world.renewalOf(license);
    const wrong = await world.allocate(contractId, { amount: '99.0000000000' });
    expect(await world.renewalOf(license)).toMatchObject({
      allocationCid: wrong,
      allocationMatches: false,
      allocationDiffers: ['amount'],
    });
    const refused = await world.complete(license, contractId, wrong);
    expect(refused.json()).toMatchObject({
      status: 409,
      code: 'ALLOCATION_MISMATCH',
      field: 'allocationContractId',
      differs: ['amount'],
    });
    // A renewal is one row, whatever the number of its allocations, and shows the allocation that will pay the fee.
    const right = await world.allocate(contractId);
    await world.allocate(contractId, { amount: '1.0000000000' });
    expect(await world.renewalOf(license)).toMatchObject({
      allocationCid: right,
      allocationMatches: true,
    });
    // The user withdraws the allocation.
    await world.api.ledger.happen([ending(right, ALLOCATION, 'Allocation_Withdraw')]);
    expect(await world.renewalOf(license)).toMatchObject({ allocationMatches: false });
    const gone = await world.complete(license, contractId, right);
    expect(gone.json()).toMatchObject({ status: 422, code: 'ALLOCATION_NOT_FOUND' });
  });

  test('of another renewal is refused', async () => {
    const [license, other] = [await world.newLicense(), await world.newLicense()];
    await world.renew(license);
    await world.renew(other);
    const [mine, theirs] = [await world.renewalOf(license), await world.renewalOf(other)];
    const allocation = await world.allocate(theirs.contractId);
    const refused = await world.complete(license, mine.contractId, allocation);
    expect(refused.json()).toMatchObject({ code: 'ALLOCATION_MISMATCH' });
    expect(refused.json().differs).toContain('settlementRef');
    // A renewal extends only its own licence.
    const crossed = await world.complete(license, theirs.contractId, allocation);
    expect([crossed.statusCode, crossed.json().code]).toEqual([409, 'LICENSE_MISMATCH']);
    expect((await world.complete(other, theirs.contractId, allocation)).statusCode).toBe(200);
  });
});

describe('If-Match', () => {
  const withdraw = (renewal: string, match: string) =>
    world.provider.post(
      `/license-renewal-requests/${renewal}:withdraw?commandId=${world.command()}`,
      undefined,
      { 'if-match': match },
    );

  test('names the version of a renewal, or several, of which one will do', async () => {
    const license = await world.newLicense();
    for (const [match, status] of [
      ['"1"', 204],
      ['"7", "1"', 204],
      ['W/"1", "1"', 204],
      ['*', 204],
      ['W/"1"', 204],
      ['"2", "3"', 412],
    ] as const) {
      expect((await world.renew(license)).statusCode).toBe(201);
      const { contractId } = await world.renewalOf(license);
      const one = await world.user.get(`/license-renewal-requests/${contractId}`);
      expect(one.headers['etag']).toMatch(/^"1\.[0-9a-f]{10}"$/u);
      const reply = await withdraw(contractId, match);
      expect([match, reply.statusCode]).toEqual([match, status]);
      if (status === 204) continue;
      expect(reply.json()).toMatchObject({ code: 'PRECONDITION_FAILED', version: 1 });
      expect((await withdraw(contractId, '*')).statusCode).toBe(204);
    }
  });

  test('every resource shows its version in a strong tag, also after its end', async () => {
    const license = await world.newLicense();
    await world.renew(license);
    const { contractId } = await world.renewalOf(license);
    await withdraw(contractId, '*');
    const paths = [
      `/app-install-requests/${world.open}`,
      `/app-installs/${world.install}`,
      `/licenses/${license}`,
      `/license-renewal-requests/${contractId}`,
    ];
    for (const path of paths) {
      for (const ask of [world.provider, world.user]) {
        const one = await ask.get(`/api${path}`);
        const [, version] = /^"(\d+)(?:\.[0-9a-f]{10})?"$/u.exec(String(one.headers['etag'])) ?? [];
        expect([path, version]).toEqual([path, String(one.json().version)]);
      }
    }
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
    const license = await world.newLicense();
    const before = await traces(world.api);
    const reply = await world.renew(license, over);
    expect([reply.statusCode, reply.json().code]).toEqual([400, 'REQUEST_INVALID']);
    expect(reply.json().field).toBe(field);
    expect(await traces(world.api)).toBe(before);
  });

  test('by the user, by somebody else, and of what is not there', async () => {
    const license = await world.newLicense();
    await world.renew(license);
    const { contractId } = await world.renewalOf(license);
    const allocation = await world.allocate(contractId);
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
    expectProblem(await world.complete(license, unknown, allocation, 'c-1'), paths.complete, {
      code: 'NOT_FOUND',
      message: `Active renewal request not found for contract ${unknown}`,
      commandId: 'c-1',
    });
    const nowhere = `/licenses/${unknown}:complete-renewal`;
    expectProblem(await world.complete(unknown, contractId, allocation, 'c-1'), nowhere, {
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
    expect((await world.complete(license, contractId, 'no contract ID')).statusCode).toBe(422);
    expect(await traces(world.api)).toBe(before);
  });
});

test('each side sees its own renewals in the list', async () => {
  const license = await world.newLicense();
  await world.renew(license);
  const { contractId } = await world.renewalOf(license);
  const listed = async (who: Awaited<ReturnType<typeof asking>>) =>
    (await who.get('/license-renewal-requests'))
      .json()
      .map((renewal: { contractId: string }) => renewal.contractId);
  expect(await listed(world.provider)).toContain(contractId);
  expect(await listed(world.user)).toContain(contractId);
  expect(await listed(await asking(world.api, OTHER_USER))).toEqual([]);
});
