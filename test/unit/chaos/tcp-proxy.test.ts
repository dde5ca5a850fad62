import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { expect, test, vi } from 'vitest';
import type { TcpProxy } from '../../../chaos/tcp-proxy.ts';
import { openTcpProxy } from '../../../chaos/tcp-proxy.ts';
import { PATIENCE_MS } from '../../kit/patience.ts';

interface Echo extends AsyncDisposable {
  readonly port: number;
  readonly heard: string[];
}

/** Starts a server that returns everything in capital letters. */
async function echo(): Promise<Echo> {
  const heard: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', (data) => {
      heard.push(data.toString());
      socket.write(data.toString().toUpperCase());
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    heard,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Client {
  readonly answers: string[];
  readonly closed: Promise<unknown>;
  send(text: string): void;
}

function client(proxy: TcpProxy): Client {
  const socket = connect(proxy.port, '127.0.0.1');
  const answers: string[] = [];
  const closed = Promise.withResolvers<void>();
  socket.on('error', () => {});
  socket.on('close', () => closed.resolve());
  socket.on('data', (data) => answers.push(data.toString()));
  return { answers, closed: closed.promise, send: (text) => void socket.write(text) };
}

/** Returns a client that has already received an answer. */
async function talking(proxy: TcpProxy): Promise<Client> {
  const one = client(proxy);
  one.send('hello');
  await vi.waitFor(() => expect(one.answers.join('')).toBe('HELLO'), PATIENCE_MS);
  one.answers.length = 0;
  return one;
}

test('what is open is cut, and new connections go through', async () => {
  await using server = await echo();
  await using proxy = await openTcpProxy(server.port);
  const before = await talking(proxy);
  proxy.cut();
  await before.closed;
  await talking(proxy);
  expect(server.heard).toEqual(['hello', 'hello']);
});

test('new connections are refused until they are let through again, also to another target', async () => {
  await using server = await echo();
  await using other = await echo();
  await using proxy = await openTcpProxy(server.port);
  const before = await talking(proxy);
  proxy.refuse();
  await before.closed;
  await client(proxy).closed;
  proxy.aim(other.port);
  proxy.pass();
  await talking(proxy);
  expect(other.heard).toEqual(['hello']);
});

test('a frozen connection stays open, hears nothing, and never comes back', async () => {
  await using server = await echo();
  await using proxy = await openTcpProxy(server.port);
  const frozen = await talking(proxy);
  proxy.swallow();
  frozen.send('lost');
  const late = client(proxy);
  late.send('lost too');
  await vi.waitFor(() => expect(proxy.open).toBe(2), PATIENCE_MS);
  proxy.pass();
  await talking(proxy);
  frozen.send('still lost');
  const next = await talking(proxy);
  next.send('after it');
  await vi.waitFor(() => expect(next.answers.join('')).toBe('AFTER IT'), PATIENCE_MS);
  expect(server.heard.join(' ')).not.toContain('lost');
  expect([frozen.answers, late.answers]).toEqual([[], []]);
});

test('a request is cut before it arrives', async () => {
  await using server = await echo();
  await using proxy = await openTcpProxy(server.port);
  const one = await talking(proxy);
  const cut = proxy.cutAt('before-request', 'commit');
  one.send('begin; ');
  await vi.waitFor(() => expect(one.answers.join('')).toBe('BEGIN; '), PATIENCE_MS);
  // The text may arrive in two pieces.
  one.send('com');
  await vi.waitFor(() => expect(one.answers.join('')).toBe('BEGIN; COM'), PATIENCE_MS);
  one.send('mit');
  await cut;
  await one.closed;
  expect(server.heard.join('')).toBe('hellobegin; com');
});

test('an answer is cut: the server has done it, and its client does not know', async () => {
  await using server = await echo();
  await using proxy = await openTcpProxy(server.port);
  const one = await talking(proxy);
  const cut = proxy.cutAt('before-answer', 'COMMIT');
  one.send('commit');
  await cut;
  await one.closed;
  expect([server.heard.at(-1), one.answers]).toEqual(['commit', []]);
  // The connection is cut only once.
  const two = await talking(proxy);
  two.send('commit');
  await vi.waitFor(() => expect(two.answers).toEqual(['COMMIT']), PATIENCE_MS);
});

test('a slow way delays, in order, and a narrow one takes its time', async () => {
  await using server = await echo();
  await using proxy = await openTcpProxy(server.port);
  const one = await talking(proxy);
  proxy.slow(40);
  const began = performance.now();
  one.send('a');
  await vi.waitFor(() => expect(one.answers).toEqual(['A']), { timeout: PATIENCE_MS, interval: 5 });
  // The delay applies in both directions.
  expect(performance.now() - began).toBeGreaterThanOrEqual(75);
  proxy.slow(0, 10_000);
  const wide = performance.now();
  one.send('x'.repeat(1_000));
  await vi.waitFor(() => expect(one.answers.join('')).toHaveLength(1_001), {
    timeout: PATIENCE_MS,
    interval: 5,
  });
  expect(performance.now() - wide).toBeGreaterThanOrEqual(150);
});

test('a target that is away ends the connection', async () => {
  const server = await echo();
  await server[Symbol.asyncDispose]();
  await using proxy = await openTcpProxy(server.port);
  const one = client(proxy);
  await one.closed;
  expect(one.answers).toEqual([]);
});
