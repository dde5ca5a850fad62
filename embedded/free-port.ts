import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below what Linux gives to outgoing connections: none of them takes a port while its server is down. */
const LOWEST = 20_000;
const BEYOND = 32_768;

/** A port of this host on which nothing listens. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, BEYOND);
    if (await isFree(port)) return port;
  }
}

/** The distance from a Redis Cluster node's port to the port for its neighbours. */
const BUS = 10_000;

/** A port for a node of a Redis Cluster: no outgoing connection is given its second one either. */
export async function freeNodePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, BEYOND - BUS);
    if ((await isFree(port)) && (await isFree(port + BUS))) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen({ host: '127.0.0.1', port, exclusive: true });
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
