import { Redis } from 'ioredis';

/*
 * Servers that a run of tests was given by their addresses, in the place of those that it would start: containers, or
 * what a machine has. `TEST_DATABASE_URL` names PostgreSQL, see `postgres-setup.ts`; `TEST_REDIS_URL` Redis or Valkey.
 */

const given = (name: string): string | null => {
  const url = process.env[name] ?? '';
  return url === '' ? null : url;
};

/** Whether tests make databases on a server that was given. */
export const isDatabaseGiven = (): boolean => given('TEST_DATABASE_URL') !== null;

/** The Redis that was given, with a database of this worker's own: files that run beside each other share no keys. */
export function givenRedis(): string | null {
  const url = given('TEST_REDIS_URL');
  if (url === null) return null;
  const own = new URL(url);
  own.pathname = `/${process.env['VITEST_POOL_ID'] ?? 0}`;
  return own.href;
}

/** Makes it forget all that is in the database of this worker. */
export async function emptyRedis(url: string): Promise<void> {
  const redis = new Redis(url, { maxRetriesPerRequest: 1 });
  try {
    await redis.flushdb();
  } finally {
    redis.disconnect();
  }
}
