import { spawnSync } from 'node:child_process';

/** Returns the Redis server program that is installed on this machine. */
export const redisProgram = (): string | undefined =>
  ['valkey-server', 'redis-server'].find(
    (program) => spawnSync(program, ['--version']).error === undefined,
  );

/** Returns whether a Redis server is installed. Without one, this prints a warning; in CI it fails. */
export function hasRedis(what: string): boolean {
  if (redisProgram() !== undefined) return true;
  const missing = `NOT TESTED on Redis: ${what}; neither valkey-server nor redis-server is installed`;
  if (process.env['CI'] === 'true') throw new Error(missing);
  console.warn(missing);
  return false;
}
