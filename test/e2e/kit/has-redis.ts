import { spawnSync } from 'node:child_process';

/** The Redis server that is installed here. */
export const redisProgram = (): string | undefined =>
  ['valkey-server', 'redis-server'].find(
    (program) => spawnSync(program, ['--version']).error === undefined,
  );

/** Whether there is a Redis to test with. Without one this warns; in CI it fails. */
export function hasRedis(what: string): boolean {
  if (redisProgram() !== undefined) return true;
  const missing = `NOT TESTED on Redis: ${what}; neither valkey-server nor redis-server is installed`;
  if (process.env['CI'] === 'true') throw new Error(missing);
  console.warn(missing);
  return false;
}
