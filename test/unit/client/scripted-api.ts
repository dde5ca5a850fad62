import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request that has arrived. */
export interface Arrived {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Answers a request; with `lost`, the connection is destroyed instead. */
export type Script = (
  arrived: Arrived,
  response: ServerResponse,
) => Answer | 'lost' | 'taken' | Promise<Answer | 'lost' | 'taken'>;

export interface ScriptedApi extends AsyncDisposable {
  readonly url: string;
  readonly arrived: readonly Arrived[];
}

const typeOf = (status: number): string =>
  status >= 400 ? 'application/problem+json' : 'application/json';

/** Starts an HTTP server that answers as the test decides. */
export async function startScripted(script: Script): Promise<ScriptedApi> {
  const arrived: Arrived[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', headers, url = '/' } = request;
    const one = { method, url: new URL(url, 'http://api'), headers, body: await text(request) };
    arrived.push(one);
    const answer = await script(one, response);
    if (answer === 'taken') return;
    if (answer === 'lost') return void request.socket.destroy();
    const { status = 200, body } = answer;
    response.writeHead(status, { 'content-type': typeOf(status), ...answer.headers });
    response.end(body === undefined ? '' : JSON.stringify(body));
  };
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrived,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export const problemBody = (code: string, more: object = {}) => ({
  code,
  detail: `It is ${code}`,
  ...more,
});
