import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { HTTP_LIMITS } from '../limits.ts';
import { networkOf } from './rate-limits.ts';

/**
 * Closes connections of an address beyond those that it may have, at once and without a word: an answer would cost more
 * than the connection. Proxies hold the connections of many clients and are not counted.
 *
 * @param max `null`: any number
 */
export function limitConnections(
  server: Server,
  max: number | null,
  trustsProxy: (address: string) => boolean,
): void {
  if (max === null) return;
  const open = new Map<string, number>();
  server.on('connection', (socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || trustsProxy(remoteAddress)) return;
    const address = networkOf(remoteAddress);
    const count = (open.get(address) ?? 0) + 1;
    if (count > max) {
      socket.destroy();
      return;
    }
    open.set(address, count);
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left === 0) open.delete(address);
      else open.set(address, left);
    });
  });
}

type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Closes connections that send more requests than may wait for their answers. Node begins each request of a connection
 * as soon as the request has arrived, also while earlier answers are due, and one packet holds thousands of requests.
 */
export function limitPipelines(server: Server): void {
  const listeners = server.listeners('request') as RequestListener[];
  const waiting = new WeakMap<Socket, number>();
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    const { socket } = request;
    // The rest of the packet that was too much.
    if (socket.destroyed) return;
    const count = (waiting.get(socket) ?? 0) + 1;
    if (count > HTTP_LIMITS.pipelinedMax) {
      socket.destroy();
      return;
    }
    waiting.set(socket, count);
    response.once('finish', () => waiting.set(socket, (waiting.get(socket) ?? 1) - 1));
    for (const listener of listeners) listener.call(server, request, response);
  });
}
