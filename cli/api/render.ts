import { stripVTControlCharacters, styleText } from 'node:util';
import type { Json, JsonRecord } from '../../src/domain/json.ts';
import { isJsonRecord } from '../../src/domain/json.ts';
import { harmless, jsonText } from '../output.ts';
import { table } from '../table.ts';
import type { Column } from './description.ts';

/** The terminal, or the file to which the output is redirected. */
export interface Screen {
  /** Width in characters. `Infinity` if the output is not a terminal, so that nothing is cut. */
  readonly width: number;
  readonly isColoured: boolean;
  readonly nowMs: number;
}

const GAP = 2;
/** The shortest width to which a text is cut: fewer characters would say nothing. */
const CUT_MIN = 8;

/** Parses JSON but keeps numbers as the text that was sent, because a floating-point number would change decimals. */
export const readExactly = (text: string): Json =>
  JSON.parse(text, (_name: string, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' ? (context?.source ?? String(value)) : value,
  ) as Json;

function textOf(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  return harmless(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

const at = (row: JsonRecord, path: string): Json | undefined =>
  path
    .split('.')
    .reduce<Json | undefined>(
      (value, name) => (isJsonRecord(value) ? value[name] : undefined),
      row,
    );

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
] as const;

/** Returns how long ago an instant was, in the largest unit: `42s`, `5m`, `3h`, `12d`. Future instants give `in 5m`. */
export function ageOf(instant: string, nowMs: number): string {
  const seconds = Math.round((nowMs - Date.parse(instant)) / 1_000);
  if (Number.isNaN(seconds)) return harmless(instant);
  const size = Math.abs(seconds);
  const [unit, length] = UNITS.find(([, least]) => size >= least) ?? ['s', 1];
  return `${seconds < 0 ? 'in ' : ''}${Math.floor(size / length)}${unit}`;
}

const COLOURS: Readonly<Record<string, 'red' | 'yellow' | 'green'>> = {
  failed: 'red',
  rejected: 'red',
  'given-up': 'red',
  stopped: 'red',
  'in-doubt': 'yellow',
  retrying: 'yellow',
  busy: 'yellow',
  pause: 'yellow',
  drain: 'yellow',
  due: 'yellow',
  succeeded: 'green',
  done: 'green',
  active: 'green',
};

const styled = (
  text: string,
  style: 'bold' | 'red' | 'yellow' | 'green' | undefined,
  on: boolean,
) => (on && style !== undefined ? styleText(style, text, { validateStream: false }) : text);

function cellOf(row: JsonRecord, [, path, shape]: Column, screen: Screen): string {
  const text = textOf(at(row, path));
  if (text === '') return '';
  if (shape === 'age') return ageOf(text, screen.nowMs);
  if (shape === 'time') return text.replace(/\.\d+(?=Z|[+-])/u, '');
  return shape === 'state' ? styled(text, COLOURS[text], screen.isColoured) : text;
}

interface Fitting {
  readonly widths: readonly number[];
  /** The number of columns that fit, counted from the left. */
  readonly count: number;
}

/**
 * Finds how many columns fit if every column that may be cut is cut. The spare room then widens cut columns, from left
 * to right.
 */
function fit(naturals: readonly number[], canCut: readonly boolean[], room: number): Fitting {
  const least = naturals.map((natural, n) =>
    canCut[n] === true ? Math.min(natural, CUT_MIN) : natural,
  );
  let used = 0;
  let count = 0;
  for (const width of least) {
    if (count > 0 && used + width + GAP > room) break;
    used += width + GAP;
    count += 1;
  }
  let spare = Math.max(0, room - used);
  const widths = least.slice(0, count).map((width, n) => {
    const more = Math.min(spare, (naturals[n] ?? 0) - width);
    spare -= more;
    return width + more;
  });
  return { widths, count };
}

/** Returns columns for rows without defined columns: all members that are not objects or arrays. */
function columnsOf(rows: readonly JsonRecord[]): readonly Column[] {
  const names = new Set(
    rows.flatMap((row) =>
      Object.entries(row).flatMap(([name, value]) =>
        typeof value === 'object' && value !== null ? [] : [name],
      ),
    ),
  );
  return [...names].map((name) => [name, name] as const);
}

/**
 * Formats rows as a table that is no wider than the screen. The most important columns come first: the last ones are
 * omitted if there is no room, and a final line names them.
 */
export function renderRows(
  rows: readonly JsonRecord[],
  columns: readonly Column[] = columnsOf(rows),
  screen: Screen,
): string {
  const told = columns.filter((column) => rows.some((row) => cellOf(row, column, screen) !== ''));
  const cells = rows.map((row) => told.map((column) => cellOf(row, column, screen)));
  const naturals = told.map(([head], n) =>
    Math.max(head.length, ...cells.map((row) => stripVTControlCharacters(row[n] ?? '').length)),
  );
  const canCut = told.map(([, , shape]) => shape === undefined);
  const { widths, count } = fit(naturals, canCut, screen.width);
  const heads = told.slice(0, count).map(([head]) => styled(head, 'bold', screen.isColoured));
  const drawn = table(
    heads,
    cells.map((row) => row.slice(0, count)),
    widths.map((width) => width + GAP),
  );
  const left = told.slice(count).map(([head]) => head);
  const note =
    left.length === 0 ? [] : [`(columns left out for space: ${left.join(', ')}; --json has them)`];
  return [drawn, ...note].join('\n');
}

interface Flat {
  readonly lines: readonly (readonly [string, string])[];
  readonly lists: readonly (readonly [string, readonly JsonRecord[]])[];
}

const DEPTH_MAX = 6;

function flatten(record: JsonRecord, prefix = '', depth = 0): Flat {
  const parts = Object.entries(record).map(([name, value]): Flat => {
    const path = harmless(`${prefix}${name}`);
    if (Array.isArray(value) && value.length > 0 && value.every(isJsonRecord)) {
      return { lines: [], lists: [[path, value]] };
    }
    if (isJsonRecord(value) && depth < DEPTH_MAX) return flatten(value, `${path}.`, depth + 1);
    const text = Array.isArray(value) ? value.map(textOf).join(', ') : textOf(value);
    return { lines: text === '' ? [] : [[path, text]], lists: [] };
  });
  return {
    lines: parts.flatMap(({ lines }) => lines),
    lists: parts.flatMap(({ lists }) => lists),
  };
}

/** Formats one record: a line for each member, and below these a table for each list. The lines are never cut. */
export function renderOne(record: JsonRecord, screen: Screen): string {
  const { lines, lists } = flatten(record);
  const width = Math.max(0, ...lines.map(([name]) => name.length));
  const told = lines.map(([name, text]) => {
    const shown = name.endsWith('state') ? styled(text, COLOURS[text], screen.isColoured) : text;
    return `${styled(name.padEnd(width), 'bold', screen.isColoured)}${' '.repeat(GAP)}${shown}`;
  });
  const tables = lists.map(
    ([name, rows]) =>
      `\n${styled(`${name}:`, 'bold', screen.isColoured)}\n${renderRows(rows, columnsOf(rows), screen)}`,
  );
  return [...told, ...tables].join('\n');
}

/** Formats any answer of the API. */
export function render(body: Json, columns: readonly Column[] | undefined, screen: Screen): string {
  if (Array.isArray(body)) {
    const rows = body.filter(isJsonRecord);
    return renderRows(rows, columns ?? columnsOf(rows), screen);
  }
  return isJsonRecord(body) ? renderOne(body, screen) : textOf(body);
}

/** Returns the API's bodies as indented JSON, with every digit that was sent. The pages of a list become one array. */
export function asJson(texts: readonly string[]): string {
  const keep = (_name: string, value: unknown, context?: { readonly source?: string }): unknown =>
    typeof value === 'number' ? JSON.rawJSON(context?.source ?? String(value)) : value;
  const read = texts.map((text): unknown => JSON.parse(text, keep));
  const whole = read.length === 1 ? read[0] : read.flat();
  return jsonText(whole);
}
