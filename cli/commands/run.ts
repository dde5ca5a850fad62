import { processEnvironment } from '../../src/main/config.ts';
import { endAtTheLatest, endSoon } from '../../src/main/end-process.ts';
import { runTenure } from '../../embedded/run.ts';
import { complain, lineOf } from '../output.ts';
import { LET_GO } from './start.ts';

/** Sends a message to the parent process, if there is one. */
const tell = (message: object): void => {
  if (process.connected) process.send?.(message, () => undefined);
};

/**
 * Calls `end` when the parent process ends without having sent `LET_GO`. Applies only to a parent that is connected by
 * a channel.
 */
function watchParent(end: () => void): Disposable {
  let isLetGo = false;
  const onMessage = (message: unknown): void => {
    isLetGo ||= message === LET_GO;
  };
  const onDisconnect = (): void => {
    if (!isLetGo) end();
  };
  process.on('message', onMessage).once('disconnect', onDisconnect);
  // The parent ended while this process was loading.
  if (process.send !== undefined && !process.connected) end();
  return {
    [Symbol.dispose]: () => void process.off('message', onMessage).off('disconnect', onDisconnect),
  };
}

/** Uses a free port unless the environment of this call names one. A port in the folder's settings is ignored. */
function onFreePort(): ReturnType<typeof processEnvironment> {
  const { BACKEND_PORT: named = '' } = process.env;
  return { ...processEnvironment(), BACKEND_PORT: named === '' ? '0' : named };
}

/** Runs in the foreground until a signal or the end of the parent process. A second signal ends the process at once. */
export async function run(options: { readonly freePorts?: boolean }): Promise<void> {
  const starting = new AbortController();
  let stop: () => Promise<void> = () => {
    starting.abort();
    return Promise.resolve();
  };
  let signals = 0;
  const onSignal = (): void => {
    signals += 1;
    if (signals > 1) process.exit(130);
    endAtTheLatest();
    // `ended` reports a failure of the stop.
    stop().catch(() => undefined);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  const parent = watchParent(onSignal);
  try {
    const tenure = await runTenure({
      environment: options.freePorts === true ? onFreePort() : processEnvironment(),
      ports: options.freePorts === true ? 'free' : 'fixed',
      signal: starting.signal,
    });
    stop = () => tenure.stop();
    // The signal came when the start could no longer be cancelled.
    if (starting.signal.aborted) stop().catch(() => undefined);
    tell({ ready: true });
    await tenure.ended;
  } catch (error) {
    const reason = starting.signal.aborted ? 'interrupted' : lineOf(error);
    tell({ failed: reason });
    complain(reason);
  } finally {
    parent[Symbol.dispose]();
    if (process.connected) process.disconnect();
    endSoon();
  }
}
