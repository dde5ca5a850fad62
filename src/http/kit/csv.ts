import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Json, JsonRecord } from '../../domain/json.ts';
import { isJsonRecord } from '../../domain/json.ts';
import { LIMITS } from '../../domain/limits.ts';
import { prefers } from './accept.ts';

/** Values of a body in the order of a file's columns: paths such as `plan.id`. */
export type CsvColumns = readonly string[];

export const CSV = 'text/csv';

/** What a spreadsheet would take for a formula. */
const FORMULA = /^[=+\-@\t\r]/u;
const QUOTED = /[",\r\n]/u;

/** One field as RFC 4180 has it. An apostrophe keeps a spreadsheet from computing what somebody else wrote. */
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

/** A file that is sent in the place of a list. */
export interface CsvFile<Entry> {
  /** Without its ending. */
  readonly name: string;
  readonly columns: CsvColumns;
  readonly entries: AsyncIterable<Entry>;
  readonly bodyOf: (entry: Entry) => JsonRecord;
}

async function* linesOf<Entry>(
  { columns, bodyOf }: CsvFile<Entry>,
  first: IteratorResult<Entry, unknown>,
  others: AsyncIterator<Entry>,
): AsyncGenerator<string> {
  let lines = lineOf(columns);
  let count = 0;
  for (let next = first; next.done !== true; next = await others.next()) {
    const body = bodyOf(next.value);
    lines += lineOf(columns.map((path) => csvField(valueAt(body, path))));
    count += 1;
    if (count % LIMITS.listChunk !== 0) continue;
    yield lines;
    lines = '';
  }
  yield lines;
}

/**
 * Sends entries as fast as the client takes them, in chunks. The first entry is read before the answer begins, so that
 * a database that cannot be reached is still a problem and not a torn file.
 */
export async function sendCsv<Entry>(
  reply: FastifyReply,
  file: CsvFile<Entry>,
): Promise<FastifyReply> {
  const entries = file.entries[Symbol.asyncIterator]();
  const first = await entries.next();
  return reply
    .type(`${CSV}; charset=utf-8; header=present`)
    .header('content-disposition', `attachment; filename="${file.name}.csv"`)
    .header('vary', 'accept')
    .send(Readable.from(linesOf(file, first, entries)));
}

/** Whether the caller names CSV, and rather takes it than JSON. */
export const wantsCsv = ({ headers }: FastifyRequest): boolean =>
  prefers(headers.accept, CSV, 'application/json');
