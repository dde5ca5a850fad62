import { describe, expect, test } from 'vitest';
import { ConfigError, loadConfig, readEnvironment } from '../../../src/main/config.ts';
import { Environment } from '../../../src/main/environment.ts';

const PARTY = 'app_provider_x-1::1220aa';
const COMPLETE = {
  DATABASE_URL: 'postgresql://u:p@db:5432/tenure',
  LEDGER_HOST: 'canton',
  REGISTRY_BASE_URI: 'http://registry:5012',
  APP_PROVIDER_PARTY: PARTY,
  AUTH_APP_PROVIDER_BACKEND_CLIENT_SECRET: 's3cret',
};

const mistakesOf = (env: Record<string, string>): readonly string[] => {
  try {
    loadConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
    throw error;
  }
};

describe('configuration', () => {
  test('tells in words what a setting must be', () => {
    const env = {
      BACKEND_PORT: 'abc',
      DATABASE_URL: 'mysql://x',
      LEDGER_TIME_TOLERANCE: '60',
      TENURE_LOG_LEVEL: 'loud',
      TENURE_PROCESSES: '17',
      TENURE_ROLES: 'api;worker',
    };
    expect([...mistakesOf({ ...COMPLETE, ...env })].sort()).toEqual([
      'BACKEND_PORT must be a whole number from 0 to 65535',
      'DATABASE_URL must begin with postgres:// or postgresql://',
      'LEDGER_TIME_TOLERANCE must be a duration such as PT10S',
      'TENURE_LOG_LEVEL must be one of debug, info, warn, error, silent',
      'TENURE_PROCESSES must be auto, or a whole number from 1 to 16',
      'TENURE_ROLES must be some of api, worker, projector, clock, comma separated',
    ]);
  });

  test('has words for every setting that has a pattern', () => {
    const wordless = Object.entries(Environment.properties).filter(
      ([, setting]) => 'pattern' in setting && !('must' in setting),
    );
    expect(wordless.map(([name]) => name)).toEqual([]);
  });

  test('says where tenants’ issuers may be', () => {
    const allows = (list: string) =>
      loadConfig({ ...COMPLETE, TENANT_ISSUERS_ALLOWED: list }).tenantIssuers.allows('x', '::1');
    expect([allows(''), allows('loopback')]).toEqual([false, true]);
    expect(mistakesOf({ ...COMPLETE, TENANT_ISSUERS_ALLOWED: 'loopback,all of them' })).toEqual([
      'TENANT_ISSUERS_ALLOWED: all of them is no address, range or host name',
    ]);
  });

  test('limits rates, open requests and failures unless it is told not to', () => {
    const limits = (env: object) => loadConfig({ ...COMPLETE, ...env }).rateLimits;
    const usual = {
      perTenant: 30_000,
      perCaller: 15_000,
      perAddress: 6_000,
      readsPerTenant: 128,
      writesPerTenant: 512,
      readTimePercent: 75,
      streamsPerTenant: 200,
      failuresPerAddress: 100,
      connectionsPerAddress: 256,
    };
    expect(limits({})).toEqual(usual);
    expect(limits({ TENURE_RATE_LIMIT: '600' })).toEqual({ ...usual, perCaller: 600 });
    expect(limits({ TENURE_FAILED_AUTHENTICATIONS: '0' }).failuresPerAddress).toBeNull();
  });

  test('says what a proof by record time reckons with, within bounds', () => {
    const proof = (env: object) => loadConfig({ ...COMPLETE, ...env }).proof;
    expect(proof({})).toEqual({ toleranceMs: 60_000, clockDifferenceMs: 10_000 });
    expect(proof({ LEDGER_TIME_TOLERANCE: 'PT1M30S', CLOCK_DIFFERENCE_MAX: 'PT2.5S' })).toEqual({
      toleranceMs: 90_000,
      clockDifferenceMs: 2_500,
    });
    expect(proof({ LEDGER_TIME_TOLERANCE: 'PT1H' }).toleranceMs).toBe(3_600_000);
    expect(
      mistakesOf({ ...COMPLETE, LEDGER_TIME_TOLERANCE: 'PT2H', CLOCK_DIFFERENCE_MAX: 'PT0.1S' }),
    ).toEqual([
      'LEDGER_TIME_TOLERANCE is PT2H: it must be PT0S to PT1H',
      'CLOCK_DIFFERENCE_MAX is PT0.1S: it must be PT1S to PT1M',
    ]);
    for (const wrong of ['10', 'PT', 'P1D', 'PT1M5', '-PT1S']) {
      expect(mistakesOf({ ...COMPLETE, CLOCK_DIFFERENCE_MAX: wrong })).toHaveLength(1);
    }
  });

  test('what the reference’s deployment sets is enough', () => {
    const config = loadConfig({
      ...COMPLETE,
      DATABASE_URL: '',
      POSTGRES_HOST: 'postgres',
      POSTGRES_DATABASE: 'pqs-app-provider',
      POSTGRES_USERNAME: 'cnadmin',
      POSTGRES_PASSWORD: 'super/safe',
      BACKEND_PORT: '9090',
      SPRING_PROFILES_ACTIVE: 'oauth2',
    });
    expect(config.databaseUrl).toBe(
      'postgresql://cnadmin:super%2Fsafe@postgres:5432/pqs-app-provider',
    );
    expect(config.http.port).toBe(9090);
    expect(config.queue).toEqual({ kind: 'postgres' });
    expect(config.participants.map(({ name }) => name)).toEqual(['app-provider']);
  });

  test('the environment of the reference’s backend is enough as it is, name by name', () => {
    const config = loadConfig({
      BACKEND_PORT: '8080',
      REGISTRY_BASE_URI: 'http://splice:5012',
      LEDGER_HOST: 'canton',
      LEDGER_PORT: '3901',
      POSTGRES_HOST: 'postgres',
      POSTGRES_PORT: '5432',
      POSTGRES_DATABASE: 'tenure',
      POSTGRES_USERNAME: 'cnadmin',
      POSTGRES_PASSWORD: 'supersafe',
      SPRING_PROFILES_ACTIVE: 'oauth2,test',
      TEST_MODE: 'on',
      OTEL_TRACES_EXPORTER: 'none',
      OTEL_LOGS_EXPORTER: 'none',
      OTEL_METRICS_EXPORTER: 'none',
      JAVA_OPTS: '-javaagent:/otel-agent.jar',
      AUTH_APP_PROVIDER_BACKEND_CLIENT_ID: 'app-provider-backend',
      AUTH_APP_PROVIDER_BACKEND_SECRET: '05dmL9DAUmDnIlfoZ5EQ7pKskWmhBlNz',
      AUTH_APP_PROVIDER_BACKEND_USER_ID: '1a36eb86-4ccc-4ec6-b7b7-caa08b354989',
      AUTH_APP_PROVIDER_BACKEND_OIDC_CLIENT_ID: 'app-provider-backend-oidc',
      AUTH_APP_PROVIDER_BACKEND_USER_NAME: 'service-account-app-provider-backend',
      AUTH_APP_PROVIDER_ISSUER_URL: 'http://keycloak.localhost:8082/realms/AppProvider',
      APP_PROVIDER_PARTY: 'app_provider_quickstart-root-1::1220aa01',
    });
    expect(config.participants.map(({ name, host }) => [name, host])).toEqual([
      ['app-provider', 'canton'],
    ]);
    expect(JSON.stringify(config.participants)).toContain('05dmL9DAUmDnIlfoZ5EQ7pKskWmhBlNz');
  });

  test('all mistakes are told together, by name, and no value of a secret is', () => {
    const mistakes = mistakesOf({
      DATABASE_URL: 'mysql://root:hunter2@db/x',
      BACKEND_PORT: 'eighty',
      TENURE_ROLES: 'api,cook',
    });
    expect(mistakes).toHaveLength(3);
    for (const name of ['DATABASE_URL', 'BACKEND_PORT', 'TENURE_ROLES']) {
      expect(mistakes.join('\n')).toContain(name);
    }
    expect(mistakes.join('\n')).not.toContain('hunter2');
  });

  test('also many mistakes are all told, and words to choose from with them', () => {
    const mistakes = mistakesOf({
      BACKEND_PORT: '-1',
      TENURE_ROLES: 'cook',
      TENURE_LOG_LEVEL: 'loud',
      TENURE_WORKER_CONCURRENCY: 'many',
      TENURE_DATABASE_POOL: '1',
      POSTGRES_PORT: 'x',
      REDIS_URL: 'ftp://x',
      LEDGER_PORT: '99999',
      LEDGER_TLS: 'maybe',
      APP_USER_LEDGER_PORT: 'x',
      TEST_MODE: 'sometimes',
    });
    expect(mistakes).toHaveLength(11);
    expect(mistakes).toContain('TENURE_LOG_LEVEL must be one of debug, info, warn, error, silent');
    expect(mistakes).toContain('TEST_MODE must be one of on, off');
  });

  test('what is missing is told with what it is for', () => {
    expect(mistakesOf({})).toEqual([
      expect.stringContaining('DATABASE_URL is missing'),
      expect.stringContaining('LEDGER_HOST is missing'),
      expect.stringContaining('REGISTRY_BASE_URI is missing'),
      expect.stringContaining('AUTH_APP_PROVIDER_BACKEND_CLIENT_SECRET is missing'),
    ]);
    expect(mistakesOf({ ...COMPLETE, APP_PROVIDER_PARTY: 'alice' })).toHaveLength(1);
    expect(mistakesOf({ ...COMPLETE, APP_USER_LEDGER_HOST: 'canton' })).toHaveLength(1);
  });

  test('an issuer may be reached under another address than its name', () => {
    const config = loadConfig({
      ...COMPLETE,
      APP_USER_PARTY: 'app_user::1220bb',
      AUTH_APP_USER_ENDPOINT_URL: 'http://127.0.0.1:9/realms/AppUser',
    });
    expect(config.issuers.map(({ endpointUrl }) => endpointUrl)).toEqual([
      'http://keycloak.localhost:8082/realms/AppProvider',
      'http://127.0.0.1:9/realms/AppUser',
    ]);
    expect(config.issuers.map(({ issuer }) => issuer)).toContain(
      'http://keycloak.localhost:8082/realms/AppUser',
    );
  });

  test('each endpoint of an issuer may be named', () => {
    const keys = { AUTH_APP_PROVIDER_JWKS_URL: 'https://idp.example/keys' };
    const others = {
      AUTH_APP_USER_TOKEN_URL: 'https://idp.example/token',
      AUTH_APP_USER_AUTHORIZATION_URL: 'https://idp.example/login',
      AUTH_APP_USER_END_SESSION_URL: 'https://idp.example/logout',
    };
    const { issuers } = loadConfig({ ...COMPLETE, ...keys, ...others });
    expect(issuers.map(({ endpoints }) => endpoints)).toEqual([
      { jwks_uri: 'https://idp.example/keys' },
      {
        token_endpoint: 'https://idp.example/token',
        authorization_endpoint: 'https://idp.example/login',
        end_session_endpoint: 'https://idp.example/logout',
      },
    ]);
  });

  test('in mode shared-secret the tokens for the ledger are settings, and no client is needed', () => {
    const { AUTH_APP_PROVIDER_BACKEND_CLIENT_SECRET: _none, ...rest } = COMPLETE;
    const env = { ...rest, APP_USER_LEDGER_HOST: 'canton', AUTH_MODE: 'shared-secret' };
    expect(mistakesOf(env)).toEqual([
      expect.stringContaining('APP_PROVIDER_BACKEND_USER_TOKEN is missing'),
      expect.stringContaining('APP_USER_BACKEND_USER_TOKEN is missing'),
    ]);
    const tokens = { APP_PROVIDER_BACKEND_USER_TOKEN: 'p', APP_USER_BACKEND_USER_TOKEN: 'u' };
    const { authMode, participants } = loadConfig({ ...env, ...tokens });
    expect([authMode, participants.map(({ credentials }) => credentials)]).toEqual([
      'shared-secret',
      [
        { kind: 'token', token: 'p' },
        { kind: 'token', token: 'u' },
      ],
    ]);
  });

  test('a profile of the reference is a mode, and a test mode, unless those are given', () => {
    const modesOf = (env: Record<string, string>) => {
      const { AUTH_MODE, TEST_MODE } = readEnvironment(env);
      return [AUTH_MODE, TEST_MODE];
    };
    expect(modesOf({})).toEqual(['oauth2', 'off']);
    expect(modesOf({ SPRING_PROFILES_ACTIVE: 'oauth2,test' })).toEqual(['oauth2', 'on']);
    expect(modesOf({ SPRING_PROFILES_ACTIVE: 'shared-secret' })).toEqual(['shared-secret', 'off']);
    expect(
      modesOf({
        SPRING_PROFILES_ACTIVE: 'shared-secret,test',
        AUTH_MODE: 'oauth2',
        TEST_MODE: 'off',
      }),
    ).toEqual(['oauth2', 'off']);
  });

  test.each([
    ['rediss://h:6380', { kind: 'redis', url: 'rediss://h:6380' }],
    ['local', { kind: 'local-redis' }],
  ])('REDIS_URL=%s', (value, queue) => {
    expect(loadConfig({ ...COMPLETE, REDIS_URL: value }).queue).toEqual(queue);
  });

  test('the result cannot be changed', () => {
    expect(Object.isFrozen(loadConfig(COMPLETE))).toBe(true);
    expect(readEnvironment({}).BACKEND_PORT).toBe(8080);
  });
});
