import { describe, expect, test } from 'vitest';
import { startEmbedded } from '../../../embedded/embedded.ts';
import { REALMS } from '../../../localnet/auth/realms.ts';
import { newSealingKey } from '../../../src/domain/sealing.ts';
import { ConfigError, loadConfig, readEnvironment } from '../../../src/main/config.ts';
import { EXCEPTIONS } from '../../../src/main/exceptions.ts';
import { refusedByGate } from '../../../src/main/production-gate.ts';
import { createLog } from '../../../src/main/log.ts';

type Settings = Readonly<Record<string, string>>;

/** Settings as a Kubernetes overlay and its secrets provide them. */
const PRODUCTION: Settings = {
  TENURE_ENVIRONMENT: 'production',
  BACKEND_HOST: '0.0.0.0',
  DATABASE_URL: 'postgresql://tenure:s3cret-of-us@db:5432/tenure?sslmode=verify-full',
  REDIS_URL: 'rediss://queue:6379',
  LEDGER_HOST: 'participant.example.com',
  LEDGER_TLS: 'on',
  REGISTRY_BASE_URI: 'https://registry.example.com',
  AUTH_APP_PROVIDER_ISSUER_URL: 'https://login.example.com/realms/AppProvider',
  AUTH_APP_PROVIDER_BACKEND_CLIENT_SECRET: 's3cret-of-ours',
  AUTH_APP_USER_ISSUER_URL: 'https://login.example.com/realms/AppUser',
  TENURE_SECRET_KEYS: newSealingKey(),
  TENURE_RATE_LIMIT: '6000',
  TENURE_RATE_LIMIT_ANONYMOUS: '6000',
};

const refusalsOf = (settings: Settings): readonly string[] =>
  refusedByGate(readEnvironment({ ...PRODUCTION, ...settings }));

describe('production accepts', () => {
  test.each<[string, Settings]>([
    ['everything elsewhere, encrypted', {}],
    [
      'a database, a queue and participants on this machine',
      {
        DATABASE_URL: 'postgresql://tenure:postgres@127.0.0.1/tenure',
        DATABASE_REPLICA_URL: 'postgresql://tenure@localhost:5433/tenure?sslmode=disable',
        REDIS_URL: 'redis://localhost:6379,[::1]:6380',
        LEDGER_HOST: '::1',
        APP_USER_LEDGER_HOST: 'user.localhost',
        LEDGER_TLS: 'off',
      },
    ],
    [
      'a database and a queue behind sockets',
      {
        DATABASE_URL: 'postgresql://tenure@/tenure?host=/run/postgresql',
        REDIS_URL: '/run/redis.sock',
      },
    ],
    ['a database with its authority', { DATABASE_URL: 'postgres://u:p@db/t?sslrootcert=ca.pem' }],
    ['a database of the driver’s short form', { DATABASE_URL: 'postgres://u:p@db/t?ssl=true' }],
    ['an embedded database', { DATABASE_URL: '' }],
    [
      'an audit log that another role prunes',
      {
        TENURE_KEEP_AUDIT_DAYS: '400',
        DATABASE_RETENTION_URL: 'postgresql://retention:s3cret@db/tenure?sslmode=verify-full',
      },
    ],
    [
      'an audit log that another process prunes',
      { TENURE_KEEP_AUDIT_DAYS: '400', TENURE_ROLES: 'api' },
    ],
    [
      'ranges of an operator',
      {
        TRUSTED_PROXIES: 'loopback,private,104.0.0.0/8,2400::/16',
        TENANT_ISSUERS_ALLOWED: '10.0.0.0/8,fc00::/7,fd00::/8,*.internal',
        WEBHOOK_TARGETS_ALLOWED: 'private,10.1.2.3',
      },
    ],
    [
      'traces to a collector with TLS',
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector:4318',
        OTEL_EXPORTER_OTLP_HEADERS: 'authorization=s3cret',
      },
    ],
    [
      'traces without a key to a collector without TLS',
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' },
    ],
    [
      'traces to a collector on this machine',
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://[::1]:4318',
        OTEL_EXPORTER_OTLP_HEADERS: 'authorization=s3cret',
      },
    ],
    ['sentinels with TLS', { REDIS_URL: 'rediss+sentinel://a,b/queue' }],
    [
      'no issuer of users that nothing asks',
      { AUTH_APP_USER_ISSUER_URL: '', APP_USER_TENANT: 'off' },
    ],
  ])('%s', (_what, settings) => {
    expect(refusalsOf(settings)).toEqual([]);
  });
});

describe('production refuses, unless the exception is listed,', () => {
  test.each<[exception: string, defect: string, Settings]>([
    ['localnet', 'LEDGER_HOST is missing, so Tenure would start LocalNet', { LEDGER_HOST: '' }],
    [
      'demo-credentials',
      'DATABASE_URL contains a published demo password',
      { DATABASE_URL: 'postgresql://p:postgres@db/t?sslmode=require' },
    ],
    [
      'default-issuers',
      'AUTH_APP_PROVIDER_ISSUER_URL is missing',
      { AUTH_APP_PROVIDER_ISSUER_URL: '' },
    ],
    ['default-issuers', 'AUTH_APP_USER_ISSUER_URL is missing', { AUTH_APP_USER_ISSUER_URL: '' }],
    [
      'default-issuers',
      'AUTH_APP_USER_ISSUER_URL is missing',
      { AUTH_APP_USER_ISSUER_URL: '', APP_USER_TENANT: 'off', APP_USER_LEDGER_HOST: 'localhost' },
    ],
    [
      'issuers-without-tls',
      'AUTH_APP_PROVIDER_ISSUER_URL does not use https',
      { AUTH_APP_PROVIDER_ISSUER_URL: 'http://login.example.com' },
    ],
    [
      'issuers-without-tls',
      'AUTH_APP_PROVIDER_ENDPOINT_URL does not use https',
      { AUTH_APP_PROVIDER_ENDPOINT_URL: 'http://keycloak:8080' },
    ],
    [
      'issuers-without-tls',
      'AUTH_APP_USER_BROWSER_URL does not use https',
      { AUTH_APP_USER_BROWSER_URL: 'http://login.example.com' },
    ],
    [
      'registry-without-tls',
      'REGISTRY_BASE_URI does not use https',
      { REGISTRY_BASE_URI: 'http://registry:5012' },
    ],
    [
      'ledger-without-tls',
      'LEDGER_TLS is off but LEDGER_HOST names another machine',
      { LEDGER_TLS: '' },
    ],
    [
      'ledger-without-tls',
      'LEDGER_TLS is off but APP_USER_LEDGER_HOST names another machine',
      { LEDGER_TLS: 'off', LEDGER_HOST: 'localhost', APP_USER_LEDGER_HOST: '10.0.0.1' },
    ],
    ...(
      [
        ['DATABASE_URL', 'postgresql://u:p@db/t'],
        ['DATABASE_URL', 'postgresql://u:p@localhost,db/t'],
        ['DATABASE_URL', 'postgresql://u:p@localhost/t?host=db'],
        ['DATABASE_URL', 'postgresql://u:p@db/t?sslmode=disable'],
        ['DATABASE_URL', 'postgresql://u:p@db/t?sslmode=no-verify'],
        ['DATABASE_URL', 'postgresql://u:p@db/t?ssl=true&sslmode=disable'],
        ['DATABASE_URL', 'postgresql://u:p@db/t?sslmode=require&uselibpqcompat=true'],
        ['DATABASE_URL', 'postgresql://u:p@db/t?sslmode=verify-full&sslmode=disable'],
        ['DATABASE_URL', 'postgresql://u:p@db/t?ssl=true&ssl=0'],
        ['DATABASE_URL', 'postgresql://u:p@db/t?sslrootcert='],
        ['DATABASE_URL', 'postgresql://u:p@db/t?host='],
        ['DATABASE_REPLICA_URL', 'postgresql://u:p@db/t'],
        ['DATABASE_RETENTION_URL', 'postgresql://r:p@db/t'],
        ['DATABASE_MIGRATION_URL', 'postgresql://o:p@db/t'],
      ] as const
    ).map(([name, url]): [string, string, Settings] => [
      'database-without-tls',
      `${name} connects to another machine without TLS (add ?sslmode=verify-full to the address)`,
      { [name]: url },
    ]),
    [
      'database-without-tls',
      'POSTGRES_HOST connects to another machine without TLS (add ?sslmode=verify-full to the address)',
      { DATABASE_URL: '', POSTGRES_HOST: 'db', POSTGRES_PASSWORD: 's3cret-of-us' },
    ],
    ...[
      'redis://queue',
      'redis://localhost,queue',
      'redis+sentinel://localhost,b/queue',
      'redis://queue/0?tls=rediss',
    ].map((url): [string, string, Settings] => [
      'redis-without-tls',
      'REDIS_URL connects to another machine without TLS (use rediss://)',
      { REDIS_URL: url },
    ]),
    ...[
      'TENURE_RATE_LIMIT',
      'TENURE_RATE_LIMIT_ANONYMOUS',
      'TENURE_READ_TIME',
      'TENURE_FAILED_AUTHENTICATIONS',
      'TENURE_CONNECTIONS_PER_ADDRESS',
    ].map((name): [string, string, Settings] => ['limits-off', `${name} is 0`, { [name]: '0' }]),
    ...(
      [
        ['TRUSTED_PROXIES', '0.0.0.0/0'],
        ['TRUSTED_PROXIES', 'loopback,8.0.0.0/7'],
        ['TENANT_ISSUERS_ALLOWED', '::/0'],
        ['TENANT_ISSUERS_ALLOWED', 'fc00::/6'],
        ['WEBHOOK_TARGETS_ALLOWED', '2001::/15'],
      ] as const
    ).map(([name, list]): [string, string, Settings] => [
      'wide-ranges',
      `${name} lists ${list.split(',').at(-1)}, a range that includes public addresses of other organisations`,
      { [name]: list },
    ]),
    [
      'traces-without-tls',
      'OTEL_EXPORTER_OTLP_HEADERS is set and OTEL_EXPORTER_OTLP_ENDPOINT is another machine without https',
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/path',
        OTEL_EXPORTER_OTLP_HEADERS: 'authorization=s3cret',
      },
    ],
    [
      'secrets-in-clear',
      'TENURE_SECRET_KEYS is missing (create a key with `tenure secrets new-key`)',
      { TENURE_SECRET_KEYS: '' },
    ],
    [
      'schema-owner',
      'TENURE_KEEP_AUDIT_DAYS is set but DATABASE_RETENTION_URL is missing',
      { TENURE_KEEP_AUDIT_DAYS: '400' },
    ],
    [
      'schema-owner',
      'DATABASE_RETENTION_URL and DATABASE_URL name the same role',
      {
        TENURE_KEEP_AUDIT_DAYS: '400',
        DATABASE_RETENTION_URL: 'postgresql://tenure:s3cret-of-us@db/tenure?sslmode=require',
      },
    ],
  ])('%s: %s', (exception, defect, settings) => {
    expect(refusalsOf(settings)).toEqual([
      `${defect}: TENURE_ENVIRONMENT=production does not allow this unless TENURE_EXCEPTIONS lists ${exception}`,
    ]);
    expect(refusalsOf({ ...settings, TENURE_EXCEPTIONS: exception })).toEqual([]);
    const others = EXCEPTIONS.filter((one) => one !== exception).join(',');
    expect(refusalsOf({ ...settings, TENURE_EXCEPTIONS: others })).toHaveLength(1);
  });

  test('every secret of LocalNet', () => {
    const secrets = REALMS.flatMap(({ clients, users }) => [
      ...clients.flatMap(({ publicDemoSecret: secret }) => (secret === undefined ? [] : [secret])),
      ...users.map(({ publicDemoPassword }) => publicDemoPassword),
    ]);
    for (const secret of secrets) {
      for (const name of [
        'AUTH_APP_PROVIDER_BACKEND_CLIENT_SECRET',
        'AUTH_APP_PROVIDER_BACKEND_SECRET',
        'AUTH_APP_USER_CLIENT_SECRET',
      ]) {
        const settings = { AUTH_APP_PROVIDER_BACKEND_CLIENT_SECRET: '', [name]: secret };
        expect(refusalsOf(settings), name).toEqual([
          expect.stringMatching(
            /^AUTH_\w+ contains a published demo secret: .* demo-credentials$/u,
          ),
        ]);
      }
    }
  });

  test('every person and program of LocalNet, by claim sub', () => {
    const subjects = REALMS.flatMap(({ clients, users }) => [
      ...clients.flatMap(({ serviceAccountId: id }) => (id === undefined ? [] : [id])),
      ...users.map(({ id }) => id),
    ]);
    const refused = (settings: Settings) => {
      const { refusesSubject } = loadConfig({ ...PRODUCTION, ...settings });
      return subjects.filter((subject) => refusesSubject?.(subject));
    };
    expect(refused({})).toEqual(subjects);
    expect(refused({ TENURE_EXCEPTIONS: 'demo-credentials' })).toEqual([]);
    expect(refused({ TENURE_ENVIRONMENT: 'local' })).toEqual([]);
    expect(loadConfig(PRODUCTION).refusesSubject?.('somebody else')).toBe(false);
  });

  test('LocalNet, before anything is started', async () => {
    const environment = readEnvironment({ TENURE_ENVIRONMENT: 'production' });
    const options = { environment, passOn: {}, ports: 'free', log: createLog('silent') } as const;
    const start = startEmbedded({ ...options, signal: AbortSignal.abort() });
    const refusal = await start.catch((error: unknown) => error);
    expect((refusal as ConfigError).mistakes).toEqual([
      expect.stringMatching(/so Tenure would start LocalNet: .* lists localnet$/u),
      expect.stringMatching(/^AUTH_APP_PROVIDER_ISSUER_URL is missing/u),
      expect.stringMatching(/^AUTH_APP_USER_ISSUER_URL is missing/u),
    ]);
  });

  test.each([
    'DATABASE_URL',
    'DATABASE_REPLICA_URL',
    'DATABASE_RETENTION_URL',
    'DATABASE_MIGRATION_URL',
  ])('%s without a host, whose host the driver would take from PGHOST', (name) => {
    const load = (): unknown => loadConfig({ ...PRODUCTION, [name]: 'postgresql:///tenure' });
    expect(load).toThrow(`${name} must have the form postgresql://user:password@host:port`);
    expect(load).toThrow('name each host');
  });

  test('all of it at once, before a process does anything', () => {
    expect.assertions(2);
    const easy = { ...PRODUCTION, LEDGER_TLS: '', REGISTRY_BASE_URI: 'http://registry:5012' };
    try {
      loadConfig(easy);
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError);
      expect((error as ConfigError).mistakes).toHaveLength(2);
    }
  });
});

describe('modes for development', () => {
  const MODES: Settings = { TEST_MODE: 'on', AUTH_MODE: 'shared-secret' };

  test('are refused in production, at any address and with any exception', () => {
    for (const host of ['0.0.0.0', '127.0.0.1']) {
      const all = { BACKEND_HOST: host, TENURE_EXCEPTIONS: EXCEPTIONS.join(',') };
      expect(refusalsOf({ ...MODES, ...all })).toEqual([
        'TEST_MODE is on, which TENURE_ENVIRONMENT=production does not allow',
        'AUTH_MODE is shared-secret, which TENURE_ENVIRONMENT=production does not allow',
      ]);
    }
  });

  test.each(['0.0.0.0', '::', '192.168.1.1', 'tenure.example.com', 'localhost.example.com'])(
    'are refused elsewhere at %s, unless the exception is listed',
    (host) => {
      const local = {
        ...MODES,
        TENURE_ENVIRONMENT: 'local',
        BACKEND_HOST: host,
        LEDGER_HOST: '',
      };
      expect(refusalsOf(local)).toEqual(
        ['TEST_MODE is on', 'AUTH_MODE is shared-secret', 'LocalNet would be started'].map(
          (mode) =>
            `${mode} but BACKEND_HOST is not a loopback address: Tenure does not allow this unless TENURE_EXCEPTIONS lists public-development`,
        ),
      );
      expect(refusalsOf({ ...local, TENURE_EXCEPTIONS: 'public-development' })).toEqual([]);
    },
  );

  test('are for this machine', () => {
    const local = { ...MODES, TENURE_ENVIRONMENT: 'local', LEDGER_HOST: '' };
    for (const host of ['127.0.0.1', '127.1.2.3', '::1', 'localhost', 'tenure.localhost']) {
      expect(refusalsOf({ ...local, BACKEND_HOST: host })).toEqual([]);
    }
    expect(refusalsOf({ TENURE_ENVIRONMENT: 'local' })).toEqual([]);
  });
});
