import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  fchmodSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { connect, createServer } from 'node:net';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const FILE_NAME = 'journal.jsonl';
/** Only the owner may read the journal, because it contains the private keys of the realms. */
const OWNER_ONLY = 0o600;
const CHUNK_BYTES = 1 << 20;
const LINE_FEED = 0x0a;

/** A line with its line feed, and its position in bytes. */
export interface Line {
  readonly text: string;
  readonly start: number;
  readonly length: number;
}

/**
 * Lines of text that remain when the process ends. `append` returns after the operating system has accepted the bytes.
 */
export interface Journal {
  /** Returns the lines of earlier processes, oldest first. Must be called once, before the first `append`. */
  lines(): Iterable<Line>;
  /** Appends whole lines, each ending in a line feed. After a failure, no request may be answered any more. */
  append(text: string): void;
  /** Reads bytes that existed at the start or were appended since. Throws if the file no longer contains them. */
  read(start: number, length: number): string;
  /** Returns a copy of the first `end` bytes. */
  bytes(end: number): Uint8Array;
  close(): Promise<void>;
}

/** A text that was appended to a journal in memory, with its position. */
interface Chunk {
  readonly start: number;
  readonly bytes: Buffer;
}

/**
 * Creates a journal in memory, for a network without a data folder. It can be opened again after `close`.
 *
 * @param history the lines with which the journal begins
 */
export function memoryJournal(history: Uint8Array = new Uint8Array()): Journal {
  const chunks: Chunk[] = [];
  let end = history.length;
  if (end > 0) chunks.push({ start: 0, bytes: Buffer.from(history) });
  const read = (start: number, length: number) => {
    let low = 0;
    let high = chunks.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((chunks[middle]?.start ?? 0) <= start) low = middle;
      else high = middle;
    }
    // Each call of `append` adds one chunk of whole lines, so a line lies within one chunk.
    const { start: first, bytes } = chunks[low] ?? { start: 0, bytes: Buffer.alloc(0) };
    if (start + length > first + bytes.length) throw new RangeError(`nothing at ${start}`);
    return bytes.toString('utf8', start - first, start - first + length);
  };
  return {
    lines: () => chunks.flatMap(({ start, bytes }) => [...linesIn(bytes, start)]),
    append: (text) => {
      const bytes = Buffer.from(text);
      chunks.push({ start: end, bytes });
      end += bytes.length;
    },
    read,
    bytes: (length) => {
      const all = chunks.map(({ bytes }) => bytes);
      return new Uint8Array(Buffer.concat(all).subarray(0, length));
    },
    close: () => Promise.resolve(),
  };
}

/**
 * Opens the journal of a data folder. If the last line has no line feed, the process died while writing it. No client
 * has seen this line, so it is removed.
 * @throws Error if another process uses the folder
 */
export async function openJournal(dataDir: string): Promise<Journal> {
  mkdirSync(dataDir, { recursive: true });
  const lock = await lockFolder(realpathSync(dataDir));
  const file = openSync(join(dataDir, FILE_NAME), 'a+', OWNER_ONLY);
  fchmodSync(file, OWNER_ONLY);
  let isOpen = true;
  return {
    lines: () => readLines(file),
    append: (text) => {
      const bytes = Buffer.from(text);
      let written = 0;
      while (written < bytes.length) written += writeSync(file, bytes, written);
    },
    read: (start, length) => {
      // After the file is closed, the operating system may reuse its descriptor for another file.
      if (!isOpen) throw new Error('the journal is closed');
      const bytes = Buffer.allocUnsafe(length);
      const read = readSync(file, bytes, 0, length, start);
      if (read < length) throw new Error(`the journal ends before ${start + length}`);
      return bytes.toString('utf8');
    },
    bytes: (length) => {
      if (!isOpen) throw new Error('the journal is closed');
      const bytes = new Uint8Array(length);
      let read = 0;
      while (read < length) {
        const count = readSync(file, bytes, read, length - read, read);
        if (count === 0) throw new Error(`the journal ends before ${length}`);
        read += count;
      }
      return bytes;
    },
    close: async () => {
      if (!isOpen) return;
      isOpen = false;
      closeSync(file);
      await new Promise<void>((resolve) => void lock.close(() => resolve()));
    },
  };
}

/** Returns whether a data folder contains a ledger. */
export const hasJournal = (dataDir: string): boolean => existsSync(join(dataDir, FILE_NAME));

/** Writes a ledger's history to a data folder. Must only be called while no process uses the folder. */
export function writeJournal(dataDir: string, history: Uint8Array): void {
  mkdirSync(dataDir, { recursive: true });
  const [path, written] = [join(dataDir, FILE_NAME), join(dataDir, `${FILE_NAME}.new`)];
  writeFileSync(written, history, { mode: OWNER_ONLY });
  // The rename is atomic: after a crash, the folder contains either the old ledger or the new one.
  renameSync(written, path);
}

/** Removes the ledger from a data folder. Must only be called while no process uses the folder. */
export function removeJournal(dataDir: string): void {
  rmSync(join(dataDir, FILE_NAME), { force: true });
}

function* readLines(file: number): Generator<Line> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let rest: Buffer = Buffer.alloc(0);
  let position = 0;
  for (;;) {
    const read = readSync(file, chunk, 0, CHUNK_BYTES, position);
    if (read === 0) break;
    const bytes = Buffer.concat([rest, chunk.subarray(0, read)]);
    const start = position - rest.length;
    position += read;
    let end = 0;
    for (const line of linesIn(bytes, start)) {
      yield line;
      end = line.start + line.length - start;
    }
    rest = bytes.subarray(end);
  }
  if (rest.length > 0) ftruncateSync(file, position - rest.length);
}

/** Yields the complete lines of `bytes`. */
function* linesIn(bytes: Buffer, offset: number): Generator<Line> {
  let start = 0;
  for (;;) {
    const end = bytes.indexOf(LINE_FEED, start) + 1;
    if (end === 0) return;
    yield {
      text: bytes.toString('utf8', start, end),
      start: offset + start,
      length: end - start,
    };
    start = end;
  }
}

/**
 * Makes sure that only one process uses a folder. The lock is a listening socket, because the operating system closes a
 * socket whenever its process ends. A file with a process ID would remain after a crash, and containers reuse process
 * IDs.
 */
async function lockFolder(folder: string): Promise<Server> {
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 32);
  // On Linux, socket names can be abstract: they are not files, so nothing remains even if the process is killed.
  if (process.platform === 'linux') return listenAlone(`\0tenure-localnet-${name}`, folder);
  const path = join(tmpdir(), `tenure-localnet-${name}.sock`);
  // A socket file on which no process listens was left by a process that was killed.
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
