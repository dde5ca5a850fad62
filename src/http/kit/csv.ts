import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Json, JsonRecord } from '../../domain/json.ts';
import { isJsonRecord } from '../../domain/json.ts';
import { LIMITS } from '../../domain/limits.ts';
import { prefers } from './accept.ts';

/** The columns of a file, in order. Each is a path in a body, such as `plan.id`. */
export type CsvColumns = readonly string[];

export const CSV = 'text/csv';

/** The beginning of a text that a spreadsheet would read as a formula. */
const FORMULA = /^[=+\-@\t\r]/u;
const QUOTED = /[",\r\n]/u;

/** Formats one field (RFC 4180). An apostrophe keeps a spreadsheet from evaluating a text of another party. */
export function csvField(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return QUOTED.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

const valueAt = (body: JsonRecord, path: string): Json | undefined =>
  path
    .split('.')
    .reduce<Json | undefined>((at, name) => (isJsonRecord(at) ? at[name] : undefined), body);

const lineOf = (fields: readonly string[]): string => `${fields.join(',')}\r\n`;

/** The CSV form of a list. */
export interface CsvFile {
  /** File name without its extension. */
  readonly name: string;
  readonly columns: CsvColumns;
  readonly rows: AsyncIterable<JsonRecord>;
}

async function* linesOf(
  columns: CsvColumns,
  first: IteratorResult<JsonRecord, unknown>,
  others: AsyncIterator<JsonRecord>,
): AsyncGenerator<string> {
  let lines = lineOf(columns);
  let count = 0;
  for (let next = first; next.done !== true; next = await others.next()) {
    const body = next.value;
    lines += lineOf(columns.map((path) => csvField(valueAt(body, path))));
    count += 1;
    if (count % LIMITS.listChunk !== 0) continue;
    yield lines;
    lines = '';
  }
  yield lines;
}

/**
 * Sends rows in chunks, as fast as the client reads them. Reads the first row before the answer begins, so that an
 * unreachable database results in a problem and not in a truncated file.
 */
export async function sendCsv(
  reply: FastifyReply,
  { name, columns, rows }: CsvFile,
): Promise<FastifyReply> {
  const others = rows[Symbol.asyncIterator]();
  const first = await others.next();
  return reply
    .type(`${CSV}; charset=utf-8; header=present`)
    .header('content-disposition', `attachment; filename="${name}.csv"`)
    .send(Readable.from(linesOf(columns, first, others)));
}

/** Yields entries page by page, up to the limit if there is one. */
export async function* inPages<Entry, Key>(
  limit: number | null,
  page: (after: Key | undefined, size: number) => Promise<readonly Entry[]>,
  keyOf: (entry: Entry) => Key,
): AsyncGenerator<Entry, void, undefined> {
  let left = limit ?? Infinity;
  for (let after: Key | undefined; left > 0;) {
    const size = Math.min(left, LIMITS.listChunk);
    const found = await page(after, size);
    yield* found;
    const last = found.at(-1);
    if (last === undefined || found.length < size) return;
    left -= found.length;
    after = keyOf(last);
  }
}

/** Whether the caller asks for CSV by name and prefers it to JSON. */
export const wantsCsv = ({ headers }: FastifyRequest): boolean =>
  prefers(headers.accept, { named: CSV, over: 'application/json' });
