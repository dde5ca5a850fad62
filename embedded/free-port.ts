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
  try {
    await tryPort('127.0.0.1', port);
    return true;
  } catch {
    return false;
  }
}

/**
 * Listens at an address for a moment.
 *
 * @throws the error of a server that cannot listen there
 */
export async function tryPort(host: string, port: number): Promise<void> {
  const server = createServer().listen({ host, port, exclusive: true });
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
}
