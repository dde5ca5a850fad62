import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy to an API. It can drop an answer after the API has given it. */
export interface LossyDoor extends AsyncDisposable {
  readonly url: string;
  /** The methods and addresses of all requests. */
  readonly asked: readonly string[];
  /** Drops the next answer to a request that matches the pattern. */
  lose(pattern: RegExp): void;
}

export async function openLossyDoor(target: string): Promise<LossyDoor> {
  const asked: string[] = [];
  let lost: RegExp | null = null;
  const server = createServer((inner, response) => {
    const what = `${inner.method} ${inner.url}`;
    asked.push(what);
    const { method, headers } = inner;
    const outer = send(`${target}${inner.url}`, { method, headers, agent: false });
    outer.once('response', (answer: IncomingMessage) => {
      if (lost?.test(what) === true) {
        lost = null;
        answer.resume();
        answer.once('end', () => inner.socket.destroy());
        return;
      }
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    outer.once('error', () => inner.socket.destroy());
    response.once('close', () => outer.destroy());
    inner.pipe(outer);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    lose: (pattern) => {
      lost = pattern;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
