import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fetchToken } from '../../cli/commands/token.ts';
import { loadConfig } from '../../src/main/config.ts';
import { localnetAddresses } from '../../embedded/localnet.ts';
import { createLog } from '../../src/main/log.ts';
import { startSystem } from '../../src/main/system.ts';
import type { Gate } from './kit/gate.ts';
import { openGate } from './kit/gate.ts';
import { startParts } from './kit/parts.ts';

/*
 * Both sides comment on a licence, each through its own participant; a test can cut the connection to the user's
 * participant.
 */

const stack = new AsyncDisposableStack();
let gate: Gate;
let api: string;
const tokens = { provider: '', user: '' };

beforeAll(async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tenure-comments-'));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  const raw = {
    PATH: process.env['PATH'],
    REDIS_URL: process.env['REDIS_URL'],
    TENURE_DATA_DIR: dataDir,
    BACKEND_PORT: '0',
  };
  const signal = AbortSignal.timeout(120_000);
  const log = createLog('fatal');
  const embedded = stack.use(await startParts(raw));
  const { ready } = embedded.localnet!;
  gate = stack.use(await openGate(ready.ports.participants['app-user']['ledger']!));
  const config = loadConfig({
    ...raw,
    ...embedded.environment,
    APP_USER_LEDGER_PORT: String(gate.port),
  });
  const system = stack.adopt(await startSystem(config, log, signal), (made) => made.stop());
  api = `http://127.0.0.1:${system.apiPort}`;
  const addresses = localnetAddresses(ready);
  [tokens.provider, tokens.user] = await Promise.all([
    fetchToken(addresses, 'provider'),
    fetchToken(addresses, 'user'),
  ]);
});
afterAll(() => stack.disposeAsync());

type Who = keyof typeof tokens;

async function call(who: Who, method: string, path: string, body?: object, prefer = 'wait=30') {
  const answer = await fetch(`${api}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${tokens[who]}`,
      prefer,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(120_000),
  });
  const text = await answer.text();
  return { status: answer.status, body: /^[{[]/u.test(text) ? JSON.parse(text) : text };
}

const post = (
  who: Who,
  path: string,
  body: object,
  commandId: string = randomUUID(),
  prefer?: string,
) => call(who, 'POST', `${path}?commandId=${commandId}`, body, prefer);

async function newLicense(): Promise<{ install: string; license: string }> {
  const request = await post('user', '/app-install-requests', {});
  const accept = `/app-install-requests/${request.body.contractId}:accept`;
  const install = (await post('provider', accept, { installMeta: {} })).body.contractId;
  const made = await post('provider', `/app-installs/${install}:create-license`, { params: {} });
  expect(made.status).toBe(201);
  return { install, license: made.body.licenseId };
}

test('each sees what both have said, and the ledger has it under the commenter’s signature', async () => {
  const { license } = await newLicense();
  const path = `/licenses/${license}/comments`;
  expect(await post('user', path, { body: 'When does it end?' })).toEqual({
    status: 201,
    body: '',
  });
  expect(await post('provider', path, { body: 'Never. \u{1f600}' })).toEqual({
    status: 201,
    body: '',
  });
  const seen = (await call('user', 'GET', path)).body;
  expect((await call('provider', 'GET', path)).body).toEqual(seen);
  const [asked, said] = seen;
  expect(seen).toMatchObject([
    { body: 'When does it end?', commenter: asked.user },
    { body: 'Never. \u{1f600}', commenter: asked.provider },
  ]);
  expect(asked.createdAt <= said.createdAt).toBe(true);
  for (const { contractId, commenter, provider, user, createdAt } of seen) {
    const contract = (await call('user', 'GET', `/api/contracts/${contractId}`)).body;
    expect(contract).toMatchObject({
      templateId: '#quickstart-licensing:Licensing.LicenseComment:LicenseComment',
      payload: { licenseNum: '1', createdAt },
      signatories: [commenter],
      observers: [provider, user].filter((party) => party !== commenter),
    });
    // The comment's time is not later than the ledger's.
    expect(Date.parse(createdAt)).toBeLessThanOrEqual(Date.parse(contract.createdAt));
  }
  const history = (await call('user', 'GET', `/licenses/${license}/history`)).body;
  expect(history.map(({ kind }: { kind: string }) => kind)).toEqual([
    'ledger.created',
    'ledger.commented',
    'ledger.commented',
  ]);
});

test('a commenter whose participant is away waits alone, and comments once it is back', async () => {
  const { install, license } = await newLicense();
  const path = `/licenses/${license}/comments`;
  const commandId = randomUUID();
  gate.cut();
  const waiting = await post('user', path, { body: 'is anybody there?' }, commandId, 'wait=1');
  expect(waiting.status).toBe(202);
  expect(waiting.body.waitingFor.detail).toBeTypeOf('string');
  // Other operations on the licence and the install continue.
  expect((await post('provider', path, { body: 'I am' })).status).toBe(201);
  const next = await post('provider', `/app-installs/${install}:create-license`, { params: {} });
  expect(next.status).toBe(201);
  const bodies = async () =>
    (await call('provider', 'GET', path)).body.map(({ body }: { body: string }) => body);
  expect(await bodies()).toContain('I am');
  expect(await bodies()).not.toContain('is anybody there?');
  const mendedAt = new Date().toISOString();
  gate.mend();
  // Repeating the call waits for the same change.
  expect((await post('user', path, { body: 'is anybody there?' }, commandId)).status).toBe(201);
  const comments = (await call('user', 'GET', path)).body;
  const mine = comments.filter(({ body }: { body: string }) => body === 'is anybody there?');
  expect(mine).toHaveLength(1);
  // The comment has the time of its request, not the time of the attempt that succeeded.
  expect(mine[0].createdAt < mendedAt).toBe(true);
});

test('a choice in the ledger’s words is the change of its own route', async () => {
  const { install, license } = await newLicense();
  const commandId = randomUUID();
  const made = await post(
    'provider',
    `/api/contracts/${install}/exercise`,
    {
      choice: 'AppInstall_CreateLicense',
      argument: { params: { meta: { values: { plan: 'gold' } } } },
      commandId,
    },
    commandId,
  );
  expect(made).toMatchObject({
    status: 200,
    body: { offset: expect.any(Number), result: { licenseId: expect.stringMatching(/^00/u) } },
  });
  const again = await post(
    'provider',
    `/app-installs/${install}:create-license`,
    { params: { meta: { data: { plan: 'gold' } } } },
    commandId,
  );
  expect(again).toMatchObject({ status: 201, body: made.body.result });
  const expired = await post('user', `/api/contracts/${license}/exercise`, {
    choice: 'License_Expire',
    argument: { meta: { values: {} } },
  });
  expect(expired).toMatchObject({ status: 200, body: { result: {} } });
  const contract = (await call('provider', 'GET', `/api/contracts/${license}`)).body;
  expect(contract).toMatchObject({ isActive: false, archivedAtOffset: expired.body.offset });
  const late = await post('user', `/licenses/${license}/comments`, { body: 'too late' });
  expect([late.status, late.body.code]).toEqual([409, 'LIFECYCLE_ENDED']);
});
