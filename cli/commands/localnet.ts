import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { processEnvironment } from '../../src/main/config.ts';
import { NODE_FLAGS } from '../../src/main/node-flags.ts';

const ENTRY = '../../localnet/main.ts';
const SCRIPTS = '../../localnet/script/main.ts';

interface LocalnetCommand {
  readonly single?: boolean;
  /** Whether participants refuse tokens without `exp` or without the scope. */
  readonly strictTokens?: boolean;
  /** A folder that contains DARs. */
  readonly dars?: string;
}

/** Runs LocalNet as a separate process, which uses this terminal for its input and output. */
export async function localnet(options: LocalnetCommand = {}): Promise<void> {
  await runProcess(ENTRY, [], {
    ...(options.single === true ? { LOCALNET_SINGLE: 'true' } : {}),
    ...(options.strictTokens === true ? { LOCALNET_STRICT_TOKENS: 'true' } : {}),
    ...(options.dars === undefined ? {} : { LOCALNET_DARS: options.dars }),
  });
}

/** Runs all scripts of a DAR that take no input. */
export const testScripts = (dar: string): Promise<void> => runProcess(SCRIPTS, ['test', dar]);

/** Runs one script of a DAR. */
export const runScript = (
  dar: string,
  script: string,
  { inputJson }: { readonly inputJson?: string },
): Promise<void> =>
  runProcess(SCRIPTS, ['run', dar, script, ...(inputJson === undefined ? [] : [inputJson])]);

async function runProcess(
  entry: string,
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<void> {
  const file = fileURLToPath(new URL(entry, import.meta.url));
  const child = spawn(process.execPath, [...NODE_FLAGS, file, ...args], {
    stdio: 'inherit',
    env: { ...processEnvironment(), ...settings },
  });
  // The terminal sends its signals to both processes; this process only waits for its child.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  child.once('exit', (code) => resolve(code ?? 1));
  child.once('error', reject);
  process.exitCode = await promise;
}
