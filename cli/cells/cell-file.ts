import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rename, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { text as textIn } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { TableSum } from '../../src/store/cells/copy.ts';

/*
 * The file that a provider moves in. Its compressed part contains a line of JSON, which is the head, and the rows of
 * each table as `COPY` writes them, in the order of the head. A line that no row can be ends each table. The SHA-256 of
 * the compressed part follows it. The import reads the file twice, so that it uses nothing of a damaged one.
 */

const END = String.raw`\.`;

/** A participant, and the ledger user that acts for the provider there. */
export interface CellParticipant {
  readonly name: string;
  readonly ledgerUser: string;
}

/** The first line. */
export interface CellFileHead {
  readonly format: 2;
  /** Tenure's, for people. */
  readonly version: string;
  /** The migrations': see `schemaDigest`. */
  readonly schema: string;
  readonly moveId: string;
  readonly provider: string;
  readonly participants: readonly CellParticipant[];
  readonly clearanceSha256: string;
  readonly receipt: string;
  readonly sequences: Readonly<Record<string, string>>;
  readonly tables: readonly TableSum[];
}

/** The file is none of ours, of another format, cut off or changed. `message` is one line. */
export class CellFileError extends Error {
  override readonly name = 'CellFileError';
}

async function* contentOf(
  head: CellFileHead,
  rowsOf: (table: string) => AsyncIterable<unknown>,
): AsyncGenerator {
  yield `${JSON.stringify(head)}\n`;
  for (const { table } of head.tables) {
    yield* rowsOf(table);
    yield `${END}\n`;
  }
}

/** Writes beside, brings it to the disk and renames: the file is whole or not there. Its owner alone may read it. */
export async function writeCellFile(
  path: string,
  head: Omit<CellFileHead, 'format'>,
  rowsOf: (table: string) => AsyncIterable<unknown>,
): Promise<void> {
  const part = `${path}.part`;
  const file = await open(part, 'w', 0o600);
  try {
    const hash = createHash('sha256');
    const content = Readable.from(contentOf({ format: 2, ...head }, rowsOf));
    await pipeline(content, createGzip(), async (packed: AsyncIterable<Buffer>) => {
      for await (const chunk of packed) {
        hash.update(chunk);
        await file.appendFile(chunk);
      }
    });
    await file.appendFile(hash.digest('hex'));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(part, path);
}

/** A file whose checksum is right. */
export interface OpenedCellFile {
  readonly head: CellFileHead;
  /** The rows of the table that comes next, each with its end of line. */
  readonly nextRows: () => AsyncGenerator<string>;
}

/** @throws CellFileError; an error of the system where it cannot be read */
export async function openCellFile(path: string): Promise<OpenedCellFile> {
  // The SHA-256 has 64 digits.
  const length = (await stat(path)).size - 64;
  if (
    length <= 0 ||
    (await sha256In(path, length)) !== (await textIn(createReadStream(path, { start: length })))
  ) {
    throw new CellFileError('the file is damaged, cut off or not from `tenure cell export`');
  }
  const lines = linesOf(createReadStream(path, { end: length - 1 }).pipe(createGunzip()));
  const { value: first } = await lines.next();
  const head = JSON.parse(first ?? 'null') as CellFileHead | null;
  if (head?.format !== 2) throw new CellFileError('the file is of another version of Tenure');
  return { head, nextRows: () => untilEnd(lines) };
}

async function sha256In(path: string, length: number): Promise<string> {
  const hash = createHash('sha256');
  const packed: AsyncIterable<Buffer> = createReadStream(path, { end: length - 1 });
  for await (const chunk of packed) hash.update(chunk);
  return hash.digest('hex');
}

/** Splits at line feeds only, because texts may contain other line ends. */
async function* linesOf(source: Readable): AsyncGenerator<string, undefined> {
  let rest = '';
  for await (const text of source.setEncoding('utf8')) {
    const lines = (rest + String(text)).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  return undefined;
}

async function* untilEnd(lines: AsyncGenerator<string, undefined>): AsyncGenerator<string> {
  for (;;) {
    const { value: line } = await lines.next();
    if (line === undefined || line === END) return;
    yield `${line}\n`;
  }
}
