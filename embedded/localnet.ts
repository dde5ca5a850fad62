import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { AuthMode } from '../src/domain/session.ts';
import type { LocalnetAddresses } from '../src/main/run-state.ts';
import { NODE_ENVIRONMENT, NODE_FLAGS } from '../src/main/node-flags.ts';
import { LOCALNET_SHARED_SECRET, unsafeToken } from './unsafe-token.ts';

/**
 * The line that LocalNet prints when it is ready. LocalNet runs in a process of its own, and this line is its whole
 * interface to this program.
 */
export interface LocalnetReady {
  readonly ports: {
    readonly participants: Readonly<
      Record<'app-user' | 'app-provider' | 'sv', Readonly<Record<string, number>>>
    >;
    readonly auth: number;
    readonly registry: number;
    readonly wallet: number;
    readonly network: number;
  };
  readonly parties: {
    readonly appProvider: string;
    readonly appUser: string;
    readonly dso: string;
  };
  /** The scope that every token must have, if participants are strict. */
  readonly strictScope?: string;
}

export interface LocalNetworkOptions {
  readonly dataDir: string;
  readonly logFile: string;
  readonly ports: 'fixed' | 'free';
  /** The environment of LocalNet's process, including its LOCALNET_… variables. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

export interface LocalNetwork {
  readonly pid: number;
  readonly ready: LocalnetReady;
  /** Resolves with the reason if LocalNet ends without a request. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

/** Thrown if LocalNet did not start. The message is the one-line reason that LocalNet gave. */
export class LocalNetworkError extends Error {
  override readonly name = 'LocalNetworkError';
}

const ENTRY = fileURLToPath(new URL('../localnet/main.ts', import.meta.url));
const STOP_MS = 5_000;
const START_MS = 60_000;
/** Public demo credentials of the reference application's LocalNet. */
const DEMO_PROVIDER_SECRET = '05dmL9DAUmDnIlfoZ5EQ7pKskWmhBlNz';
/** A second client whose ledger user may act as the provider. It can replace the usual one. */
export const OTHER_PROVIDER_CLIENT = {
  AUTH_APP_PROVIDER_BACKEND_CLIENT_ID: 'app-provider-validator',
  AUTH_APP_PROVIDER_BACKEND_CLIENT_SECRET: 'AL8648b9SfdTFImq7FV56Vd0KHifHBuC',
} as const;
/**
 * The clients of LocalNet's realm AppProvider. A client whose rights on the ledger are read-only can only read in
 * Tenure.
 */
export const LOCALNET_CLIENTS = [
  'app-provider-backend',
  'app-provider-validator',
  'app-provider-pqs=read',
  'app-provider-unsafe',
  'app-provider-backend-oidc',
  'app-provider-wallet',
  'app-provider-ans',
].join(',');
export const DEMO_USER_SECRET = '6m12QyyGl81d9nABWQXMycZdXho6ejEX';

function launch(options: LocalNetworkOptions): ChildProcess {
  return spawn(process.execPath, [...NODE_FLAGS, ENTRY], {
    // LocalNet gets a process group of its own. A Ctrl-C in the terminal then reaches only this process, which ends
    // LocalNet last.
    detached: true,
    // The IPC channel closes whenever this process ends, even if it is killed. LocalNet then stops by itself.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: {
      ...NODE_ENVIRONMENT,
      ...options.environment,
      LOCALNET_DATA_DIR: options.dataDir,
      LOCALNET_PORTS: options.ports,
    },
  });
}

/**
 * Resolves with the line that LocalNet prints when it is ready. Rejects with LocalNet's last error line if it ends
 * first.
 */
function awaitReady(child: ChildProcess, signal: AbortSignal): Promise<LocalnetReady> {
  const { promise, resolve, reject } = Promise.withResolvers<LocalnetReady>();
  let complaint = '';
  if (child.stdout !== null) {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.startsWith('{') && line.includes('"parties"')) {
        resolve(JSON.parse(line) as LocalnetReady);
      }
    });
  }
  if (child.stderr !== null) {
    createInterface({ input: child.stderr }).on('line', (line) => {
      if (line.trim() !== '') complaint = line.trim();
    });
  }
  child.once('error', reject);
  child.once('exit', (code, killed) => {
    reject(new LocalNetworkError(complaint || `LocalNet has ended with ${killed ?? code}`));
  });
  signal.addEventListener(
    'abort',
    () => reject(new LocalNetworkError('LocalNet was not ready in time')),
    {
      once: true,
    },
  );
  return promise;
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await ended;
  clearTimeout(timer);
}

/** Starts LocalNet as a child process and waits until it is ready. @throws LocalNetworkError */
export async function startLocalNetwork(options: LocalNetworkOptions): Promise<LocalNetwork> {
  await mkdir(dirname(options.logFile), { recursive: true });
  const child = launch(options);
  const file = createWriteStream(options.logFile, { flags: 'a' });
  child.stdout?.pipe(file, { end: false });
  child.stderr?.pipe(file, { end: false });
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(START_MS)]);
  try {
    const ready = await awaitReady(child, signal);
    const ending = Promise.withResolvers<string>();
    child.once('exit', (code, killed) => {
      ending.resolve(`LocalNet ended with ${killed ?? code} (log: ${options.logFile})`);
    });
    const stop = async () => {
      child.removeAllListeners('exit');
      await stopChild(child);
      file.end();
    };
    return { pid: child.pid ?? 0, ready, ended: ending.promise, stop };
  } catch (error) {
    await stopChild(child);
    file.end();
    throw error;
  }
}

const realm = (ready: LocalnetReady, name: string, host = '127.0.0.1'): string =>
  `http://${host}:${ready.ports.auth}/realms/${name}`;

/** Returns the Tenure settings that point to a running LocalNet. */
export async function localnetEnvironment(ready: LocalnetReady): Promise<Record<string, string>> {
  const { participants } = ready.ports;
  const { strictScope } = ready;
  return {
    ...(strictScope === undefined ? {} : { LEDGER_API_AUTH_SCOPE: strictScope }),
    APP_PROVIDER_BACKEND_USER_TOKEN: await unsafeToken('app-provider-backend', strictScope),
    APP_USER_BACKEND_USER_TOKEN: await unsafeToken('app-user', strictScope),
    LEDGER_HOST: '127.0.0.1',
    LEDGER_PORT: String(participants['app-provider']['ledger']),
    APP_USER_LEDGER_HOST: '127.0.0.1',
    APP_USER_LEDGER_PORT: String(participants['app-user']['ledger']),
    REGISTRY_BASE_URI: `http://127.0.0.1:${ready.ports.registry}`,
    APP_PROVIDER_PARTY: ready.parties.appProvider,
    APP_USER_PARTY: ready.parties.appUser,
    AUTH_APP_PROVIDER_ENDPOINT_URL: realm(ready, 'AppProvider'),
    AUTH_APP_PROVIDER_BROWSER_URL: realm(ready, 'AppProvider', 'keycloak.localhost'),
    AUTH_APP_USER_ENDPOINT_URL: realm(ready, 'AppUser'),
    AUTH_APP_USER_BROWSER_URL: realm(ready, 'AppUser', 'keycloak.localhost'),
    AUTH_APP_PROVIDER_BACKEND_CLIENT_SECRET: DEMO_PROVIDER_SECRET,
    AUTH_APP_USER_CLIENT_SECRET: DEMO_USER_SECRET,
    APP_USER_WALLET_URL: `http://wallet.localhost:${ready.ports.wallet}`,
  };
}

export function localnetAddresses(
  ready: LocalnetReady,
  mode: AuthMode = 'oauth2',
): LocalnetAddresses {
  const token = (name: string) => `${realm(ready, name)}/protocol/openid-connect/token`;
  return {
    providerTokenUrl: token('AppProvider'),
    userTokenUrl: token('AppUser'),
    userJsonApiUrl: `http://127.0.0.1:${ready.ports.participants['app-user']['json']}`,
    userWalletUrl: `http://127.0.0.1:${ready.ports.participants['app-user']['validator']}`,
    networkUrl: `http://127.0.0.1:${ready.ports.network}`,
    userParty: ready.parties.appUser,
    sharedSecret: mode === 'shared-secret' ? LOCALNET_SHARED_SECRET : null,
    ...(ready.strictScope === undefined ? {} : { strictScope: ready.strictScope }),
  };
}

export const localnetDataDir = (dataDir: string): string => join(dataDir, 'localnet');
