import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { freshSchema } from './dump-schema.ts';
import { startEmbeddedPostgres } from '../embedded/postgres/embedded-postgres.ts';
import { migrate } from '../src/store/sql/migrate.ts';
import { schemaTypes } from './schema-types.ts';

/*
 * Writes two files with the result of all migrations: migrations/schema.sql for review, and migrations/schema.ts with
 * the types of the tables. Run this script after adding a migration. It uses the embedded server even if another server
 * is configured, so that the texts are the same for everyone.
 */

const at = (file: string): string => fileURLToPath(new URL(`../${file}`, import.meta.url));
const signal = AbortSignal.timeout(120_000);
const dataDir = await mkdtemp(join(tmpdir(), 'tenure-schema-'));
try {
  const server = await startEmbeddedPostgres({ dataDir, signal, durability: 'none' });
  try {
    await migrate({ url: server.url, signal });
    const client = new Client({ connectionString: server.url });
    await client.connect();
    await writeFile(at('migrations/schema.sql'), await freshSchema(client));
    await writeFile(at('migrations/schema.ts'), await schemaTypes(client));
    await client.end();
  } finally {
    await server.stop();
  }
} finally {
  await rm(dataDir, { recursive: true, force: true });
}
