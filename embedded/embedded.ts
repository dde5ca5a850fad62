import { join } from 'node:path';
import type { Log } from '../src/app/ports/io.ts';
import type { EmbeddedPostgres } from './postgres/embedded-postgres.ts';
import { startEmbeddedPostgres } from './postgres/embedded-postgres.ts';
import { ConfigError, databaseUrl } from '../src/main/config.ts';
import type { Environment } from '../src/main/environment.ts';
import { refusedByGate } from '../src/main/production-gate.ts';
import type { LocalNetwork } from './localnet.ts';
import {
  LOCALNET_CLIENTS,
  localnetDataDir,
  localnetEnvironment,
  startLocalNetwork,
} from './localnet.ts';
import { secretKeysIn } from './secret-keys.ts';

export interface EmbeddedOptions {
  readonly environment: Environment;
  /** The raw environment, from which LocalNet reads its own variables. */
  readonly passOn: Readonly<Record<string, string | undefined>>;
  /** `free` uses any ports that the operating system assigns, for demos and tests. */
  readonly ports: 'fixed' | 'free';
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Called once, when the database is ready and the start of LocalNet has been requested. */
  readonly onLaunched?: () => void;
  /** Called when the database server has been restarted and is another process. */
  readonly onServerRestarted?: () => void;
}

/** The services that run on this machine because the configuration names no others. */
export interface Embedded extends AsyncDisposable {
  readonly postgres: EmbeddedPostgres | null;
  readonly localnet: LocalNetwork | null;
  /** The settings for Tenure that lead to the started services. */
  readonly environment: Readonly<Record<string, string>>;
}

export const logFileOf = (dataDir: string, name: string): string =>
  join(dataDir, 'logs', `${name}.log`);

function postgresPart(options: EmbeddedOptions): Promise<EmbeddedPostgres> | null {
  const { environment, ports, signal, log, onServerRestarted } = options;
  if (environment.DATABASE_URL !== undefined || environment.POSTGRES_HOST !== undefined)
    return null;
  return startEmbeddedPostgres({
    dataDir: join(environment.TENURE_DATA_DIR, 'postgres'),
    port: ports === 'fixed' ? environment.POSTGRES_PORT : 0,
    signal,
    onEvent: (event) => {
      log.warn({ event }, 'embedded PostgreSQL');
      if (event.kind === 'server-restarted') onServerRestarted?.();
    },
  });
}

function localnetPart(options: EmbeddedOptions): Promise<LocalNetwork> | null {
  const { environment, passOn, ports, signal } = options;
  if (environment.LEDGER_HOST !== undefined) return null;
  return startLocalNetwork({
    dataDir: localnetDataDir(environment.TENURE_DATA_DIR),
    logFile: logFileOf(environment.TENURE_DATA_DIR, 'localnet'),
    ports,
    // Tenure and LocalNet must use the same mode of authentication.
    environment: { LOCALNET_AUTH: environment.AUTH_MODE, ...passOn },
    signal,
  });
}

/** Returns the keys of the data folder as a setting. If keys are configured, returns no setting. */
async function secretKeys({ TENURE_SECRET_KEYS: given, TENURE_DATA_DIR: dataDir }: Environment) {
  return given === undefined ? { TENURE_SECRET_KEYS: await secretKeysIn(dataDir) } : {};
}

/**
 * @throws ConfigError if the production gate refuses a setting. A missing key is no reason when the database is
 *   embedded, because its start creates the keys.
 */
function refuseByGate(environment: Environment): void {
  const isEmbedded = databaseUrl(environment) === undefined;
  const made = isEmbedded ? { TENURE_SECRET_KEYS: 'made at the start' } : {};
  const refusals = refusedByGate({ ...made, ...environment });
  if (refusals.length > 0) throw new ConfigError(refusals);
}

/**
 * Starts an embedded PostgreSQL unless a database is configured, and concurrently LocalNet unless a ledger is
 * configured. If one of them fails, the other is stopped.
 *
 * @throws ConfigError before anything is started if the production gate refuses a setting
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  refuseByGate(options.environment);
  await using stack = new AsyncDisposableStack();
  const database = Promise.resolve(postgresPart(options));
  const network = Promise.resolve(localnetPart(options));
  const launched = () => options.onLaunched?.();
  void database.then(launched, launched);
  const [postgres, localnet] = await Promise.allSettled([database, network]);
  if (postgres.status === 'fulfilled') stack.adopt(postgres.value, (part) => part?.stop());
  if (localnet.status === 'fulfilled') stack.adopt(localnet.value, (part) => part?.stop());
  if (postgres.status === 'rejected') throw postgres.reason;
  if (localnet.status === 'rejected') throw localnet.reason;
  const { REGISTRY_BASE_URI: registry } = options.environment;
  const environment = {
    ...(postgres.value === null
      ? {}
      : {
          DATABASE_URL: postgres.value.socketUrl ?? postgres.value.url,
          ...(await secretKeys(options.environment)),
        }),
    ...(localnet.value === null ? {} : await localnetEnvironment(localnet.value.ready)),
    // A registry that is configured explicitly is kept, because it may run elsewhere than the ledger.
    ...(registry === undefined ? {} : { REGISTRY_BASE_URI: registry }),
    ...(localnet.value === null || options.environment.TENANT_ISSUERS_ALLOWED !== undefined
      ? {}
      : { TENANT_ISSUERS_ALLOWED: 'loopback' }),
    ...(localnet.value === null || options.environment.AUTH_APP_PROVIDER_CLIENTS !== undefined
      ? {}
      : { AUTH_APP_PROVIDER_CLIENTS: LOCALNET_CLIENTS }),
    ...(localnet.value === null || options.environment.WEBHOOK_TARGETS_ALLOWED !== undefined
      ? {}
      : { WEBHOOK_TARGETS_ALLOWED: 'loopback' }),
  };
  const held = stack.move();
  return {
    postgres: postgres.value,
    localnet: localnet.value,
    environment,
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}
