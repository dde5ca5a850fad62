import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Localnet } from '../../localnet/localnet.ts';
import { writeRunState } from '../../src/main/run-state.ts';
import { USER_ADMIN } from './kit/identities.ts';
import { openNetwork } from './kit/network.ts';
import type { Network } from './kit/network.ts';

/*
 * The command sends its request through a proxy that records it to a participant: the request is exactly the
 * reference's, and the participant accepts it.
 */

interface Sent {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const resources = new AsyncDisposableStack();
const sent: Sent[] = [];
let network: Network<Localnet>;
let dataDir: string;

/** Starts a proxy that records each request and passes it on unchanged. @returns its address */
async function watchedDoor(target: string): Promise<string> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const { method, url, headers } = request;
      sent.push({ method, url, headers, body });
      const { authorization = '', 'content-type': type = '' } = headers;
      void fetch(`${target}${url}`, {
        method: method ?? 'GET',
        headers: { authorization, 'content-type': type },
        body,
      }).then(async (answer) => response.writeHead(answer.status).end(await answer.text()));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  resources.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Starts a process that, because of its command line, looks like a running Tenure to the command. */
function standIn(): number {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()', 'cli/main.ts'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  resources.defer(async () => {
    const ended = once(child, 'exit');
    child.kill();
    await ended;
  });
  return child.pid!;
}

beforeAll(async () => {
  network = resources.use(await openNetwork());
  dataDir = await mkdtemp(join(tmpdir(), 'tenure-request-'));
  resources.defer(() => rm(dataDir, { recursive: true, force: true }));
  const { urls, parties } = network.localnet;
  await writeRunState(dataDir, {
    pid: standIn(),
    startedAt: new Date().toISOString(),
    apiUrl: 'http://127.0.0.1:9',
    databaseUrl: 'postgresql://127.0.0.1:9/none',
    providerParty: parties.appProvider,
    processes: [],
    environment: {},
    addresses: [],
    localnet: {
      providerTokenUrl: urls.tokenEndpoints.AppProvider,
      userTokenUrl: urls.tokenEndpoints.AppUser,
      userWalletUrl: '',
      networkUrl: '',
      userJsonApiUrl: await watchedDoor(urls.participants['app-user'].json),
      userParty: parties.appUser,
      sharedSecret: null,
    },
  });
});
afterAll(() => resources.disposeAsync());

async function command(
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number; out: string; err: string }> {
  const child = spawn(resolve('cli/tenure'), ['create-app-install-request', ...args], {
    cwd: dataDir,
    env: { PATH: process.env['PATH'], TENURE_DATA_DIR: dataDir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (text) => (out += text));
  child.stderr.on('data', (text) => (err += text));
  const [code] = (await once(child, 'close')) as [number];
  return { code, out, err };
}

/** Returns the text of the reference's request, with those parts filled in that differ from request to request. */
function expectedText(made: {
  readonly party: string;
  readonly userId: string;
  readonly values: string;
  readonly commandId: string;
}): string {
  const { party, userId, values, commandId } = made;
  const { appProvider } = network.localnet.parties;
  return (
    '{"commands":[{"CreateCommand":{' +
    '"templateId":"#quickstart-licensing:Licensing.AppInstall:AppInstallRequest",' +
    `"createArguments":{"provider":"${appProvider}","user":"${party}","meta":{"values":${values}}}}}],` +
    `"workflowId":"create-app-install-request","applicationId":"${userId}",` +
    `"commandId":"${commandId}","deduplicationPeriod":{"Empty":{}},` +
    `"actAs":["${party}"],"readAs":["${party}"],"submissionId":"create-app-install-request",` +
    '"disclosedContracts":[],"domainId":"","packageIdSelectionPreference":[]}'
  );
}

const APP_USER_ID = '92a520cb-2f09-4e55-b465-d178c6cfe5e4';

test('sends the request of the reference, byte by byte', async () => {
  sent.length = 0;
  const before = BigInt(Date.now()) * 1_000_000n;
  // The tag is only used in test mode, and is ignored otherwise.
  const finished = await command([], { TEST_UNIQUE_REQUEST_TAG: 'not-in-test-mode' });
  expect(finished).toMatchObject({ code: 0, err: '' });
  expect(JSON.parse(finished.out)).toEqual({
    updateId: expect.any(String),
    completionOffset: expect.any(Number),
  });

  const [request, ...others] = sent;
  expect(others).toEqual([]);
  expect([request?.method, request?.url]).toEqual(['POST', '/v2/commands/submit-and-wait']);
  expect(request?.headers['content-type']).toBe('application/json');
  const token = decodeJwt(request!.headers.authorization!.replace('Bearer ', ''));
  expect([token.sub, token['azp']]).toEqual([APP_USER_ID, 'app-user-unsafe']);
  const { commandId } = JSON.parse(request!.body) as { commandId: string };
  expect(request?.body).toBe(
    expectedText({
      party: network.localnet.parties.appUser,
      userId: APP_USER_ID,
      values: '{}',
      commandId,
    }),
  );
  const nanos = BigInt(/^create-app-install-request-(\d{19})$/.exec(commandId)![1]!);
  expect(nanos >= before && nanos < before + 60_000_000_000n).toBe(true);
});

test('asks in test mode for whom the variables name, and marks what it asks', async () => {
  const adrian = 'e37a3590-77d7-4acf-a053-70e84211dfa6';
  await network.as(USER_ADMIN).userAdmin.createUser({ user: { id: adrian } });
  const party = await network.party('adrian', {
    ...USER_ADMIN,
    userId: adrian,
  });
  sent.length = 0;
  const env = {
    TEST_MODE: 'on',
    TEST_UNIQUE_REQUEST_TAG: 'run-7',
    TEST_AUTH_APP_USER_WALLET_ADMIN_USER_NAME: 'adrian',
    TEST_AUTH_APP_USER_WALLET_ADMIN_USER_ID: adrian,
    TEST_APP_USER_PARTY: party,
  };
  expect(await command([], env)).toMatchObject({ code: 0, err: '' });
  expect(sent[0]?.body).toBe(
    expectedText({
      party,
      userId: adrian,
      values: '{"test":"run-7"}',
      commandId: 'create-app-install-request-run-7',
    }),
  );
  // With the same tag, the command ID is the same, and the participant accepts it only once.
  const again = await command([], env);
  expect([again.code, again.out]).toEqual([1, '']);
  expect(again.err).toContain('DUPLICATE_COMMAND');
});

test('asks as the demo user with a tag of its own', async () => {
  sent.length = 0;
  expect(await command(['--tag', 'mine'])).toMatchObject({ code: 0 });
  expect(sent[0]?.body).toBe(
    expectedText({
      party: network.localnet.parties.appUser,
      userId: APP_USER_ID,
      values: '{"test":"mine"}',
      commandId: 'create-app-install-request-mine',
    }),
  );
});
