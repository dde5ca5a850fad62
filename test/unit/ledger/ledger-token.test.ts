import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Io } from '../../../src/app/ports/io.ts';
import { createTokenSource } from '../../../src/auth/ledger-token.ts';
import { createOutgoingHttp } from '../../../src/auth/outgoing-fetch.ts';
import type { OutgoingHttp } from '../../../src/auth/outgoing-fetch.ts';

interface Asked {
  readonly authorization: string | undefined;
  readonly host: string | undefined;
  readonly form: URLSearchParams;
}

const never: Io = { signal: new AbortController().signal, deadlineMs: 10_000 };
const asked: Asked[] = [];
let respond: (response: ServerResponse, n: number) => void;
let http: OutgoingHttp;
let port = 0;

const server = createServer((request: IncomingMessage, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => {
    body += chunk.toString();
  });
  request.on('end', () => {
    const { authorization, host } = request.headers;
    asked.push({ authorization, host, form: new URLSearchParams(body) });
    respond(response, asked.length);
  });
});

const json = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

beforeEach(async () => {
  asked.length = 0;
  respond = (response, n) => json(response, 200, { access_token: `token-${n}`, expires_in: 300 });
  http = createOutgoingHttp({ timeoutMs: 2_000, bodyBytesMax: 4_096 });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  port = (server.address() as AddressInfo).port;
});

afterEach(async () => {
  await http.close();
  server.closeAllConnections();
  await new Promise((resolve) => {
    server.close(resolve);
  });
});

function source(more: { audience?: string; host?: string; nowMs?: () => number } = {}) {
  const { host = '127.0.0.1', nowMs = Date.now, audience } = more;
  return createTokenSource({
    tokenUrl: `http://${host}:${port}/token`,
    clientId: 'my client',
    clientSecret: 's:cr/t+',
    scope: 'daml_ledger_api',
    ...(audience === undefined ? {} : { audience }),
    fetch: http.fetch,
    wallClock: { nowMs },
  });
}

describe('a token', () => {
  test('is asked for with client credentials, as RFC 6749 has it', async () => {
    const answer = await source({ audience: 'https://aud' }).current(never);
    expect(answer).toEqual({ kind: 'token', token: 'token-1' });
    const [request] = asked;
    expect(Object.fromEntries(request?.form ?? [])).toEqual({
      grant_type: 'client_credentials',
      scope: 'daml_ledger_api',
      audience: 'https://aud',
    });
    const basic = Buffer.from(request?.authorization?.slice('Basic '.length) ?? '', 'base64');
    expect(basic.toString()).toBe('my+client:s%3Acr%2Ft%2B');
  });

  test('is kept, and asked for once however many want it', async () => {
    const tokens = source();
    const answers = await Promise.all(Array.from({ length: 20 }, () => tokens.current(never)));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    await tokens.current(never);
    expect(asked).toHaveLength(1);
    expect(asked[0]?.form.has('audience')).toBe(false);
  });

  test('is renewed before it expires, and nobody waits for that', async () => {
    let now = 0;
    const tokens = source({ nowMs: () => now });
    await tokens.current(never);
    now = 239_000;
    expect(await tokens.current(never)).toEqual({ kind: 'token', token: 'token-1' });
    expect(asked).toHaveLength(1);

    now = 241_000;
    expect(await tokens.current(never)).toEqual({ kind: 'token', token: 'token-1' });
    await expect.poll(() => tokens.current(never)).toEqual({ kind: 'token', token: 'token-2' });
    expect(asked).toHaveLength(2);
  });

  test('is not used beyond its life', async () => {
    let now = 0;
    const tokens = source({ nowMs: () => now });
    await tokens.current(never);
    now = 299_000;
    expect(await tokens.current(never)).toEqual({ kind: 'token', token: 'token-2' });
  });

  test('that works is used while its successor cannot be had', async () => {
    let now = 0;
    const tokens = source({ nowMs: () => now });
    await tokens.current(never);
    respond = (response) => json(response, 503, {});
    now = 250_000;
    await tokens.current(never);
    await expect.poll(() => asked.length).toBe(2);
    expect(await tokens.current(never)).toEqual({ kind: 'token', token: 'token-1' });
    now = 301_000;
    expect((await tokens.current(never)).kind).toBe('unreachable');
  });

  test('that was rejected is replaced, once for all who used it', async () => {
    let now = 0;
    const tokens = source({ nowMs: () => now });
    await tokens.current(never);
    now = 10_000;
    const renewals = [1, 2, 3].map(() => tokens.renew('token-1', never));
    expect(await Promise.all(renewals)).toEqual(
      [1, 2, 3].map(() => ({ kind: 'token', token: 'token-2' })),
    );
    expect(await tokens.renew('token-1', never)).toEqual({ kind: 'token', token: 'token-2' });
    expect(asked).toHaveLength(2);
  });

  test('that was rejected at once is not replaced: the next would fare no better', async () => {
    const tokens = source({ nowMs: () => 0 });
    await tokens.current(never);
    expect(await tokens.renew('token-1', never)).toEqual({ kind: 'token', token: 'token-1' });
    expect(asked).toHaveLength(1);
  });

  test('comes from this machine for every name under localhost', async () => {
    const answer = await source({ host: 'keycloak.localhost' }).current(never);
    expect(answer.kind).toBe('token');
    expect(asked[0]?.host).toBe(`keycloak.localhost:${port}`);
  });
});

describe('no token', () => {
  test.each([400, 401, 403])('because the server says no (%i)', async (status) => {
    respond = (response) =>
      json(response, status, { error: 'invalid_client', error_description: 'bad secret' });
    expect(await source().current(never)).toEqual({
      kind: 'refused',
      detail: `the token endpoint answered ${status}: invalid_client: bad secret`,
    });
  });

  test.each<[string, (response: ServerResponse) => void]>([
    ['it is down', (response) => json(response, 502, {})],
    ['it is busy', (response) => json(response, 429, {})],
    ['it sends something else', (response) => response.end('<html>')],
    ['it sends no token', (response) => json(response, 200, { token_type: 'bearer' })],
    ['it redirects', (response) => response.writeHead(302, { location: '/elsewhere' }).end()],
    ['it hangs up', (response) => response.destroy()],
    ['it sends too much', (response) => json(response, 200, { access_token: 'x'.repeat(9_000) })],
  ])('because %s', async (_why, answer) => {
    respond = answer;
    expect((await source().current(never)).kind).toBe('unreachable');
  });

  test('because the server says nothing', async () => {
    respond = () => undefined;
    const impatient = createOutgoingHttp({ timeoutMs: 50 });
    try {
      const tokens = createTokenSource({
        tokenUrl: `http://127.0.0.1:${port}/token`,
        clientId: 'a',
        clientSecret: 'b',
        scope: 'c',
        fetch: impatient.fetch,
      });
      expect((await tokens.current(never)).kind).toBe('unreachable');
    } finally {
      await impatient.close();
    }
  });

  test('in time for a call that has to end, while others go on waiting', async () => {
    const held: ServerResponse[] = [];
    respond = (response) => held.push(response);
    const tokens = source();
    const patient = tokens.current(never);
    const impatient = [
      tokens.current({ ...never, deadlineMs: 20 }),
      tokens.current({ ...never, signal: AbortSignal.timeout(20) }),
      tokens.current({ ...never, signal: AbortSignal.abort() }),
    ];
    expect((await Promise.all(impatient)).map(({ kind }) => kind)).toEqual([
      'unreachable',
      'unreachable',
      'unreachable',
    ]);
    await expect.poll(() => held.length).toBe(1);
    json(held[0]!, 200, { access_token: 'late' });
    expect(await patient).toEqual({ kind: 'token', token: 'late' });
  });

  test('is not asked for again at once', async () => {
    let now = 0;
    respond = (response) => json(response, 503, {});
    const tokens = source({ nowMs: () => now });
    await tokens.current(never);
    await tokens.current(never);
    expect(asked).toHaveLength(1);
    now = 1_001;
    await tokens.current(never);
    expect(asked).toHaveLength(2);
  });
});
