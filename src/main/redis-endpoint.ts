import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The file in which an embedded Redis publishes its address. */
export const redisEndpointFile = (dataDir: string): string => join(dataDir, 'redis.endpoint');

export async function readTextOrNull(file: string): Promise<string | null> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch {
    return null;
  }
}

/** Returns the socket of the server with a folder's data; `null` if none was started there. */
export const redisEndpoint = (dataDir: string): Promise<string | null> =>
  readTextOrNull(redisEndpointFile(dataDir));
