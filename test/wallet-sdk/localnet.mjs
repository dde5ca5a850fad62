import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const READY_MS = 60_000;

/**
 * Starts a new LocalNet on free ports, in the mode that the SDK's documentation uses. Its data is lost when it ends,
 * because it has no data folder.
 *
 * @param {string} root folder of the repository
 */
export async function startLocalnet(root) {
  const child = spawn(process.execPath, [`${root}/localnet/main.ts`], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      LOCALNET_PORTS: 'free',
      LOCALNET_AUTH: 'shared-secret',
      LOCALNET_STOP_WITH_STDIN: 'true',
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors = `${errors}${text}`.slice(-4_000);
  });
  const lines = createInterface({ input: child.stdout });
  const [line] = await Promise.race([
    once(lines, 'line', { signal: AbortSignal.timeout(READY_MS) }),
    exited.then(() => Promise.reject(new Error(`LocalNet ended before it was ready:\n${errors}`))),
  ]);
  const stop = async () => {
    child.stdin.end();
    await exited;
  };
  return { ...JSON.parse(line), stop, errors: () => errors };
}
