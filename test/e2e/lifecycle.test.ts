import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld } from './kit/world.ts';
import type { World } from './kit/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

const META = { data: { reason: 'test' } };
const LICENSE_PARAMS = { params: { meta: { data: {} } } };
const post = (
  who: 'provider' | 'user',
  path: string,
  body?: unknown,
  commandId: string = randomUUID(),
) => world.call(who, 'POST', `${path}?commandId=${encodeURIComponent(commandId)}`, { body });

async function install(): Promise<{ contractId: string; lifecycleId: string }> {
  const request = await post('user', '/app-install-requests', { meta: META });
  expect(request.status).toBe(201);
  const accepted = await post(
    'provider',
    `/app-install-requests/${request.body.contractId}:accept`,
    {
      installMeta: META,
      meta: {},
    },
  );
  expect(accepted.status).toBe(201);
  return accepted.body;
}

async function createLicense(installId: string): Promise<{ installId: string; licenseId: string }> {
  const made = await post('provider', `/app-installs/${installId}:create-license`, LICENSE_PARAMS);
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  return made.body;
}

describe('the first lifecycle', () => {
  test('request, accept, create two licences, expire one, list', async () => {
    const request = await post('user', '/app-install-requests', { meta: META });
    expect(request).toMatchObject({
      status: 201,
      body: { meta: META, contractId: expect.stringMatching(/^00[0-9a-f]+$/u) },
    });
    const listed = await world.call('provider', 'GET', '/app-install-requests');
    expect(listed.body).toContainEqual(
      expect.objectContaining({ contractId: request.body.contractId }),
    );

    const accepted = await post(
      'provider',
      `/app-install-requests/${request.body.contractId}:accept`,
      {
        installMeta: { data: { a: 'b' } },
        meta: {},
      },
    );
    expect(accepted).toMatchObject({
      status: 201,
      body: {
        provider: request.body.provider,
        user: request.body.user,
        meta: { data: { a: 'b' } },
        numLicensesCreated: 0,
      },
    });
    const first = await createLicense(accepted.body.contractId);
    const second = await createLicense(accepted.body.contractId);
    expect(second.installId).not.toBe(first.installId);

    const expired = await post('provider', `/licenses/${first.licenseId}:expire`, {
      meta: { data: {} },
    });
    expect(expired).toMatchObject({ status: 200, type: 'text/plain;charset=UTF-8' });
    expect(expired.body).toBe('License expired successfully');

    for (const who of ['provider', 'user'] as const) {
      const licenses = await world.call(who, 'GET', '/licenses');
      const ids = licenses.body.map(({ contractId }: { contractId: string }) => contractId);
      expect(ids).toContain(second.licenseId);
      expect(ids).not.toContain(first.licenseId);
    }
    const found = await world.call('user', 'GET', `/app-installs/${accepted.body.contractId}`);
    expect(found.body).toMatchObject({
      contractId: second.installId,
      numLicensesCreated: 2,
      licenseNum: 2,
    });
  });

  test('a caller that has its answer reads its own write', async () => {
    const { contractId } = await install();
    for (let n = 1; n <= 10; n += 1) {
      const { licenseId } = await createLicense(contractId);
      const seen = await world.call('user', 'GET', `/licenses/${licenseId}`);
      expect(seen).toMatchObject({
        status: 200,
        body: { contractId: licenseId, licenseNum: n, isExpired: true },
      });
    }
  });

  test('the other paths to an end: reject, cancel by the user, cancel of an install, expire by the user', async () => {
    const rejected = (await post('user', '/app-install-requests', {})).body;
    expect(
      (await post('provider', `/app-install-requests/${rejected.contractId}:reject`, { meta: {} }))
        .status,
    ).toBe(204);
    const cancelled = (await post('user', '/app-install-requests', {})).body;
    expect(
      (await post('user', `/app-install-requests/${cancelled.contractId}:cancel`, { meta: {} }))
        .status,
    ).toBe(204);
    const { contractId } = await install();
    const { licenseId } = await createLicense(contractId);
    expect((await post('user', `/app-installs/${contractId}:cancel`, { meta: {} })).status).toBe(
      204,
    );
    // The licences of an install stay active when the install ends.
    expect(
      (await post('user', `/licenses/${licenseId}/expire`, { meta: { data: {} } })).status,
    ).toBe(200);
    const requests = await world.call('user', 'GET', '/app-install-requests');
    const ids = requests.body.map((one: { contractId: string }) => one.contractId);
    expect(ids).not.toContain(rejected.contractId);
    expect(ids).not.toContain(cancelled.contractId);
  });

  test('an expiry that the user asked for says so on the ledger', async () => {
    const { contractId } = await install();
    const { licenseId } = await createLicense(contractId);
    await post('user', `/licenses/${licenseId}:expire`, { meta: { data: { description: 'bye' } } });
    const { Client } = await import('pg');
    const client = new Client({ connectionString: world.tenure.config.databaseUrl });
    await client.connect();
    const { rows } = await client.query(
      `select argument from exercises('License:License_Expire') where contract_id = $1`,
      [licenseId],
    );
    await client.end();
    expect(rows[0].argument.meta.values).toEqual({
      description: 'bye',
      Note: 'Triggered by user request',
    });
  });

  test('a hundred concurrent create-license calls on one install are a hundred licences, numbered 1 to 100', async () => {
    const { contractId } = await install();
    const made = await Promise.all(
      Array.from({ length: 100 }, () =>
        post('provider', `/app-installs/${contractId}:create-license`, LICENSE_PARAMS),
      ),
    );
    expect(made.map(({ status }) => status)).toEqual(Array.from({ length: 100 }, () => 201));
    const ids = new Set(made.map(({ body }) => body.licenseId));
    expect(ids.size).toBe(100);
    const listed = await world.call('user', 'GET', '/licenses');
    const numbers = listed.body
      .filter(({ contractId: id }: { contractId: string }) => ids.has(id))
      .map(({ licenseNum }: { licenseNum: number }) => licenseNum);
    expect(numbers).toEqual(Array.from({ length: 100 }, (_one, i) => i + 1));
  });

  test('changes of one lane are done in the order in which they were accepted', async () => {
    const { contractId } = await install();
    const commandIds = Array.from({ length: 20 }, () => randomUUID());
    for (const commandId of commandIds) {
      const accepted = await world.call(
        'provider',
        'POST',
        `/app-installs/${contractId}:create-license?commandId=${commandId}`,
        {
          body: LICENSE_PARAMS,
          headers: { prefer: 'respond-async' },
        },
      );
      expect(accepted.status).toBe(202);
      expect(accepted.headers.get('location')).toBe(`/operations/${commandId}`);
    }
    const ends = [];
    for (const commandId of commandIds) ends.push(await ended(commandId));
    const offsets = ends.map((operation) => operation.attempts.at(-1).offset);
    expect(offsets).toEqual([...offsets].sort((a, b) => a - b));
    expect(new Set(ends.map(({ state }) => state))).toEqual(new Set(['succeeded']));
  });
});

// oxlint-disable-next-line typescript/no-explicit-any -- tests state what they expect of it
async function ended(commandId: string): Promise<any> {
  return expect
    .poll(
      async () => {
        const { body } = await world.call(
          'provider',
          'GET',
          `/operations/${encodeURIComponent(commandId)}`,
        );
        return body.state === 'succeeded' || body.state === 'rejected' ? body : null;
      },
      { timeout: 120_000, interval: 50 },
    )
    .not.toBeNull()
    .then(
      async () =>
        (await world.call('provider', 'GET', `/operations/${encodeURIComponent(commandId)}`)).body,
    );
}

describe('a change once asked', () => {
  test('the same command ID with the same meaning is answered again and has no second effect', async () => {
    const { contractId } = await install();
    const commandId = `again/${randomUUID()} #1`;
    const first = await post(
      'provider',
      `/app-installs/${contractId}:create-license`,
      LICENSE_PARAMS,
      commandId,
    );
    const again = await post(
      'provider',
      `/app-installs/${contractId}:create-license`,
      { params: { meta: { data: {} } } },
      commandId,
    );
    expect(again.status).toBe(201);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const { body } = await world.call('user', 'GET', `/app-installs/${contractId}`);
    expect(body.numLicensesCreated).toBe(1);
  });

  test('ten at once with one command ID are one effect and ten equal answers', async () => {
    const { contractId } = await install();
    const commandId = randomUUID();
    const made = await Promise.all(
      Array.from({ length: 10 }, () =>
        post('provider', `/app-installs/${contractId}:create-license`, LICENSE_PARAMS, commandId),
      ),
    );
    expect(new Set(made.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(made.map(({ body }) => body.licenseId)).size).toBe(1);
  });

  test('the same command ID with another meaning is refused, whoever asks', async () => {
    const { contractId } = await install();
    const commandId = randomUUID();
    await post('provider', `/app-installs/${contractId}:create-license`, LICENSE_PARAMS, commandId);
    const other = await post(
      'provider',
      `/app-installs/${contractId}:create-license`,
      { params: { meta: { data: { x: 'y' } } } },
      commandId,
    );
    expect(other).toMatchObject({ status: 422, body: { code: 'COMMAND_ID_REUSED' } });
    const taken = await post('user', `/app-installs/${contractId}:cancel`, { meta: {} }, commandId);
    expect(taken).toMatchObject({ status: 409, body: { code: 'COMMAND_ID_TAKEN' } });
    expect(JSON.stringify(taken.body)).not.toContain('create-license');
  });

  test('its operation tells each attempt, and its lifecycle tells its history', async () => {
    const { contractId, lifecycleId } = await install();
    const commandId = randomUUID();
    const made = await post(
      'provider',
      `/app-installs/${contractId}:create-license`,
      LICENSE_PARAMS,
      commandId,
    );
    const operation = await world.call('provider', 'GET', `/operations/${commandId}`);
    expect(operation).toMatchObject({
      status: 200,
      body: {
        commandId,
        operation: 'create-license',
        lifecycleId,
        state: 'succeeded',
        attempts: [{ n: 1, answer: 'accepted', offset: expect.any(Number) }],
        result: { status: 201, body: made.body },
      },
    });
    const history = await world.call('user', 'GET', `/app-installs/${contractId}/history`);
    expect(history.body.map(({ kind }: { kind: string }) => kind)).toEqual([
      'ledger.created',
      'install.createLicense',
      'ledger.installReplaced',
      'command.succeeded',
    ]);
    expect((await world.call('user', 'GET', `/operations/${commandId}`)).status).toBe(404);
  });

  test('actions say what each side may do, and why not', async () => {
    const { contractId } = await install();
    const forUser = await world.call('user', 'GET', `/app-installs/${contractId}/actions`);
    expect(forUser.body).toEqual([
      expect.objectContaining({
        name: 'create-license',
        allowed: false,
        reason: expect.any(String),
      }),
      expect.objectContaining({ name: 'cancel', allowed: true, method: 'POST' }),
    ]);
    const { licenseId } = await createLicense(contractId);
    await post('provider', `/licenses/${licenseId}:expire`, {});
    const after = await world.call('provider', 'GET', `/licenses/${licenseId}/actions`);
    expect(after.body).toEqual(
      ['expire', 'renew', 'comment'].map((name) =>
        expect.objectContaining({ name, allowed: false }),
      ),
    );
  });
});

describe('what is not allowed', () => {
  test('a step of the other side is 403, a foreign or unknown contract 404, an ended lifecycle 409', async () => {
    const request = (await post('user', '/app-install-requests', {})).body;
    const forbidden = await post('user', `/app-install-requests/${request.contractId}:accept`, {
      installMeta: {},
      meta: {},
    });
    expect(forbidden).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    const unknown = `00${'ab'.repeat(32)}`;
    const missing = await post('provider', `/licenses/${unknown}:expire`, {});
    expect(missing).toMatchObject({
      status: 404,
      body: { message: `License not found for contract ${unknown}` },
    });
    await post('provider', `/app-install-requests/${request.contractId}:reject`, {});
    const late = await post('provider', `/app-install-requests/${request.contractId}:accept`, {
      installMeta: {},
      meta: {},
    });
    expect(late).toMatchObject({
      status: 409,
      body: { code: 'LIFECYCLE_ENDED', state: 'rejected' },
    });
  });

  test('a refusal leaves no operation behind', async () => {
    const commandId = randomUUID();
    const unknown = `00${'cd'.repeat(32)}`;
    await post('provider', `/licenses/${unknown}:expire`, {}, commandId);
    expect((await world.call('provider', 'GET', `/operations/${commandId}`)).status).toBe(404);
  });

  test('a change queued behind the one that ends the lifecycle is refused at its turn', async () => {
    const { contractId } = await install();
    const [, cancel, after] = await Promise.all([
      post('provider', `/app-installs/${contractId}:create-license`, LICENSE_PARAMS),
      post('provider', `/app-installs/${contractId}:cancel`, {}),
      post('provider', `/app-installs/${contractId}:create-license`, LICENSE_PARAMS),
    ]);
    expect(cancel?.status).toBe(204);
    expect([201, 409]).toContain(after?.status);
  });
});
