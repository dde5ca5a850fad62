import { LedgerError } from './ledger-error.ts';
import { fromJson } from './lf-json.ts';
import type { Json } from './lf-json.ts';
import type { LfType } from './lf-types.ts';
import { INT64_MAX, INT64_MIN } from './lf-values.ts';

/*
 * Reads values of a journal. Earlier builds accepted some values that no ledger can hold: integers beyond 64 bits, and
 * texts with NUL or with half a surrogate pair. They are read as the nearest valid value: the largest or the smallest
 * integer, and U+FFFD for an invalid character. So everything that was ever committed can be read.
 */

/** Reads a value of a journal. Throws if the value does not match its type. */
export function fromStored(type: LfType, json: Json | undefined): unknown {
  try {
    return fromJson(type, json);
  } catch (error) {
    if (!(error instanceof LedgerError) || json === undefined) throw error;
    return fromJson(type, nearest(type, json));
  }
}

const legible = (text: string): string => text.toWellFormed().replaceAll('\0', '�');

function nearestInt64(text: string): string {
  if (!/^-?\d+$/.test(text)) return text;
  const value = BigInt(text);
  return String(value > INT64_MAX ? INT64_MAX : value < INT64_MIN ? INT64_MIN : value);
}

/**
 * Replaces each value that its type does not allow by the nearest one that it allows. JSON that does not have the
 * type's form is returned unchanged.
 */
function nearest(type: LfType, json: Json): Json {
  if (typeof json === 'string') {
    if (type.kind === 'int64') return nearestInt64(json);
    if (type.kind === 'text') return legible(json);
  }
  if (Array.isArray(json)) return nearestItems(type, json);
  if (type.kind === 'optional') return nearest(type.of, json);
  if (typeof json !== 'object' || json === null) return json;
  const fields = Object.entries(json as Readonly<Record<string, Json>>);
  if (type.kind === 'textMap') {
    return Object.fromEntries(fields.map(([key, item]) => [legible(key), nearest(type.of, item)]));
  }
  if (type.kind === 'record') {
    const typeOf = (name: string) => type.fields.find((field) => field.name === name)?.type;
    return Object.fromEntries(
      fields.map(([name, item]) => [name, nearest(typeOf(name) ?? type, item)]),
    );
  }
  if (type.kind !== 'variant') return json;
  const { tag, value = null } = json as Readonly<Record<string, Json>>;
  const inner = type.constructors.find(({ name }) => name === tag)?.type;
  return inner === undefined ? json : { tag: tag ?? null, value: nearest(inner, value) };
}

function nearestItems(type: LfType, items: readonly Json[]): Json {
  // A nested optional is a list with at most one item.
  if (type.kind === 'list' || type.kind === 'optional') {
    return items.map((item) => nearest(type.of, item));
  }
  if (type.kind !== 'genMap') return items;
  return items.map((entry) => {
    const [key = null, value = null] = entry as readonly Json[];
    return [nearest(type.key, key), nearest(type.value, value)];
  });
}
