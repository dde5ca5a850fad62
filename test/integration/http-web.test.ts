import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { HttpDeps } from '../../src/http/kit/deps.ts';
import { Metrics } from '../../src/ops/metrics.ts';
import { startApi } from '../kit/http-api.ts';
import { buildServer } from '../../src/http/server.ts';
import { expectProblem } from '../kit/http-refusals.ts';
import { forFile } from '../kit/for-file.ts';
import { HTML, SCRIPT, openWebFolder, writeBuild } from '../kit/web-build.ts';

/*
 * The web application as a browser receives it: files of a build that the test writes, and the addresses that redirect
 * to the application.
 */

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

const api = await forFile(startApi());
const folder = await forFile(openWebFolder());
await writeBuild(folder.root);
const deps: HttpDeps = { ...api.deps, webRoot: folder.root };
const app = await forFile(buildServer(deps));

interface Asked {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS';
  readonly accept?: string;
  readonly encoding?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const ask = (url: string, asked: Asked = {}, server = app) =>
  server.inject({
    method: asked.method ?? 'GET',
    url,
    headers: {
      accept: asked.accept ?? BROWSER,
      ...(asked.encoding === undefined ? {} : { 'accept-encoding': asked.encoding }),
      ...asked.headers,
    },
  });

const PAGE = {
  'content-security-policy': [
    `default-src 'none'`,
    `script-src 'self'`,
    `style-src 'self'`,
    `img-src 'self'`,
    `connect-src 'self'`,
    `font-src 'self'`,
    `manifest-src 'self'`,
    `form-action 'self'`,
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
    `require-trusted-types-for 'script'`,
    `trusted-types 'none'`,
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};
const FOREVER = 'public, max-age=31536000, immutable';
const API_POLICY = `default-src 'none';base-uri 'none';frame-ancestors 'none'`;

describe('a page', () => {
  test.each(['/ui/', '/ui/index.html', '/ui/licenses/00ab:cd?state=active', '/ui/login?error'])(
    '%s is the one page of the build, asked for again each time',
    async (url) => {
      const reply = await ask(url);
      expect([reply.statusCode, reply.payload]).toEqual([200, HTML]);
      expect(reply.headers).toMatchObject({
        ...PAGE,
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        vary: 'accept, accept-encoding',
      });
      expect(reply.headers['set-cookie']).toBeUndefined();
      const { etag = '' } = reply.headers;
      const again = await ask(url, { headers: { 'if-none-match': etag } });
      expect([again.statusCode, again.payload]).toEqual([304, '']);
      expect(again.headers).toMatchObject({ ...PAGE, etag, 'cache-control': 'no-cache' });
    },
  );

  test.each(['*/*', 'application/json', 'text/html;q=0', ''])(
    'of the application is a problem for a program that accepts %j',
    async (accept) => {
      const reply = await ask('/ui/licenses', { accept });
      expectProblem(reply, '/ui/licenses', {
        code: 'ROUTE_NOT_FOUND',
        message: 'there is no /ui/licenses',
      });
      expect(reply.headers).toMatchObject({
        'content-security-policy': API_POLICY,
        'cache-control': 'no-store',
      });
    },
  );

  test('is not below /api, where its own addresses would lead out again', async () => {
    for (const path of ['/api/ui/', '/api/ui/theme-init.js', '/api/ui/licenses']) {
      expect((await ask(path)).json().code).toBe('ROUTE_NOT_FOUND');
    }
  });
});

describe('a file', () => {
  test.each([
    ['/ui/assets/index-a1B2_c3-.js', FOREVER, 'application/javascript; charset=utf-8'],
    ['/ui/assets/style-99ffee.css', FOREVER, 'text/css; charset=utf-8'],
    ['/ui/assets/fonts/text-123456.woff2', FOREVER, 'font/woff2'],
    ['/ui/theme-init.js', 'no-cache', 'application/javascript; charset=utf-8'],
    ['/ui/icon.svg?v=1', 'no-cache', 'image/svg+xml'],
  ])('%s is kept as its name allows: %s', async (url, cacheControl, type) => {
    const reply = await ask(url, { accept: '*/*' });
    expect(reply.statusCode).toBe(200);
    expect(reply.headers).toMatchObject({
      ...PAGE,
      'cache-control': cacheControl,
      'content-type': type,
    });
    expect(reply.headers.etag).toMatch(/^W\/"/u);
    expect(reply.headers.vary).toContain('accept-encoding');
  });

  test.each([
    ['br', 'br', brotliDecompressSync],
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['br;q=0, gzip', 'gzip', gunzipSync],
  ] as const)('is compressed already, for %s', async (encoding, chosen, opened) => {
    for (const [url, text, type] of [
      ['/ui/assets/index-a1B2_c3-.js', SCRIPT, 'application/javascript; charset=utf-8'],
      ['/ui/any/page', HTML, 'text/html; charset=utf-8'],
    ] as const) {
      const reply = await ask(url, { encoding });
      expect(reply.headers).toMatchObject({ 'content-encoding': chosen, 'content-type': type });
      expect(reply.headers.vary).toContain('accept-encoding');
      expect(opened(reply.rawPayload).toString()).toBe(text);
      expect(Number(reply.headers['content-length'])).toBe(reply.rawPayload.length);
    }
  });

  test('is as it is where nothing else is asked for, or there', async () => {
    const plain = await ask('/ui/assets/index-a1B2_c3-.js', { encoding: 'identity' });
    const small = await ask('/ui/assets/style-99ffee.css', { encoding: 'br, gzip' });
    for (const reply of [plain, small]) {
      expect(reply.headers['content-encoding']).toBeUndefined();
      expect(reply.headers.vary).toBe('accept-encoding');
    }
    expect([plain.payload, small.payload]).toEqual([SCRIPT, 'body{}']);
  });

  test.each([
    '/ui/assets/index-gone.js',
    '/ui/assets/',
    '/ui/assets/fonts',
    '/ui/assets/index-a1B2_c3-.js.br',
    '/ui/assets/.secret',
    '/ui/assets/..%2fassets/.secret',
  ])('that is not, %s, is a problem, for a browser too', async (url) => {
    const reply = await ask(url);
    expect([reply.statusCode, reply.json().code]).toEqual([404, 'ROUTE_NOT_FOUND']);
    expect(reply.headers).toMatchObject({
      'content-security-policy': API_POLICY,
      'cache-control': 'no-store',
    });
  });

  test.each([
    '/ui/..%2foutside.txt',
    '/ui/%2e%2e%2foutside.txt',
    '/ui/..%5coutside.txt',
    '/ui/assets/..%2f..%2foutside.txt',
    '/ui/assets/%252e%252e/%252e%252e/outside.txt',
    '/ui//etc/passwd',
    '/ui/%2fetc%2fpasswd',
    '/ui/.built',
    '/ui/index.html%00.js',
    '/ui/theme-init.js/',
    `/ui/${'x'.repeat(1_000)}`,
  ])('outside of the build, or hidden, is not there: %s', async (url) => {
    const program = await ask(url, { accept: '*/*' });
    expect([program.statusCode, program.json().code]).toEqual([404, 'ROUTE_NOT_FOUND']);
    // A person gets the page or a problem, but never another file of the disk.
    const person = await ask(url);
    expect([HTML, program.payload.replace(/"traceId.*/u, '')]).toContain(
      person.payload.replace(/"traceId.*/u, ''),
    );
  });

  test('outside of the build is not there either where the client leaves the dots in the address', async () => {
    const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
    for (const path of [
      '/ui/../outside.txt',
      '/ui/%2e%2e/outside.txt',
      '/ui/assets/../../outside.txt',
      '/ui/./theme-init.js',
      '/ui/..\\outside.txt',
      '/ui/../package.json',
    ]) {
      const asked = request({ host: '127.0.0.1', port, path, agent: false }).end();
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      expect([path, answer.statusCode]).toEqual([path, 404]);
      expect(await json(answer)).toMatchObject({ code: 'ROUTE_NOT_FOUND' });
    }
  });

  test('is nothing with an address that cannot be decoded', async () => {
    expect((await ask('/ui/%zz')).statusCode).toBe(400);
  });
});

describe('methods', () => {
  test('HEAD tells what GET would', async () => {
    for (const url of ['/ui/', '/ui/assets/index-a1B2_c3-.js', '/ui/any', '/', '/login']) {
      const [get, head] = [await ask(url), await ask(url, { method: 'HEAD' })];
      expect([head.statusCode, head.payload]).toEqual([get.statusCode, '']);
      for (const name of ['content-type', 'content-length', 'etag', 'location', 'cache-control'])
        expect([name, head.headers[name]]).toEqual([name, get.headers[name]]);
    }
  });

  test('others are not allowed', async () => {
    for (const method of ['POST', 'PUT', 'DELETE'] as const) {
      for (const url of ['/ui/', '/ui/theme-init.js', '/ui/any']) {
        const reply = await ask(url, { method });
        expect([reply.statusCode, reply.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS']);
      }
    }
    const options = await ask('/ui/any', { method: 'OPTIONS' });
    expect([options.statusCode, options.headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS']);
  });
});

describe('ways in', () => {
  test.each([
    ['/', '/ui/'],
    ['/api/', '/ui/'],
    ['/?a=b', '/ui/'],
    ['/ui', '/ui/'],
    ['/login', '/ui/login'],
    ['/login?error', '/ui/login?error'],
    ['/login?error&x=%0d%0aa:b', '/ui/login?error&x=%0d%0aa:b'],
  ])('a browser is led from %s to %s', async (from, to) => {
    const reply = await ask(from);
    expect([reply.statusCode, reply.headers.location]).toEqual([302, to]);
    expect(reply.headers).toMatchObject({ vary: 'accept', 'cache-control': 'no-store' });
  });

  test.each(['*/*', 'application/json', 'text/plain, */*;q=0.1'])(
    'a program that accepts %s finds what it found before',
    async (accept) => {
      for (const url of ['/', '/ui'])
        expectProblem(await ask(url, { accept }), url, {
          code: 'ROUTE_NOT_FOUND',
          message: `there is no ${url}`,
        });
      for (const url of ['/login', '/login?error']) {
        const reply = await ask(url, { accept });
        expect([reply.statusCode, reply.headers.allow]).toEqual([405, 'OPTIONS, POST']);
      }
    },
  );

  test('nothing else is taken at the root', async () => {
    const reply = await ask('/', { method: 'POST' });
    expect([reply.statusCode, reply.json().code]).toEqual([404, 'ROUTE_NOT_FOUND']);
  });
});

describe('without a build', () => {
  test('the start says so once, and browsers are told what to do, until there is one', async () => {
    await using empty = await openWebFolder();
    api.logged.length = 0;
    await using server = await buildServer({ ...api.deps, webRoot: empty.root });
    const told = api.logged.filter((line) => line.includes('make build-frontend'));
    expect(told).toHaveLength(1);
    for (const url of ['/ui/', '/ui/licenses', '/ui/login?error']) {
      const reply = await ask(url, {}, server);
      expect([reply.statusCode, reply.headers['content-type']]).toEqual([
        404,
        'text/html; charset=utf-8',
      ]);
      expect(reply.payload).toContain('<code>make build-frontend</code>');
      expect(reply.payload).not.toMatch(/style|<script/u);
      expect(reply.headers).toMatchObject({
        ...PAGE,
        'content-security-policy': `default-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`,
        'cache-control': 'no-store',
      });
    }
    for (const [url, to] of [
      ['/', '/ui/'],
      ['/login', '/ui/login'],
    ])
      expect((await ask(url!, {}, server)).headers.location).toBe(to);
    for (const url of ['/ui/', '/ui/theme-init.js']) {
      const reply = await ask(url, { accept: '*/*' }, server);
      expect([reply.statusCode, reply.json().code]).toEqual([404, 'ROUTE_NOT_FOUND']);
    }
    await writeBuild(empty.root);
    expect((await ask('/ui/', { encoding: 'br' }, server)).statusCode).toBe(200);
    expect((await ask('/ui/theme-init.js', {}, server)).payload).toBe('1;\n');
  });

  test('a start with one says nothing', async () => {
    api.logged.length = 0;
    await using _server = await buildServer(deps);
    expect(api.logged.join('')).not.toContain('build-frontend');
  });
});

describe('what files cost', () => {
  test('no caller’s budget of requests, but one of its address: four times its other requests', async () => {
    const rateLimits = {
      perTenant: null,
      perCaller: 1,
      perAddress: 1,
      readsPerTenant: null,
      writesPerTenant: null,
      readTimePercent: null,
      streamsPerTenant: null,
      failuresPerAddress: null,
      connectionsPerAddress: null,
    };
    await using server = await buildServer({ ...deps, rateLimits });
    for (const url of ['/ui/', '/ui/theme-init.js', '/', '/login']) {
      const reply = await ask(url, {}, server);
      expect(reply.statusCode).toBeLessThan(400);
      expect(reply.headers['ratelimit']).toBeUndefined();
    }
    for (const url of ['/ui/theme-init.js', '/ui/nowhere', '/']) {
      const refused = await ask(url, {}, server);
      expect([refused.statusCode, refused.json().code]).toEqual([429, 'RATE_LIMITED']);
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
      expect(refused.headers['ratelimit-policy']).toBe('"files";q=4;w=60');
      expect(refused.headers['ratelimit']).toMatch(/^"files";r=0;t=\d+$/u);
    }
    const open = () => ask('/feature-flags', {}, server);
    expect([(await open()).statusCode, (await open()).statusCode]).toEqual([200, 429]);
  });

  test('neither a true clock nor a database', async () => {
    const away = () => Promise.reject(new Error('no database is asked'));
    await using server = await buildServer({
      ...deps,
      clocks: { ownDefect: () => 'wrong by an hour' },
      sessions: { ...api.deps.sessions, find: away },
      tenants: { ...api.deps.tenants, byId: away },
    });
    const cookies = { cookie: `JSESSIONID=${'A'.repeat(43)}` };
    for (const url of ['/ui/', '/ui/theme-init.js'])
      expect((await ask(url, { headers: cookies }, server)).statusCode).toBe(200);
  });

  test('one label, whatever they are called', async () => {
    const metrics = new Metrics({ version: '0.0.0', roles: ['api'], participants: [] });
    await using server = await buildServer({ ...deps, metrics });
    api.logged.length = 0;
    for (const url of ['/ui/', '/ui/theme-init.js', '/ui/some/page', '/ui/assets/gone.js', '/'])
      await ask(url, {}, server);
    const { text } = await metrics.exposition();
    const routes = [...text.matchAll(/http_[a-z_]*count\{[^}]*route="([^"]*)"/gu)];
    expect(new Set(routes.map(([, route]) => route))).toEqual(new Set(['/ui/*', '/']));
    const logged = api.logged.flatMap((line) => line.split('\n').filter((part) => part !== ''));
    const paths = logged.map((line) => JSON.parse(line) as { path?: string; status?: number });
    expect(paths.map(({ path, status }) => [path, status])).toEqual([
      ['/ui/*', 200],
      ['/ui/*', 200],
      ['/ui/*', 200],
      ['/ui/assets/gone.js', 404],
      ['/', 302],
    ]);
  });
});

test('a process of another role has none of it', async () => {
  await using server = await buildServer({ ...deps, serves: 'health' });
  for (const url of ['/', '/ui/', '/login', '/ui/theme-init.js'])
    expect((await ask(url, {}, server)).json().code).toBe('ROUTE_NOT_FOUND');
});
