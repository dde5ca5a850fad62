import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { PATIENCE_MS } from '../../kit/patience.ts';
import { Network } from './network.ts';
import type { NetworkAddress } from './network.ts';
import { NODE_FLAGS } from '../../../src/main/node-flags.ts';

const MAIN = resolve(import.meta.dirname, '../../../localnet/main.ts');

/** A network in its own process. Disposing of the network ends the process. */
export class NetworkProcess extends Network {
  /**
   * Ends the process as a crash would: no handler runs, and nothing is flushed. @returns the signal that ended the
   * process
   */
  readonly kill: () => Promise<NodeJS.Signals | null>;

  constructor(
    address: NetworkAddress,
    end: { kill: NetworkProcess['kill']; stop: () => Promise<void> },
  ) {
    super(address, end.stop);
    this.kill = end.kill;
  }
}

/** Starts `node localnet/main.ts` on free ports, and waits until it reports that it is ready. */
export async function spawnNetwork(dataDir: string): Promise<NetworkProcess> {
  const child = spawn(process.execPath, [...NODE_FLAGS, MAIN], {
    env: {
      ...process.env,
      LOCALNET_DATA_DIR: dataDir,
      LOCALNET_PORTS: 'free',
      LOCALNET_CHECKPOINT_INTERVAL_MS: '50',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = `${errors}${text}`.slice(-4_000);
  });
  const kill = async (): Promise<NodeJS.Signals | null> => {
    child.kill('SIGKILL');
    await exited;
    return child.signalCode;
  };
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    const forced = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
    await exited;
    clearTimeout(forced);
  };
  try {
    const lines = createInterface({ input: child.stdout });
    const [line] = (await Promise.race([
      once(lines, 'line', { signal: AbortSignal.timeout(PATIENCE_MS) }),
      exited.then(() => Promise.reject(new Error('the process ended before it was ready'))),
    ])) as [string];
    return new NetworkProcess(JSON.parse(line) as NetworkAddress, { kill, stop });
  } catch (error) {
    await kill();
    throw new Error(`localnet did not start: ${errors}`, { cause: error });
  }
}
