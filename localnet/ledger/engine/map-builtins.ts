import type { Meter } from './bounds.ts';
import { as, pure } from './builtin.ts';
import type { Builtin } from './builtin.ts';
import { compare } from './comparison.ts';
import { NONE, Some, SortedMap, Struct, listOf } from './values.ts';
import type { Value } from './values.ts';

/** The number of entries that can be copied in the time of one step. */
const COPIED_A_STEP = 16;
const EMPTY = new SortedMap([]);

interface Found {
  /** The index of the key, or the index where the key would be inserted. */
  readonly at: number;
  readonly isThere: boolean;
}

function search({ entries }: SortedMap, key: Value, meter: Meter): Found {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const [other] = entries[middle] ?? [];
    if (other === undefined) break;
    const difference = compare(key, other, meter);
    if (difference === 0) return { at: middle, isThere: true };
    if (difference < 0) high = middle;
    else low = middle + 1;
  }
  return { at: low, isThere: false };
}

function changed(
  map: SortedMap,
  { at, isThere }: Found,
  added: SortedMap['entries'],
  meter: Meter,
): SortedMap {
  meter.spend(map.entries.length / COPIED_A_STEP);
  return new SortedMap(map.entries.toSpliced(at, isThere ? 1 : 0, ...added));
}

const insert = (name: string): Builtin =>
  pure(name, 3, ([keyArg, value, mapArg], { meter }) => {
    const key: Value = as.value(keyArg);
    const map = as.map(mapArg);
    return changed(map, search(map, key, meter), [[key, as.value(value)]], meter);
  });

const lookup = (name: string): Builtin =>
  pure(name, 2, ([keyArg, mapArg], { meter }) => {
    const map = as.map(mapArg);
    const { at, isThere } = search(map, as.value(keyArg), meter);
    const value = isThere ? map.entries[at]?.[1] : undefined;
    return value === undefined ? NONE : new Some(value);
  });

const remove = (name: string): Builtin =>
  pure(name, 2, ([keyArg, mapArg], { meter }) => {
    const map = as.map(mapArg);
    const found = search(map, as.value(keyArg), meter);
    return found.isThere ? changed(map, found, [], meter) : map;
  });

const size = (name: string): Builtin =>
  pure(name, 1, ([map]) => BigInt(as.map(map).entries.length));

const listing = (name: string, of: (key: Value, value: Value) => Value): Builtin =>
  pure(name, 1, ([mapArg], { meter }) => {
    const { entries } = as.map(mapArg);
    meter.spend(entries.length);
    return listOf(entries.map(([key, value]) => of(key, value)));
  });

const empty = (name: string): Builtin => pure(name, 0, () => EMPTY);

/** The builtins by their numbers in the Daml-LF format. */
export const MAP_BUILTINS: Readonly<Record<number, Builtin>> = {
  52: empty('GENMAP_EMPTY'),
  53: insert('GENMAP_INSERT'),
  54: lookup('GENMAP_LOOKUP'),
  55: remove('GENMAP_DELETE'),
  56: listing('GENMAP_KEYS', (key) => key),
  57: listing('GENMAP_VALUES', (_key, value) => value),
  58: size('GENMAP_SIZE'),
  60: empty('TEXTMAP_EMPTY'),
  61: insert('TEXTMAP_INSERT'),
  62: lookup('TEXTMAP_LOOKUP'),
  63: remove('TEXTMAP_DELETE'),
  64: listing(
    'TEXTMAP_TO_LIST',
    (key, value) =>
      new Struct([
        ['key', key],
        ['value', value],
      ]),
  ),
  65: size('TEXTMAP_SIZE'),
};
