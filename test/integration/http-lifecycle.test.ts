import { afterAll, describe, expect, test } from 'vitest';
import { OTHER_USER, PROVIDER, USER, startApi } from '../kit/http-api.ts';
import { asking } from '../kit/http-ask.ts';
import { forFile } from '../kit/for-file.ts';

/* The answers of every route to correct requests, on a real store. */

const api = await forFile(startApi());
const provider = await asking(api, PROVIDER);
const user = await asking(api, USER);
const following = api.ledger.follow();
afterAll(() => following.stop());

let count = 0;
/** Returns a new command ID for each change. */
const id = (what: string): string => `${what}-${(count += 1)}`;

const requested = async (ask = user): Promise<string> =>
  (await ask.post(`/app-install-requests?commandId=${id('request')}`)).json().contractId;

const installed = async (): Promise<string> => {
  const request = await requested();
  const path = `/app-install-requests/${request}:accept?commandId=${id('accept')}`;
  return (await provider.post(path, { installMeta: {}, meta: {} })).json().contractId;
};

const licensed = async (install: string): Promise<string> => {
  const path = `/app-installs/${install}:create-license?commandId=${id('create')}`;
  return (await provider.post(path, { params: { meta: {} } })).json().licenseId;
};

describe('an install request', () => {
  test('is the caller’s, to the deployment’s provider, and shown to both', async () => {
    const body = { meta: { data: { plan: 'gold', seats: 7, trial: true } }, ignored: [{}] };
    const made = await user.post(`/app-install-requests?commandId=${id('request')}`, body);
    expect(made.statusCode).toBe(201);
    const shown = {
      contractId: expect.stringMatching(/^00[0-9a-f]+$/u),
      provider: PROVIDER,
      user: USER,
      meta: { data: { plan: 'gold', seats: '7', trial: 'true' } },
      lifecycleId: expect.stringMatching(/^install-request-/u),
      machineVersion: 3,
      version: 1,
      state: 'requested',
    };
    expect(made.json()).toEqual(shown);
    for (const ask of [user, provider]) {
      const one = await ask.get(`/app-install-requests/${made.json().contractId}`);
      expect([one.statusCode, one.headers['etag']]).toEqual([200, '"1"']);
      expect(one.json()).toMatchObject(made.json());
      expect((await ask.get('/app-install-requests')).json()).toContainEqual(one.json());
    }
  });

  test('accepted gives the install, with its real contract ID', async () => {
    const request = await requested();
    const accepted = await provider.post(
      `/app-install-requests/${request}:accept?commandId=${id('accept')}`,
      { installMeta: { data: { a: 'b' } }, meta: { data: {} } },
    );
    expect([accepted.statusCode, accepted.json()]).toEqual([
      201,
      {
        contractId: expect.stringMatching(/^00[0-9a-f]+$/u),
        provider: PROVIDER,
        user: USER,
        meta: { data: { a: 'b' } },
        numLicensesCreated: 0,
        licenseNum: 0,
        lifecycleId: expect.stringMatching(/^install-/u),
        machineVersion: 3,
        version: 1,
        state: 'active',
      },
    ]);
    const { contractId } = accepted.json();
    expect((await user.get(`/app-installs/${contractId}`)).json()).toEqual(accepted.json());
    const gone = await user.get('/app-install-requests');
    expect(gone.json().map((entry: { contractId: string }) => entry.contractId)).not.toContain(
      request,
    );
    // The request has ended, but can still be read.
    expect((await user.get(`/app-install-requests/${request}`)).json().state).toBe('accepted');
  });

  test.each([
    ['reject', () => provider],
    ['cancel', () => user],
  ])('%s has no content, and needs no body', async (verb, ask) => {
    const request = await requested();
    const url = `/api/app-install-requests/${request}:${verb}?commandId=${id(verb)}`;
    const ended = await ask().post(url);
    expect([ended.statusCode, ended.body, ended.headers['content-type']]).toEqual([
      204,
      '',
      undefined,
    ]);
  });
});

describe('an install', () => {
  test('creates licences one after the other, under a new contract ID each time', async () => {
    const install = await installed();
    const first = await provider.post(
      `/app-installs/${install}:create-license?commandId=${id('create')}`,
      { params: { meta: { data: { tier: '1' } } } },
    );
    const { installId, licenseId, ...license } = first.json();
    expect([first.statusCode, Object.keys(first.json()).slice(0, 2)]).toEqual([
      201,
      ['installId', 'licenseId'],
    ]);
    expect(installId).not.toBe(install);
    expect(Object.keys(license)).toEqual(['lifecycleId', 'version', 'machineVersion', 'state']);
    expect((await user.get(`/licenses/${licenseId}`)).json()).toMatchObject(license);
    // The former contract ID still finds the licence.
    const second = await licensed(install);
    const { json } = await user.get(`/app-installs/${install}`);
    expect(json()).toMatchObject({ numLicensesCreated: 2, licenseNum: 2, state: 'active' });
    expect(json().contractId).not.toBe(installId);
    expect((await user.get(`/licenses/${second}`)).json()).toMatchObject({
      licenseNum: 2,
      isExpired: true,
      renewalRequests: [],
      params: { meta: { data: {} } },
    });
  });

  test.each([['provider'], ['user']])('is cancelled by its %s', async (side) => {
    const install = await installed();
    const ask = side === 'provider' ? provider : user;
    const ended = await ask.post(`/app-installs/${install}:cancel?commandId=${id('cancel')}`, {
      meta: { data: {} },
    });
    expect(ended.statusCode).toBe(204);
  });
});

describe('a licence', () => {
  test.each([
    [':expire', 'user'],
    ['/expire', 'provider'],
  ])('expires by %s, asked by its %s, in the reference’s words', async (form, side) => {
    const license = await licensed(await installed());
    const ask = side === 'provider' ? provider : user;
    const ended = await ask.post(`/licenses/${license}${form}?commandId=${id('expire')}`, {
      meta: { data: {} },
    });
    expect(ended.statusCode).toBe(200);
    expect(ended.headers['content-type']).toBe('text/plain;charset=UTF-8');
    expect(ended.body).toBe('License expired successfully');
    expect((await ask.get(`/licenses/${license}`)).json().state).toBe('expired');
  });
});

describe('actions', () => {
  test('say what this caller can do and where, and why not the rest', async () => {
    const install = await installed();
    const { lifecycleId } = (await provider.get(`/app-installs/${install}`)).json();
    expect((await provider.get(`/app-installs/${install}/actions`)).json()).toEqual([
      {
        name: 'create-license',
        allowed: true,
        method: 'POST',
        href: `/app-installs/${lifecycleId}:create-license`,
        needsBody: true,
      },
      {
        name: 'cancel',
        allowed: true,
        method: 'POST',
        href: `/app-installs/${lifecycleId}:cancel`,
        needsBody: false,
      },
    ]);
    expect((await user.get(`/api/app-installs/${lifecycleId}/actions`)).json()[0]).toEqual({
      name: 'create-license',
      allowed: false,
      reason: 'only the provider may take this step',
      method: 'POST',
      href: `/api/app-installs/${lifecycleId}:create-license`,
      needsBody: true,
    });
  });

  test('lead where they say', async () => {
    const install = await installed();
    const [create] = (await provider.get(`/app-installs/${install}/actions`)).json();
    const made = await provider.post(`${create.href}?commandId=${id('create')}`, { params: {} });
    expect(made.statusCode).toBe(201);
  });
});

describe('history', () => {
  test('tells each side everything but the other side’s names for it', async () => {
    const request = await requested();
    const accept = id('accept');
    await provider.post(`/app-install-requests/${request}:accept?commandId=${accept}`, {
      installMeta: {},
    });
    const [mine, theirs] = await Promise.all(
      [provider, user].map(async (ask) =>
        (await ask.get(`/app-install-requests/${request}/history`)).json(),
      ),
    );
    expect(mine.map((entry: { kind: string; state: string }) => [entry.kind, entry.state])).toEqual(
      [
        ['ledger.created', 'requested'],
        ['installRequest.accept', 'accepting'],
        ['ledger.requestAccepted', 'accepted'],
      ],
    );
    expect(mine[1]).toMatchObject({ by: PROVIDER, commandId: accept });
    expect(mine[1].detail).toEqual({
      operation: 'accept-install-request',
      subject: 'AppProvider-subject',
    });
    expect(theirs[1]).toEqual({
      ...mine[1],
      commandId: undefined,
      detail: { operation: 'accept-install-request' },
    });
    expect(mine[2]).toMatchObject({ offset: expect.any(Number), updateId: expect.any(String) });
  });
});

describe('the same commandId', () => {
  test('gives the recorded answer again, a failure too', async () => {
    const install = await installed();
    const path = `/app-installs/${install}:create-license?commandId=${id('create')}`;
    const first = await provider.post(path, { params: { meta: { data: { a: '1', b: '2' } } } });
    const again = await provider.post(path, {
      params: { meta: { data: { b: '2', a: 1 } }, unknown: true },
    });
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect([again.statusCode, again.json()]).toEqual([first.statusCode, first.json()]);
  });

  test('through any of its contract IDs means the same', async () => {
    const install = await installed();
    const command = id('create');
    const first = await provider.post(
      `/app-installs/${install}:create-license?commandId=${command}`,
      {
        params: {},
      },
    );
    const again = await provider.post(
      `/app-installs/${first.json().installId}:create-license?commandId=${command}`,
      { params: {} },
    );
    expect([again.statusCode, again.json()]).toEqual([201, first.json()]);
  });

  test('may come as Idempotency-Key', async () => {
    const install = await installed();
    const command = id('create');
    const url = `/app-installs/${install}:create-license`;
    const first = await provider.post(url, { params: {} }, { 'idempotency-key': `"${command}"` });
    const again = await provider.post(`${url}?commandId=${command}`, { params: {} });
    expect([first.statusCode, again.headers['idempotent-replayed']]).toEqual([201, 'true']);
    expect(again.json()).toEqual(first.json());
  });
});

describe('If-Match', () => {
  test('lets a change through at the version that was seen, and no other', async () => {
    const install = await installed();
    const seen = await provider.get(`/app-installs/${install}`);
    const etag = String(seen.headers['etag']);
    const create = (match: string) =>
      provider.post(
        `/app-installs/${install}:create-license?commandId=${id('create')}`,
        { params: {} },
        { 'if-match': match },
      );
    expect((await create(etag)).statusCode).toBe(201);
    const stale = await create(etag);
    expect([stale.statusCode, stale.json().code]).toEqual([412, 'PRECONDITION_FAILED']);
    const current = await provider.get(`/app-installs/${install}`);
    expect(current.headers['etag']).toBe(`"${stale.json().version}"`);
    expect((await create('*')).statusCode).toBe(201);
    expect((await create('W/"1"')).json()).toMatchObject({ status: 412, askedVersions: [1] });
  });
});

test('a third party sees and touches nothing of it', async () => {
  const other = await asking(api, OTHER_USER);
  const license = await licensed(await installed());
  const lists = await Promise.all(
    ['/app-install-requests', '/app-installs', '/licenses'].map((path) => other.get(path)),
  );
  expect(lists.map((list) => [list.statusCode, list.json()])).toEqual(lists.map(() => [200, []]));
  for (const path of ['', '/actions', '/history']) {
    const found = await other.get(`/licenses/${license}${path}`);
    const unknown = await other.get(`/licenses/unknown${path}`);
    expect([found.statusCode, found.json().message]).toEqual([
      404,
      `License not found for contract ${license}`,
    ]);
    expect(Object.keys(found.json())).toEqual(Object.keys(unknown.json()));
  }
});

test('an id leads to its own kind only', async () => {
  const license = await licensed(await installed());
  const wrong = await provider.get(`/app-installs/${license}`);
  expect([wrong.statusCode, wrong.json().message]).toEqual([
    404,
    `AppInstall not found for contract ${license}`,
  ]);
});
