import type { Server } from 'node:http';
import { networkOf } from './rate-limits.ts';

/**
 * Closes the connections of an address that exceed its limit, immediately and without an answer, because an answer
 * would cost more than the connection. Connections of proxies are not counted, because a proxy serves many clients.
 *
 * @param max `null`: no limit
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
