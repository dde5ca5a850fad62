import { ConfigError, loadConfig, processEnvironment } from './config.ts';
import { endAtTheLatest, endSoon } from './end-process.ts';
import { createLog } from './log.ts';
import { startSystem } from './system.ts';

/*
 * Entry point of a container that runs the roles of TENURE_ROLES with the configured parts. It ends with code 0 when it
 * is told to stop, and with one line and code 1 when it cannot continue.
 */

const stopping = new AbortController();
let signals = 0;
const onSignal = (): void => {
  signals += 1;
  // A second signal ends the process at once.
  if (signals > 1) process.exit(130);
  endAtTheLatest();
  stopping.abort();
};
process.on('SIGTERM', onSignal);
process.on('SIGINT', onSignal);

const stopped = (): Promise<void> =>
  new Promise((resolve) => {
    if (stopping.signal.aborted) resolve();
    else stopping.signal.addEventListener('abort', () => resolve(), { once: true });
  });

try {
  const config = loadConfig(processEnvironment());
  const log = createLog(config.logLevel);
  const system = await startSystem(config, log, stopping.signal);
  const { apiPort: port, managementPort } = system;
  log.info({ roles: [...config.roles], port, managementPort }, 'Tenure is ready');
  // A parent process, if there is one, waits for this message.
  process.send?.({ port, managementPort });
  const reason = await Promise.race([stopped().then(() => null), system.failed]);
  await system.stop();
  if (reason !== null) throw new Error(reason);
} catch (error) {
  if (!stopping.signal.aborted) {
    const lines = error instanceof ConfigError ? error.mistakes : [String(error)];
    for (const line of lines) process.stderr.write(`tenure: ${line}\n`);
    process.exitCode = 1;
  }
} finally {
  endSoon();
}
