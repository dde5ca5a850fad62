import { processEnvironment, readEnvironment } from '../../src/main/config.ts';
import { isTenure, readRunState } from '../../src/main/run-state.ts';
import { complain, jsonText } from '../output.ts';
import { table } from '../table.ts';
import { describeRun } from './start.ts';

interface Readiness {
  readonly status: string;
  readonly checks?: Readonly<Record<string, string>>;
}

async function readiness(apiUrl: string): Promise<Readiness> {
  try {
    const answer = await fetch(`${apiUrl}/readyz`, { signal: AbortSignal.timeout(3_000) });
    const body = (await answer.json()) as Readiness;
    return { ...body, status: answer.ok ? 'ready' : 'not ready' };
  } catch {
    return { status: 'does not answer' };
  }
}

/** Lists what runs. The exit code is 0 only when Tenure runs and is ready. */
export async function status(options: { readonly json?: boolean }): Promise<void> {
  const { TENURE_DATA_DIR: dataDir } = readEnvironment(processEnvironment());
  const state = await readRunState(dataDir);
  if (state === null || !(await isTenure(state.pid))) {
    if (options.json === true) console.log(JSON.stringify({ running: false }));
    return complain('not running. Start it with `make start`.');
  }
  const ready = await readiness(state.apiUrl);
  if (options.json === true) {
    const { databaseUrl: _secret, environment: _secrets, ...told } = state;
    console.log(jsonText({ running: true, ...told, readiness: ready }));
  } else {
    const rows = state.processes.map(({ name, pid, logFile }) => [name, String(pid), logFile]);
    console.log(`Tenure runs since ${state.startedAt} and is ${ready.status}.\n`);
    console.log(table(['process', 'pid', 'log'], rows));
    console.log(`\n${describeRun(state)}`);
  }
  if (ready.status !== 'ready') process.exitCode = 1;
  return undefined;
}
