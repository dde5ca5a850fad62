import { Closure, Partial } from './functions.ts';
import type { Scope } from './functions.ts';
import { UpdateValue } from './updates.ts';
import { Any, Cons, InterfaceValue, LfRecord, Some, SortedMap, Struct, Variant } from './values.ts';
import type { Value } from './values.ts';

/** The maximum number of parts of one cached value. */
const PARTS_MAX = 1000;
/** The maximum number of parts of all cached values. */
const TOTAL_MAX = 1_000_000;
const CHARS_A_PART = 16;

/**
 * Decides which values of definitions are cached for later submissions. The limits keep the memory for each package
 * small.
 */
export class KeptValues {
  #left = TOTAL_MAX;

  /** Returns whether a value may be cached. If so, counts it against the limit. */
  admits(value: Value): boolean {
    const parts = sizeOf(value);
    if (parts > Math.min(PARTS_MAX, this.#left)) return false;
    this.#left -= parts;
    return true;
  }
}

/**
 * Returns the number of distinct parts of a value. Returns infinity for an update, and for more than {@link PARTS_MAX}
 * parts.
 */
function sizeOf(value: Value): number {
  const todo: Value[] = [value];
  const seen = new Set<unknown>();
  let size = 0;
  for (let one = todo.pop(); one !== undefined; one = todo.pop()) {
    if (typeof one === 'string') size += one.length / CHARS_A_PART;
    if (seen.has(one)) continue;
    if (typeof one === 'object') seen.add(one);
    size += 1;
    if (one instanceof UpdateValue || size + todo.length > PARTS_MAX)
      return Number.POSITIVE_INFINITY;
    pushParts(one, todo, seen);
  }
  return size;
}

function pushParts(value: Value, todo: Value[], seen: Set<unknown>): void {
  if (value instanceof Closure) pushScope(value.scope, todo, seen);
  else if (value instanceof Partial) pushAll(value.args, todo);
  else if (value instanceof LfRecord) pushAll(value.fields, todo);
  else if (value instanceof Struct) pushAll(value.fields.values(), todo);
  else if (value instanceof SortedMap) for (const entry of value.entries) pushAll(entry, todo);
  else if (value instanceof Cons) todo.push(value.tail, value.head);
  else if (value instanceof InterfaceValue) todo.push(value.payload);
  else if (value instanceof Some || value instanceof Variant || value instanceof Any) {
    todo.push(value.value);
  }
}

function pushAll(values: Iterable<Value>, todo: Value[]): void {
  for (const value of values) {
    if (todo.length > PARTS_MAX) return;
    todo.push(value);
  }
}

function pushScope(scope: Scope, todo: Value[], seen: Set<unknown>): void {
  for (let each = scope; each !== undefined && !seen.has(each); each = each.next) {
    if (todo.length > PARTS_MAX) return;
    seen.add(each);
    todo.push(each.value);
  }
}
