import { hash } from 'node:crypto';
import { Value } from 'typebox/value';
import { trustedProxies } from '../auth/address-policy.ts';
import { parseRedisAddress } from '../queue/redis-address.ts';
import { readDatabaseUrl } from '../store/sql/database-url.ts';
import { Environment } from './environment.ts';
import type { Exception } from './exceptions.ts';

interface Rule {
  /** The entry of TENURE_EXCEPTIONS that lifts this rule. */
  readonly exception: Exception;
  /** A clause for each setting that breaks the rule. */
  readonly defects: (env: Environment) => readonly string[];
}

/** SHA-256 of published secrets: of LocalNet, of the reference, of the compose file, and usual passwords. */
const DEMO_SECRETS: ReadonlySet<string> = new Set([
  '3778d6c3799a546e5b5f0ac84c615ce5aa538ab54f1073af69f3915e44d7a5b5',
  'e7d16b3c3c44ca1ffa683db0ce44fd6330fe79adf497176a397b20b6a8d9eefa',
  '36ce607d5fa3f35ed6abe3f179f2d31bdefe452e1c79107e10846385546a3f52',
  '77bf268d46d460e72a93e41d208353063a04f35f3a2b39f51ddef5e5ca7559fb',
  'e687ae8fc092df5dc4a63dda4d49e9dcfea0e808ddbb7eff13c748fd39fc80b4',
  '629e3fc948fb5ca55eb9f2cc1cd815703841a4f6be23b038925fbe56bdc19c24',
  '6ca13d52ca70c883e0f0bb101e425a89e8624de51db2d2392593af6a84118090',
  '8c6976e5b5410415bde908bd4dee15dfb167a9c873fc4bb8a81f6f2ab448a918',
  'a942b37ccfaf5a813b1432caa209a43b9d144e47ad0de1549c289c253e556cd5',
  '6a6d2cb662cc5091f79926858e30f473c844127dd23c0cc55c15dd8578b049ef',
  'c30c030bd3667bfe9eda3107738b9458e202c05ddc911915d7eb5bc1274140d5',
  '5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8',
  '057ba03d6c44104863dc7361fe4578965d1887360f90a0895882e58a6248fc86',
]);

/** Whether a secret is published somewhere, so that it protects nothing. */
const isDemoSecret = (secret: string): boolean => DEMO_SECRETS.has(hash('sha256', secret));

const isLoopback = trustedProxies('loopback');

/** Whether a host is this machine: a loopback address, a name that stands for one, or the folder of a socket. */
function isHere(host: string): boolean {
  const name = host.replaceAll(/^\[|\]$/gu, '').toLowerCase();
  return (
    name.startsWith('/') || name === 'localhost' || name.endsWith('.localhost') || isLoopback(name)
  );
}

/** A database that is named in the environment. Unreadable URLs have a refusal of their own. */
interface NamedDatabase {
  readonly setting: string;
  readonly isHere: boolean;
  readonly isEncrypted: boolean;
  readonly password: string;
}

/** The values of `sslmode` with which the driver encrypts and checks the certificate. */
const VERIFIED = ['prefer', 'require', 'verify-ca', 'verify-full'];

function databaseAt(setting: string, url: string): NamedDatabase[] {
  const address = readDatabaseUrl(url);
  if (address === null) return [];
  const { hosts, query, password } = address;
  const mode = query.get('sslmode');
  const isEncrypted =
    mode === null ? ['true', '1'].includes(query.get('ssl') ?? '') : VERIFIED.includes(mode);
  return [{ setting, isHere: hosts.every(({ host }) => isHere(host)), isEncrypted, password }];
}

function databasesOf(env: Environment): NamedDatabase[] {
  const { DATABASE_URL: url, DATABASE_REPLICA_URL: replica, POSTGRES_HOST: host } = env;
  const byName = {
    setting: 'POSTGRES_HOST',
    isHere: isHere(host ?? ''),
    isEncrypted: false,
    password: env.POSTGRES_PASSWORD,
  };
  return [
    ...(url === undefined ? [] : databaseAt('DATABASE_URL', url)),
    ...(url === undefined && host !== undefined ? [byName] : []),
    ...(replica === undefined ? [] : databaseAt('DATABASE_REPLICA_URL', replica)),
  ];
}

/** Settings of the users' authorization server count only where Tenure uses the server. */
const hasUserIssuer = (env: Environment): boolean =>
  env.APP_USER_TENANT === 'on' || env.APP_USER_LEDGER_HOST !== undefined;

const PROVIDER_ISSUER = [
  'AUTH_APP_PROVIDER_ISSUER_URL',
  'AUTH_APP_PROVIDER_ENDPOINT_URL',
  'AUTH_APP_PROVIDER_BROWSER_URL',
] as const;
const USER_ISSUER = [
  'AUTH_APP_USER_ISSUER_URL',
  'AUTH_APP_USER_ENDPOINT_URL',
  'AUTH_APP_USER_BROWSER_URL',
] as const;

const issuerSettings = (env: Environment) =>
  hasUserIssuer(env) ? [...PROVIDER_ISSUER, ...USER_ISSUER] : PROVIDER_ISSUER;

const { AUTH_APP_PROVIDER_ISSUER_URL, AUTH_APP_USER_ISSUER_URL } = Value.Create(Environment);

/** The defaults are LocalNet's realms, so a default means that the setting is missing. */
const isDefaultIssuer = (env: Environment, name: keyof Environment): boolean =>
  [AUTH_APP_PROVIDER_ISSUER_URL, AUTH_APP_USER_ISSUER_URL].some((issuer) => issuer === env[name]);

const isPlain = (url: string | undefined): boolean => url !== undefined && !/^https:/iu.test(url);

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

const LIMIT_SETTINGS = [
  'TENURE_RATE_LIMIT',
  'TENURE_RATE_LIMIT_ANONYMOUS',
  'TENURE_FAILED_AUTHENTICATIONS',
  'TENURE_CONNECTIONS_PER_ADDRESS',
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
    ...secrets.map((name) => `${name} is a published demo secret`),
    ...passwords.map(({ setting }) => `the password of ${setting} is a published one`),
  ];
}

const PRODUCTION: readonly Rule[] = [
  {
    exception: 'localnet',
    defects: ({ LEDGER_HOST }) =>
      LEDGER_HOST === undefined ? ['LEDGER_HOST is missing, so LocalNet would be started'] : [],
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
        .map((name) => `${name} is not https`),
  },
  {
    exception: 'registry-without-tls',
    defects: (env) => (isPlain(env.REGISTRY_BASE_URI) ? ['REGISTRY_BASE_URI is not https'] : []),
  },
  {
    exception: 'ledger-without-tls',
    defects: (env) =>
      (['LEDGER_HOST', 'APP_USER_LEDGER_HOST'] as const)
        .filter((name) => env.LEDGER_TLS === 'off' && !isHere(env[name] ?? 'localhost'))
        .map((name) => `LEDGER_TLS is off and ${name} is another machine`),
  },
  {
    exception: 'database-without-tls',
    defects: (env) =>
      databasesOf(env)
        .filter((database) => !database.isHere && !database.isEncrypted)
        .map(
          ({ setting }) =>
            `${setting} is another machine without TLS (DATABASE_URL takes ?sslmode=verify-full)`,
        ),
  },
  {
    exception: 'redis-without-tls',
    defects: ({ REDIS_URL = 'local' }) =>
      plainRedis(REDIS_URL) ? ['REDIS_URL is another machine without TLS (rediss://)'] : [],
  },
  {
    exception: 'limits-off',
    defects: (env) =>
      LIMIT_SETTINGS.filter((name) => env[name] === 0).map((name) => `${name} is 0`),
  },
];

/** Modes that let callers choose who they are. */
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
        : developmentModes(env).map((mode) => `${mode} and BACKEND_HOST is not a loopback address`),
  },
];

/** Whether the deployment lists the exception. */
const isLifted = (env: Environment, exception: Exception): boolean =>
  env.TENURE_EXCEPTIONS?.split(',').includes(exception) ?? false;

/**
 * Settings that make a deployment easy to try and easy to break into, each in a line that names the exception which
 * permits it. Production has no exception for the development modes.
 */
export function refusedByGate(env: Environment): string[] {
  const isProduction = env.TENURE_ENVIRONMENT === 'production';
  const where = isProduction ? 'TENURE_ENVIRONMENT=production refuses it' : 'Tenure refuses it';
  const modes = isProduction
    ? developmentModes(env).map((mode) => `${mode}, which TENURE_ENVIRONMENT=production refuses`)
    : [];
  const rules = (isProduction ? PRODUCTION : DEVELOPMENT).filter(
    ({ exception }) => !isLifted(env, exception),
  );
  return [
    ...modes,
    ...rules.flatMap(({ exception, defects }) =>
      defects(env).map(
        (defect) => `${defect}: ${where} unless TENURE_EXCEPTIONS lists ${exception}`,
      ),
    ),
  ];
}

/**
 * Why a start refuses a database role that may change the schema; `null` where the role is accepted. Only a query can
 * tell the rights of a role.
 */
export const schemaOwnerRefusal = (env: Environment): string | null =>
  env.TENURE_ENVIRONMENT !== 'production' || isLifted(env, 'schema-owner')
    ? null
    : 'the database user of DATABASE_URL may change the schema: TENURE_ENVIRONMENT=production refuses it unless TENURE_EXCEPTIONS lists schema-owner';

/** Whether an issuer that a tenant names may use plain HTTP. */
export const allowsPlainIssuers = (env: Environment): boolean =>
  env.TENURE_ENVIRONMENT !== 'production' || isLifted(env, 'issuers-without-tls');
