import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { queryOnce, withDatabase } from './postgres-query.ts';

export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
  readonly name: string;
}

/**
 * A database of the caller's own on the server of this test run, dropped at the end with whatever is still connected.
 *
 * @param contents `migrated` is a copy of a freshly migrated database, `empty` has nothing in it
 */
export async function testDatabase(
  contents: 'migrated' | 'empty' = 'migrated',
): Promise<TestDatabase> {
  const { adminUrl, template } = inject('postgres');
  const name = `tenure_test_${randomBytes(8).toString('hex')}`;
  // Copying files takes half the time of writing each page through the log.
  await queryOnce(
    adminUrl,
    `create database ${name} template ${contents === 'migrated' ? template : 'template0'} strategy file_copy`,
  );
  return {
    url: withDatabase(adminUrl, name),
    name,
    [Symbol.asyncDispose]: async () => {
      await queryOnce(adminUrl, `drop database if exists ${name} with (force)`);
    },
  };
}
