import type { Client } from 'pg';
import { copyIn } from './copy-in.ts';

/*
 * Creates very many operations from a few real ones: copies the rows that the real operations have left, with other
 * IDs, offsets and times. Each copy belongs to another user of the same provider, who has installs, licences and
 * renewals of its own.
 */

/** Tables whose number of rows does not depend on the number of finished operations. */
const NOT_COPIED = [
  'arrival',
  'choice',
  'event_sequence',
  'failure',
  'followed_type',
  'lease',
  'migration',
  'participant_answer',
  'process_clock',
  'query_store_offset',
  'queue_shards',
  'template',
  'tenant',
  'webhook_cursor',
];
/** Columns whose IDs belong to the deployment, and are therefore the same in all copies. */
const COMMON = ['package_id', 'synchronizer_id', 'ledger_user', 'caller_subject', 'provider'];

/** The first offset of copies. It is far above the offsets that the ledger reaches later. */
const OFFSET_BASE = 1_000_000_000_000;
/** The range of offsets of one copy. */
const OFFSET_SPAN = 100_000;
const OVER_MS = 400 * 24 * 3_600_000;
const CHUNK_CHARACTERS = 1 << 18;

interface Column {
  readonly name: string;
  readonly type: string;
}

/** A part of a row: either a fixed text, or a value that is different in each copy. */
type Piece = string | ((copy: Copy) => string);

/** The values in which one copy differs from the others. */
interface Copy {
  /** The number of the copy, counted from 1. */
  readonly n: number;
  readonly high: number;
  readonly low: number;
  /** How much earlier the times of this copy are than those of the original rows. */
  readonly earlierMs: number;
  /** The number of events that come before those of this copy. */
  readonly events: number;
}

/** A table, with the rows that each copy adds to it. */
export interface Template {
  readonly table: string;
  /** How many numbers the events of one copy need. */
  readonly events: number;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Piece[])[];
}

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const IDS = new RegExp(`${UUID}|[0-9a-f]{32,}`, 'gu');

/**
 * Returns where the part of an ID begins that is different in each ID: after the prefix that all IDs of this kind have.
 */
const beginOf = (id: string): number => {
  if (id.length === 138 && id.startsWith('00')) return 2;
  return id.length === 68 && id.startsWith('1220') ? 4 : 0;
};

const mixed = (n: number, salt: number): number => {
  let hash = Math.imul(n ^ salt, 0x9e3779b1);
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) & 0xffffff;
};
const hex6 = (value: number): string => value.toString(16).padStart(6, '0');

/**
 * Returns the first twelve digits of an ID in each copy. They are different in each copy, but the same for the same
 * original digits. This is necessary because a contract ID, the ID of its lifecycle and its lane begin with the same
 * digits, and so do the IDs of an operation and of its effect.
 */
function digits(first: string): (copy: Copy) => string {
  const high = Number.parseInt(first.slice(0, 6), 16);
  const low = Number.parseInt(first.slice(6), 16);
  return (copy) => hex6(high ^ copy.high) + hex6(low ^ copy.low);
}

/** Returns a value in which the IDs are replaced. */
function withIds(text: string, common: ReadonlySet<string>): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const { 0: id, index } of text.matchAll(IDS)) {
    if (common.has(id)) continue;
    const at = index + beginOf(id);
    pieces.push(text.slice(from, at));
    if (id[8] === '-') {
      const told = digits(text.slice(at, at + 8) + text.slice(at + 9, at + 13));
      pieces.push((copy) => {
        const all = told(copy);
        return `${all.slice(0, 8)}-${all.slice(8)}`;
      });
      from = at + 13;
    } else {
      pieces.push(digits(text.slice(at, at + 12)));
      from = at + 12;
    }
  }
  return [...pieces, text.slice(from)];
}

const escaped = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\t', '\\t');

function pieceOf(
  table: string,
  { name, type }: Column,
  value: string | null,
  common: ReadonlySet<string>,
): Piece[] {
  if (value === null) return ['\\N'];
  if (type === 'timestamp with time zone') {
    const ms = Date.parse(value);
    return [(copy) => new Date(ms - copy.earlierMs).toISOString()];
  }
  if (table === 'event_batch' && (name === 'first' || name === 'last')) {
    return [({ events }) => String(Number(value) + events)];
  }
  if (name.endsWith('offset')) {
    return [({ n }) => String(OFFSET_BASE + n * OFFSET_SPAN + Number(value))];
  }
  return withIds(escaped(value), common);
}

/** Joins adjacent parts that are fixed text. */
function joined(pieces: readonly Piece[]): Piece[] {
  const all: Piece[] = [];
  for (const piece of pieces) {
    const last = all.at(-1);
    if (typeof piece === 'string' && typeof last === 'string') all[all.length - 1] = last + piece;
    else all.push(piece);
  }
  return all;
}

async function columnsOf(client: Client, table: string): Promise<Column[]> {
  const { rows } = await client.query<Column>(
    `select attname as name, format_type(atttypid, null) as type from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`,
    [table],
  );
  return rows;
}

async function rowsIn(client: Client, table: string, columns: readonly Column[]) {
  const texts = columns.map(({ name }) => `"${name}"::text`).join(', ');
  const { rows } = await client.query<(string | null)[]>({
    text: `select ${texts} from "${table}" order by ctid`,
    rowMode: 'array',
  });
  return rows;
}

/** Returns the rows of all finished operations in a store, from each table that grows with operations. */
export async function readTemplates(client: Client): Promise<readonly Template[]> {
  const { rows: tables } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
       and relname <> all ($1) order by 1`,
    [NOT_COPIED],
  );
  const { rows: counted } = await client.query<{ events: string }>(
    'select last as events from event_sequence',
  );
  const events = Number(counted[0]?.events ?? 0);
  const read: { table: string; columns: Column[]; rows: (string | null)[][] }[] = [];
  for (const { name: table } of tables) {
    const columns = await columnsOf(client, table);
    const rows = await rowsIn(client, table, columns);
    if (rows.length > 0) read.push({ table, columns, rows });
  }
  const common = new Set<string>();
  for (const { columns, rows } of read) {
    for (const [index, { name }] of columns.entries()) {
      if (!COMMON.includes(name)) continue;
      for (const row of rows) for (const [id] of row[index]?.matchAll(IDS) ?? []) common.add(id);
    }
  }
  for (const [dso] of JSON.stringify(read).matchAll(/(?<=DSO::)1220[0-9a-f]{64}/gu))
    common.add(dso);
  return read.map(({ table, columns, rows }) => ({
    table,
    events,
    columns: columns.map(({ name }) => name),
    rows: rows.map((row) => {
      const values = columns.map((column, at) => pieceOf(table, column, row[at] ?? null, common));
      const line = values.flatMap((pieces, at) => (at === 0 ? pieces : ['\t', ...pieces]));
      return joined([...line, '\n']);
    }),
  }));
}

const copyOf = (n: number, total: number, events: number): Copy => ({
  n,
  high: mixed(n, 0x51ed27),
  low: mixed(n, 0x2545f4),
  earlierMs: (OVER_MS * (total - n)) / total,
  events,
});

/**
 * Which copies are added, counted from 1, and how many copies there will be in the end. The times of all copies are
 * spread over 400 days.
 */
export interface Copies {
  readonly from: number;
  readonly to: number;
  readonly total: number;
}

/**
 * Yields the rows of some copies in PostgreSQL's text format, in chunks.
 *
 * @param numbered the number of the last event before all copies. The events of the copies have the numbers after it,
 *   without gaps
 */
function* linesOf(
  { rows, events }: Template,
  { from, to, total }: Copies,
  numbered: number,
): Generator<string> {
  let chunk = '';
  for (let n = from; n <= to; n += 1) {
    const copy = copyOf(n, total, numbered + (n - 1) * events);
    for (const row of rows) {
      for (const piece of row) chunk += typeof piece === 'string' ? piece : piece(copy);
    }
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}

/** Adds copies of the templates' rows to their tables. */
export async function addCopies(
  client: Client,
  templates: readonly Template[],
  copies: Copies,
): Promise<void> {
  // Triggers are disabled, because they only check foreign keys. All rows to which the new rows refer exist.
  await client.query('set session_replication_role = replica; set synchronous_commit = off');
  const { rows } = await client.query<{ last: string }>('select last from event_sequence');
  const numbered = Number(rows[0]?.last ?? 0);
  for (const template of templates) {
    const columns = template.columns.map((name) => `"${name}"`).join(', ');
    const text = `copy "${template.table}" (${columns}) from stdin`;
    await copyIn(client, text, linesOf(template, copies, numbered));
  }
  await client.query('set session_replication_role = origin');
}

/** Makes later events get the numbers after those of the copies. */
export async function continueEvents(client: Client): Promise<void> {
  const LAST = 'select coalesce(max(last), 0) from event_batch';
  await client.query(`update event_sequence set last = greatest(last, (${LAST}))`);
  await client.query(`update webhook_cursor set last = greatest(last, (${LAST}))`);
}
