import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A proxy before the token registry. A test can make the registry unreachable through it. */
export interface RegistryDoor extends AsyncDisposable {
  readonly url: string;
  /** Forwards all requests to the registry at `target`. */
  open(target: string): void;
  /** Ends all connections, and refuses new ones. */
  close(): void;
  /** Answers requests itself, instead of the registry. */
  answer(status: number, body: string): void;
}

type Mode =
  | { readonly kind: 'open'; readonly target: string }
  | { readonly kind: 'closed' }
  | { readonly kind: 'answer'; readonly status: number; readonly body: string };

async function passOn(target: string, request: IncomingMessage, response: ServerResponse) {
  const { url = '/', method = 'GET' } = request;
  const body = await buffer(request);
  const answer = await fetch(`${target}${url}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(method === 'POST' ? { body } : {}),
    signal: AbortSignal.timeout(120_000),
  });
  response.writeHead(answer.status, { 'content-type': 'application/json' });
  response.end(await answer.text());
}

/** The proxy forwards nothing until `open` is called. */
export async function openRegistryDoor(): Promise<RegistryDoor> {
  let mode: Mode = { kind: 'closed' };
  const server = createServer((request, response) => {
    if (mode.kind === 'closed') request.socket.destroy();
    else if (mode.kind === 'answer') response.writeHead(mode.status).end(mode.body);
    else passOn(mode.target, request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    open: (target) => {
      mode = { kind: 'open', target };
    },
    close: () => {
      mode = { kind: 'closed' };
    },
    answer: (status, body) => {
      mode = { kind: 'answer', status, body };
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
