import { processEnvironment, readEnvironment } from '../src/main/config.ts';
import { readRunState } from '../src/main/run-state.ts';

/**
 * Returns the URL of the configured database, or of the database of the Tenure that runs in this folder.
 *
 * @throws Error whose message says that nothing runs
 */
export async function databaseAddress(): Promise<string> {
  const environment = readEnvironment(processEnvironment());
  if (environment.DATABASE_URL !== undefined) return environment.DATABASE_URL;
  const state = await readRunState(environment.TENURE_DATA_DIR);
  if (state === null) throw new Error('not running. Start it with `make start`.');
  return state.databaseUrl;
}
