import { cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type { DemoCaller } from '../../../cli/demo-callers.ts';
import { MIGRATIONS_FOLDER, migrate } from '../../../src/store/sql/migrate.ts';
import { queryOnce } from '../../kit/postgres-query.ts';

/* The data of an earlier build: see test/fixtures/0f92c20/README.md. */

/** A call, with the earlier build's answer. */
interface ToldCall {
  readonly commandId: string;
  readonly who: DemoCaller;
  readonly path: string;
  readonly asked: object;
  readonly status: number;
  readonly answer: unknown;
}

/** A read of an ended resource, with the earlier build's answer. */
interface ToldRead {
  readonly who: DemoCaller;
  readonly path: string;
  readonly body: object;
}

/** The answers of the earlier build. */
export interface Told {
  /** Lifecycles of licences, by how each one ended. */
  readonly licenses: Readonly<Record<string, string>>;
  readonly told: readonly ToldCall[];
  readonly reads: readonly ToldRead[];
}

const FOLDER = fileURLToPath(new URL('../../fixtures/0f92c20/', import.meta.url));
const MIGRATIONS = 30;
const MIGRATE_MS = 60_000;

const unpacked = async (name: string): Promise<string> =>
  gunzipSync(await readFile(join(FOLDER, name))).toString('utf8');

export const readTold = async (): Promise<Told> =>
  JSON.parse(await unpacked('told.json.gz')) as Told;

/** Puts the earlier build's LocalNet journal into the data folder of a Tenure. */
export async function restoreLedger(dataDir: string): Promise<void> {
  const folder = join(dataDir, 'localnet');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'journal.jsonl'), await unpacked('journal.jsonl.gz'));
}

/** Creates the earlier build's tables in an empty database with that build's migrations, and inserts its rows. */
export async function restoreDatabase(url: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tenure-earlier-'));
  try {
    const files = (await readdir(MIGRATIONS_FOLDER)).filter((name) => /^\d/u.test(name)).sort();
    for (const name of files.slice(0, MIGRATIONS))
      await cp(join(MIGRATIONS_FOLDER, name), join(folder, name));
    await migrate({ url, folder, signal: AbortSignal.timeout(MIGRATE_MS) });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const tables = await queryOnce<{ names: string }>(
    url,
    `select string_agg(oid::regclass::text, ', ') as names from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  const rows = await unpacked('database.sql.gz');
  // Triggers are disabled, so the tables can be filled in any order.
  await queryOnce(
    url,
    `begin; set local session_replication_role = replica; truncate ${tables[0]?.names}; ${rows} commit`,
  );
}
