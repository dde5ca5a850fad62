import { STATUS_CODES } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { RawData, WebSocket } from 'ws';
import type { TokenVerifier } from '../../auth/verify.ts';
import type { Arriving } from '../../arrival.ts';
import { authenticate, beginCall, failureOf } from '../json-call.ts';
import type { FailureAnswer, JsonCall } from '../json-call.ts';
import { LISTENER_LIMITS } from '../../listener.ts';
import type { Log } from '../../log.ts';
import type { Operation, StreamOperation } from './operation.ts';
import { parseJson, readBody } from './routes.ts';
import type { RouteOptions } from './routes.ts';
import { guardedStream, serviceCall } from './call-context.ts';
import { Unreadable } from './unreadable.ts';
import { UnexpectedJson } from './daml-values.ts';

/**
 * The sub-protocol that the server selects. Callers that cannot send headers put the token into another sub-protocol
 * before this one.
 */
const PROTOCOL = 'daml.ws.auth';
const TOKEN_PREFIX = 'jwt.token.';
const REQUEST_BYTES_MAX = 1024 * 1024;

/** Limits for the WebSockets of one participant. */
export interface WebSocketLimits {
  /** The maximum number of open sockets. It is the number of connections that a participant's HTTP server accepts. */
  readonly socketsMax: number;
  /** A socket on which no request arrives within this time is closed. */
  readonly requestTimeoutMs: number;
}

const LIMITS: WebSocketLimits = {
  socketsMax: 1_024,
  requestTimeoutMs: LISTENER_LIMITS.requestTimeout,
};

export interface WebSocketOptions extends RouteOptions {
  readonly limits?: WebSocketLimits;
  readonly verify: TokenVerifier;
  readonly log: Log;
  readonly arrival?: (() => Arriving) | undefined;
}

/**
 * The streams of the JSON API. A caller sends one request as a message. Every element is sent as a message, and an
 * error as the last message. Then the socket is closed normally.
 */
export class JsonWebSockets {
  readonly #options: WebSocketOptions;
  readonly #limits: WebSocketLimits;
  readonly #operations: ReadonlyMap<string, StreamOperation>;
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: REQUEST_BYTES_MAX,
    handleProtocols: () => PROTOCOL,
  });

  constructor(operations: readonly Operation[], options: WebSocketOptions) {
    this.#options = options;
    this.#limits = options.limits ?? LIMITS;
    const streams = operations.filter((operation) => operation.kind === 'stream');
    this.#operations = new Map(streams.map((operation) => [operation.path, operation]));
  }

  /** Upgrades a connection to a WebSocket. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // Without a listener, an error of the connection, which may break at any moment, would end the process.
    socket.on('error', () => socket.destroy());
    void this.#upgrade(request, socket, head).catch(() => socket.destroy());
  }

  /** Ends all streams at once without a close message, as if the participant had died. */
  drop(): void {
    for (const client of this.#server.clients) client.terminate();
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { participant, verify, arrival } = this.#options;
    const met = await arrival?.();
    if (met === 'silence') return;
    if (met === 'reset') {
      socket.destroy();
      return;
    }
    if (met === 'unavailable') {
      refuse(socket, { status: 503, body: 'no healthy upstream' });
      return;
    }
    const call = beginCall(request);
    // Clients append the path to an address that may end with a slash. Participants accept repeated slashes, so they
    // are merged here.
    const path = ((request.url ?? '').split('?', 1)[0] ?? '').replaceAll(/\/{2,}/g, '/');
    const operation = this.#operations.get(path);
    if (operation === undefined) {
      refuse(socket, { status: 404, body: 'The requested resource could not be found.' });
      return;
    }
    try {
      await authenticate(call, tokenOf(request), { verify, participant });
    } catch (error) {
      refuse(socket, this.#failure(error, call, path));
      return;
    }
    if (socket.destroyed) return;
    if (this.#server.clients.size >= this.#limits.socketsMax) {
      refuse(socket, { status: 503, body: 'Too many WebSockets are open.' });
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (client) => {
      this.#serve(client, operation, call);
    });
  }

  #serve(client: WebSocket, operation: StreamOperation, call: JsonCall): void {
    const gone = new AbortController();
    client.on('close', () => gone.abort(new Error('the caller is gone')));
    client.on('error', () => client.terminate());
    const silence = setTimeout(() => client.terminate(), this.#limits.requestTimeoutMs);
    gone.signal.addEventListener('abort', () => clearTimeout(silence));
    // Only the first message is read as a request.
    client.once('message', (data) => {
      clearTimeout(silence);
      void this.#stream(client, operation, { call, data, gone });
    });
  }

  async #stream(
    client: WebSocket,
    operation: StreamOperation,
    {
      call,
      data,
      gone,
    }: { readonly call: JsonCall; readonly data: RawData; readonly gone: AbortController },
  ): Promise<void> {
    const { participant, services, values } = this.#options;
    try {
      const body = requestOf(operation, data);
      const open = (stop: AbortSignal) => operation.run(services(), body, serviceCall(call, stop));
      const elements = guardedStream(participant, call.token, { gone: gone.signal, open });
      for await (const element of elements) {
        await send(client, operation.answer.write(element, values));
      }
    } catch (error) {
      if (gone.signal.aborted) return;
      const { body } = this.#failure(error, call, operation.path);
      await send(client, body).catch(() => undefined);
    }
    client.close();
  }

  #failure(error: unknown, call: JsonCall, path: string): FailureAnswer {
    const { participant, log } = this.#options;
    return failureOf(error, call, { surface: 'json', participant, log, path });
  }
}

/** Returns the bearer token from the header or, because browsers cannot set this header, from the sub-protocols. */
function tokenOf({ headers }: IncomingMessage): string | undefined {
  if (headers.authorization !== undefined) return headers.authorization;
  const protocols = (headers['sec-websocket-protocol'] ?? '').split(',');
  const token = protocols.map((text) => text.trim()).find((text) => text.startsWith(TOKEN_PREFIX));
  return token === undefined ? undefined : `Bearer ${token.slice(TOKEN_PREFIX.length)}`;
}

const textOf = (data: RawData): string =>
  (Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as ArrayBuffer)).toString('utf8');

/**
 * Reads the request. For a malformed request, a participant answers with an internal error that contains the reason.
 */
function requestOf(operation: StreamOperation, data: RawData): unknown {
  try {
    return readBody(operation.body, parseJson(textOf(data)));
  } catch (error) {
    if (error instanceof Unreadable) throw new UnexpectedJson(error.message);
    throw error;
  }
}

/**
 * Resolves when the message has been passed to the operating system. Because the caller waits for this, a slow reader
 * slows down its stream.
 */
const send = (client: WebSocket, message: unknown): Promise<void> =>
  new Promise((resolve, reject) => {
    client.send(JSON.stringify(message), (error) => (error == null ? resolve() : reject(error)));
  });

/** Refuses to open a WebSocket. */
function refuse(socket: Duplex, { status, body }: FailureAnswer): void {
  const isText = typeof body === 'string';
  const content = isText ? body : JSON.stringify(body);
  const type = isText ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8';
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
      `content-type: ${type}`,
      `content-length: ${Buffer.byteLength(content)}`,
      'connection: close',
      '',
      content,
    ].join('\r\n'),
  );
}
