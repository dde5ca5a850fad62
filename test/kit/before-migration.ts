import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MIGRATIONS_FOLDER, migrate } from '../../src/store/sql/migrate.ts';
import { PATIENCE_MS } from './patience.ts';
import { testDatabase } from './postgres.ts';

/* Databases in the state in which an earlier version of Tenure left them. */

export interface EarlierDatabase extends AsyncDisposable {
  readonly url: string;
  /** Runs the migrations that have not been run yet. */
  migrate(): Promise<void>;
}

/** Returns an empty database with all migrations that precede the one whose name has this ending. */
export async function databaseBefore(ending: string): Promise<EarlierDatabase> {
  const signal = () => AbortSignal.timeout(PATIENCE_MS);
  const { url, ...database } = await testDatabase('empty');
  const folder = await mkdtemp(join(tmpdir(), 'tenure-before-'));
  try {
    const files = (await readdir(MIGRATIONS_FOLDER)).filter((name) => /^\d{4}_/u.test(name)).sort();
    const before = files.slice(
      0,
      files.findIndex((name) => name.endsWith(ending)),
    );
    for (const name of before) await cp(join(MIGRATIONS_FOLDER, name), join(folder, name));
    await migrate({ url, folder, signal: signal() });
  } finally {
    await rm(folder, { recursive: true });
  }
  return {
    url,
    migrate: async () => {
      await migrate({ url, folder: MIGRATIONS_FOLDER, signal: signal() });
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}
