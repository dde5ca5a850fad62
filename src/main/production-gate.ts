import { Value } from 'typebox/value';
import { entriesTooWide, trustedProxies } from '../auth/address-policy.ts';
import { parseRedisAddress } from '../queue/redis-address.ts';
import { readDatabaseUrl } from '../store/sql/database-url.ts';
import { isDemoSecret, isDemoUser } from './demo-credentials.ts';
import { Environment } from './environment.ts';
import type { Exception } from './exceptions.ts';

interface Rule {
  /** The entry of TENURE_EXCEPTIONS that permits a violation of this rule. */
  readonly exception: Exception;
  /** Returns a clause for each setting that violates the rule. */
  readonly defects: (env: Environment) => readonly string[];
}

const isLoopback = trustedProxies('loopback');

/** Whether a host is this machine: a loopback address, a name for one, or the folder of a Unix socket. */
export function isHere(host: string): boolean {
  const name = host.replaceAll(/^\[|\]$/gu, '').toLowerCase();
  return (
    name.startsWith('/') || name === 'localhost' || name.endsWith('.localhost') || isLoopback(name)
  );
}

/** A database whose URL is in the environment. URLs that cannot be parsed are refused elsewhere. */
interface NamedDatabase {
  readonly setting: string;
  readonly isHere: boolean;
  readonly isEncrypted: boolean;
  readonly password: string;
}

/** Whether the driver encrypts the connection and verifies the server's certificate. */
function isVerified(query: URLSearchParams): boolean {
  const mode = query.get('sslmode');
  const checked = ['verify-ca', 'verify-full'];
  // With `uselibpqcompat`, these modes do not verify the certificate.
  const strict = query.get('uselibpqcompat') === 'true' ? [] : ['prefer', 'require'];
  if (mode !== null) return [...checked, ...strict].includes(mode);
  return ['true', '1'].includes(query.get('ssl') ?? '') || Boolean(query.get('sslrootcert'));
}

function databaseAt(setting: string, url: string): NamedDatabase[] {
  const address = readDatabaseUrl(url);
  if (address === null) return [];
  const { hosts, query, password } = address;
  const isLocal = hosts.every(({ host }) => isHere(host));
  return [{ setting, isHere: isLocal, isEncrypted: isVerified(query), password }];
}

const DATABASE_URLS = [
  'DATABASE_URL',
  'DATABASE_REPLICA_URL',
  'DATABASE_RETENTION_URL',
  'DATABASE_MIGRATION_URL',
] as const;

function databasesOf(env: Environment): NamedDatabase[] {
  const { DATABASE_URL: url, POSTGRES_HOST: host } = env;
  const byName = {
    setting: 'POSTGRES_HOST',
    isHere: isHere(host ?? ''),
    isEncrypted: false,
    password: env.POSTGRES_PASSWORD,
  };
  return [
    ...(url === undefined && host !== undefined ? [byName] : []),
    ...DATABASE_URLS.flatMap((name) => databaseAt(name, env[name] ?? '')),
  ];
}

/** Whether Tenure uses the users' authorization server; otherwise its settings do not count. */
const hasUserIssuer = (env: Environment): boolean =>
  env.APP_USER_TENANT === 'on' || env.APP_USER_LEDGER_HOST !== undefined;

type Setting = keyof Environment;

/** Returns the names of all address settings of one authorization server. */
const addressesOf = (server: 'PROVIDER' | 'USER'): Setting[] =>
  (Object.keys(Environment.properties) as Setting[]).filter((name) =>
    new RegExp(`^AUTH_APP_${server}_\\w+_URL$`, 'u').test(name),
  );

const issuerSettings = (env: Environment): Setting[] =>
  hasUserIssuer(env)
    ? [...addressesOf('PROVIDER'), ...addressesOf('USER')]
    : addressesOf('PROVIDER');

const { AUTH_APP_PROVIDER_ISSUER_URL, AUTH_APP_USER_ISSUER_URL } = Value.Create(Environment);

/** Whether an issuer has the default value, which is a LocalNet realm: that means that the setting is missing. */
const isDefaultIssuer = (env: Environment, name: keyof Environment): boolean =>
  [AUTH_APP_PROVIDER_ISSUER_URL, AUTH_APP_USER_ISSUER_URL].some((issuer) => issuer === env[name]);

const isPlain = (url: Environment[Setting]): boolean =>
  url !== undefined && !/^https:/iu.test(String(url));

function plainRedis(url: string): boolean {
  const address = parseRedisAddress(url);
  if (address === null || url.startsWith('/')) return false;
  if (/^rediss/iu.test(url)) return false;
  const hosts =
    address.kind === 'one'
      ? [new URL(address.url).hostname]
      : address.nodes.map(({ host }) => host);
  return !hosts.every(isHere);
}

/** Returns the defect of settings that send the key of a collector unencrypted to another machine. */
function plainTraces(env: Environment): string[] {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: url = '', OTEL_EXPORTER_OTLP_HEADERS: headers } = env;
  if (headers === undefined || !/^http:/iu.test(url)) return [];
  if (URL.canParse(url) && isHere(new URL(url).hostname)) return [];
  return [
    'OTEL_EXPORTER_OTLP_HEADERS is set and OTEL_EXPORTER_OTLP_ENDPOINT is another machine without https',
  ];
}

const LIMIT_SETTINGS = [
  'TENURE_TENANT_RATE_LIMIT',
  'TENURE_TENANT_READS',
  'TENURE_TENANT_WRITES',
  'TENURE_READ_TIME',
  'TENURE_TENANT_STREAMS',
  'TENURE_RATE_LIMIT',
  'TENURE_RATE_LIMIT_ANONYMOUS',
  'TENURE_FAILED_AUTHENTICATIONS',
  'TENURE_CONNECTIONS_PER_ADDRESS',
] as const;

const RANGE_SETTINGS = [
  'TRUSTED_PROXIES',
  'TENANT_ISSUERS_ALLOWED',
  'WEBHOOK_TARGETS_ALLOWED',
] as const;

const SECRET_SETTINGS = [
  'AUTH_APP_PROVIDER_BACKEND_CLIENT_SECRET',
  'AUTH_APP_USER_CLIENT_SECRET',
] as const;

function demoCredentials(env: Environment): string[] {
  const secrets = SECRET_SETTINGS.filter((name) => isDemoSecret(env[name] ?? ''));
  const passwords = databasesOf(env).filter(
    (database) => !database.isHere && isDemoSecret(database.password),
  );
  return [
    ...secrets.map((name) => `${name} contains a published demo secret`),
    ...passwords.map(({ setting }) => `${setting} contains a published demo password`),
  ];
}

/**
 * Returns the defects of settings that let retention delete audit rows: the run-time role cannot delete them unless it
 * owns the tables, so retention needs a role of its own.
 */
function auditRetention(env: Environment): string[] {
  if (env.TENURE_KEEP_AUDIT_DAYS === 0 || !env.TENURE_ROLES.split(',').includes('clock')) return [];
  const runTimeRole = readDatabaseUrl(env.DATABASE_URL ?? '')?.user;
  const retentionRole = readDatabaseUrl(env.DATABASE_RETENTION_URL ?? '')?.user;
  if (retentionRole === undefined) {
    return ['TENURE_KEEP_AUDIT_DAYS is set but DATABASE_RETENTION_URL is missing'];
  }
  return retentionRole === runTimeRole
    ? ['DATABASE_RETENTION_URL and DATABASE_URL name the same role']
    : [];
}

const PRODUCTION: readonly Rule[] = [
  {
    exception: 'localnet',
    defects: ({ LEDGER_HOST }) =>
      LEDGER_HOST === undefined ? ['LEDGER_HOST is missing, so Tenure would start LocalNet'] : [],
  },
  { exception: 'demo-credentials', defects: demoCredentials },
  {
    exception: 'default-issuers',
    defects: (env) =>
      issuerSettings(env)
        .filter((name) => isDefaultIssuer(env, name))
        .map((name) => `${name} is missing`),
  },
  {
    exception: 'issuers-without-tls',
    defects: (env) =>
      issuerSettings(env)
        .filter((name) => !isDefaultIssuer(env, name) && isPlain(env[name]))
        .map((name) => `${name} does not use https`),
  },
  {
    exception: 'registry-without-tls',
    defects: (env) =>
      isPlain(env.REGISTRY_BASE_URI) ? ['REGISTRY_BASE_URI does not use https'] : [],
  },
  {
    exception: 'ledger-without-tls',
    defects: (env) =>
      (['LEDGER_HOST', 'APP_USER_LEDGER_HOST'] as const)
        .filter((name) => env.LEDGER_TLS === 'off' && !isHere(env[name] ?? 'localhost'))
        .map((name) => `LEDGER_TLS is off but ${name} names another machine`),
  },
  {
    exception: 'database-without-tls',
    defects: (env) =>
      databasesOf(env)
        .filter((database) => !database.isHere && !database.isEncrypted)
        .map(
          ({ setting }) =>
            `${setting} connects to another machine without TLS (add ?sslmode=verify-full to the address)`,
        ),
  },
  {
    exception: 'redis-without-tls',
    defects: ({ REDIS_URL = 'local' }) =>
      plainRedis(REDIS_URL)
        ? ['REDIS_URL connects to another machine without TLS (use rediss://)']
        : [],
  },
  { exception: 'traces-without-tls', defects: plainTraces },
  {
    exception: 'limits-off',
    defects: (env) =>
      LIMIT_SETTINGS.filter((name) => env[name] === 0).map((name) => `${name} is 0`),
  },
  {
    exception: 'secrets-in-clear',
    defects: ({ TENURE_SECRET_KEYS: keys }) =>
      keys === undefined
        ? ['TENURE_SECRET_KEYS is missing (create a key with `tenure secrets new-key`)']
        : [],
  },
  {
    exception: 'wide-ranges',
    defects: (env) =>
      RANGE_SETTINGS.flatMap((name) =>
        entriesTooWide(env[name] ?? 'none').map(
          (entry) =>
            `${name} lists ${entry}, a range that includes public addresses of other organisations`,
        ),
      ),
  },
  { exception: 'schema-owner', defects: auditRetention },
];

/** Returns the enabled modes in which callers can choose their own identity. */
const developmentModes = (env: Environment): string[] => [
  ...(env.TEST_MODE === 'on' ? ['TEST_MODE is on'] : []),
  ...(env.AUTH_MODE === 'shared-secret' ? ['AUTH_MODE is shared-secret'] : []),
];

const DEVELOPMENT: readonly Rule[] = [
  {
    exception: 'public-development',
    defects: (env) =>
      isHere(env.BACKEND_HOST)
        ? []
        : [
            ...developmentModes(env),
            ...(env.LEDGER_HOST === undefined ? ['LocalNet would be started'] : []),
          ].map((mode) => `${mode} but BACKEND_HOST is not a loopback address`),
  },
];

/** Whether TENURE_EXCEPTIONS lists the exception. */
const isLifted = (env: Environment, exception: Exception): boolean =>
  env.TENURE_EXCEPTIONS?.split(',').includes(exception) ?? false;

function refusals(env: Environment, rules: readonly Rule[]): string[] {
  const isProduction = env.TENURE_ENVIRONMENT === 'production';
  const where = isProduction
    ? 'TENURE_ENVIRONMENT=production does not allow this'
    : 'Tenure does not allow this';
  return rules
    .filter(({ exception }) => !isLifted(env, exception))
    .flatMap(({ exception, defects }) =>
      defects(env).map(
        (defect) => `${defect}: ${where} unless TENURE_EXCEPTIONS lists ${exception}`,
      ),
    );
}

/**
 * Returns a line for each setting that makes a deployment easy to try but insecure. The line names the exception that
 * permits the setting. Production has no exception for the development modes.
 */
export function refusedByGate(env: Environment): string[] {
  if (env.TENURE_ENVIRONMENT !== 'production') return refusals(env, DEVELOPMENT);
  const modes = developmentModes(env).map(
    (mode) => `${mode}, which TENURE_ENVIRONMENT=production does not allow`,
  );
  return [...modes, ...refusals(env, PRODUCTION)];
}

/** The rules that apply to a program that reads only the database's settings. */
const OF_DATABASES: readonly Exception[] = ['demo-credentials', 'database-without-tls'];

/** Returns the refusals of {@link refusedByGate} that apply to the migration job. */
export const migrationRefusals = (env: Environment): string[] =>
  env.TENURE_ENVIRONMENT === 'production'
    ? refusals(
        env,
        PRODUCTION.filter(({ exception }) => OF_DATABASES.includes(exception)),
      )
    : [];

/**
 * Returns the refusal of a database role that may change the schema; `null` if such a role is accepted. Whether the
 * role has this right can be found out only by a query.
 */
export const schemaOwnerRefusal = (env: Environment): ((setting: string) => string) | null =>
  env.TENURE_ENVIRONMENT !== 'production' || isLifted(env, 'schema-owner')
    ? null
    : (setting) =>
        `the database user of ${setting} may change the schema: TENURE_ENVIRONMENT=production does not allow this unless TENURE_EXCEPTIONS lists schema-owner`;

/** Whether an issuer that a tenant names may use plain HTTP. */
export const allowsPlainIssuers = (env: Environment): boolean =>
  env.TENURE_ENVIRONMENT !== 'production' || isLifted(env, 'issuers-without-tls');

/**
 * Returns a predicate that recognises demo users of LocalNet's realms, because a production realm may be a copy of one.
 * `null` if no one is refused.
 */
export const refusedSubjects = (env: Environment): ((subject: string) => boolean) | null =>
  env.TENURE_ENVIRONMENT !== 'production' || isLifted(env, 'demo-credentials') ? null : isDemoUser;
