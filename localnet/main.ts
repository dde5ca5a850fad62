import { readLocalnetConfig, readStopsWithStdin } from './config.ts';
import { startLocalnet } from './localnet.ts';
import type { Localnet } from './localnet.ts';

/*
 * LocalNet as a process. It writes one line of JSON to standard output when all ports listen. The log goes to standard
 * error, one line of JSON per entry; if the start fails, one line of plain text follows. SIGTERM and SIGINT let the
 * process end its work and stop; a second signal stops it at once. A parent process whose death must also stop LocalNet
 * provides an IPC channel, or a pipe as standard input with LOCALNET_STOP_WITH_STDIN=true: LocalNet stops when either
 * is closed.
 */

const FAILED = 1;
const STOP_DEADLINE_MS = 5000;

const log = (line: Readonly<Record<string, unknown>>) =>
  process.stderr.write(`${JSON.stringify({ '@timestamp': new Date().toISOString(), ...line })}\n`);

/** Returns the error's message and that of its cause, in one line. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return `${error.message}${cause}`.replaceAll('\n', '; ');
}

function fail(error: unknown): void {
  process.stderr.write(`localnet: ${reasonOf(error)}\n`);
  process.exit(FAILED);
}

function describe({
  ports,
  urls,
  parties,
  issuers,
  synchronizerId,
  strictScope,
}: Localnet): string {
  return JSON.stringify({
    ready: true,
    pid: process.pid,
    ports,
    urls,
    parties,
    issuers,
    synchronizerId,
    strictScope,
  });
}

function stopWhenAsked(localnet: Localnet): void {
  let isStopping = false;
  const stop = () => {
    if (isStopping) process.exit(FAILED);
    isStopping = true;
    setTimeout(() => process.exit(FAILED), STOP_DEADLINE_MS).unref();
    localnet.stop().then(() => process.exit(0), fail);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  const stopOnce = () => {
    if (!isStopping) stop();
  };
  process.on('disconnect', stopOnce);
  if (readStopsWithStdin()) process.stdin.on('end', stopOnce).on('error', stopOnce).resume();
}

try {
  const localnet = await startLocalnet({ ...readLocalnetConfig(), log, onFatal: fail });
  stopWhenAsked(localnet);
  process.stdout.write(`${describe(localnet)}\n`);
} catch (error) {
  fail(error);
}
