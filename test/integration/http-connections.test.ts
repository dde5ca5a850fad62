import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { HTTP_LIMITS } from '../../src/http/limits.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { startApi } from '../kit/http-api.ts';
import { PATIENCE_MS } from '../kit/patience.ts';
import { trustedProxies } from '../../src/auth/address-policy.ts';
import { buildServer } from '../../src/http/server.ts';
import { forFile } from '../kit/for-file.ts';

/* Connections before their first request, and connections while the server stops. */

const PATIENCE = { timeout: PATIENCE_MS };
const portOf = (address: string): number => Number(new URL(address).port);

const api = await forFile(startApi());
const port = portOf(await api.app.listen({ host: '127.0.0.1', port: 0 }));

/** Sends some bytes and reads until the server closes the connection. */
async function exchange(bytes: string, to = port): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port: to });
  socket.setEncoding('latin1');
  let received = '';
  socket.on('data', (text: string) => {
    received += text;
  });
  socket.on('error', () => undefined);
  socket.end(bytes, 'latin1');
  await once(socket, 'close');
  return received;
}

const bodyOf = (answer: string): Record<string, unknown> =>
  JSON.parse(answer.split('\r\n\r\n')[1] ?? '') as Record<string, unknown>;

describe('what is no request', () => {
  test.each([
    ['nonsense', 'hello\r\n\r\n'],
    ['an unknown method', 'BREW /licenses HTTP/1.1\r\nHost: x\r\n\r\n'],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    ],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['two hosts', 'GET /livez HTTP/1.1\r\nHost: x\r\nhost: y\r\nConnection: close\r\n\r\n'],
    ['a header with a NUL', 'GET /licenses HTTP/1.1\r\nHost: x\r\nA: b\0c\r\n\r\n'],
  ])('%s is answered with a problem', async (_what, bytes) => {
    const answer = await exchange(bytes);
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/u);
    expect(answer).toMatch(/\r\nContent-Type: application\/problem\+json/iu);
    expect(bodyOf(answer)).toMatchObject({ status: 400, code: 'REQUEST_INVALID' });
  });

  test('too many bytes of headers', async () => {
    const long = 'x'.repeat(HTTP_LIMITS.httpHeaderBytesMax);
    const answer = await exchange(`GET /licenses HTTP/1.1\r\nHost: x\r\nA: ${long}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 431 /u);
    expect(bodyOf(answer)).toMatchObject({ status: 431, code: 'HEADERS_TOO_LARGE' });
    const path = await exchange(`GET /${long} HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(path).toMatch(/^HTTP\/1\.1 431 /u);
  });

  test('a method that HTTP knows and nobody here takes', async () => {
    const answer = await exchange(
      'PROPFIND /licenses HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 405 /u);
    expect(answer).toMatch(/\r\nallow: DELETE, GET, HEAD, OPTIONS, PATCH, POST\r\n/u);
  });
});

test('slow senders are given up: the bounds are in force', () => {
  const { server } = api.app;
  expect(server.headersTimeout).toBe(HTTP_LIMITS.httpHeadersMs);
  expect(server.requestTimeout).toBe(HTTP_LIMITS.httpReceiveMs);
  expect(server.keepAliveTimeout).toBe(HTTP_LIMITS.httpKeepAliveMs);
  expect(server.maxConnections).toBe(HTTP_LIMITS.httpConnectionsMax);
  // Nothing is sent on a connection while its caller waits for an outcome.
  expect(server.timeout).toBeGreaterThan(HTTP_LIMITS.httpWaitMsMax);
});

describe('an address', () => {
  const LIMIT = 3;
  const openTo = async (to: number, from: string): Promise<'open' | 'closed'> => {
    const socket = connect({ host: '127.0.0.1', port: to, localAddress: from });
    opened.push(socket);
    const closed = once(socket, 'close').then(() => 'closed' as const);
    socket.on('error', () => undefined);
    socket.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
    return Promise.race([once(socket, 'data').then(() => 'open' as const), closed]);
  };
  const opened: Socket[] = [];
  const inTurn = async (to: number, from: string, times: number) => {
    const found: string[] = [];
    for (let n = 0; n < times; n += 1) found.push(await openTo(to, from));
    return found;
  };

  test('has so many connections at a time, others have theirs, and a trusted proxy has any number', async () => {
    const app = await buildServer({
      ...api.deps,
      trustsProxy: trustedProxies('127.0.0.9'),
      rateLimits: { ...api.deps.rateLimits, connectionsPerAddress: LIMIT },
    });
    const to = portOf(await app.listen({ host: '127.0.0.1', port: 0 }));
    try {
      const all = Array.from({ length: LIMIT }, () => 'open');
      expect(await inTurn(to, '127.0.0.2', LIMIT + 2)).toEqual([...all, 'closed', 'closed']);
      expect(await inTurn(to, '127.0.0.3', 1)).toEqual(['open']);
      expect(await inTurn(to, '127.0.0.9', LIMIT + 2)).toEqual([...all, 'open', 'open']);
      opened[0]?.destroy();
      await expect.poll(() => openTo(to, '127.0.0.2'), PATIENCE).toBe('open');
      expect(await openTo(to, '127.0.0.2')).toBe('closed');
    } finally {
      for (const socket of opened) socket.destroy();
      await app.close();
    }
  });
});

test('no header is dropped, however many there are', async () => {
  const many = Array.from({ length: 2_500 }, (_, n) => `h${n % 10}:`).join('\r\n');
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
  const answer = await exchange(
    `GET /livez HTTP/1.1\r\nHost: x\r\n${many}\r\ntraceparent: 00-${trace}-00f067aa0ba902b7-01\r\nConnection: close\r\n\r\n`,
  );
  expect(answer).toContain(`trace-id: ${trace}`);
});

test('several requests on one connection are answered in order', async () => {
  const answer = await exchange(
    'GET /livez HTTP/1.1\r\nHost: x\r\n\r\nGET /nowhere HTTP/1.1\r\nHost: x\r\n\r\nGET /api/livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  );
  expect([...answer.matchAll(/HTTP\/1\.1 (\d+)/gu)].map(([, status]) => status)).toEqual([
    '200',
    '404',
    '200',
  ]);
});

describe('requests that one connection sends without waiting', () => {
  const pipelined = (count: number): string =>
    'GET /licenses HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer x\r\n\r\n'.repeat(count);
  const askedAfter = async (count: number) => {
    let asked = 0;
    const app = await buildServer({
      ...api.deps,
      authenticate: (...args) => {
        asked += 1;
        return api.deps.authenticate(...args);
      },
    });
    try {
      const to = portOf(await app.listen({ host: '127.0.0.1', port: 0 }));
      return { answer: await exchange(pipelined(count), to), asked: () => asked };
    } finally {
      await app.close();
    }
  };

  test('are answered up to a number', async () => {
    const { answer } = await askedAfter(HTTP_LIMITS.pipelinedMax);
    expect(answer.match(/HTTP\/1\.1 401/gu)).toHaveLength(HTTP_LIMITS.pipelinedMax);
  });

  test('beyond the number close the connection and cause no work', async () => {
    const { answer, asked } = await askedAfter(500);
    expect(answer).toBe('');
    expect(asked()).toBeLessThanOrEqual(HTTP_LIMITS.pipelinedMax);
  });
});

test('the absolute form is the same address', async () => {
  const answer = await exchange(
    'GET http://example.org/api/livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  );
  expect(answer).toMatch(/^HTTP\/1\.1 200 /u);
});

describe('a server that stops', () => {
  const openIdle = async (to: number): Promise<Socket> => {
    const socket = connect({ host: '127.0.0.1', port: to });
    socket.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'data');
    return socket;
  };

  test('closes connections on which nothing happens', async () => {
    await using stopping = await startApi();
    const to = portOf(await stopping.app.listen({ host: '127.0.0.1', port: 0 }));
    const sockets = await Promise.all([openIdle(to), openIdle(to)]);
    const closed = sockets.map((socket) => once(socket, 'close'));
    await stopping.app.close();
    expect(await Promise.all(closed)).toHaveLength(2);
  });

  test('cuts what does not end, but only after the drain time', async () => {
    let asked = 0;
    await using stopping = await startApi(() => ({
      authenticate: () => {
        asked += 1;
        return new Promise(() => {});
      },
    }));
    const address = await stopping.app.listen({ host: '127.0.0.1', port: 0 });
    const headers = { authorization: 'Bearer of-somebody' };
    const hanging = fetch(`${address}/licenses`, { headers }).then(
      () => 'answered',
      () => 'cut',
    );
    await vi.waitFor(() => expect(asked).toBe(1), PATIENCE_MS);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const closed = stopping.app.close();
      await vi.advanceTimersByTimeAsync(LIMITS.drainMs - 1);
      expect(await Promise.race([hanging, pause(50, 'still there')])).toBe('still there');
      await vi.advanceTimersByTimeAsync(1);
      expect(await hanging).toBe('cut');
      await closed;
    } finally {
      vi.useRealTimers();
    }
  });
});
