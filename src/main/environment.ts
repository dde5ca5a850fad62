import { Type } from 'typebox';
import type { Static, TOptional, TString } from 'typebox';
import { LIMITS } from '../domain/limits.ts';
import { SEALING_KEYS } from '../domain/sealing.ts';
import { CORS_SETTINGS } from './cors-settings.ts';
import { EMBEDDED_SETTINGS } from './embedded-settings.ts';
import { EXCEPTIONS } from './exceptions.ts';
import { BOOK_SETTINGS } from './book-settings.ts';
import { ALARM_MAIL_SETTINGS, MAIL_SETTINGS } from './mail-settings.ts';
import { QUOTA_SETTINGS } from './quotas.ts';
import { SUBMIT_SETTINGS } from './submit-settings.ts';
import {
  days,
  duration,
  limit,
  optionalDatabase,
  optionalHttp,
  optionalText,
  port,
  text,
  url,
} from './setting-kinds.ts';

/** Further addresses of an issuer, which settings `AUTH_<who>_…` can have in addition to its name. */
const ISSUER_URLS = {
  ENDPOINT_URL: 'Where that issuer is reached from here, when not under its own name',
  BROWSER_URL: 'Where browsers reach that issuer, when not under its own name',
  JWKS_URL: 'Keys of that issuer, instead of what the issuer names in its metadata',
  TOKEN_URL: 'Token endpoint of that issuer, instead of what the issuer names in its metadata',
  AUTHORIZATION_URL: 'Login page of that issuer, instead of what the issuer names in its metadata',
  END_SESSION_URL: 'Logout page of that issuer, instead of what the issuer names in its metadata',
} as const;

type IssuerUrls<Who extends string> = {
  [Name in keyof typeof ISSUER_URLS as `AUTH_${Who}_${Name}`]: TOptional<TString>;
};

const issuerUrls = <Who extends string>(who: Who): IssuerUrls<Who> =>
  Object.fromEntries(
    Object.entries(ISSUER_URLS).map(([name, description]) => [
      `AUTH_${who}_${name}`,
      optionalHttp(description),
    ]),
  ) as IssuerUrls<Who>;

/**
 * All settings that Tenure reads from the environment, in the order of `.env.example`. The reference application's
 * names are kept, so that the environment of its deployment also starts Tenure.
 */
export const Environment = Type.Object({
  BACKEND_HOST: text({ default: '127.0.0.1', description: 'Address that the API listens on' }),
  BACKEND_PORT: port({ default: 8080, description: 'Port of the API; 0 takes a free one' }),
  MANAGEMENT_HOST: text({
    default: '127.0.0.1',
    description:
      'Address that the management port listens on, which tells metrics and reasons without a token',
  }),
  MANAGEMENT_PORT: port({
    default: 0,
    description: 'Management port; 0 takes a free one, which `make status` shows',
  }),
  TRUSTED_PROXIES: text({
    default: 'loopback',
    description:
      'Proxies whose Forwarded and X-Forwarded headers count: loopback, private, none, addresses and ranges, comma separated',
  }),
  ...CORS_SETTINGS,
  TENURE_ROLES: Type.String({
    default: 'api,worker,projector,clock',
    pattern: '^(api|worker|projector|clock)(,(api|worker|projector|clock))*$',
    must: 'be some of api, worker, projector, clock, comma separated',
    description:
      'Roles of this process, comma separated: api, worker, projector, clock (the scheduler)',
  }),
  TENURE_PROCESSES: Type.String({
    default: '1',
    pattern: '^(auto|[1-9]|1[0-6])$',
    must: 'be auto, or a whole number from 1 to 16',
    description:
      'How many processes of this machine play the roles that `tenure run` and `start` have; auto: one on up to two cores, several on more',
  }),
  TENURE_MAILBOX_MAX: Type.Integer({
    default: LIMITS.mailboxMax,
    minimum: 1,
    maximum: 1_000_000,
    description:
      'How many operations may wait for their turn in one lane: an install, a licence with its renewals, a caller of comments',
  }),
  TENURE_TENANT_RATE_LIMIT: limit(1_000_000, {
    default: 30_000,
    description:
      'Requests a minute that the callers of one tenant may make together; 0: any number',
  }),
  TENURE_RATE_LIMIT: limit(1_000_000, {
    default: 15_000,
    description: 'Requests a minute that one caller of a tenant may make; 0: any number',
  }),
  TENURE_RATE_LIMIT_ANONYMOUS: limit(1_000_000, {
    default: 6_000,
    description: 'Requests a minute of one address on routes that need no token; 0: any number',
  }),
  TENURE_TENANT_READS: limit(4_096, {
    default: 128,
    description:
      'Reads of one tenant that may be open at a time, half of them of one caller; 0: any number',
  }),
  TENURE_TENANT_WRITES: limit(4_096, {
    default: 512,
    description:
      'Writes of one tenant that may be open at a time, half of them of one caller; 0: any number',
  }),
  TENURE_READ_TIME: limit(100, {
    default: 75,
    description:
      'Percent of the time of a process that reads, refusals and large bodies of callers may take; 0: any part',
  }),
  TENURE_TENANT_STREAMS: limit(4_096, {
    default: 200,
    description: 'Event streams of one tenant that may be open at a time; 0: any number',
  }),
  ...QUOTA_SETTINGS,
  ...BOOK_SETTINGS,
  ...MAIL_SETTINGS,
  ...ALARM_MAIL_SETTINGS,
  TENURE_FAILED_AUTHENTICATIONS: Type.Integer({
    default: 100,
    minimum: 0,
    maximum: 1_000_000,
    description:
      'Failed authentications a minute of one address; a process then rejects further ones unchecked. Tokens of one issuer have half of this; 0: any number',
  }),
  TENURE_CONNECTIONS_PER_ADDRESS: Type.Integer({
    default: 256,
    minimum: 0,
    maximum: 4_096,
    description: 'Open connections of one address that is no trusted proxy; 0: any number',
  }),
  TENURE_BULK_RATE: Type.Integer({
    default: 50,
    minimum: 1,
    maximum: 1_000,
    description: 'How many operations a second bulk acts work off, all acts together',
  }),
  ...EMBEDDED_SETTINGS,
  TENURE_LOG_LEVEL: Type.Union(
    ['debug', 'info', 'warn', 'error', 'silent'].map((level) => Type.Literal(level)),
    { default: 'info', description: 'debug, info, warn, error or silent' },
  ),
  ...SUBMIT_SETTINGS,
  TENURE_DATABASE_POOL: Type.Integer({
    default: 12,
    minimum: 2,
    maximum: 100,
    description: 'Database connections of one process',
  }),
  TENURE_KEEP_CHANGES_DAYS: days({
    default: 90,
    description:
      'How many days attempts and bodies of finished operations are kept, 8 at least; 0: for ever. Command IDs and answers are always kept for ever',
  }),
  TENURE_KEEP_EVENTS_DAYS: days({
    default: 30,
    description: 'How many days events can be asked for; 0: for ever',
  }),
  TENURE_KEEP_CONTRACTS_DAYS: days({
    default: 400,
    description:
      'How many days archived contracts that nothing needs are kept, 8 at least; 0: for ever',
  }),
  TENURE_SECRET_KEYS: Type.Optional(
    Type.String({
      pattern: SEALING_KEYS,
      must: 'be some id:key with 32 bytes in base64 each, comma separated',
      description:
        'Keys that encrypt webhook secrets and ID tokens in the database, as `tenure secrets new-key` makes them: the first encrypts, and all decrypt. Absent: in clear, which production refuses; the embedded size has a key in its data folder',
    }),
  ),
  TENURE_KEEP_AUDIT_DAYS: days({
    default: 0,
    description: 'How many days rows of the audit log are kept; 0: for ever',
  }),
  DATABASE_URL: optionalDatabase(
    'PostgreSQL server, or several separated by commas, of which the primary is used; embedded when absent',
  ),
  DATABASE_MIGRATION_URL: optionalDatabase(
    'Address of the database with the role that owns its tables, only for `src/main/migrate.ts`, which grants the roles of DATABASE_URL and DATABASE_RETENTION_URL their rights',
  ),
  DATABASE_RETENTION_URL: optionalDatabase(
    'Address of the database with a role that only deletes old rows, for the retention of the role clock; absent: the role of DATABASE_URL, which may not delete rows of the audit log if DATABASE_MIGRATION_URL granted its rights',
  ),
  DATABASE_REPLICA_URL: optionalDatabase(
    'A replica of the database, which answers searches and counts of operators when it has replayed all writes',
  ),
  POSTGRES_HOST: optionalText('With the other POSTGRES_ names, instead of DATABASE_URL'),
  POSTGRES_PORT: port({ default: 5432, description: 'Also the port of the embedded server' }),
  POSTGRES_DATABASE: text({ default: 'postgres', description: 'Used with POSTGRES_HOST' }),
  POSTGRES_USERNAME: text({ default: 'postgres', description: 'Used with POSTGRES_HOST' }),
  POSTGRES_PASSWORD: Type.String({ default: 'postgres', description: 'Used with POSTGRES_HOST' }),
  REDIS_URL: Type.Optional(
    Type.String({
      pattern: String.raw`^(rediss?(\+sentinel)?://.+|/.+|local)$`,
      must: 'be an address such as redis://localhost:6379, the path of a socket, or local',
      description:
        'Redis or Valkey for the queue: a server, several nodes of a cluster (`redis://host:port,host:port`), sentinels (`redis+sentinel://host:port,host:port/name`), each with `rediss` and `?sslrootcert=file` for TLS, or the path of a Unix socket; `local` starts one found on the PATH; absent: the queue is in PostgreSQL',
    }),
  ),
  LEDGER_HOST: optionalText('The provider’s participant, gRPC; LocalNet is started when absent'),
  LEDGER_PORT: port({ default: 3901, description: 'Port of LEDGER_HOST' }),
  LEDGER_TLS: Type.Union([Type.Literal('on'), Type.Literal('off')], {
    default: 'off',
    description:
      'on: TLS toward the participants. LocalNet and the reference’s network speak plaintext',
  }),
  LEDGER_TIME_TOLERANCE: duration({
    default: 'PT60S',
    description:
      'ledgerTimeRecordTimeTolerance of the synchronizers, PT1H at most: how much later than its ledger time a command may be sequenced. No ledger tells it',
  }),
  CLOCK_DIFFERENCE_MAX: duration({
    default: 'PT10S',
    description:
      'How far the clocks of processes, database, participants and sequencers may be apart, PT1S to PT1M; beyond it nothing that depends on them is believed',
  }),
  APP_USER_LEDGER_HOST: optionalText(
    'The participant that hosts users, if Tenure may act for them there',
  ),
  APP_USER_LEDGER_PORT: port({ default: 2901, description: 'Port of APP_USER_LEDGER_HOST' }),
  REGISTRY_BASE_URI: optionalHttp(
    'The registry of the token that fees are paid in; LocalNet’s where that is started and this is absent',
  ),
  LEDGER_API_AUTH_AUDIENCE: text({
    default: 'https://canton.network.global',
    description: 'Audience of tokens toward the ledger, and of callers’ tokens',
  }),
  LEDGER_API_AUTH_SCOPE: text({ default: 'daml_ledger_api', description: 'Scope asked for' }),
  APP_PROVIDER_PARTY: optionalText('The provider’s party; asked from the ledger when absent'),
  APP_USER_PARTY: optionalText('The party of tenant AppUser; asked from the ledger when absent'),
  AUTH_APP_PROVIDER_ISSUER_URL: url(['http', 'https'], {
    default: 'http://keycloak.localhost:8082/realms/AppProvider',
    description: 'Issuer of the provider’s tokens',
  }),
  ...issuerUrls('APP_PROVIDER'),
  AUTH_APP_PROVIDER_BACKEND_CLIENT_ID: text({
    default: 'app-provider-backend',
    description: 'Client for tokens toward the provider’s participant',
  }),
  AUTH_APP_PROVIDER_BACKEND_CLIENT_SECRET: optionalText('Its secret'),
  AUTH_APP_PROVIDER_BACKEND_SECRET: optionalText(
    'The name of the setting above in the reference application; the setting above takes precedence',
  ),
  AUTH_APP_PROVIDER_CLIENTS: optionalText(
    'Clients of that issuer that act for the provider, comma separated, such as desk,reports=read+operate; a name alone means read+write+policy+admin. Clients that are not listed grant nothing; absent: all clients act for the provider, but none in production',
  ),
  AUTH_ROLES_CLAIM: text({
    default: 'roles',
    description:
      'Claim that lists roles or scopes, such as scope, realm_access.roles or resource_access.tenure.roles',
  }),
  AUTH_ROLE_PERMISSIONS: text({
    default: 'operator=operate',
    description:
      'Permissions that those roles or scopes grant, as in AUTH_APP_PROVIDER_CLIENTS, such as operator=read+operate,tenure-admin. A tenant’s own issuer can grant only operate',
  }),
  AUTH_APP_USER_ISSUER_URL: url(['http', 'https'], {
    default: 'http://keycloak.localhost:8082/realms/AppUser',
    description: 'Issuer of users’ tokens',
  }),
  ...issuerUrls('APP_USER'),
  AUTH_APP_USER_CLIENT_ID: text({
    default: 'app-user-validator',
    description: 'Client for tokens toward the users’ participant',
  }),
  AUTH_APP_USER_CLIENT_SECRET: optionalText('Its secret'),
  AUTH_MODE: Type.Union([Type.Literal('oauth2'), Type.Literal('shared-secret')], {
    default: 'oauth2',
    description:
      'How people log in: at their authorization server, or by name alone. The latter never in production',
  }),
  SPRING_PROFILES_ACTIVE: Type.Optional(
    Type.String({
      pattern: '^(oauth2|shared-secret)(,test)?$',
      must: 'be oauth2 or shared-secret, with or without ,test',
      description:
        'The reference’s name for AUTH_MODE and, with ,test, for TEST_MODE=on; those count where they are given',
    }),
  ),
  APP_PROVIDER_BACKEND_USER_TOKEN: optionalText(
    'Mode shared-secret: the token toward the provider’s participant',
  ),
  APP_USER_BACKEND_USER_TOKEN: optionalText(
    'Mode shared-secret: the token toward the users’ participant',
  ),
  AUTH_SHARED_SECRET: text({
    default: 'unsafe',
    description: 'Mode shared-secret: what the tokens of callers are signed with (HS256)',
  }),
  AUTH_APP_PROVIDER_BACKEND_OIDC_CLIENT_ID: text({
    default: 'app-provider-backend-oidc',
    description: 'Client that people log in through, in the realms of the provider and of AppUser',
  }),
  APP_USER_TENANT: Type.Union([Type.Literal('on'), Type.Literal('off')], {
    default: 'on',
    description: 'on: tenant AppUser is registered at each start where its party is known',
  }),
  APP_USER_WALLET_URL: url(['http', 'https'], {
    default: 'http://wallet.localhost:2000',
    description: 'Wallet of tenant AppUser',
  }),
  TENANT_ISSUERS_ALLOWED: optionalText(
    'Where tenants’ issuers may be besides public addresses: loopback, private, none, addresses, ranges and host names, comma separated; loopback when LocalNet is started along, else none',
  ),
  WEBHOOK_TARGETS_ALLOWED: optionalText(
    'Where webhooks may lead besides public addresses: as TENANT_ISSUERS_ALLOWED; loopback when LocalNet is started along, else none',
  ),
  TENURE_ENVIRONMENT: Type.Union([Type.Literal('local'), Type.Literal('production')], {
    default: 'local',
    description:
      'production: refuses settings that are only for trying Tenure, see TENURE_EXCEPTIONS; webhooks and tenants’ issuers must use https',
  }),
  TENURE_EXCEPTIONS: Type.Optional(
    Type.String({
      pattern: `^(${EXCEPTIONS.join('|')})(,(${EXCEPTIONS.join('|')}))*$`,
      must: `be some of ${EXCEPTIONS.join(', ')}, comma separated`,
      description: `Refusals of settings that this deployment lifts, comma separated: ${EXCEPTIONS.join(', ')}`,
    }),
  ),
  TEST_MODE: Type.Union([Type.Literal('on'), Type.Literal('off')], {
    default: 'off',
    description:
      'on: the claim party_id of a token decides the caller’s party. Never in production',
  }),
  PARTY_HINT: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z]+-[A-Za-z]+-[0-9]+$',
      must: 'be letters, letters and a number, with - between, such as quickstart-tenure-1',
      description: 'End of the names of LocalNet’s parties: letters-letters-number',
    }),
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: optionalHttp(
    'Collector of traces, OTLP over HTTP, such as http://127.0.0.1:4318; absent: none',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: optionalText(
    'Headers for the collector, name=value, comma separated: its API key',
  ),
  OTEL_SERVICE_NAME: text({ default: 'tenure', description: 'Name of this service in traces' }),
  OTEL_TRACES_SAMPLER_ARG: Type.Number({
    default: 1,
    minimum: 0,
    maximum: 1,
    description: 'Share of the traces beginning here that is recorded; callers decide for theirs',
  }),
  TENURE_API_URL: optionalHttp(
    'API that the command line talks to, with TENURE_TOKEN; absent: what `make start` has started',
  ),
  TENURE_TOKEN: optionalText(
    'Access token of the command line; absent: the demo operator’s, where LocalNet runs',
  ),
  OBSERVABILITY_ENABLED: Type.Optional(
    Type.Union([Type.Literal('true'), Type.Literal('false')], {
      description: 'Kept for scripts of the reference; nothing here reads it',
    }),
  ),
  TEST_UNIQUE_REQUEST_TAG: optionalText(
    'With TEST_MODE=on: what create-app-install-request marks its request with; the three below then say for whom it asks',
  ),
  TEST_AUTH_APP_USER_WALLET_ADMIN_USER_NAME: optionalText(
    'Name of the person of realm AppUser, instead of app-user',
  ),
  TEST_AUTH_APP_USER_WALLET_ADMIN_USER_ID: optionalText('Their user ID'),
  TEST_APP_USER_PARTY: optionalText('Their party, instead of that of tenant AppUser'),
});
export type Environment = Static<typeof Environment>;
