import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { processEnvironment, readEnvironment } from '../../src/main/config.ts';

const FOLDER = 'logs';
const POLL_MS = 500;

/**
 * JSON lines are written to `.clog`, the name that the reference application's log viewer expects; plain text to
 * `.log`.
 */
const targetOf = (name: string): string =>
  join(FOLDER, name.startsWith('postgres') ? name : name.replace(/\.log$/u, '.clog'));

async function sources(dataDir: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const name of await readdir(join(dataDir, 'logs')).catch(() => [])) {
    if (name.endsWith('.log')) found.set(join(dataDir, 'logs', name), targetOf(name));
  }
  const postgres = join(dataDir, 'postgres', 'postgres.log');
  if (await stat(postgres).catch(() => null)) found.set(postgres, targetOf('postgres.log'));
  return found;
}

/**
 * Appends the part of `source` after offset `from` to `target`, and returns the new end. If the source has become
 * shorter, starts at its beginning.
 */
async function copyFrom(source: string, target: string, from: number): Promise<number> {
  const { size } = await stat(source);
  const start = size < from ? 0 : from;
  if (size > start) {
    await pipeline(
      createReadStream(source, { start, end: size - 1 }),
      createWriteStream(target, { flags: 'a' }),
    );
  }
  return size;
}

/** Empties `./logs` and collects the logs of all processes there. Continues to follow the logs until interrupted. */
export async function captureLogs(options: { readonly once?: boolean }): Promise<void> {
  const { TENURE_DATA_DIR: dataDir } = readEnvironment(processEnvironment());
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  const positions = new Map<string, number>();
  const stopping = new AbortController();
  process.once('SIGINT', () => stopping.abort());
  process.once('SIGTERM', () => stopping.abort());
  do {
    for (const [source, target] of await sources(dataDir)) {
      const before = positions.get(source);
      positions.set(source, await copyFrom(source, target, before ?? 0));
      if (before === undefined) console.log(`${source} -> ${target}`);
    }
    if (options.once === true) break;
    await sleep(POLL_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
  } while (!stopping.signal.aborted);
  if (positions.size === 0) console.log('No logs exist yet.');
}
