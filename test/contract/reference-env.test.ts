import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { decodeJwt } from 'jose';
import { expect, test } from 'vitest';
import type { RunState } from '../../src/main/run-state.ts';
import { writeRunState } from '../../src/main/run-state.ts';
import { forFile } from '../kit/for-file.ts';
import { openNetwork } from './kit/network.ts';

/*
 * The command writes the variables of the reference's `env-init.sh`. The reference's browser tests read these names in
 * this order.
 */

const resources = await forFile(Promise.resolve(new AsyncDisposableStack()));
const network = await forFile(openNetwork());
const dataDir = await mkdtemp(join(tmpdir(), 'tenure-reference-env-'));
resources.defer(() => rm(dataDir, { recursive: true, force: true }));

/** Starts a proxy on a port that begins with the user's digit, as the reference's ports do. */
async function userDoor(target: string): Promise<number> {
  const server = createServer((request, response) => {
    const { authorization = '' } = request.headers;
    void fetch(`${target}${request.url}`, { headers: { authorization } }).then(async (answer) =>
      response.writeHead(answer.status).end(await answer.text()),
    );
  });
  resources.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  for (let port = 2000; port < 3000; port += 1) {
    server.listen(port, '127.0.0.1');
    const taken = () => false;
    if (await once(server, 'listening').then(() => true, taken)) return port;
  }
  throw new Error('all ports from 2000 to 2999 are taken');
}

/** A process that, because of its command line, looks like a running Tenure to the command. */
const standIn = spawn(process.execPath, ['-e', 'process.stdin.resume()', 'cli/main.ts'], {
  stdio: ['pipe', 'ignore', 'ignore'],
});
resources.defer(async () => {
  const ended = once(standIn, 'exit');
  standIn.kill();
  await ended;
});

const { urls, parties } = network.localnet;
const validatorPort = await userDoor(urls.participants['app-user'].validator);

async function run(
  changes: Partial<RunState> & { readonly userJsonApiUrl?: string } = {},
  ...args: readonly string[]
) {
  const { userJsonApiUrl = 'http://127.0.0.1:2975', ...more } = changes;
  await writeRunState(dataDir, {
    pid: standIn.pid!,
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
      userWalletUrl: `http://127.0.0.1:${validatorPort}`,
      networkUrl: '',
      userJsonApiUrl,
      userParty: parties.appUser,
      sharedSecret: null,
    },
    ...more,
  });
  const child = spawn(resolve('cli/tenure'), ['reference-env', ...args], {
    cwd: dataDir,
    env: { PATH: process.env['PATH'], TENURE_DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (text) => (out += text));
  child.stderr.on('data', (text) => (err += text));
  const [code] = (await once(child, 'close')) as [number];
  return { code, out, err };
}

const settingsOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/=(.*)/s).slice(0, 2));

test('it tells where everything of a LocalNet is, name by name as the reference does', async () => {
  const { code, out, err } = await run({ testMode: true });
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const found = Object.fromEntries(settingsOf(out)) as Record<string, string>;
  const { APP_USER_WALLET_ADMIN_TOKEN: token = '', ...others } = found;
  expect(settingsOf(out).map(([name]) => name)).toEqual(Object.keys(found));
  expect(others).toEqual({
    AUTH_MODE: 'oauth2',
    APP_PROVIDER_PARTY: parties.appProvider,
    APP_USER_PARTY: parties.appUser,
    DSO_PARTY: parties.dso,
    AUTH_APP_USER_WALLET_ADMIN_USER_NAME: 'app-user',
    AUTH_APP_USER_WALLET_ADMIN_USER_PASSWORD: 'abc123',
    AUTH_APP_USER_WALLET_ADMIN_USER_ID: '92a520cb-2f09-4e55-b465-d178c6cfe5e4',
    AUTH_APP_USER_AUTO_CONFIG_CLIENT_ID: 'app-user-unsafe',
    PARTICIPANT_JSON_API_PORT_SUFFIX: '975',
    VALIDATOR_ADMIN_API_PORT_SUFFIX: String(validatorPort).slice(1),
    AUTH_APP_USER_TOKEN_URL: urls.tokenEndpoints.AppUser,
    AUTH_APP_USER_VALIDATOR_CLIENT_SECRET: '6m12QyyGl81d9nABWQXMycZdXho6ejEX',
    AUTH_APP_USER_VALIDATOR_CLIENT_ID: 'app-user-validator',
    KEYCLOAK_BASE_URL: `http://localhost:${new URL(urls.tokenEndpoints.AppUser).port}`,
  });
  expect(decodeJwt(token).sub).toBe('92a520cb-2f09-4e55-b465-d178c6cfe5e4');
});

test('what Tenure was started with decides whether it warns', async () => {
  const warning = expect.stringContaining('TEST_MODE is off');
  expect((await run({ testMode: false })).err).toEqual(warning);
  // A process that an earlier version has started does not report its setting, so the command uses its own.
  expect((await run()).err).toEqual(warning);
});

test('it writes the file that the tests read, and refuses ports that they cannot find', async () => {
  const file = join(dataDir, '.generated.env');
  const { code, out } = await run({ testMode: true }, '--output', file);
  expect({ code, out }).toEqual({ code: 0, out: '' });
  expect(await readFile(file, 'utf8')).toContain(`DSO_PARTY=${parties.dso}\n`);
  const refused = await run({ testMode: true, userJsonApiUrl: 'http://127.0.0.1:41975' });
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toContain('start without --free-ports');
});
