import { createHash } from 'node:crypto';
import { open, rename } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { createReadStream } from 'node:fs';
import type { TableSum } from '../../store/cells/copy.ts';

/*
 * The file that a provider moves in: lines of JSON, compressed. The first is the head; then each table begins, has its
 * rows and ends with what they add up to; the last says what all lines before it hash to. A file that is cut off
 * therefore has no last line.
 */

/** Whose ledger user acts for the provider at a participant. */
export interface CellParticipant {
  readonly name: string;
  readonly ledgerUser: string;
}

/** The first line. */
export interface CellFileHead {
  readonly format: 1;
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
}

/** What is between head and end. */
export type CellFileLine =
  | { readonly kind: 'table'; readonly table: string }
  | { readonly kind: 'row'; readonly text: string }
  | { readonly kind: 'sum'; readonly table: string; readonly sum: TableSum };

/** The file is none of ours, of another format, cut off or changed. `message` is one line. */
export class CellFileError extends Error {
  override readonly name = 'CellFileError';
}

const written = (line: CellFileLine): string => {
  if (line.kind === 'row') return JSON.stringify(line.text);
  return JSON.stringify(
    line.kind === 'table' ? { table: line.table } : { end: line.table, ...line.sum },
  );
};

/** All lines with their ends, and the hash of them as the last. */
async function* hashed(
  head: CellFileHead,
  lines: AsyncIterable<CellFileLine>,
): AsyncGenerator<string> {
  const hash = createHash('sha256');
  const add = (text: string): string => {
    const line = `${text}\n`;
    hash.update(line);
    return line;
  };
  yield add(JSON.stringify(head));
  for await (const line of lines) yield add(written(line));
  yield `${JSON.stringify({ sha256: hash.digest('hex') })}\n`;
}

/** Writes beside, brings it to the disk and renames: the file is whole or not there. Its owner alone may read it. */
export async function writeCellFile(
  path: string,
  head: CellFileHead,
  lines: AsyncIterable<CellFileLine>,
): Promise<void> {
  const part = `${path}.part`;
  const file = await open(part, 'w', 0o600);
  try {
    await pipeline(Readable.from(hashed(head, lines)), createGzip(), async (packed) => {
      for await (const chunk of packed as AsyncIterable<Buffer>) await file.appendFile(chunk);
    });
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(part, path);
}

/** By line feeds alone: text may hold other ends of lines. */
async function* linesOf(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  const source = createReadStream(path).pipe(createGunzip());
  for await (const chunk of source) {
    const parts = (rest + decoder.decode(chunk as Buffer, { stream: true })).split('\n');
    rest = parts.pop() ?? '';
    yield* parts;
  }
  if (rest !== '') throw new CellFileError('the file is cut off');
}

/** What a line says. @throws CellFileError */
function meaningOf(
  text: string,
): CellFileLine | { readonly kind: 'last'; readonly sha256: string } {
  const value: unknown = JSON.parse(text);
  if (typeof value === 'string') return { kind: 'row', text: value };
  const fields = value as Readonly<Record<string, string | undefined>>;
  const { table, end, rows, checksum, sha256 } = fields;
  if (table !== undefined) return { kind: 'table', table };
  if (end !== undefined && rows !== undefined && checksum !== undefined) {
    return { kind: 'sum', table: end, sum: { rows, checksum } };
  }
  if (sha256 !== undefined) return { kind: 'last', sha256 };
  throw new CellFileError('the file has a line that means nothing');
}

function headIn(text: string): CellFileHead {
  const head = JSON.parse(text) as Partial<CellFileHead> | null;
  if (head?.format === 1 && head.moveId !== undefined) return head as CellFileHead;
  throw new CellFileError('the file does not begin as one that `tenure cell export` has written');
}

/** A file that is read once, from its head to its end. */
export interface OpenedCellFile {
  readonly head: CellFileHead;
  /** Throws at the end unless all of it was read as it was written: what was done with it is to be undone then. */
  readonly lines: AsyncGenerator<CellFileLine>;
}

/** @throws CellFileError; an error of the system where it cannot be read */
export async function openCellFile(path: string): Promise<OpenedCellFile> {
  const texts = linesOf(path);
  try {
    const first = await texts.next();
    if (first.done === true) throw new CellFileError('the file is empty');
    const hash = createHash('sha256').update(`${first.value}\n`);
    return { head: headIn(first.value), lines: checked(texts, hash) };
  } catch (error) {
    throw asFileError(error);
  }
}

async function* checked(
  texts: AsyncGenerator<string>,
  hash: ReturnType<typeof createHash>,
): AsyncGenerator<CellFileLine> {
  let sha256: string | null = null;
  try {
    for await (const text of texts) {
      if (sha256 !== null) throw new CellFileError('the file goes on behind its end');
      const line = meaningOf(text);
      if (line.kind === 'last') {
        ({ sha256 } = line);
        continue;
      }
      hash.update(`${text}\n`);
      yield line;
    }
  } catch (error) {
    throw asFileError(error);
  }
  if (sha256 === null) throw new CellFileError('the file is cut off');
  if (sha256 !== hash.digest('hex')) throw new CellFileError('the file is not as it was written');
}

const DAMAGED = /^(?:Z_|ERR_ENCODING)/u;

/** What compression, encoding and syntax say of a file that is damaged. */
function asFileError(error: unknown): unknown {
  const isDamage =
    error instanceof SyntaxError ||
    (error instanceof Error && 'code' in error && DAMAGED.test(String(error.code)));
  if (!isDamage) return error;
  return new CellFileError('the file is damaged or cut off', { cause: error });
}
