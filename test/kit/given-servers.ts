import { Redis } from 'ioredis';

/*
 * Servers that a test run uses instead of starting its own: containers, or servers on the machine. `TEST_DATABASE_URL`
 * is the address of PostgreSQL, see `postgres-setup.ts`; `TEST_REDIS_URL` is the address of Redis or Valkey.
 */

const given = (name: string): string | null => {
  const url = process.env[name] ?? '';
  return url === '' ? null : url;
};

/** Whether tests create their databases on a given server. */
export const isDatabaseGiven = (): boolean => given('TEST_DATABASE_URL') !== null;

/**
 * Returns the address of the given Redis, with a database number that only this worker uses, so that test files that
 * run at the same time share no keys.
 */
export function givenRedis(): string | null {
  const url = given('TEST_REDIS_URL');
  if (url === null) return null;
  const own = new URL(url);
  own.pathname = `/${process.env['VITEST_POOL_ID'] ?? 0}`;
  return own.href;
}

/** Deletes everything in this worker's Redis database. */
export async function emptyRedis(url: string): Promise<void> {
  const redis = new Redis(url, { maxRetriesPerRequest: 1 });
  try {
    await redis.flushdb();
  } finally {
    redis.disconnect();
  }
}
