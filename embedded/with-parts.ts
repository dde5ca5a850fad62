import type { Environment } from '../src/main/environment.ts';
import { readEnvironment } from '../src/main/config.ts';
import { createLog } from '../src/main/log.ts';
import { clearRunState, isTenure, readRunState } from '../src/main/run-state.ts';
import { refuseForeignFolder } from './data-folder.ts';
import { startEmbedded } from './embedded.ts';

type Raw = Readonly<Record<string, string | undefined>>;

const isRunning = async ({ TENURE_DATA_DIR: dataDir }: Environment): Promise<boolean> => {
  const state = await readRunState(dataDir);
  return state !== null && (await isTenure(state.pid));
};

/**
 * Runs a command on what is configured, and on what is embedded. Where no Tenure of this folder runs, its database and
 * its LocalNet are started for the command, on any ports, and stopped behind it.
 *
 * @param work given the environment with what the started parts add to it
 * @throws an error whose message is one line when a part does not start
 */
export async function withParts<T>(
  raw: Raw,
  signal: AbortSignal,
  work: (environment: Raw) => Promise<T>,
): Promise<T> {
  const environment = readEnvironment(raw);
  if (await isRunning(environment)) return work(raw);
  const { TENURE_DATA_DIR: dataDir, TENURE_LOG_LEVEL: level } = environment;
  await refuseForeignFolder(dataDir);
  // What it says is of a Tenure that was killed.
  await clearRunState(dataDir);
  const log = createLog(level);
  await using parts = await startEmbedded({ environment, passOn: raw, ports: 'free', signal, log });
  return await work({ ...raw, ...parts.environment });
}
