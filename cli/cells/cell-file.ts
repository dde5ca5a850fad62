import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rename, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { text as textIn } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { TableSum } from '../../src/store/cells/copy.ts';

/*
 * The file with which a provider moves. Its compressed part contains a line of JSON, which is the head, and then the
 * rows of each table as `COPY` writes them, in the order of the head. Each table ends with a line that cannot be a row.
 * The SHA-256 of the compressed part follows the compressed part. The import reads the file twice, so that it uses
 * nothing from a damaged file.
 */

const END = String.raw`\.`;

/** A participant, and the ledger user that acts for the provider there. */
export interface CellParticipant {
  readonly name: string;
  readonly ledgerUser: string;
}

/** The first line of the compressed part. */
export interface CellFileHead {
  readonly format: 2;
  /** Tenure's version, for people. */
  readonly version: string;
  /** The digest of the migrations: see `schemaDigest`. */
  readonly schema: string;
  readonly moveId: string;
  readonly provider: string;
  readonly participants: readonly CellParticipant[];
  readonly clearanceSha256: string;
  readonly receipt: string;
  readonly sequences: Readonly<Record<string, string>>;
  readonly tables: readonly TableSum[];
}

/** Thrown if a file is not a file of a move, has another format, is truncated or was changed. `message` is one line. */
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

/**
 * Writes a temporary file, flushes it to disk and renames it, so that the file is complete or absent. Only its owner
 * may read it.
 */
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

/** A file of a move whose checksum is correct. */
export interface OpenedCellFile {
  readonly head: CellFileHead;
  /** Yields the rows of the next table, each with its line feed. */
  readonly nextRows: () => AsyncGenerator<string>;
}

/** Opens a file of a move and checks it. @throws CellFileError; a system error if the file cannot be read */
export async function openCellFile(path: string): Promise<OpenedCellFile> {
  // The SHA-256 has 64 digits.
  const length = (await stat(path)).size - 64;
  if (
    length <= 0 ||
    (await sha256In(path, length)) !== (await textIn(createReadStream(path, { start: length })))
  ) {
    throw new CellFileError(
      'the file is damaged, incomplete, or was not written by `tenure cell export`',
    );
  }
  const lines = linesOf(createReadStream(path, { end: length - 1 }).pipe(createGunzip()));
  const { value: first } = await lines.next();
  const head = JSON.parse(first ?? 'null') as CellFileHead | null;
  if (head?.format !== 2)
    throw new CellFileError(
      'another version of Tenure wrote the file: use the same version in both cells',
    );
  return { head, nextRows: () => untilEnd(lines) };
}

async function sha256In(path: string, length: number): Promise<string> {
  const hash = createHash('sha256');
  const packed: AsyncIterable<Buffer> = createReadStream(path, { end: length - 1 });
  for await (const chunk of packed) hash.update(chunk);
  return hash.digest('hex');
}

/** Splits only at line feeds, because texts may contain other line separators. */
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
