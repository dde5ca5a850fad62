import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Where a Redis that was started along says how it is reached. */
export const redisEndpointFile = (dataDir: string): string => join(dataDir, 'redis.endpoint');

export async function readTextOrNull(file: string): Promise<string | null> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch {
    return null;
  }
}

/** The socket of the server that has the data of a folder; `null` when none was started there. */
export const redisEndpoint = (dataDir: string): Promise<string | null> =>
  readTextOrNull(redisEndpointFile(dataDir));
