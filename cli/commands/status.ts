import { processEnvironment, readEnvironment } from '../../src/main/config.ts';
import { isTenure, readRunState } from '../../src/main/run-state.ts';
import { complain, jsonText } from '../output.ts';
import { table } from '../table.ts';
import { askReadiness, whyNotReady } from './readiness.ts';
import { describeRun } from './start.ts';

/** Lists the running processes. The exit code is 0 only if Tenure runs and is ready. */
export async function status(options: { readonly json?: boolean }): Promise<void> {
  const { TENURE_DATA_DIR: dataDir } = readEnvironment(processEnvironment());
  const state = await readRunState(dataDir);
  if (state === null || !(await isTenure(state.pid))) {
    if (options.json === true) console.log(JSON.stringify({ running: false }));
    return complain('not running. Start it with `make start`.');
  }
  const ready = await askReadiness(state);
  if (options.json === true) {
    const { databaseUrl: _secret, environment: _secrets, ...told } = state;
    console.log(jsonText({ running: true, ...told, readiness: ready }));
  } else {
    const rows = state.processes.map(({ name, pid, logFile }) => [name, String(pid), logFile]);
    const is = ready.status === 'does not answer' ? 'does not answer' : `is ${ready.status}`;
    console.log(`Tenure runs since ${state.startedAt} and ${is}.`);
    console.log(
      whyNotReady(ready)
        .map((line) => `${line}\n`)
        .join(''),
    );
    console.log(table(['process', 'pid', 'log'], rows));
    console.log(`\n${describeRun(state)}`);
  }
  if (ready.status !== 'ready') process.exitCode = 1;
  return undefined;
}
