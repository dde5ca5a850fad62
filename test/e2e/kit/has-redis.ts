import { spawnSync } from 'node:child_process';

/** Whether there is a Redis to test with. Where there is none that is said; in CI it is a failure. */
export function hasRedis(what: string): boolean {
  const isThere = ['valkey-server', 'redis-server'].some(
    (program) => spawnSync(program, ['--version']).error === undefined,
  );
  if (isThere) return true;
  const missing = `NOT TESTED on Redis: ${what}; neither valkey-server nor redis-server is installed`;
  if (process.env['CI'] === 'true') throw new Error(missing);
  console.warn(missing);
  return false;
}
