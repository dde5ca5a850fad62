import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * The range of ports to choose from. It lies below the ports that Linux assigns to outgoing connections, so no
 * connection can take a port while its server is down.
 */
const LOWEST = 20_000;
const BEYOND = 32_768;

/** Returns a port of this host on which nothing listens. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, BEYOND);
    if (await isFree(port)) return port;
  }
}

/** A Redis Cluster node listens for the other nodes at its own port plus this number. */
const BUS = 10_000;

/**
 * Returns a port for a node of a Redis Cluster. Neither this port nor the node's second one can be assigned to an
 * outgoing connection.
 */
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
 * Checks that a server can listen at an address, by listening for a moment.
 *
 * @throws the error of the server that cannot listen there
 */
export async function tryPort(host: string, port: number): Promise<void> {
  const server = createServer().listen({ host, port, exclusive: true });
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
}
