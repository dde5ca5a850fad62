import { mkdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Logger } from 'pino';
import type { ReadinessCheck } from '../src/http/kit/deps.ts';
import type { EmbeddedPostgres } from './postgres/embedded-postgres.ts';
import type { Config } from '../src/main/config.ts';
import { loadConfig, processEnvironment, readEnvironment } from '../src/main/config.ts';
import { Environment } from '../src/main/environment.ts';
import { LIMITS } from '../src/domain/limits.ts';
import { refuseForeignFolder } from './data-folder.ts';
import type { Embedded } from './embedded.ts';
import { logFileOf, startEmbedded } from './embedded.ts';
import { tryPort } from './free-port.ts';
import { localnetAddresses } from './localnet.ts';
import { createLog } from '../src/main/log.ts';
import { planProcesses } from './processes.ts';
import type { RunState, RunningProcess } from '../src/main/run-state.ts';
import { clearRunState, isTenure, readRunState, writeRunState } from '../src/main/run-state.ts';
import type { System } from '../src/main/system.ts';
import type { LocalRedis } from './redis.ts';
import { startLocalRedis } from './redis.ts';
import type { RoleProcess } from './role-process.ts';
import { startRoleProcess } from './role-process.ts';

export interface RunOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Ports of the embedded services: the usual ones, or any free ones. */
  readonly ports: 'fixed' | 'free';
  /** When this signal is aborted, the start is given up. */
  readonly signal: AbortSignal;
}

/** A running Tenure, including all services that were not configured elsewhere. */
export interface RunningTenure extends AsyncDisposable {
  readonly config: Config;
  readonly state: RunState;
  readonly system: System;
  /** Resolves once Tenure is stopped; rejects if a part ends although it should not. */
  readonly ended: Promise<void>;
  /** Stops the parts in reverse order of the start. Work in progress is finished or handed back. */
  stop(): Promise<void>;
}

async function refuseSecond(dataDir: string): Promise<void> {
  const before = await readRunState(dataDir);
  if (before === null || before.pid === process.pid || !(await isTenure(before.pid))) return;
  throw new Error(
    `Tenure is running already with data folder ${dataDir} (pid ${before.pid}): stop it with \`make stop\``,
  );
}

/** The services that were started together with Tenure, and the settings that lead to them. */
type Along = Pick<Embedded, 'localnet' | 'postgres' | 'environment'> & {
  readonly redis: LocalRedis | null;
  readonly others: readonly Other[];
};

/** Another process of this Tenure, which has some of the roles. */
interface Other extends RunningProcess {
  readonly process: RoleProcess;
  /** Resolves with the reason if the process has ended without a request. */
  readonly failed: Promise<string>;
}

function processesOf(config: Config, along: Along): RunningProcess[] {
  const { redis, others } = along;
  const dataDir = resolve(config.dataDir);
  const processes: RunningProcess[] = [
    { name: 'tenure', pid: process.pid, logFile: logFileOf(dataDir, 'tenure') },
    ...others.map(({ name, pid, logFile }) => ({ name, pid, logFile })),
  ];
  if (along.localnet !== null) {
    processes.push({
      name: 'localnet',
      pid: along.localnet.pid,
      logFile: logFileOf(dataDir, 'localnet'),
    });
  }
  if (along.postgres !== null) {
    const { pid, logFile } = along.postgres;
    processes.push({ name: 'postgres', pid, logFile });
  }
  if (redis !== null) {
    processes.push({ name: redis.program, pid: redis.pid, logFile: redis.logFile });
  }
  return processes;
}

const HERE: ReadonlySet<string> = new Set(['127.0.0.1', '0.0.0.0', '[::1]', '[::]']);

/**
 * Returns the address for a browser. On this machine it has the host name that cookies and logins use, which is not
 * 127.0.0.1.
 */
function webUrlOf(apiUrl: string): string {
  const url = new URL('/ui/', apiUrl);
  if (HERE.has(url.hostname)) url.hostname = 'localhost';
  return url.href;
}

function addressesOf(
  apiUrl: string,
  managementUrl: string,
  embedded: Along,
): RunState['addresses'] {
  const own = [
    { name: 'web application', url: webUrlOf(apiUrl) },
    { name: 'API', url: apiUrl },
    { name: 'API reference', url: `${apiUrl}/docs` },
    { name: 'readiness and metrics', url: managementUrl },
    ...embedded.others.map(({ name, process: { managementPort } }) => ({
      name: `readiness and metrics of ${name}`,
      url: `http://127.0.0.1:${managementPort}`,
    })),
  ];
  if (embedded.localnet === null) return own;
  const { ports } = embedded.localnet.ready;
  const { 'app-provider': provider, 'app-user': user } = ports.participants;
  return [
    ...own,
    { name: 'authorization server', url: `http://127.0.0.1:${ports.auth}` },
    { name: 'provider, Ledger API', url: `127.0.0.1:${provider['ledger']}` },
    { name: 'provider, JSON API', url: `http://127.0.0.1:${provider['json']}` },
    { name: 'user, Ledger API', url: `127.0.0.1:${user['ledger']}` },
    { name: 'user, JSON API', url: `http://127.0.0.1:${user['json']}` },
    { name: 'user, wallet', url: `http://localhost:${ports.wallet}` },
    { name: 'token registry', url: `http://127.0.0.1:${ports.registry}` },
    { name: 'network control', url: `http://127.0.0.1:${ports.network}/control` },
    ...(embedded.postgres === null
      ? []
      : [{ name: 'PostgreSQL', url: `127.0.0.1:${embedded.postgres.port}` }]),
  ];
}

/** Returns Tenure's settings from the environment, without its other variables. */
const settingsIn = (environment: RunOptions['environment']): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value !== undefined && name in Environment.properties ? [[name, value]] : [],
    ),
  );

interface Begun {
  readonly startedAt: string;
  readonly given: Readonly<Record<string, string>>;
}

const originOf = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

function stateOf(config: Config, embedded: Along, system: System, begun: Begun): RunState {
  const apiUrl = originOf(config.http.host, system.apiPort ?? config.http.port);
  const managementUrl = originOf(config.management.host, system.managementPort);
  return {
    pid: process.pid,
    ...begun,
    apiUrl,
    managementUrl,
    databaseUrl: config.databaseUrl,
    providerParty: system.providerParty,
    testMode: config.testMode,
    environment: embedded.environment,
    processes: processesOf(config, embedded),
    addresses: addressesOf(apiUrl, managementUrl, embedded),
    localnet:
      embedded.localnet === null
        ? null
        : localnetAddresses(embedded.localnet.ready, config.authMode),
  };
}

const embeddedDatabaseCheck = (postgres: EmbeddedPostgres): ReadinessCheck => ({
  name: 'embedded PostgreSQL',
  check: async () => {
    const trouble = postgres.trouble();
    if (trouble !== null) throw new Error(trouble);
  },
});

/** Starts a local Redis if one is needed and this process runs workers. */
async function redisPart(
  { queue, roles, dataDir }: Config,
  signal: AbortSignal,
  stack: AsyncDisposableStack,
): Promise<LocalRedis | null> {
  if (queue.kind !== 'local-redis' || !roles.has('worker')) return null;
  const searchPath = processEnvironment()['PATH'] ?? '';
  const redis = await startLocalRedis({ dataDir: join(dataDir, 'redis'), searchPath, signal });
  return stack.adopt(redis, (started) => started.stop());
}

/** How long another process may take to stop before it is killed. An orderly stop waits for work in progress. */
const OTHER_END_MS = LIMITS.drainMs + 10_000;

/**
 * Starts processes for the roles that this process does not have. They end when this process ends, for whatever reason.
 */
async function startOthers(
  plan: readonly (readonly string[])[],
  options: Pick<RunOptions, 'signal'> & {
    readonly environment: Readonly<Record<string, string | undefined>>;
    readonly dataDir: string;
  },
  stack: AsyncDisposableStack,
): Promise<Other[]> {
  const { signal, environment, dataDir } = options;
  const started = await Promise.allSettled(
    plan.map(async (roles, index): Promise<Other> => {
      const name = `tenure-${index + 1}-${roles.join('-')}`;
      const logFile = logFileOf(resolve(dataDir), name);
      await mkdir(dirname(logFile), { recursive: true });
      const made = await startRoleProcess({ roles: roles.join(','), environment, logFile, signal });
      const failed = Promise.withResolvers<string>();
      let isTold = false;
      const watch = async (): Promise<void> => {
        const { code, signal: killed } = await made.ended;
        if (!isTold) failed.resolve(`${name} has ended unexpectedly with ${killed ?? code}`);
      };
      void watch();
      stack.defer(async () => {
        isTold = true;
        await made.end('SIGTERM', OTHER_END_MS);
      });
      return { name, pid: made.pid, logFile, process: made, failed: failed.promise };
    }),
  );
  return started.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
}

/** Checks the readiness of another process. */
const otherCheck = ({ name, process: other }: Other): ReadinessCheck => ({
  name,
  check: async ({ signal }) => {
    const answer = await fetch(`http://127.0.0.1:${other.managementPort}/readyz`, { signal });
    if (!answer.ok) throw new Error(await answer.text());
  },
});

/** Loads the modules of Tenure. This takes as long as starting LocalNet, so both happen at the same time. */
const loadSystem = () => import('../src/main/system.ts');

/** The database URL with which a configuration is checked before its database has been started. */
const ANY_DATABASE = 'postgresql://localhost/any';

async function startAll(options: RunOptions, log: Logger, stack: AsyncDisposableStack) {
  const environment = readEnvironment(options.environment);
  const dataDir = environment.TENURE_DATA_DIR;
  await refuseForeignFolder(dataDir);
  await refuseSecond(dataDir);
  // An invalid setting is refused before anything is started.
  if (environment.LEDGER_HOST !== undefined)
    loadConfig({ DATABASE_URL: ANY_DATABASE, ...options.environment });
  // If the port is taken, it is reported now; otherwise PostgreSQL and LocalNet would start first, and stop again.
  await tryPort(environment.BACKEND_HOST, environment.BACKEND_PORT);
  const { ports, signal } = options;
  const passOn = options.environment;
  let rewriteState = (): void => undefined;
  let loading: ReturnType<typeof loadSystem> | undefined;
  const embedded = stack.use(
    await startEmbedded({
      environment,
      passOn,
      ports,
      signal,
      log,
      onLaunched: () => {
        loading = loadSystem();
        // A failure to load is reported where the module is awaited.
        loading.catch(() => undefined);
      },
      onServerRestarted: () => rewriteState(),
    }),
  );
  const config = loadConfig({ ...options.environment, ...embedded.environment });
  const redis = await redisPart(config, signal, stack);
  const queue = redis === null ? config.queue : { kind: 'redis' as const, url: redis.url };
  const [own = [], ...rest] = planProcesses(config.roles, config.processes, availableParallelism());
  const inOthers = {
    ...options.environment,
    ...embedded.environment,
    ...(redis === null ? {} : { REDIS_URL: redis.url }),
    BACKEND_HOST: '127.0.0.1',
    MANAGEMENT_HOST: '127.0.0.1',
  };
  const others = await startOthers(rest, { environment: inOthers, dataDir, signal }, stack);
  const settled = { ...config, queue, roles: new Set(own) };
  const { startSystem } = await (loading ?? loadSystem());
  const system = stack.adopt(await startSystem(settled, log, signal), (made) => made.stop());
  system.checks.push(...others.map(otherCheck));
  const along = { ...embedded, redis, others };
  const begun = { startedAt: new Date().toISOString(), given: settingsIn(options.environment) };
  const state = stateOf(config, along, system, begun);
  stack.defer(() => {
    rewriteState = () => undefined;
    return clearRunState(dataDir);
  });
  await writeRunState(dataDir, state);
  rewriteState = () => {
    writeRunState(dataDir, stateOf(config, along, system, begun)).catch((error: unknown) =>
      log.warn(
        { error: String(error) },
        'the state file still contains the address of the server that has ended',
      ),
    );
  };
  if (embedded.postgres !== null) system.checks.push(embeddedDatabaseCheck(embedded.postgres));
  return { config, state, system, localnet: embedded.localnet, others };
}

/**
 * Starts Tenure as configured, and the services that it needs and that are not configured.
 *
 * @throws ConfigError, or an error whose message is one line for the person who started Tenure; no process remains
 */
export async function runTenure(options: RunOptions): Promise<RunningTenure> {
  const log = createLog(readEnvironment(options.environment).TENURE_LOG_LEVEL);
  await using stack = new AsyncDisposableStack();
  const { localnet, others, ...started } = await startAll(options, log, stack);
  const { system } = started;
  const held = stack.move();
  let stopping: Promise<void> | null = null;
  let failure: string | null = null;
  const over = Promise.withResolvers<void>();
  // Prevents an unhandled rejection if no caller awaits `ended`. The log contains the failure even then.
  over.promise.catch(() => undefined);
  const end = async (): Promise<void> => {
    try {
      await held.disposeAsync();
    } catch (error) {
      over.reject(error);
      throw error;
    }
    if (failure === null) over.resolve();
    else over.reject(new Error(failure));
  };
  const stop = (): Promise<void> => {
    stopping ??= end();
    return stopping;
  };
  const watch = async (): Promise<void> => {
    // If LocalNet has ended, Tenure ends too, because without its ledger it would only seem to work. The next start
    // also restarts LocalNet.
    const parts = [
      ...others.map(({ failed }) => failed),
      ...(localnet === null ? [] : [localnet.ended]),
    ];
    const reasons = [system.failed, ...parts];
    failure = await Promise.race(reasons);
    log.error({ reason: failure }, 'Tenure stops because of an error');
    // A failure to stop is reported by `ended`.
    await stop().catch(() => undefined);
  };
  void watch();
  log.info(
    { addresses: started.state.addresses, folder: join(started.config.dataDir) },
    'Tenure is ready',
  );
  return { ...started, ended: over.promise, stop, [Symbol.asyncDispose]: stop };
}
