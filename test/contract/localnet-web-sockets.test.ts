import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket } from 'ws';
import { expect, test } from 'vitest';
import { OPERATIONS } from '../../localnet/http/json/operations.ts';
import { ValueCodec } from '../../localnet/http/json/value-codec.ts';
import { JsonWebSockets } from '../../localnet/http/json/websockets.ts';
import type { WebSocketLimits } from '../../localnet/http/json/websockets.ts';
import { LedgerNetwork } from '../../localnet/ledger/ledger-network.ts';

/* Limits of WebSockets whose callers send nothing. */

async function open(limits: WebSocketLimits) {
  await using starting = new AsyncDisposableStack();
  const network = starting.adopt(await LedgerNetwork.open(), (ledger) => ledger.close());
  const participant = network.participants['app-user'];
  const [userId] = participant.state.users.keys();
  const sockets = new JsonWebSockets(OPERATIONS, {
    participant,
    services: () => {
      throw new Error('nothing is asked');
    },
    values: new ValueCodec(participant.registry),
    verify: async () => ({ userId: userId ?? '', expiresAtMs: Infinity }),
    log: () => undefined,
    limits,
  });
  const server = createServer();
  server.on('upgrade', (request, socket, head) => sockets.upgrade(request, socket, head));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  starting.defer(() => {
    sockets.drop();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const running = starting.move();
  const connect = () => new WebSocket(`ws://127.0.0.1:${port}/v2/updates`);
  return { connect, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

const until = (socket: WebSocket, event: 'open' | 'close' | 'unexpected-response') =>
  new Promise<unknown[]>((resolve) => {
    socket.once(event, (...args) => resolve(args));
  });

test('a socket that asks for nothing is closed', async () => {
  await using surface = await open({ socketsMax: 10, requestTimeoutMs: 50 });
  const [code] = await until(surface.connect(), 'close');
  expect(code).toBe(1006);
});

test('one socket too many does not open', async () => {
  await using surface = await open({ socketsMax: 1, requestTimeoutMs: 60_000 });
  const first = surface.connect();
  await until(first, 'open');
  const [, answer] = await until(surface.connect(), 'unexpected-response');
  expect(answer).toMatchObject({ statusCode: 503 });
  first.close();
});
