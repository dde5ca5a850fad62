import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { QUEUE_LIMITS } from '../../src/queue/limits.ts';

/** After this time, the process tries to reconnect and to find the nodes of the cluster. */
const TRYING_MS = 1_500;

/**
 * Closes queues and workers of a process after their Redis has stopped for good.
 *
 * @returns the exit code if the process ended by itself; `null` if something kept it running
 */
export async function closedWithout(
  url: string,
  gone: () => Promise<void>,
): Promise<number | null> {
  const child = fork(new URL('queue-close.fixture.ts', import.meta.url), [url], { execArgv: [] });
  try {
    const exited = once(child, 'exit') as Promise<[number | null]>;
    await Promise.race([once(child, 'message'), exited]);
    await gone();
    await wait(TRYING_MS);
    child.send('close');
    const tooLate = wait(4 * QUEUE_LIMITS.connectMs, [null] as [null], { ref: false });
    const [code] = await Promise.race([exited, tooLate]);
    return code;
  } finally {
    child.kill('SIGKILL');
  }
}
