/*
 * A composition root like `src/main/role.ts`, whose process kills itself with SIGKILL at the crash point that its
 * parent sends: `{ crashAt: … }`. Until it reaches that point, it is a normal process.
 */
import { loadConfig, processEnvironment } from '../../../src/main/config.ts';
import { createLog } from '../../../src/main/log.ts';
import { startSystem } from '../../../src/main/system.ts';
import type { CrashPoint } from '../../kit/crash-points.ts';
import { crashInstruments } from '../../kit/crash-points.ts';

let armed: CrashPoint | null = null;
process.on('message', (message: { readonly crashAt: CrashPoint }) => {
  armed = message.crashAt;
  process.send?.({ armed });
});

async function reach(point: CrashPoint): Promise<void> {
  if (point !== armed) return;
  process.kill(process.pid, 'SIGKILL');
  // Never resolves, so that nothing more happens even if the signal arrives late.
  await new Promise(() => {});
}

const stopping = new AbortController();
process.on('SIGTERM', () => stopping.abort());
// The test process has ended.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

const config = loadConfig(processEnvironment());
const log = createLog(config.logLevel);
const system = await startSystem(config, log, stopping.signal, crashInstruments(reach));
log.info({ port: system.apiPort }, 'Tenure is ready');
process.send?.({ port: system.apiPort, managementPort: system.managementPort });
const stopped = new Promise<null>((resolve) => {
  if (stopping.signal.aborted) resolve(null);
  else stopping.signal.addEventListener('abort', () => resolve(null), { once: true });
});
await Promise.race([stopped, system.failed]);
await system.stop();
process.disconnect?.();
