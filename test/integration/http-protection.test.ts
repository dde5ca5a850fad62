import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { trustedProxies } from '../../src/auth/address-policy.ts';
import { HTTP_LIMITS } from '../../src/http/limits.ts';
import type { RateLimits } from '../../src/http/kit/rate-limits.ts';
import type { HttpApp } from '../../src/http/kit/request-context.ts';
import { buildServer } from '../../src/http/server.ts';
import { OTHER_USER, USER, startApi } from '../kit/http-api.ts';
import { expectProblem } from '../kit/http-refusals.ts';
import { forFile } from '../kit/for-file.ts';

/* Checks that precede every route: headers, trusted proxies, and limits of rate and size. */

const api = await forFile(startApi());

interface Asked {
  readonly url?: string;
  readonly authorization?: string;
  readonly from?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const get = (app: HttpApp, { url = '/licenses', authorization, from, headers = {} }: Asked) =>
  app.inject({
    method: 'GET',
    url,
    headers: { ...headers, ...(authorization === undefined ? {} : { authorization }) },
    ...(from === undefined ? {} : { remoteAddress: from }),
  });

describe('headers of every answer', () => {
  const expected = {
    'content-security-policy': `default-src 'none';base-uri 'none';frame-ancestors 'none'`,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
  };

  test.each([
    [200, '/livez'],
    [200, '/openapi.json'],
    [401, '/licenses'],
    [404, '/nowhere'],
    [308, '/docs'],
    [400, '/licenses/%zz'],
  ])('%i of %s', async (status, url) => {
    const reply = await get(api.app, { url });
    expect(reply.statusCode).toBe(status);
    expect(reply.headers).toMatchObject(expected);
    expect(reply.headers['trace-id']).toMatch(/^[0-9a-f]{32}$/u);
    expect(reply.headers['x-powered-by']).toBeUndefined();
  });

  test('the script of the page for people is sent as it was compressed, to those who take that', async () => {
    const script = async (accepted: string) =>
      api.app.inject({ url: '/docs/js/scalar.js', headers: { 'accept-encoding': accepted } });
    const zipped = await script('br;q=1.0, gzip;q=0.8');
    expect(zipped.headers).toMatchObject({
      'content-encoding': 'gzip',
      vary: 'accept-encoding',
      'cache-control': 'public, max-age=3600',
      'content-type': 'application/javascript; charset=utf-8',
    });
    const whole = await script('gzip;q=0');
    expect(whole.headers['content-encoding']).toBeUndefined();
    expect(gunzipSync(zipped.rawPayload)).toEqual(whole.rawPayload);
    expect(zipped.rawPayload.length * 3).toBeLessThan(whole.rawPayload.length);
  });

  test('the page for people may run its own script, and is protected otherwise', async () => {
    const { headers } = await get(api.app, { url: '/docs/' });
    const { 'content-security-policy': _own, ...others } = expected;
    expect(headers).toMatchObject(others);
    expect(headers['content-security-policy']).toContain(`frame-ancestors 'none'`);
    expect(headers['content-security-policy']).toContain(`object-src 'none'`);
    expect(headers['content-security-policy']).toContain(`script-src 'self' 'sha256-`);
  });
});

describe('a proxy', () => {
  const open = new AsyncDisposableStack();
  afterAll(() => open.disposeAsync());
  const trusting = async (list: string): Promise<HttpApp> => {
    const app = await buildServer({ ...api.deps, trustsProxy: trustedProxies(list) });
    return open.adopt(app, (each) => each.close());
  };
  const isBelieved = async (app: HttpApp, from: string) =>
    (await get(app, { url: '/livez', from, headers: { 'x-forwarded-proto': 'https' } })).headers[
      'strict-transport-security'
    ] === 'max-age=31536000';

  test.each([
    ['loopback', ['127.0.0.1', '::1', '::ffff:127.0.0.1'], ['10.1.2.3', '8.8.8.8', 'fd00::1']],
    [
      'private,loopback',
      ['127.0.0.1', '10.1.2.3', '172.16.0.1', '192.168.7.7', '100.64.3.7', '::ffff:100.64.3.7'],
      ['8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1'],
    ],
    ['203.0.113.0/24, 2001:db8::7', ['203.0.113.9', '2001:db8::7'], ['127.0.0.1', '2001:db8::8']],
    ['none', [], ['127.0.0.1', '10.1.2.3']],
  ])('is trusted as listed: %s', async (list, trusted, others) => {
    const app = await trusting(list);
    for (const from of trusted) expect([from, await isBelieved(app, from)]).toEqual([from, true]);
    for (const from of others) expect([from, await isBelieved(app, from)]).toEqual([from, false]);
  });

  const backTo = async (headers: Record<string, string>, from = '10.0.0.1') => {
    const url = '/oauth2/authorization/AppProvider';
    const reply = await get(api.app, { url, from, headers: { host: 'inner:8080', ...headers } });
    const location = new URL(String(reply.headers.location));
    return new URL(location.searchParams.get('redirect_uri') ?? '').origin;
  };

  test.each([
    // Values that a client has forged come before those of the proxy.
    [{ 'x-forwarded-host': 'evil.example, app.example' }, 'http://app.example'],
    [{ 'x-forwarded-proto': 'http, https' }, 'https://inner:8080'],
    // Two trusted proxies in a row. The outer one adds the correct value.
    [
      {
        'x-forwarded-for': '203.0.113.7, 10.0.0.9',
        'x-forwarded-host': 'app.example, internal.local',
        'x-forwarded-proto': 'https,http',
      },
      'https://app.example',
    ],
    [
      {
        'x-forwarded-for': '203.0.113.7, 10.0.0.9',
        'x-forwarded-host': 'evil.example, app.example, internal.local',
      },
      'http://app.example',
    ],
    [{ forwarded: 'for=203.0.113.7;proto=https;host=app.example' }, 'https://app.example'],
    [
      { forwarded: 'For="[2001:db8::7]:4711"; Host="app.example:8443" ;proto=HTTPS' },
      'https://app.example:8443',
    ],
    [
      {
        forwarded:
          'host=evil.example, for=203.0.113.7;host=app.example;proto=https, for=10.0.0.9;host=inner',
      },
      'https://app.example',
    ],
    // A proxy that sets one of the headers may pass on the other one as it is.
    [
      { forwarded: 'host=evil.example;proto=https', 'x-forwarded-host': 'app.example' },
      'http://app.example',
    ],
    [{ forwarded: 'nonsense' }, 'http://inner:8080'],
  ])('says where the browser is: %o', async (headers, origin) => {
    expect(await backTo(headers as Record<string, string>)).toBe(origin);
    expect(await backTo(headers as Record<string, string>, '8.8.8.8')).toBe('http://inner:8080');
  });

  test.each(['/tenure', '/a/b/'])(
    'that takes a prefix away has it in addresses: %s',
    async (prefix) => {
      const headers = { 'x-forwarded-prefix': prefix };
      const location = async (from: string) =>
        (await get(api.app, { url: '/api/docs', from, headers })).headers.location;
      expect(await location('10.0.0.1')).toBe(`${prefix.replace(/\/$/u, '')}/api/docs/`);
      expect(await location('8.8.8.8')).toBe('/api/docs/');
    },
  );

  test.each(['//evil.example', '/../x', 'x', '/a b'])(
    'cannot lead elsewhere by the prefix %s',
    async (prefix) => {
      const headers = { 'x-forwarded-prefix': prefix };
      const { headers: answered } = await get(api.app, { url: '/docs', from: '10.0.0.1', headers });
      expect(answered.location).toBe('/docs/');
    },
  );
});

test('headers and bodies have their limits', async () => {
  expect([HTTP_LIMITS.metadataBodyBytesMax, HTTP_LIMITS.httpHeaderBytesMax]).toEqual([
    1_048_576, 16_384,
  ]);
  const send = async (bytes: number) =>
    api.app.inject({
      method: 'POST',
      url: '/app-install-requests?commandId=large',
      headers: {
        authorization: await api.as(USER),
        'content-type': 'application/json',
        prefer: 'respond-async',
      },
      payload: `{"other": "${'x'.repeat(bytes - 13)}"}`,
    });
  expect((await send(HTTP_LIMITS.metadataBodyBytesMax)).statusCode).toBe(202);
  expectProblem(await send(HTTP_LIMITS.metadataBodyBytesMax + 1), '/app-install-requests', {
    code: 'BODY_TOO_LARGE',
    message: `the body must have at most ${HTTP_LIMITS.metadataBodyBytesMax} bytes`,
  });
});

describe('rates', () => {
  const open = new AsyncDisposableStack();
  afterAll(() => open.disposeAsync());
  const limited = async (limits: Partial<RateLimits>): Promise<HttpApp> => {
    const rateLimits = { ...api.deps.rateLimits, ...limits };
    return open.adopt(await buildServer({ ...api.deps, rateLimits }), (app) => app.close());
  };
  const token = (sub: string, party = USER) => api.as(party, { claims: { sub } });
  const statuses = async (app: HttpApp, times: number, asked: Asked) => {
    const found: number[] = [];
    for (let n = 0; n < times; n += 1) found.push((await get(app, asked)).statusCode);
    return found;
  };

  test('are not limited unless that is configured', async () => {
    const reply = await get(api.app, { authorization: await token('anna') });
    const names = Object.keys(reply.headers).filter((name) => name.includes('ratelimit'));
    expect(names).toEqual([]);
  });

  test('of a caller are, with every token that it has, and nobody else’s with them', async () => {
    const app = await limited({ perCaller: 2, perAddress: null });
    const first = await get(app, { authorization: await token('anna') });
    expect(first.headers['ratelimit-policy']).toBe('"caller";q=2;w=60');
    expect(first.headers['ratelimit']).toBe('"caller";r=1;t=60');
    const renewed = await api.as(USER, { claims: { sub: 'anna', jti: 'another' } });
    expect((await get(app, { authorization: renewed })).statusCode).toBe(200);
    const refused = await get(app, { authorization: await token('anna') });
    const afterS = Number(refused.headers['retry-after']);
    expect(afterS).toBeGreaterThan(0);
    expect(afterS).toBeLessThanOrEqual(60);
    expect(refused.headers['ratelimit-policy']).toBe('"caller";q=2;w=60');
    expect(refused.headers['ratelimit']).toBe(`"caller";r=0;t=${afterS}`);
    expectProblem(refused, '/licenses', {
      code: 'RATE_LIMITED',
      message: `no more than 2 requests of one caller a minute; the next is taken in ${afterS} s`,
    });
    expect(await statuses(app, 3, { authorization: await token('bert') })).toEqual([200, 200, 429]);
    const namesake = await token('anna', OTHER_USER);
    expect(await statuses(app, 1, { authorization: namesake })).toEqual([200]);
    expect(await statuses(app, 5, { url: '/openapi.json' })).not.toContain(429);
  });

  test('of a tenant are, whatever the number of its subjects, and no other tenant’s with them', async () => {
    const app = await limited({ perTenant: 4, perCaller: 3 });
    expect(await statuses(app, 3, { authorization: await token('anna') })).toEqual([200, 200, 200]);
    expect(await statuses(app, 2, { authorization: await token('bert') })).toEqual([200, 429]);
    const refused = await get(app, { authorization: await token('carl') });
    expect(refused.headers['ratelimit-policy']).toBe('"tenant";q=4;w=60, "caller";q=3;w=60');
    expect(refused.headers['ratelimit']).toMatch(/^"tenant";r=0;t=\d+$/u);
    expect(await statuses(app, 1, { authorization: await token('anna', OTHER_USER) })).toEqual([
      200,
    ]);
  });

  test('of writes are, before anything is recorded', async () => {
    const app = await limited({ perCaller: 1, perAddress: null });
    const authorization = await token('carl');
    await get(app, { authorization });
    const before = await api.changes();
    const reply = await app.inject({
      method: 'POST',
      url: '/app-install-requests?commandId=limited',
      headers: { authorization },
    });
    expect([reply.statusCode, await api.changes()]).toEqual([429, before]);
  });

  test('of an address are where nobody says who it is, and not of those behind a proxy together', async () => {
    const app = await limited({ perCaller: null, perAddress: 2 });
    const url = '/openapi.json';
    expect(await statuses(app, 3, { url, from: '8.8.8.8' })).toEqual([200, 200, 429]);
    expect(await statuses(app, 1, { url, from: '8.8.4.4' })).toEqual([200]);
    const behind = (address: string, from = '10.0.0.1') => ({
      url,
      from,
      headers: { 'x-forwarded-for': address },
    });
    expect(await statuses(app, 3, behind('9.9.9.9'))).toEqual([200, 200, 429]);
    expect(await statuses(app, 1, behind('9.9.9.8'))).toEqual([200]);
    const element = 'for="9.9.9.9:80";proto=https';
    expect(
      await statuses(app, 1, { url, from: '10.0.0.1', headers: { forwarded: element } }),
    ).toEqual([429]);
    // Two proxies in a row, and an address with a port, which some proxies add.
    expect(await statuses(app, 1, behind('1.2.3.4, 9.9.9.9:4711, 10.0.0.7'))).toEqual([429]);
    // Values that an external caller has sent itself are ignored.
    expect(await statuses(app, 1, behind('1.2.3.4', '8.8.8.8'))).toEqual([429]);
    // All addresses in one IPv6 network count as a single address.
    expect(await statuses(app, 2, { url, from: '2606:4700::1' })).toEqual([200, 200]);
    expect(await statuses(app, 1, { url, from: '2606:4700::2' })).toEqual([429]);
    expect(await statuses(app, 3, behind('x'.repeat(500)))).toEqual([200, 200, 429]);
    expect(await statuses(app, 3, { authorization: await token('dora') })).not.toContain(429);
  });

  test('of those who look after the process are not', async () => {
    const app = await limited({ perCaller: 1, perAddress: 1 });
    for (const url of ['/livez', '/api/readyz']) {
      expect(await statuses(app, 5, { url })).toEqual([200, 200, 200, 200, 200]);
    }
  });
});
