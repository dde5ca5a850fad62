import { WebSocket } from 'ws';
import { PATIENCE_MS } from '../../kit/patience.ts';
import type { Identity } from './identities.ts';
import type { Network } from './network.ts';

/** The messages on a WebSocket of the JSON API, until one side has closed it. */
export interface Said {
  readonly messages: readonly unknown[];
  /** The code with which it was closed; 1005 if none was given, 1006 if the connection was lost. */
  readonly code: number;
  readonly protocol: string;
}

export interface SocketRequest {
  /** The identity whose token is sent as a sub-protocol. */
  readonly as?: Identity;
  /** The first message that is sent; a string is sent as it is. */
  readonly request?: unknown;
  /** The number of messages after which this side closes the socket. */
  readonly countMax?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Called when the first message arrives. */
  readonly onMessage?: () => void;
}

/** Thrown if a WebSocket request is answered without an upgrade. */
export class NotUpgraded extends Error {
  override readonly name = 'NotUpgraded';
  readonly status: number;
  readonly body: string;
  constructor(status: number, body: string) {
    super(`${status} ${body}`);
    this.status = status;
    this.body = body;
  }
}

/** Opens a WebSocket, sends one request, and reads messages until the socket is closed. */
export async function converse(
  network: Network,
  url: string,
  { as, request, countMax = Infinity, headers = {}, onMessage }: SocketRequest,
): Promise<Said> {
  const protocols =
    as === undefined ? [] : [`jwt.token.${await network.tokens.of(as)}`, 'daml.ws.auth'];
  const socket = new WebSocket(url.replace(/^http/, 'ws'), protocols, { headers: { ...headers } });
  const messages: unknown[] = [];
  const patience = AbortSignal.timeout(PATIENCE_MS);
  patience.addEventListener('abort', () => socket.terminate());
  return new Promise((resolve, reject) => {
    socket.on('unexpected-response', (_request, answer) => {
      let body = '';
      answer.on('data', (chunk: Buffer) => (body += chunk.toString()));
      answer.on('end', () => reject(new NotUpgraded(answer.statusCode ?? 0, body)));
    });
    socket.on('error', reject);
    socket.on('open', () => {
      if (request !== undefined) {
        socket.send(typeof request === 'string' ? request : JSON.stringify(request));
      }
    });
    socket.on('message', (data: Buffer) => {
      messages.push(JSON.parse(data.toString('utf8')));
      if (messages.length === 1) onMessage?.();
      if (messages.length >= countMax) socket.close();
    });
    socket.on('close', (code) => resolve({ messages, code, protocol: socket.protocol }));
  });
}
