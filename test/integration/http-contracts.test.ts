import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { JsonRecord } from '../../src/domain/json.ts';
import { HOMELESS, IO, OTHER_USER, PROVIDER, USER } from '../kit/http-api.ts';
import type { Ask } from '../kit/http-ask.ts';
import { asking } from '../kit/http-ask.ts';
import { startContractsWorld } from '../kit/http-contracts.ts';
import { expectProblem } from '../kit/http-refusals.ts';
import { allocationFor } from '../kit/ledger-stand-in.ts';
import { PATIENCE_MS } from '../kit/patience.ts';
import { forFile } from '../kit/for-file.ts';

/* Contracts and choices under the ledger's own names: they make the same changes as the routes for each resource. */

const world = await forFile(startContractsWorld());
const { provider, user } = world;
beforeEach(() => world.follow());

const META = { values: { reason: 'test' } };

describe('a contract', () => {
  test('is shown as it was projected, to its signatories and observers, with its lifecycle', async () => {
    const license = await world.licensed();
    const concrete = await user.get(`/licenses/${license}`);
    const shown = await user.get(`/api/contracts/${license}`);
    expect(shown.statusCode).toBe(200);
    // The body of a licence also shows other contracts, so its entity tag has another part in addition to the version.
    expect(String(concrete.headers['etag']).replace(/\.[^"]*/u, '')).toBe(shown.headers['etag']);
    expect(shown.json()).toEqual({
      contractId: license,
      templateId: '#quickstart-licensing:Licensing.License:License',
      packageId: 'package-1',
      payload: {
        provider: PROVIDER,
        user: USER,
        params: { meta: { values: {} } },
        expiresAt: expect.any(String),
        licenseNum: '1',
      },
      signatories: [PROVIDER, USER],
      observers: [],
      createdAt: expect.any(String),
      createdAtOffset: expect.any(Number),
      isActive: true,
      lifecycleId: concrete.json().lifecycleId,
      version: 1,
      state: 'active',
    });
    const { lifecycleId } = concrete.json();
    for (const path of [`/contracts/${license}`, `/api/contracts/${lifecycleId}`]) {
      expect((await provider.get(path)).json()).toEqual(shown.json());
    }
  });

  test('is shown after its end, when and where that was', async () => {
    const install = await world.installed();
    const create = `/app-installs/${install}:create-license?commandId=${world.id('create')}`;
    const { installId } = (await provider.post(create, { params: {} })).json();
    const old = (await user.get(`/contracts/${install}`)).json();
    const next = (await user.get(`/contracts/${installId}`)).json();
    expect(old).toMatchObject({
      isActive: false,
      archivedAt: next.createdAt,
      archivedAtOffset: next.createdAtOffset,
      lifecycleId: next.lifecycleId,
    });
    expect(next).toMatchObject({ isActive: true });
    expect(next).not.toHaveProperty('archivedAt');
  });

  test('without a lifecycle has no ETag: a comment, and what is known by an interface alone', async () => {
    const license = await world.licensed();
    await user.post(`/licenses/${license}/comments?commandId=${world.id('comment')}`, {
      body: 'hello',
    });
    const [comment] = (await user.get(`/licenses/${license}/comments?limit=1`)).json();
    const shown = await provider.get(`/contracts/${comment.contractId}`);
    expect([shown.statusCode, shown.headers['etag']]).toEqual([200, undefined]);
    expect(shown.json()).toMatchObject({
      templateId: '#quickstart-licensing:Licensing.LicenseComment:LicenseComment',
      signatories: [comment.commenter],
      observers: [PROVIDER, USER],
    });
    expect(shown.json()).not.toHaveProperty('lifecycleId');
  });

  test('that is not known and one of others look the same', async () => {
    const license = await world.licensed();
    const stranger = await asking(world.api, OTHER_USER);
    for (const asked of [license, `00${'ab'.repeat(40)}`, 'nothing', 'license-nothing']) {
      const extra = {
        code: 'NOT_FOUND',
        message: `Contract not found for contract ${asked}`,
      } as const;
      expectProblem(await stranger.get(`/contracts/${asked}`), `/contracts/${asked}`, extra);
      const path = `/api/contracts/${asked}/exercise`;
      const refused = await world.exercise(stranger, asked, 'License_Expire', {}, 'c-1');
      expectProblem(refused, path, { ...extra, commandId: 'c-1' });
    }
    expect((await provider.get('/contracts/a%00b')).statusCode).toBe(400);
  });
});

/** For each choice: its name, its contract, the caller, its argument, and the state of the lifecycle afterwards. */
const CHOICES: readonly (readonly [
  string,
  () => Promise<string>,
  () => Ask,
  JsonRecord,
  string,
])[] = [
  [
    'AppInstallRequest_Accept',
    () => world.requested(),
    () => provider,
    { installMeta: META, meta: { values: {} } },
    'accepted',
  ],
  ['AppInstallRequest_Reject', () => world.requested(), () => provider, { meta: META }, 'rejected'],
  ['AppInstallRequest_Cancel', () => world.requested(), () => user, {}, 'cancelled'],
  [
    'AppInstall_CreateLicense',
    () => world.installed(),
    () => provider,
    { params: { meta: META } },
    'active',
  ],
  [
    'AppInstall_Cancel',
    () => world.installed(),
    () => user,
    { actor: PROVIDER, meta: META },
    'cancelled',
  ],
  ['License_Expire', () => world.licensed(), () => user, { meta: META }, 'expired'],
  [
    'License_Renew',
    () => world.licensed(),
    () => provider,
    {
      requestId: 'request-7',
      licenseFeeAmount: '9007199254740993.0000000001',
      licenseExtensionDuration: { microseconds: '2592000000000' },
      requestedAt: '2026-01-01T00:00:00Z',
      prepareUntil: '2099-01-01T00:00:00Z',
      settleBefore: '2099-01-02T00:00:00Z',
      description: 'One more month',
    },
    'active',
  ],
  ['LicenseRenewalRequest_CompleteRenewal', () => world.renewed(), () => provider, {}, 'renewed'],
  [
    'AllocationRequest_Withdraw',
    () => world.renewed(),
    () => provider,
    { extraArgs: {} },
    'withdrawn',
  ],
];

/** Allocates the fee from the user's wallet. */
async function allocated(renewal: string): Promise<JsonRecord> {
  const view = await world.api.store.reads.lifecycle(renewal, IO);
  const allocation = allocationFor(view?.payload ?? {});
  await world.api.ledger.happen([allocation]);
  const shown = (await user.get(`/contracts/${allocation.contractId}`)).json();
  expect(shown.templateId).toMatch(/^#splice-api-token-allocation-v1:.*:Allocation$/u);
  return { allocationCid: allocation.contractId };
}

describe('a choice', () => {
  test.each(CHOICES)('%s', async (choice, on, by, given, state) => {
    const contract = await on();
    const argument = choice.endsWith('CompleteRenewal') ? await allocated(contract) : given;
    const done = await world.exercise(by(), contract, choice, argument);
    expect([done.statusCode, Object.keys(done.json())]).toEqual([
      200,
      ['updateId', 'offset', 'result'],
    ]);
    const { updateId, offset, result } = done.json();
    expect([updateId, offset]).toEqual([`update-${offset}`, expect.any(Number)]);
    const { rows } = await world.api.pool.query(
      'select choice, argument, result from exercise where "offset" = $1 and node_id = 0',
      [offset],
    );
    expect(rows[0]).toMatchObject({ choice, result });
    // The exercised argument has the given fields, and default values for all others.
    const { rows: lifecycles } = await world.api.pool.query(
      'select l.state from lifecycle l join lineage a on a.lifecycle_id = l.id where a.contract_id = $1',
      [contract],
    );
    expect(lifecycles[0].state).toBe(state);
  });

  test('carries what was given to the ledger, and what is filled in besides', async () => {
    const license = await world.licensed();
    const given = CHOICES.find(([choice]) => choice === 'License_Renew')?.[3] ?? {};
    await world.exercise(provider, license, 'License_Renew', given);
    const [renewal] = (await user.get(`/licenses/${license}`)).json().renewalRequests;
    const { payload } = (await user.get(`/contracts/${renewal.contractId}`)).json();
    expect(payload).toMatchObject(given);
    await world.exercise(user, license, 'License_Expire', { meta: META });
    const { rows } = await world.api.pool.query(
      `select argument from exercise where contract_id = $1 and choice = 'License_Expire'`,
      [license],
    );
    expect(rows[0].argument).toEqual({
      actor: PROVIDER,
      meta: { values: { reason: 'test', Note: 'Triggered by user request' } },
    });
  });

  test('has the same lane, rights, versions and ends as the route of its own', async () => {
    const install = await world.installed();
    const before = await provider.get(`/app-installs/${install}`);
    const forbidden = await world.exercise(user, install, 'AppInstall_CreateLicense', {
      params: {},
    });
    expect([forbidden.statusCode, forbidden.json().code]).toEqual([403, 'FORBIDDEN']);
    const stale = await world.exercise(
      provider,
      install,
      'AppInstall_CreateLicense',
      { params: {} },
      world.id('stale'),
      { 'if-match': '"77"' },
    );
    expect(stale.statusCode).toBe(412);
    const current = await world.exercise(
      provider,
      install,
      'AppInstall_CreateLicense',
      { params: {} },
      world.id('current'),
      { 'if-match': String(before.headers['etag']) },
    );
    expect(current.statusCode).toBe(200);
    // The two requests are sent at the same time. They run one after another, each on the contract that the previous
    // one has created.
    const both = await Promise.all([
      world.exercise(provider, install, 'AppInstall_CreateLicense', { params: {} }),
      provider.post(`/app-installs/${install}:create-license?commandId=${world.id('other')}`, {
        params: {},
      }),
    ]);
    expect(both.map(({ statusCode }) => statusCode)).toEqual([200, 201]);
    const numbers = (await user.get(`/app-installs/${install}`)).json().numLicensesCreated;
    expect(numbers).toBe(3);
    await world.exercise(user, install, 'AppInstall_Cancel', {});
    const late = await world.exercise(user, install, 'AppInstall_Cancel', {});
    expect([late.statusCode, late.json()]).toMatchObject([
      409,
      { code: 'LIFECYCLE_ENDED', state: 'cancelled' },
    ]);
    const homeless = await world.exercise(
      await asking(world.api, HOMELESS),
      install,
      'AppInstall_Cancel',
      {},
    );
    expect(homeless.statusCode).toBe(404);
  });

  test('that goes on without its caller is followed like any other', async () => {
    const install = await world.installed();
    await world.pause();
    const command = world.id('later');
    const accepted = await world.exercise(
      provider,
      install,
      'AppInstall_CreateLicense',
      { params: {} },
      command,
      { prefer: 'respond-async' },
    );
    expect([accepted.statusCode, accepted.headers['location']]).toEqual([
      202,
      `/api/operations/${command}`,
    ]);
    expect(accepted.json()).toMatchObject({ operation: 'create-license', state: 'submitting' });
    world.follow();
    await vi.waitFor(async () => {
      const operation = (await provider.get(`/operations/${command}`)).json();
      expect(operation).toMatchObject({
        state: 'succeeded',
        result: {
          status: 201,
          body: { licenseId: expect.any(String) },
          exercised: { offset: expect.any(Number), result: { licenseId: expect.any(String) } },
        },
      });
    }, PATIENCE_MS);
  });
});

describe('the same commandId', () => {
  test('with the same meaning is the same change, whichever route it comes by', async () => {
    const install = await world.installed();
    const command = world.id('both');
    const route = `/app-installs/${install}:create-license?commandId=${command}`;
    const made = await provider.post(route, { params: { meta: { data: { reason: 'test' } } } });
    const generic = await world.exercise(
      provider,
      install,
      'AppInstall_CreateLicense',
      { params: { meta: META } },
      command,
    );
    expect([generic.statusCode, generic.headers['idempotent-replayed']]).toEqual([200, 'true']);
    const { installId, licenseId } = made.json();
    expect(generic.json().result).toEqual({ installId, licenseId });
    // This time, the request under the ledger's name of the choice comes first, on a contract that has replaced
    // another.
    const expire = world.id('both');
    const exercised = await world.exercise(user, licenseId, 'License_Expire', {}, expire);
    const again = await user.post(`/licenses/${licenseId}:expire?commandId=${expire}`);
    expect([again.statusCode, again.body]).toEqual([200, 'License expired successfully']);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect((await world.exercise(user, licenseId, 'License_Expire', {}, expire)).json()).toEqual(
      exercised.json(),
    );
    const other = await world.exercise(
      provider,
      install,
      'AppInstall_CreateLicense',
      { params: {} },
      command,
    );
    expect([other.statusCode, other.json().code]).toEqual([422, 'COMMAND_ID_REUSED']);
  });

  test('may stand in the body, and must be one', async () => {
    const license = await world.licensed();
    const path = `/contracts/${license}/exercise`;
    const command = world.id('body');
    const body = { choice: 'License_Expire', argument: {}, commandId: command };
    const done = await user.post(path, body);
    const again = await user.post(`${path}?commandId=${command}`, body);
    expect([done.statusCode, again.json()]).toEqual([200, done.json()]);
    const extra = { field: 'commandId' };
    expectProblem(await user.post(`${path}?commandId=another`, body), path, {
      code: 'COMMAND_ID_INVALID',
      message: 'commandId is given twice, and differently',
      extra,
    });
    expectProblem(await user.post(path, { choice: 'License_Expire', argument: {} }), path, {
      code: 'COMMAND_ID_MISSING',
      message: `Required parameter 'commandId' is not present.`,
      extra,
    });
  });
});
