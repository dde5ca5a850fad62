import { readFile } from 'node:fs/promises';
import { LedgerError } from '../ledger/ledger-error.ts';
import type { Json } from '../ledger/lf-json.ts';
import { readDar } from '../lf/dar.ts';
import { ScriptRunner, scriptText } from './run-script.ts';
import type { Outcome, Script } from './run-script.ts';

/*
 * Daml Script as a process: `test <dar>` runs all scripts without arguments, and `run <dar> <script> [<input file>]`
 * runs one. Results go to standard output; messages of `debug` and `trace` go to standard error. The exit code is 1 if
 * a script fails.
 */

const FAILED = 1;

const print = (text: string): void => void process.stdout.write(`${text}\n`);

async function open(path: string): Promise<ScriptRunner> {
  const dar = await readDar(await readFile(path)).catch((error: unknown) => {
    if (!(error instanceof LedgerError)) throw error;
    const why = Object.values(error.metadata).join(', ');
    throw new Error(`${path}: ${error.code} ${error.text} ${why}`, { cause: error });
  });
  return new ScriptRunner(dar, (message) => process.stderr.write(`[DEBUG] ${message}\n`));
}

function show(script: Script, outcome: Outcome): void {
  if (outcome.ok) {
    const { activeContracts, transactions } = outcome;
    const counts = `${activeContracts} active contracts, ${transactions} transactions.`;
    return print(`${scriptText(script)}: ok, ${counts}`);
  }
  const lines = [outcome.reason, ...outcome.trace].join('\n').replaceAll(/^/gmu, '  ');
  print(`${scriptText(script)}: failed\n${lines}`);
  process.exitCode = FAILED;
}

async function test(path: string): Promise<void> {
  const runner = await open(path);
  const scripts = runner.scripts.filter(({ input }) => input === undefined);
  let failed = 0;
  for (const script of scripts) {
    const outcome = runner.run(script);
    if (!outcome.ok) failed += 1;
    show(script, outcome);
  }
  if (scripts.length === 0) print('The DAR has no scripts.');
  else print(`\n${scripts.length - failed} of ${scripts.length} scripts are ok.`);
}

async function run(path: string, wanted: string, inputFile: string | undefined): Promise<void> {
  const runner = await open(path);
  const script = runner.scripts.find((one) => scriptText(one) === wanted);
  if (script === undefined) {
    const known = runner.scripts.map(scriptText).join(', ');
    throw new Error(`${path} has no script ${wanted}; it has ${known === '' ? 'none' : known}`);
  }
  const input =
    inputFile === undefined ? undefined : (JSON.parse(await readFile(inputFile, 'utf8')) as Json);
  const outcome = runner.run(script, input);
  show(script, outcome);
  if (outcome.ok && outcome.result !== undefined) print(JSON.stringify(outcome.result));
}

const [mode, path = '', ...rest] = process.argv.slice(2);
try {
  if (mode === 'run') await run(path, rest[0] ?? '', rest[1]);
  else await test(path);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = FAILED;
}
