import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../embedded/postgres/embedded-postgres.ts';

const START_TIMEOUT_MS = 90_000;

/**
 * Starts one PostgreSQL server for all test runs of this process, and puts its address into `TEST_DATABASE_URL`. A
 * server for each mutation would take two seconds to start. If the address is already set, no server is started.
 */
export async function sharedDatabase(): Promise<AsyncDisposable> {
  if ((process.env['TEST_DATABASE_URL'] ?? '') !== '')
    return { [Symbol.asyncDispose]: async () => {} };
  const dataDir = mkdtempSync(join(tmpdir(), 'tenure-mutations-postgres-'));
  const signal = AbortSignal.timeout(START_TIMEOUT_MS);
  const server = await startEmbeddedPostgres({ dataDir, durability: 'none', signal });
  process.env['TEST_DATABASE_URL'] = server.url;
  return {
    [Symbol.asyncDispose]: async () => {
      delete process.env['TEST_DATABASE_URL'];
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
