import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '../src/main/config.ts';
import { loadConfig, readEnvironment } from '../src/main/config.ts';
import type { Environment } from '../src/main/environment.ts';
import { isTenure, readRunState, settingsOf } from '../src/main/run-state.ts';
import { refuseForeignFolder } from './data-folder.ts';
import type { EmbeddedOptions } from './embedded.ts';
import { startEmbedded } from './embedded.ts';
import { localnetDataDir } from './localnet.ts';

/**
 * Refuses an environment in which the database or the ledger is missing. A forgotten setting must not create a new
 * database or ledger.
 */
function refuseMissing(environment: Environment): void {
  const { TENURE_DATA_DIR: dataDir, DATABASE_URL, POSTGRES_HOST, LEDGER_HOST } = environment;
  const parts = [
    DATABASE_URL === undefined && POSTGRES_HOST === undefined && join(dataDir, 'postgres'),
    LEDGER_HOST === undefined && localnetDataDir(dataDir),
  ];
  const missing = parts.find((folder) => folder !== false && !existsSync(folder));
  if (missing === undefined) return;
  throw new Error(
    `${resolve(String(missing))} does not exist: change to the folder in which Tenure was started, or set DATABASE_URL and LEDGER_HOST`,
  );
}

/**
 * Runs a function with the database and the ledger of a deployment that may be stopped. Embedded services that do not
 * run are started for the duration of the function: after a refused start, a person needs them for a repair.
 */
export async function withParts<T>(
  {
    environment,
    signal,
    log,
  }: Pick<EmbeddedOptions, 'signal' | 'log'> & {
    readonly environment: EmbeddedOptions['passOn'];
  },
  work: (config: Config) => Promise<T>,
): Promise<T> {
  const read = readEnvironment(environment);
  const state = await readRunState(read.TENURE_DATA_DIR);
  // A Tenure that was killed leaves a state file with addresses at which nothing answers, so the process ID is checked.
  if (state !== null && (await isTenure(state.pid))) {
    return work(loadConfig(settingsOf(environment, state)));
  }
  refuseMissing(read);
  await refuseForeignFolder(read.TENURE_DATA_DIR);
  const passOn = environment;
  // Free ports avoid conflicts with other programs on this machine.
  const options = { environment: read, passOn, ports: 'free', signal, log } as const;
  await using embedded = await startEmbedded(options);
  return await work(loadConfig({ ...environment, ...embedded.environment }));
}
