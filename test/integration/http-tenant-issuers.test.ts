import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestApi } from '../kit/http-api.ts';
import { OTHER_USER, PROVIDER, startApi } from '../kit/http-api.ts';
import { expectProblem } from '../kit/http-refusals.ts';
import type { TestIssuer } from '../kit/issuer.ts';
import { makeKey, startIssuer } from '../kit/issuer.ts';
import { TENANTS, registration, tenantAsks } from '../kit/tenant-asks.ts';

/*
 * Issuers that tenants name themselves: which requests Tenure sends to them, which it never sends, and when their
 * tokens are valid.
 */

const KEY = await makeKey('ES256', 'tenant-1');
/** 5 kB of data that are 5 MB after decompression. */
const BOMB = gzipSync(`{"issuer": "${'x'.repeat(5_000_000)}"}`);
let api: TestApi;
const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

async function serve(options?: Parameters<typeof startApi>[1]): Promise<TestApi> {
  api = await startApi(() => ({}), options);
  opened.push(api);
  return api;
}

async function issuerAt(host: string): Promise<TestIssuer> {
  const issuer = await startIssuer('acme', KEY, Date.now, (port) => `http://${host}:${port}/acme`);
  opened.push(issuer);
  return issuer;
}

type Answer = (response: ServerResponse, base: string) => void;

/** Starts a server that gives every request the same answer, and counts the requests. */
async function hostile(answer: Answer): Promise<{ readonly base: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    answer(response, base);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  opened.push({
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
  return { base, asked };
}

async function expectUnusable(issuerUrl: string, words: string): Promise<void> {
  const provider = await tenantAsks(api);
  const reply = await provider.create(registration(api, { issuerUrl }));
  expectProblem(reply, TENANTS, {
    code: 'ISSUER_UNUSABLE',
    message: `the issuer ${words}`,
    extra: { field: 'issuerUrl' },
  });
  const { rows } = await api.pool.query('select tenant_id from tenant');
  expect(rows).toEqual([{ tenant_id: 'AppUser' }]);
}

const json =
  (body: unknown): Answer =>
  (response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(body));
  };

describe('an issuer is not registered', () => {
  let shared: TestApi;
  beforeAll(async () => {
    shared = await startApi();
  });
  afterAll(() => shared[Symbol.asyncDispose]());
  beforeEach(() => {
    api = shared;
  });

  test.each<[string, Answer, string]>([
    [
      'that sends us to the metadata of a cloud',
      (response) =>
        response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' }).end(),
      'answered with HTTP 302, and redirects are not followed',
    ],
    ['that is none', (response) => response.writeHead(404).end('no'), 'answered with HTTP 404'],
    ['that fails', (response) => response.writeHead(500).end('{}'), 'answered with HTTP 500'],
    ['that hangs', () => {}, 'did not answer in time'],
    [
      'that trickles',
      (response) => {
        response.writeHead(200);
        const timer = setInterval(() => response.write(' '), 20);
        response.on('close', () => clearInterval(timer));
      },
      'did not answer in time',
    ],
    [
      'that says very much',
      (response) => void response.end(`{"issuer": "${'x'.repeat(2_000_000)}"}`),
      'answered with too much',
    ],
    [
      'that says very much in few bytes',
      (response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(BOMB),
      'answered with too much',
    ],
    ['that talks HTML', (response) => void response.end('<html>'), 'did not answer with JSON'],
    ['that talks JSON of another kind', json([]), 'did not answer with a JSON object'],
    ['that is another', json({ issuer: 'http://other.example' }), 'names another issuer'],
    ['without a name', json({}), 'names another issuer'],
    [
      'without keys',
      (response, base) => json({ issuer: base })(response, base),
      'does not say where its keys are',
    ],
    [
      'with keys in a file',
      (response, base) => json({ issuer: base, jwks_uri: 'file:///etc/passwd' })(response, base),
      'does not say where its keys are',
    ],
    [
      'with keys at the metadata of a cloud',
      (response, base) =>
        json({ issuer: base, jwks_uri: 'http://169.254.169.254/keys' })(response, base),
      'is at an address that is not allowed',
    ],
    [
      'with something else for keys',
      (response, base) => json({ issuer: base, jwks_uri: `${base}/keys` })(response, base),
      'does not give its keys where it says',
    ],
  ])('%s', async (_what, answer, words) => {
    const { base, asked } = await hostile(answer);
    await expectUnusable(base, words);
    expect(asked[0]).toBe('/.well-known/openid-configuration');
  });

  test('where nothing listens', async () => {
    await expectUnusable('http://127.0.0.1:1', 'cannot be reached');
    await expectUnusable('http://issuer.invalid', 'cannot be reached');
  });

  test('at addresses that are not allowed, however they are written, and without a connection', async () => {
    await serve({ allowed: 'none' });
    const { base, asked } = await hostile(json({}));
    const { port } = new URL(base);
    for (const host of [
      '127.0.0.1',
      'localhost',
      'issuer.localhost',
      '127.1',
      '2130706433',
      '0x7f000001',
      '0',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[::]',
      '10.0.0.1',
      '192.168.1.1',
      '169.254.169.254',
      '[fe80::1]',
      '[fd00:ec2::254]',
      '[64:ff9b::a9fe:a9fe]',
      '100.100.100.200',
      '224.0.0.1',
    ]) {
      await expectUnusable(`http://${host}:${port}`, 'is at an address that is not allowed');
    }
    expect(asked).toEqual([]);
  });

  test('without https in production, and without a connection', async () => {
    await serve({ allowsHttp: false });
    const { base, asked } = await hostile(json({}));
    await expectUnusable(base, 'must use https');
    expect(asked).toEqual([]);
  });
});

describe('an issuer that a tenant has named', () => {
  const asTenant = async (issuer: TestIssuer, claims: object = {}) =>
    `Bearer ${await issuer.token({ claims: { party_id: OTHER_USER, ...claims } })}`;
  const status = async (authorization: string, app = api.app) =>
    (await app.inject({ method: 'GET', url: '/licenses', headers: { authorization } })).statusCode;
  const acme = (issuer: TestIssuer) =>
    registration(api, { partyId: OTHER_USER, issuerUrl: issuer.issuer });

  test('is trusted from its registration to its deletion, by every process, without a restart', async () => {
    await serve();
    const issuer = await issuerAt('127.0.0.1');
    const [provider, second] = await Promise.all([tenantAsks(api), api.another()]);
    const token = await asTenant(issuer);
    expect([await status(token), await status(token, second)]).toEqual([401, 401]);
    expect((await provider.create(acme(issuer))).statusCode).toBe(201);
    expect(await status(token)).toBe(200);
    await expect.poll(() => status(token, second), { interval: 20 }).toBe(200);
    // A process without cached keys, as after a restart, accepts the token as well.
    expect(await status(token, await api.another())).toBe(200);
    expect((await provider.remove('Acme')).statusCode).toBe(204);
    expect(await status(token)).toBe(401);
    await expect.poll(() => status(token, second), { interval: 20 }).toBe(401);
  });

  test('speaks for its own tenant only, and makes operators of nobody else', async () => {
    await serve();
    const issuer = await issuerAt('keycloak.localhost');
    await (await tenantAsks(api)).create(acme(issuer));
    const claims = { roles: ['operator', 'provider'] };
    const authorization = await asTenant(issuer, claims);
    const reply = await api.app.inject({ method: 'GET', url: TENANTS, headers: { authorization } });
    expect(reply.statusCode).toBe(403);
    const leases = await api.app.inject({ url: '/ops/leases', headers: { authorization } });
    expect(leases.statusCode).toBe(403);
    const forged = await issuer.token({ claims: { iss: api.issuers.provider.issuer } });
    // The keys were read a moment ago, and may have changed since, so the answer can also be that the token cannot be
    // judged.
    expect([401, 503]).toContain(await status(`Bearer ${forged}`));
    const foreign = await api.issuers.user.token({ claims: { iss: issuer.issuer } });
    expect([401, 503]).toContain(await status(`Bearer ${foreign}`));
    expect(await status(await asTenant(issuer, { aud: 'another' }))).toBe(401);
    expect(await status(await asTenant(issuer, { exp: 1 }))).toBe(401);
  });

  test('that cannot be asked for its keys costs its own callers alone', async () => {
    await serve();
    const issuer = await issuerAt('127.0.0.1');
    await (await tenantAsks(api)).create(acme(issuer));
    issuer.answerWith('nothing');
    const second = await api.another();
    expect(await status(await asTenant(issuer), second)).toBe(503);
    expect(await status(await api.as(PROVIDER), second)).toBe(200);
    issuer.answerWith('keys');
    expect(await status(await asTenant(issuer), second)).toBe(200);
  });

  test('is not believed any more where its address is not allowed any more', async () => {
    await serve({ allowed: 'none' });
    const issuer = await issuerAt('127.0.0.1');
    await api.pool.query(
      `insert into tenant (tenant_id, party, client_id, issuer_url) values ('Acme', $1, 'c', $2)`,
      [OTHER_USER, issuer.issuer],
    );
    expect(await status(await asTenant(issuer), await api.another())).toBe(503);
    expect(issuer.reads).toBe(0);
  });
});
