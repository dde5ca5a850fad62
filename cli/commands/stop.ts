import { setTimeout as sleep } from 'node:timers/promises';
import { processEnvironment, readEnvironment } from '../../src/main/config.ts';
import { clearRunState, isTenure, readRunState } from '../../src/main/run-state.ts';
import { complain } from '../output.ts';

/** The timeout of a stop: a little longer than an orderly shutdown may take. */
const STOP_MS = 20_000;
const POLL_MS = 50;

async function hasEnded(pid: number): Promise<boolean> {
  const deadline = performance.now() + STOP_MS;
  while (performance.now() < deadline) {
    if (!(await isTenure(pid))) return true;
    await sleep(POLL_MS);
  }
  return false;
}

/**
 * Stops the running Tenure. Work in progress is finished or left to another process.
 * @param after a sentence about the data, for the output
 */
export async function stop(after = ' Its data is kept.'): Promise<void> {
  const { TENURE_DATA_DIR: dataDir } = readEnvironment(processEnvironment());
  const state = await readRunState(dataDir);
  if (state === null || !(await isTenure(state.pid))) {
    await clearRunState(dataDir);
    console.log('Tenure is not running.');
    return;
  }
  process.kill(state.pid, 'SIGTERM');
  if (await hasEnded(state.pid)) {
    console.log(`Tenure has stopped.${after}`);
    return;
  }
  process.kill(state.pid, 'SIGKILL');
  await clearRunState(dataDir);
  complain(
    `Tenure did not stop within ${STOP_MS / 1000} s and was killed; no accepted operation is lost`,
  );
}
