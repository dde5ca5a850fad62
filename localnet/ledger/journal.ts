import { createHash } from 'node:crypto';
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  realpathSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { connect, createServer } from 'node:net';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const FILE_NAME = 'journal.jsonl';
const CHUNK_BYTES = 1 << 20;
const LINE_FEED = 0x0a;

/** Lines of text that outlive the process. `append` returns when the operating system has the bytes. */
export interface Journal {
  /** Lines of earlier processes, oldest first. To be read once, before the first `append`. */
  lines(): Iterable<string>;
  /** Whole lines, each ending in a line feed. A failure means that nothing further may be answered. */
  append(text: string): void;
  close(): Promise<void>;
}

/** Keeps nothing: a network without a data folder. */
export const memoryJournal = (): Journal => ({
  lines: () => [],
  append: () => undefined,
  close: () => Promise.resolve(),
});

/**
 * The journal of a data folder. A last line that has no end was being written when the process died: nobody has seen
 * it, so it is cut off. Throws when another process has the folder open.
 */
export async function openJournal(dataDir: string): Promise<Journal> {
  mkdirSync(dataDir, { recursive: true });
  const lock = await lockFolder(realpathSync(dataDir));
  const file = openSync(join(dataDir, FILE_NAME), 'a+');
  let isOpen = true;
  return {
    lines: () => readLines(file),
    append: (text) => {
      const bytes = Buffer.from(text);
      let written = 0;
      while (written < bytes.length) written += writeSync(file, bytes, written);
    },
    close: async () => {
      if (!isOpen) return;
      isOpen = false;
      closeSync(file);
      await new Promise<void>((resolve) => void lock.close(() => resolve()));
    },
  };
}

/** Makes a data folder that of no ledger. Nobody may have it open. */
export function removeJournal(dataDir: string): void {
  rmSync(join(dataDir, FILE_NAME), { force: true });
}

function* readLines(file: number): Generator<string> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let rest: Buffer = Buffer.alloc(0);
  let position = 0;
  for (;;) {
    const read = readSync(file, chunk, 0, CHUNK_BYTES, position);
    if (read === 0) break;
    position += read;
    const bytes = Buffer.concat([rest, chunk.subarray(0, read)]);
    let start = 0;
    for (;;) {
      const end = bytes.indexOf(LINE_FEED, start);
      if (end === -1) break;
      yield bytes.toString('utf8', start, end);
      start = end + 1;
    }
    rest = bytes.subarray(start);
  }
  if (rest.length > 0) ftruncateSync(file, position - rest.length);
}

/**
 * One process per folder. The lock is a listening socket, because the operating system lets go of it when the process
 * dies in whatever way; a file with a process ID in it would survive, and in a container the IDs repeat.
 */
async function lockFolder(folder: string): Promise<Server> {
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 32);
  // Where the system has abstract names, nothing is left behind even when the process is killed.
  if (process.platform === 'linux') return listenAlone(`\0tenure-localnet-${name}`, folder);
  const path = join(tmpdir(), `tenure-localnet-${name}.sock`);
  // A socket file that nobody answers was left by a process that was killed.
  if (!(await isAnswered(path))) rmSync(path, { force: true });
  return listenAlone(path, folder);
}

async function listenAlone(path: string, folder: string): Promise<Server> {
  try {
    return await listen(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new Error(`${folder} is in use by another LocalNet`, { cause: error });
  }
}

function listen(path: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.unref();
    server.once('error', reject);
    server.listen(path, () => resolve(server));
  });
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
