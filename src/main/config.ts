import { Value } from 'typebox/value';
import { addressPolicy, trustedProxies } from '../auth/address-policy.ts';
import type { EndpointOverrides } from '../auth/issuer-directory.ts';
import type { ParticipantName, Party } from '../domain/ids.ts';
import { isParty, trusted } from '../domain/ids.ts';
import { readSealingKeys } from '../domain/sealing.ts';
import { ENVIRONMENT_FILE, readEnvironmentFile } from './environment-file.ts';
import {
  NO_DATABASE_URL,
  defectOfDatabaseUrl,
  readDatabaseUrl,
} from '../store/sql/database-url.ts';
import { Environment } from './environment.ts';
import {
  allowsPlainIssuers,
  refusedByGate,
  refusedSubjects,
  schemaOwnerRefusal,
} from './production-gate.ts';
import { httpLimitsOf } from './http-limits.ts';
import { booksOf } from './book-settings.ts';
import { submittingOf } from './submit-settings.ts';
import { mailMistakes, mailOf } from './mail-settings.ts';
import { quotasOf } from './quotas.ts';
import { outOfBounds } from './setting-bounds.ts';
import { shortDurationMs } from './short-duration.ts';
import { grantsOf, readGrants } from './grants.ts';
import { tracesOf } from './otel-headers.ts';
import { DAY_MS } from '../domain/time.ts';

export type ProcessRole = 'api' | 'worker' | 'projector' | 'clock';

/**
 * Where Tenure gets its tokens for a participant: as a client of an authorization server or, in shared-secret mode,
 * from a setting.
 */
export type LedgerCredentials =
  | {
      readonly kind: 'client';
      /** The authorization server that issues the tokens. */
      readonly issuer: string;
      readonly clientId: string;
      readonly clientSecret: string;
    }
  | { readonly kind: 'token'; readonly token: string };

/** The Ledger API of one participant. */
export interface ParticipantConfig {
  readonly name: ParticipantName;
  readonly host: string;
  readonly port: number;
  readonly credentials: LedgerCredentials;
}

/**
 * An issuer with a configured address, whichever tenants use it. `role` says which tenant it is configured for at the
 * start.
 */
export interface IssuerConfig {
  readonly issuer: string;
  /** The issuer's addresses for Tenure and for browsers. */
  readonly endpointUrl: string;
  readonly browserUrl: string;
  /** Endpoints that replace those in the issuer's metadata. */
  readonly endpoints: EndpointOverrides;
  readonly role: 'provider' | 'user';
}

export type QueueConfig =
  | { readonly kind: 'postgres' }
  | { readonly kind: 'redis'; readonly url: string }
  | { readonly kind: 'local-redis' };

/** Thrown with all mistakes in the environment together. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly mistakes: readonly string[];
  constructor(mistakes: readonly string[]) {
    super(`wrong configuration: ${mistakes.join('; ')}`);
    this.mistakes = mistakes;
  }
}

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Returns the settings that have a value. An empty value means that the setting is absent, as in shells and compose
 * files.
 */
const present = (env: Env): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [[name, value]],
    ),
  );

/** Returns the rule that a value must obey, in words: the schema's own message would show its regular expression. */
function ruleOf(setting: object): string | undefined {
  if ('must' in setting) return `must ${String(setting.must)}`;
  if ('minimum' in setting && 'maximum' in setting) {
    const kind = 'type' in setting && setting.type === 'integer' ? 'a whole number' : 'a number';
    return `must be ${kind} from ${String(setting.minimum)} to ${String(setting.maximum)}`;
  }
  if (!('anyOf' in setting) || !Array.isArray(setting.anyOf)) return undefined;
  return `must be one of ${setting.anyOf.map((choice: { const?: unknown }) => String(choice.const)).join(', ')}`;
}

/** Returns unknown names that begin like settings of Tenure: a person who sets one expects an effect. */
const misspelt = (env: Env): string[] =>
  Object.keys(present(env)).flatMap((name) =>
    name.startsWith('TENURE_') && !(name in Environment.properties)
      ? [`${name} is not a setting of Tenure: correct the name or remove the variable`]
      : [],
  );

/**
 * Adds the two settings that follow from a Spring profile of the reference application. Explicit settings override
 * them.
 */
function withProfiles(env: Record<string, string>): Record<string, string> {
  const profiles = env['SPRING_PROFILES_ACTIVE']?.split(',') ?? [];
  const secret = env['AUTH_APP_PROVIDER_BACKEND_SECRET'];
  return {
    ...(profiles.includes('shared-secret') ? { AUTH_MODE: 'shared-secret' } : {}),
    ...(profiles.includes('test') ? { TEST_MODE: 'on' } : {}),
    ...(secret === undefined ? {} : { AUTH_APP_PROVIDER_BACKEND_CLIENT_SECRET: secret }),
    ...env,
  };
}

/** Reads the environment alone, and adds defaults. @throws ConfigError */
export function readEnvironment(env: Env): Environment {
  const candidate = Value.Convert(
    Environment,
    Value.Default(Environment, Value.Clean(Environment, withProfiles(present(env)))),
  );
  const values = candidate as Record<string, unknown>;
  // Each setting is checked separately, because the library stops after a few errors.
  const mistakes = Object.entries(Environment.properties).flatMap(([name, setting]) => {
    const value = values[name];
    if (value === undefined) return [];
    const [found] = Value.Errors(setting, value);
    return found === undefined ? [] : [`${name} ${ruleOf(setting) ?? found.message}`];
  });
  mistakes.push(...misspelt(env));
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  return candidate as Environment;
}

/** Returns the URL of the store's database, if one is configured. */
export function databaseUrl(env: Environment): string | undefined {
  if (env.DATABASE_URL !== undefined) return env.DATABASE_URL;
  if (env.POSTGRES_HOST === undefined) return undefined;
  const at = new URL('postgresql://localhost');
  at.hostname = env.POSTGRES_HOST;
  at.port = String(env.POSTGRES_PORT);
  at.username = env.POSTGRES_USERNAME;
  at.password = env.POSTGRES_PASSWORD;
  at.pathname = `/${env.POSTGRES_DATABASE}`;
  return at.href;
}

function queueOf(env: Environment): QueueConfig {
  if (env.REDIS_URL === undefined) return { kind: 'postgres' };
  return env.REDIS_URL === 'local'
    ? { kind: 'local-redis' }
    : { kind: 'redis', url: env.REDIS_URL };
}

interface LedgerClient {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly token: string | undefined;
}

const credentialsOf = (env: Environment, client: LedgerClient): LedgerCredentials =>
  env.AUTH_MODE === 'shared-secret'
    ? { kind: 'token', token: client.token ?? '' }
    : {
        kind: 'client',
        issuer: client.issuer,
        clientId: client.clientId,
        clientSecret: client.clientSecret ?? '',
      };

function participantsOf(env: Environment): ParticipantConfig[] {
  const participants: ParticipantConfig[] = [
    {
      name: trusted<ParticipantName>('app-provider'),
      host: env.LEDGER_HOST ?? '',
      port: env.LEDGER_PORT,
      credentials: credentialsOf(env, {
        issuer: env.AUTH_APP_PROVIDER_ISSUER_URL,
        clientId: env.AUTH_APP_PROVIDER_BACKEND_CLIENT_ID,
        clientSecret: env.AUTH_APP_PROVIDER_BACKEND_CLIENT_SECRET,
        token: env.APP_PROVIDER_BACKEND_USER_TOKEN,
      }),
    },
  ];
  if (env.APP_USER_LEDGER_HOST !== undefined) {
    participants.push({
      name: trusted<ParticipantName>('app-user'),
      host: env.APP_USER_LEDGER_HOST,
      port: env.APP_USER_LEDGER_PORT,
      credentials: credentialsOf(env, {
        issuer: env.AUTH_APP_USER_ISSUER_URL,
        clientId: env.AUTH_APP_USER_CLIENT_ID,
        clientSecret: env.AUTH_APP_USER_CLIENT_SECRET,
        token: env.APP_USER_BACKEND_USER_TOKEN,
      }),
    });
  }
  return participants;
}

const SIDES = { provider: 'AUTH_APP_PROVIDER', user: 'AUTH_APP_USER' } as const;

function issuerOf(env: Environment, role: IssuerConfig['role']): IssuerConfig {
  const side = SIDES[role];
  const issuer = env[`${side}_ISSUER_URL`];
  const endpoints = {
    jwks_uri: env[`${side}_JWKS_URL`],
    token_endpoint: env[`${side}_TOKEN_URL`],
    authorization_endpoint: env[`${side}_AUTHORIZATION_URL`],
    end_session_endpoint: env[`${side}_END_SESSION_URL`],
  };
  return {
    issuer,
    endpointUrl: env[`${side}_ENDPOINT_URL`] ?? issuer,
    browserUrl: env[`${side}_BROWSER_URL`] ?? issuer,
    endpoints: Object.fromEntries(
      Object.entries(endpoints).filter(([, url]) => url !== undefined),
    ) as EndpointOverrides,
    role,
  };
}

const issuersOf = (env: Environment): IssuerConfig[] => [
  issuerOf(env, 'provider'),
  issuerOf(env, 'user'),
];

/** Reports settings of the ledger credentials that the configured mode needs and that are missing. */
function missingCredentials(
  env: Environment,
  need: (name: keyof Environment, why: string) => void,
): void {
  const hasUsers = env.APP_USER_LEDGER_HOST !== undefined;
  if (env.AUTH_MODE === 'shared-secret') {
    need('APP_PROVIDER_BACKEND_USER_TOKEN', 'set it to the ledger token of the provider');
    if (hasUsers)
      need('APP_USER_BACKEND_USER_TOKEN', 'it is required because APP_USER_LEDGER_HOST is set');
    return;
  }
  need(
    'AUTH_APP_PROVIDER_BACKEND_CLIENT_SECRET',
    'Tenure needs this secret to get tokens for the ledger',
  );
  if (hasUsers)
    need('AUTH_APP_USER_CLIENT_SECRET', 'it is required because APP_USER_LEDGER_HOST is set');
}

const OTHER_DATABASES = [
  'DATABASE_REPLICA_URL',
  'DATABASE_RETENTION_URL',
  'DATABASE_MIGRATION_URL',
] as const;

/** Returns the settings that are still missing after embedded parts have added theirs. */
function missing(env: Environment): string[] {
  const mistakes: string[] = [];
  const need = (name: keyof Environment, why: string) => {
    if (env[name] === undefined) mistakes.push(`${name} is missing: ${why}`);
  };
  const database = databaseUrl(env);
  if (database === undefined)
    need('DATABASE_URL', 'set it to the address of the PostgreSQL server');
  const defect = database === undefined ? null : defectOfDatabaseUrl(database);
  if (defect !== null) mistakes.push(`DATABASE_URL ${defect}`);
  for (const name of OTHER_DATABASES) {
    if (env[name] !== undefined && readDatabaseUrl(env[name]) === null)
      mistakes.push(`${name} ${NO_DATABASE_URL}`);
  }
  need('LEDGER_HOST', 'set it to the host of the provider’s participant');
  need('REGISTRY_BASE_URI', 'set it to the address of the token registry for fees');
  missingCredentials(env, need);
  for (const name of ['APP_PROVIDER_PARTY', 'APP_USER_PARTY'] as const) {
    const value = env[name];
    if (value !== undefined && !isParty(value)) {
      mistakes.push(`${name} must be a party ID of the form hint::fingerprint`);
    }
  }
  return mistakes;
}

function wrongPolicy(env: Environment): string[] {
  const readers = {
    TENANT_ISSUERS_ALLOWED: addressPolicy,
    WEBHOOK_TARGETS_ALLOWED: addressPolicy,
    TRUSTED_PROXIES: trustedProxies,
    AUTH_APP_PROVIDER_CLIENTS: readGrants,
    AUTH_ROLE_PERMISSIONS: readGrants,
  } as const;
  return (Object.keys(readers) as (keyof typeof readers)[]).flatMap((name) => {
    try {
      readers[name](env[name] ?? 'none');
      return [];
    } catch (error) {
      if (error instanceof TypeError) return [`${name}: ${error.message}`];
      throw error;
    }
  });
}

const daysToMs = (days: number): number | null => (days === 0 ? null : days * DAY_MS);

const partyOf = (text: string | undefined): Party | null =>
  text === undefined ? null : trusted<Party>(text);

const membersOf = (env: Environment) => ({
  http: { host: env.BACKEND_HOST, port: env.BACKEND_PORT },
  /** The address that serves readiness with its reasons, and metrics. */
  management: { host: env.MANAGEMENT_HOST, port: env.MANAGEMENT_PORT },
  /** Returns whether the proxy at an address is trusted. */
  trustsProxy: trustedProxies(env.TRUSTED_PROXIES),
  /** How many items of bulk acts are processed a second. */
  bulkRate: env.TENURE_BULK_RATE,
  /** How many operations may wait in one lane. */
  mailboxMax: env.TENURE_MAILBOX_MAX,
  quotas: quotasOf(env),
  books: booksOf(env),
  /** `null` if no mail is sent. */
  mail: mailOf(env),
  ...httpLimitsOf(env),
  roles: new Set(env.TENURE_ROLES.split(',') as ProcessRole[]),
  /** How many processes a launcher starts for the configured roles. */
  processes: env.TENURE_PROCESSES === 'auto' ? ('auto' as const) : Number(env.TENURE_PROCESSES),
  dataDir: env.TENURE_DATA_DIR,
  logLevel: env.TENURE_LOG_LEVEL,
  /** Where traces are sent; `null` if no traces are recorded. */
  traces: tracesOf(env),
  ...submittingOf(env),
  databaseUrl: databaseUrl(env) ?? '',
  /** `null` if the primary also serves searches. */
  replicaUrl: env.DATABASE_REPLICA_URL ?? null,
  /** `null` if retention uses the database role of `databaseUrl`. */
  retentionUrl: env.DATABASE_RETENTION_URL ?? null,
  databasePool: env.TENURE_DATABASE_POOL,
  /**
   * Returns the refusal of a database role that may change the schema; `null` if such a role is accepted, in which case
   * the process migrates.
   */
  schemaOwnerRefusal: schemaOwnerRefusal(env),
  /** Keys that encrypt secrets in the database. */
  secretKeys: env.TENURE_SECRET_KEYS === undefined ? [] : readSealingKeys(env.TENURE_SECRET_KEYS),
  retention: {
    changesMs: daysToMs(env.TENURE_KEEP_CHANGES_DAYS),
    eventsMs: daysToMs(env.TENURE_KEEP_EVENTS_DAYS),
    contractsMs: daysToMs(env.TENURE_KEEP_CONTRACTS_DAYS),
    auditMs: daysToMs(env.TENURE_KEEP_AUDIT_DAYS),
  },
  queue: queueOf(env),
  ledgerTls: env.LEDGER_TLS === 'on',
  /** The tolerances with which the record time proves that an attempt is over. */
  proof: {
    toleranceMs: shortDurationMs(env.LEDGER_TIME_TOLERANCE),
    clockDifferenceMs: shortDurationMs(env.CLOCK_DIFFERENCE_MAX),
  },
  /** How long a confirmed policy waits before it acts. */
  policyDelayMs: shortDurationMs(env.POLICY_DELAY),
  /** Without a trailing slash. */
  registryUri: (env.REGISTRY_BASE_URI ?? '').replace(/\/+$/u, ''),
  ledgerAudience: env.LEDGER_API_AUTH_AUDIENCE,
  ledgerScope: env.LEDGER_API_AUTH_SCOPE,
  /** `null` means the party that the ledger user may act as, if there is just one. */
  providerParty: partyOf(env.APP_PROVIDER_PARTY),
  /** `null` means the party that Tenure's ledger user may act as on the users’ participant, if there is just one. */
  userParty: partyOf(env.APP_USER_PARTY),
  participants: participantsOf(env),
  issuers: issuersOf(env),
  /** The permissions of the provider's clients and roles. */
  grants: grantsOf(env),
  /** The claim that lists roles or scopes. */
  rolesClaim: env.AUTH_ROLES_CLAIM,
  /** Recognises demo users by the claim `sub`. */
  refusesSubject: refusedSubjects(env),
  authMode: env.AUTH_MODE,
  /** The key with which callers' tokens are signed in shared-secret mode. */
  sharedSecret: env.AUTH_SHARED_SECRET,
  /**
   * The client ID for logins at the provider's authorization server and at the authorization server of tenant AppUser.
   */
  loginClientId: env.AUTH_APP_PROVIDER_BACKEND_OIDC_CLIENT_ID,
  /** Addresses that tenants' issuers may have in addition to public ones. */
  tenantIssuers: addressPolicy(env.TENANT_ISSUERS_ALLOWED ?? 'none'),
  /** Whether an issuer that a tenant has named may use plain HTTP. */
  allowsPlainIssuers: allowsPlainIssuers(env),
  /** Addresses that webhooks may have in addition to public ones, and whether plain HTTP is allowed. */
  webhookTargets: {
    policy: addressPolicy(env.WEBHOOK_TARGETS_ALLOWED ?? 'none'),
    allowsHttp: env.TENURE_ENVIRONMENT !== 'production',
  },
  /** The wallet of tenant AppUser; `null` if the tenant is not registered at the start. */
  userTenant: env.APP_USER_TENANT === 'on' ? { walletUrl: env.APP_USER_WALLET_URL } : null,
  testMode: env.TEST_MODE === 'on',
  isProduction: env.TENURE_ENVIRONMENT === 'production',
});

/** The whole configuration of a process: validated, complete and frozen. */
export type Config = Readonly<ReturnType<typeof membersOf>>;

/** Returns the complete configuration. @throws ConfigError that names every mistake */
export function loadConfig(from: Env): Config {
  const env = readEnvironment(from);
  const mistakes = [
    ...missing(env),
    ...refusedByGate(env),
    ...wrongPolicy(env),
    ...outOfBounds(env),
    ...mailMistakes(env),
  ];
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  return Object.freeze(membersOf(env));
}

/**
 * Returns the environment of this process, with the settings in {@link ENVIRONMENT_FILE} as defaults. No other function
 * reads all of the environment or of the file; `givenSettings` reads single settings.
 *
 * @throws ConfigError that names the file and every mistake in it
 */
export function processEnvironment(): Env {
  const { settings, mistakes } = readEnvironmentFile(ENVIRONMENT_FILE);
  const wrong = [...mistakes, ...mistakesOf(settings)];
  if (wrong.length > 0) {
    throw new ConfigError(wrong.map((mistake) => `${mistake} (in ${ENVIRONMENT_FILE})`));
  }
  return { ...settings, ...process.env };
}

function mistakesOf(settings: Env): readonly string[] {
  try {
    readEnvironment(settings);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
    throw error;
  }
}
