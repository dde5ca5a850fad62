import { spawn } from 'node:child_process';
import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '../../embedded/free-port.ts';
import { PATIENCE_MS } from '../kit/patience.ts';
import type { World } from '../e2e/kit/world.ts';
import { startWorld } from '../e2e/kit/world.ts';

const FOLDER = resolve('.tenure/reference-backend');
const NAMES = resolve('test/reference-backend/localhost-names.mjs');

/** The reference's backend for Node, behind the proxy of the reference's frontend. */
export interface ReferenceBackend extends AsyncDisposable {
  /** The origin that browsers use. The backend's paths begin with `/api`. */
  readonly origin: string;
  /** The issuer of realm AppUser, as its tokens name it. */
  readonly userIssuer: string;
  readonly providerIssuer: string;
}

function addressOf({ tenure: { state } }: World, name: string): URL {
  const found = state.addresses.find((address) => address.name === name);
  if (found === undefined) throw new Error(`no address of the ${name}`);
  return new URL(found.url.includes('://') ? found.url : `tcp://${found.url}`);
}

const issuer = (world: World, realm: string): string =>
  `http://keycloak.localhost:${addressOf(world, 'authorization server').port}/realms/${realm}`;

/**
 * Returns the environment variables of the backend's container, in their order: those of its compose file and those of
 * the onboarding script.
 */
function environmentOf(world: World, mode: 'oauth2' | 'shared-secret', port: number) {
  const { databaseUrl, environment, providerParty } = world.tenure.state;
  const database = new URL(databaseUrl);
  const json = addressOf(world, 'provider, JSON API');
  const ofMode =
    mode === 'oauth2'
      ? {
          AUTH_APP_PROVIDER_BACKEND_CLIENT_ID: 'app-provider-backend',
          AUTH_APP_PROVIDER_BACKEND_SECRET: '05dmL9DAUmDnIlfoZ5EQ7pKskWmhBlNz',
          AUTH_APP_PROVIDER_BACKEND_USER_ID: '1a36eb86-4ccc-4ec6-b7b7-caa08b354989',
          AUTH_APP_PROVIDER_BACKEND_OIDC_CLIENT_ID: 'app-provider-backend-oidc',
          AUTH_APP_PROVIDER_BACKEND_USER_NAME: 'service-account-app-provider-backend',
          AUTH_APP_PROVIDER_ISSUER_URL: issuer(world, 'AppProvider'),
        }
      : {
          AUTH_APP_PROVIDER_BACKEND_USER_NAME: 'app-provider-backend',
          APP_PROVIDER_BACKEND_USER_TOKEN: environment['APP_PROVIDER_BACKEND_USER_TOKEN'],
        };
  return {
    PATH: process.env['PATH'],
    NODE_OPTIONS: `--import=${NAMES}`,
    NODE_ENV: 'production',
    BACKEND: 'js',
    BACKEND_PORT: String(port),
    REGISTRY_BASE_URI: addressOf(world, 'token registry').origin,
    LEDGER_HOST: json.hostname,
    LEDGER_PORT: json.port,
    POSTGRES_HOST: database.hostname,
    POSTGRES_PORT: database.port,
    POSTGRES_DATABASE: database.pathname.slice(1),
    POSTGRES_USERNAME: decodeURIComponent(database.username),
    POSTGRES_PASSWORD: decodeURIComponent(database.password),
    SPRING_PROFILES_ACTIVE: mode,
    TEST_MODE: 'on',
    ...ofMode,
    APP_PROVIDER_PARTY: providerParty,
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

/** Waits until an address answers with 200. */
async function untilUp(url: string, child: ChildProcess): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (Date.now() < end) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
    const answer = await fetch(url).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.status === 200) return;
    await setTimeout(50);
  }
  throw new Error(`${url} does not answer`);
}

/**
 * Starts a Tenure whose issuers really are at the addresses in their tokens, even on free ports, because this backend
 * calls them at these addresses.
 */
export async function startIssuingWorld(): Promise<World> {
  const port = await freePort();
  const base = `http://keycloak.localhost:${port}`;
  return startWorld({
    TEST_MODE: 'on',
    LOCALNET_AUTH_PORT: String(port),
    LOCALNET_ISSUER_BASE: base,
    AUTH_APP_PROVIDER_ISSUER_URL: `${base}/realms/AppProvider`,
    AUTH_APP_USER_ISSUER_URL: `${base}/realms/AppUser`,
  });
}

/** Starts the backend on the LocalNet and the query store of a Tenure. Its calls do not use Tenure itself. */
export async function startReferenceBackend(
  world: World,
  mode: 'oauth2' | 'shared-secret',
): Promise<ReferenceBackend> {
  await using stack = new AsyncDisposableStack();
  const [port, proxyPort] = [await freePort(), await freePort()];
  const pages = stack.adopt(await mkdtemp(join(tmpdir(), 'tenure-reference-backend-')), (folder) =>
    rm(folder, { recursive: true }),
  );
  await writeFile(join(pages, 'index.html'), '<!doctype html>');
  const start = (args: readonly string[], options: SpawnOptions) =>
    stack.adopt(
      spawn(process.execPath, args, { ...options, stdio: ['ignore', 'ignore', 'inherit'] }),
      end,
    );
  const backend = start(['dist/server.js'], {
    cwd: join(FOLDER, 'backend-js'),
    env: environmentOf(world, mode, port),
  });
  const proxy = start(
    [
      'scripts/reference-frontend.ts',
      '--dist',
      pages,
      '--port',
      String(proxyPort),
      '--backend',
      `http://127.0.0.1:${port}`,
    ],
    {},
  );
  await untilUp(`http://127.0.0.1:${port}/livez`, backend);
  await untilUp(`http://127.0.0.1:${proxyPort}/`, proxy);
  const running = stack.move();
  return {
    origin: `http://app-provider.localhost:${proxyPort}`,
    userIssuer: issuer(world, 'AppUser'),
    providerIssuer: issuer(world, 'AppProvider'),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
