import { readLocalnetConfig, readStopsWithStdin } from './config.ts';
import { startLocalnet } from './localnet.ts';
import type { Localnet } from './localnet.ts';

/*
 * LocalNet as a process. Standard output gets one line of JSON when everything listens. Standard error gets the log,
 * one line of JSON each, and on failure one line of plain text. SIGTERM and SIGINT stop the process; a second signal
 * stops it at once. A parent that must not leave the process behind when it dies gives it an IPC channel, or a pipe
 * as standard input and LOCALNET_STOP_WITH_STDIN=true: the end of either stops the process.
 */

const FAILED = 1;
const STOP_DEADLINE_MS = 5000;

const log = (line: Readonly<Record<string, unknown>>) =>
  process.stderr.write(`${JSON.stringify({ '@timestamp': new Date().toISOString(), ...line })}\n`);

/** The error's message and its causes, in one line. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return `${error.message}${cause}`.replaceAll('\n', '; ');
}

function fail(error: unknown): void {
  process.stderr.write(`localnet: ${reasonOf(error)}\n`);
  process.exit(FAILED);
}

function describe({ ports, urls, parties, issuers, synchronizerId }: Localnet): string {
  return JSON.stringify({
    ready: true,
    pid: process.pid,
    ports,
    urls,
    parties,
    issuers,
    synchronizerId,
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
