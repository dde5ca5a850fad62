import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns the file in which an embedded Redis publishes its address. */
export const redisEndpointFile = (dataDir: string): string => join(dataDir, 'redis.endpoint');

export async function readTextOrNull(file: string): Promise<string | null> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch {
    return null;
  }
}

/** Returns the socket of the Redis server whose data is in this folder; `null` if no server was started there. */
export const redisEndpoint = (dataDir: string): Promise<string | null> =>
  readTextOrNull(redisEndpointFile(dataDir));
