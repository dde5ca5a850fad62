import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { PROBLEMS } from '../../src/domain/problems.ts';
import { buildServer } from '../../src/http/server.ts';
import { HTTP_LIMITS } from '../../src/http/limits.ts';
import { forFile } from '../kit/for-file.ts';
import { PROVIDER } from '../kit/http-api.ts';
import { EXPIRY_POLICY } from '../kit/http-policies.ts';
import { startRenewalsWorld } from '../kit/http-renewals.ts';

/*
 * Clients and proxies that use features that the standards permit. Each case is a bug that was publicly reported to
 * another project.
 */

const world = await forFile(startRenewalsWorld());
const { api, provider, user } = world;

type Headers = Readonly<Record<string, string>>;

async function put(body: object, headers: Headers = {}) {
  const authorization = await api.as(PROVIDER);
  const asked = { method: 'PUT', url: '/policies/expiry', payload: body } as const;
  return api.app.inject({ ...asked, headers: { authorization, ...headers } });
}

const comment = (license: string, headers: Headers) =>
  provider.post(
    `/licenses/${license}/comments?commandId=${world.command()}`,
    { body: 'seen' },
    headers,
  );

describe('a conditional request', () => {
  // Public reports: https://github.com/fastify/fastify-etag/issues/108,
  // https://github.com/kubernetes/ingress-nginx/issues/1390
  test('works with every form that a proxy gives the tag', async () => {
    const { version } = (await provider.get('/policies/expiry')).json();
    let at = version;
    for (const form of [`"${at}"`, `W/"${at + 1}"`, `"${at + 2}-gzip"`, `W/"${at + 3}--br"`, '*']) {
      const set = await put(EXPIRY_POLICY, { 'if-match': form });
      expect([form, set.statusCode]).toEqual([form, 200]);
      expect(set.json().version).toBe((at += 1));
    }
    const stale = await put(EXPIRY_POLICY, { 'if-match': 'W/"0-gzip"' });
    expect([stale.statusCode, stale.json()]).toMatchObject([
      412,
      {
        version: at,
        askedVersions: [0],
        ifMatch: 'W/"0-gzip"',
        message: `the policy is at version ${at}, and the request asks for version 0`,
      },
    ]);
  });

  test('needs no header where a proxy drops it: the body of a policy has the version', async () => {
    const seen = (await provider.get('/policies/expiry')).json();
    const set = await put({ ...seen, maxInFlight: 7 });
    expect([set.statusCode, set.json()]).toMatchObject([200, { version: seen.version + 1 }]);
    const stale = await put({ ...seen, maxInFlight: 8 });
    expect([stale.statusCode, stale.json()]).toMatchObject([
      412,
      { version: seen.version + 1, askedVersions: [seen.version] },
    ]);
    // The header and the body must name the same version.
    const torn = await put(seen, { 'if-match': `"${seen.version + 1}"` });
    expect([torn.statusCode, torn.json().field]).toEqual([400, 'version']);
  });

  test('is 304 while nothing has changed, also what changes without a new version', async () => {
    const license = await world.newLicense();
    const path = `/licenses/${license}`;
    // A new licence lapses at once. Its body says so when the ledger's time has passed the expiry.
    await expect.poll(async () => (await user.get(path)).json().isExpired).toBe(true);
    const seen = await user.get(path);
    const tag = String(seen.headers['etag']);
    for (const known of [tag, `W/${tag}`, `"other", ${tag.replace(/"$/u, '-gzip"')}`]) {
      const again = await user.get(path, { 'if-none-match': known });
      expect([known, again.statusCode, again.body]).toEqual([known, 304, '']);
      expect([again.headers['etag'], again.headers['content-length']]).toEqual([tag, undefined]);
    }
    expect((await comment(license, { 'if-match': `W/${tag}` })).statusCode).toBe(201);
    // The licence lists its renewals with their allocations; an allocation does not change the
    // licence's version.
    await world.renew(license);
    const open = await user.get(path, { 'if-none-match': tag });
    expect([open.statusCode, open.json().renewalRequests]).toMatchObject([200, [{}]]);
    const before = String(open.headers['etag']);
    await world.allocate((await world.renewalOf(license)).contractId);
    const paid = await user.get(path, { 'if-none-match': before });
    expect([paid.statusCode, paid.json().version]).toEqual([200, open.json().version]);
    expect((await comment(license, { 'if-match': before })).statusCode).toBe(201);
    const policy = await provider.get('/policies/expiry');
    const known = { 'if-none-match': String(policy.headers['etag']) };
    expect((await provider.get('/policies/expiry', known)).statusCode).toBe(304);
  });
});

// Public reports: https://github.com/OpenAPITools/openapi-generator/issues/728, …/12926, …/14233, …/19493, …/9737 and
// https://github.com/swagger-api/swagger-codegen/issues/11078
test('Accept refuses no write: text is answered as JSON to a caller that takes no text', async () => {
  const text = 'License expired successfully';
  for (const [accept, type, body] of [
    ['application/json', 'application/json; charset=utf-8', `"${text}"`],
    ['image/png', 'application/json; charset=utf-8', `"${text}"`],
    ['text/plain, application/json', 'text/plain;charset=UTF-8', text],
    ['*/*', 'text/plain;charset=UTF-8', text],
  ] as const) {
    const license = await world.newLicense();
    const url = `/licenses/${license}/expire?commandId=${world.command()}`;
    const reply = await provider.post(url, {}, { accept });
    expect([reply.statusCode, reply.headers['content-type'], reply.body]).toEqual([
      200,
      type,
      body,
    ]);
  }
  const url = `/app-installs/${world.install}/create-license?commandId=${world.command()}`;
  const made = await provider.post(url, { params: {} }, { accept: 'text/html' });
  expect([made.statusCode, made.json()]).toMatchObject([201, { licenseId: expect.any(String) }]);
  const refused = await provider.post(url, {}, { accept: 'text/html' });
  expect([refused.statusCode, refused.headers['content-type']]).toEqual([
    400,
    'application/problem+json; charset=utf-8',
  ]);
  expect((await provider.get('/licenses', { accept: 'image/png' })).statusCode).toBe(406);
});

test('null in an optional member means that it is absent, and nowhere else', async () => {
  const license = await world.newLicense();
  expect((await world.renew(license, { allowConcurrent: null })).statusCode).toBe(201);
  const create = `/app-installs/${world.install}/create-license?commandId=`;
  const absent = await provider.post(create + world.command(), { params: { meta: null } });
  expect(absent.statusCode).toBe(201);
  const request = await user.post(`/app-install-requests?commandId=${world.command()}`, {
    meta: { data: null },
    provider: null,
  });
  expect(request.statusCode).toBe(201);
  const required = await provider.post(create + world.command(), { params: null });
  expect([required.statusCode, required.json().field]).toEqual([400, 'params']);
  const fee = await world.renew(license, { licenseFeeCc: null });
  expect([fee.statusCode, fee.json().field]).toEqual([400, 'licenseFeeCc']);
});

describe('a query parameter that is not known', () => {
  test.each([
    ['/licenses?expireBefore=2030-01-01T00:00:00Z', 'expireBefore', 'expiresBefore'],
    ['/licenses?Limit=3', 'Limit', 'limit'],
    ['/app-installs?nonsense=1', 'nonsense', undefined],
    ['/api/licenses?sort=expiresAt&fields=a', 'fields', undefined],
    ['/api/licenses?sort=expiresAt', 'sort', undefined],
    ['/license-renewal-requests?licenceNum=1', 'licenceNum', 'licenseNum'],
    ['/user?party=x', 'party', undefined],
    ['/operations/x?wait=1', 'wait', undefined],
    ['/licenses?constructor=1', 'constructor', undefined],
    ['/livez?nonsense=1', 'nonsense', undefined],
    ['/health?nonsense=1', 'nonsense', undefined],
    ['/readyz?excluded=ledger', 'excluded', 'exclude'],
    ['/feature-flags?nonsense=1', 'nonsense', undefined],
    ['/api/.well-known/jwks.json?kid=1', 'kid', undefined],
  ])('%s is 400', async (url, field, didYouMean) => {
    const reply = await provider.get(url);
    expect([reply.statusCode, reply.json()]).toMatchObject([
      400,
      { code: 'REQUEST_INVALID', field },
    ]);
    expect(reply.json().didYouMean).toBe(didYouMean);
  });

  test('does nothing of a write, and takes what the reference documents', async () => {
    const url = `/licenses/${world.license}:expire`;
    const refused = await provider.post(`${url}?commandID=${world.command()}`, {});
    expect([refused.statusCode, refused.json().message]).toEqual([
      400,
      'query parameter commandID is not known: this address takes commandId; did you mean commandId?',
    ]);
  });
});

// RFC 9457, 3.1.1: the type should lead to documentation for people.
test('the type of a problem leads to the page of its code, at the address that the caller used', async () => {
  for (const prefix of ['', '/api']) {
    const { type } = (await user.get(`${prefix}/licenses/nowhere`)).json();
    expect(type).toBe(`${prefix}/errors/not-found`);
    const page = await api.app.inject({ url: type });
    expect([page.statusCode, page.headers['content-type']]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect(page.body).toContain('No lifecycle or contract of yours');
  }
  const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-prefix': '/tenure' };
  const behind = (await user.get('/licenses/nowhere', forwarded)).json();
  expect(behind.type).toBe('/tenure/errors/not-found');
  for (const code of Object.keys(PROBLEMS)) {
    const url = `/errors/${code.toLowerCase().replaceAll('_', '-')}`;
    const page = await api.app.inject({ url });
    expect([url, page.statusCode]).toEqual([url, 200]);
    expect(page.body).toContain(`<code>${code}</code>`);
  }
  const unknown = await api.app.inject({ url: '/errors/vanished' });
  expect([unknown.statusCode, unknown.json().type]).toEqual([404, '/errors/route-not-found']);
});

describe('an action', () => {
  // Public reports: https://github.com/acacode/swagger-typescript-api/issues/532 and …/1833
  test('has one documented address, which is a path, and the colon of the reference stays', async () => {
    const document = (await api.app.inject({ method: 'GET', url: '/openapi.json' })).json();
    const paths = Object.keys(document.paths);
    expect(paths.filter((path) => path.includes(':'))).toEqual([]);
    for (const path of [
      '/licenses/{contractId}/expire',
      '/app-installs/{contractId}/create-license',
      '/ops/operations/preview',
      '/ops/operations/{id}/preview-decide',
      '/webhooks/{id}/deliveries/{deliveryId}/redeliver',
    ]) {
      expect(paths).toContain(path);
      const colon = path.replaceAll(/\{\w+\}/gu, 'none').replace(/\/([a-z-]+)$/u, ':$1');
      const [slash, alias, encoded] = await Promise.all(
        [path.replaceAll(/\{\w+\}/gu, 'none'), colon, colon.replace(':', '%3A')].map((url) =>
          provider.post(`${url}?stray=1`, {}),
        ),
      );
      // A single route serves all of these paths, and refuses the request.
      const message = slash?.json().message;
      expect(message).not.toMatch(/^there is no /u);
      expect([alias?.statusCode, alias?.json().message]).toEqual([slash?.statusCode, message]);
      expect([encoded?.statusCode, encoded?.json().message]).toEqual([slash?.statusCode, message]);
    }
  });
});

describe('an answer to a read', () => {
  const CODED = { br: brotliDecompressSync, gzip: gunzipSync };

  test('is compressed when it is long, as its caller prefers', async () => {
    const plain = await provider.get('/licenses');
    expect(plain.body.length).toBeGreaterThan(HTTP_LIMITS.compressBytesMin);
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.headers['vary']).toContain('accept-encoding');
    for (const [asked, coding] of [
      ['gzip, deflate, br', 'br'],
      ['gzip;q=1, br;q=0.5', 'gzip'],
      ['*', 'br'],
      ['*;q=0.1, br;q=0', 'gzip'],
    ] as const) {
      const reply = await provider.get('/licenses', { 'accept-encoding': asked });
      expect([asked, reply.headers['content-encoding']]).toEqual([asked, coding]);
      expect(JSON.parse(String(CODED[coding](reply.rawPayload)))).toEqual(plain.json());
      expect(Number(reply.headers['content-length'])).toBe(reply.rawPayload.length);
    }
    for (const asked of ['identity', 'gzip;q=0', 'zstd']) {
      const reply = await provider.get('/licenses', { 'accept-encoding': asked });
      expect([asked, reply.headers['content-encoding']]).toEqual([asked, undefined]);
    }
  });

  test('keeps its version in the tag when it is compressed, and short ones stay as they are', async () => {
    const encoding = { 'accept-encoding': 'gzip' };
    const license = await world.newLicense();
    await world.renew(license);
    const long = await provider.get(`/licenses/${license}`, encoding);
    expect([long.headers['content-encoding'], long.headers['etag']]).toEqual([
      'gzip',
      expect.stringMatching(/^W\/"\d+\./u),
    ]);
    const tag = String(long.headers['etag']);
    const again = await provider.get(`/licenses/${license}`, { ...encoding, 'if-none-match': tag });
    expect(again.statusCode).toBe(304);
    const short = await provider.get('/policies/expiry', encoding);
    expect([short.headers['content-encoding'], short.headers['etag']]).toEqual([
      undefined,
      `"${short.json().version}"`,
    ]);
  });
});

describe('a page of another origin', () => {
  const NAMED = 'https://app.example.com';

  test('calls the API when its origin is named, without a cookie', async () => {
    const app = await buildServer({ ...api.deps, corsOrigins: new Set([NAMED]) });
    onTestFinished(() => app.close());
    const preflight = (origin: string) =>
      app.inject({
        method: 'OPTIONS',
        url: '/licenses/none/renew',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,if-match',
        },
      });
    const { statusCode, headers } = await preflight(NAMED);
    expect([statusCode, headers]).toMatchObject([
      204,
      {
        'access-control-allow-origin': NAMED,
        'access-control-allow-methods': expect.stringContaining('PATCH'),
        'access-control-allow-headers': expect.stringMatching(/Authorization.*If-Match/u),
        vary: 'origin',
      },
    ]);
    const called = await app.inject({
      url: '/licenses',
      headers: { origin: NAMED, accept: 'text/csv', authorization: await api.as(PROVIDER) },
    });
    // Without this header, a cache that ignores the origin would give pages of other origins an answer that they are
    // not permitted to read.
    expect(called.headers['vary']).toMatch(/^origin, accept\b/u);
    expect([called.statusCode, called.headers['access-control-allow-origin']]).toEqual([
      200,
      NAMED,
    ]);
    for (const name of ['ETag', 'Location', 'Link', 'Retry-After'])
      expect(String(called.headers['access-control-expose-headers']).split(', ')).toContain(name);
    const refused = await app.inject({ url: '/licenses', headers: { origin: NAMED } });
    expect([refused.statusCode, refused.headers['access-control-allow-origin']]).toEqual([
      401,
      NAMED,
    ]);
    for (const origin of [
      'https://app.example.com.evil.org',
      'http://app.example.com',
      'null',
      '*',
    ]) {
      const other = await preflight(origin);
      expect([other.statusCode, other.headers['access-control-allow-origin']]).toEqual([
        204,
        undefined,
      ]);
    }
    expect(headers['access-control-allow-credentials']).toBeUndefined();
    expect(called.headers['access-control-allow-credentials']).toBeUndefined();
  });

  test('does not where none is named', async () => {
    const reply = await provider.get('/licenses', { origin: NAMED });
    expect(Object.keys(reply.headers).filter((name) => name.startsWith('access-control'))).toEqual(
      [],
    );
  });
});
