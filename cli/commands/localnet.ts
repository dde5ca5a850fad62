import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { processEnvironment } from '../../src/main/config.ts';
import { NODE_FLAGS } from '../../src/main/node-flags.ts';

const ENTRY = fileURLToPath(new URL('../../localnet/main.ts', import.meta.url));

interface LocalnetCommand {
  readonly single?: boolean;
  /** A folder that contains DARs. */
  readonly dars?: string;
}

/** Runs LocalNet as a separate process, which uses this terminal for its input and output. */
export async function localnet(options: LocalnetCommand = {}): Promise<void> {
  const env = {
    ...processEnvironment(),
    ...(options.single === true ? { LOCALNET_SINGLE: 'true' } : {}),
    ...(options.dars === undefined ? {} : { LOCALNET_DARS: options.dars }),
  };
  const child = spawn(process.execPath, [...NODE_FLAGS, ENTRY], { stdio: 'inherit', env });
  // The terminal sends its signals to both processes; this process only waits for its child.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  child.once('exit', (code) => resolve(code ?? 1));
  child.once('error', reject);
  process.exitCode = await promise;
}
