import { createHash } from 'node:crypto';
import { compareUtf8 } from '../lf-values.ts';
import type { DefinitionId, Type } from '../../lf/types.ts';
import type { Meter } from './bounds.ts';
import { interpreterRefusal } from '../interpretation-errors.ts';
import { Closure, Partial } from './functions.ts';
import { UpdateValue } from './updates.ts';
import {
  Any,
  Cons,
  Enum,
  InterfaceValue,
  LfRecord,
  Numeric,
  Some,
  SortedMap,
  Struct,
  TypeRep,
  Variant,
} from './values.ts';
import type { Value } from './values.ts';

const CHARS_A_STEP = 64;
/**
 * A type whose text would be longer than this is represented by a hash, because the text repeats parts that are shared
 * within the type.
 */
const TYPE_CHARS_MAX = 200;
const typeTexts = new WeakMap<Type, string>();

const idText = ({ packageId, module, name }: DefinitionId): string =>
  `${packageId}:${module}:${name}`;

/** Returns a text that is equal for two types exactly if the types are the same. */
export function exactText(type: Type): string {
  const known = typeTexts.get(type);
  if (known !== undefined) return known;
  const whole = writeType(type);
  const text =
    whole.length > TYPE_CHARS_MAX ? createHash('sha256').update(whole).digest('hex') : whole;
  typeTexts.set(type, text);
  return text;
}

function writeType(type: Type): string {
  switch (type.kind) {
    case 'var':
      return type.name;
    case 'nat':
      return String(type.value);
    case 'con':
      return idText(type.id);
    case 'builtin':
      return type.builtin;
    case 'app':
      return `(${exactText(type.fun)} ${exactText(type.arg)})`;
    case 'synonym':
      return `(${[idText(type.id), ...type.args.map(exactText)].join(' ')})`;
    case 'forall':
      return `(forall ${type.vars.map(({ name }) => name).join(' ')}. ${exactText(type.body)})`;
    case 'struct':
      return `<${type.fields.map(({ name, type: of }) => `${name}: ${exactText(of)}`).join(', ')}>`;
    default:
      return type satisfies never;
  }
}

type Primitive = boolean | bigint | number;

const isPrimitive = (value: Value): value is Primitive =>
  typeof value === 'bigint' || typeof value === 'number' || typeof value === 'boolean';

const isFunction = (value: Value): boolean =>
  value instanceof Closure || value instanceof Partial || value instanceof UpdateValue;

/**
 * Compares two values in Daml's built-in order: returns a negative number, zero or a positive number. The meter counts
 * every part. Throws NON_COMPARABLE_VALUES for functions, even if a function is compared with itself.
 */
export function compare(left: Value, right: Value, meter: Meter): number {
  // Pairs of values are kept on a stack of this function's own instead of recursion, because values may be nested
  // deeply.
  const todo: Value[] = [right, left];
  for (let one = todo.pop(); one !== undefined; one = todo.pop()) {
    const other = todo.pop();
    meter.spend(1);
    if (other === undefined) continue;
    const difference = compareOne(one, other, todo, meter);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Compares two values. If their parts must be compared, pushes pairs of parts onto the stack. */
function compareOne(one: Value, other: Value, todo: Value[], meter: Meter): number {
  if (isPrimitive(one) && isPrimitive(other)) return one < other ? -1 : one > other ? 1 : 0;
  if (typeof one === 'string' && typeof other === 'string') {
    meter.spend(Math.min(one.length, other.length) / CHARS_A_STEP);
    return compareUtf8(one, other);
  }
  if (isFunction(one) || isFunction(other)) {
    throw interpreterRefusal('NON_COMPARABLE_VALUES', 'functions are not comparable');
  }
  if (one instanceof Numeric && other instanceof Numeric) {
    return one.unscaled < other.unscaled ? -1 : one.unscaled > other.unscaled ? 1 : 0;
  }
  if (one instanceof LfRecord && other instanceof LfRecord) {
    pushPairs(todo, one.fields, other.fields, meter);
    return 0;
  }
  if (one instanceof Struct && other instanceof Struct) {
    pushPairs(todo, [...one.fields.values()], [...other.fields.values()], meter);
    return 0;
  }
  if (one instanceof Variant && other instanceof Variant) {
    if (one.rank !== other.rank) return one.rank - other.rank;
    todo.push(other.value, one.value);
    return 0;
  }
  if (one instanceof Enum && other instanceof Enum) return one.rank - other.rank;
  return compareContainers(one, other, todo, meter);
}

function compareContainers(one: Value, other: Value, todo: Value[], meter: Meter): number {
  if (one instanceof Cons && other instanceof Cons) {
    todo.push(other.tail, one.tail, other.head, one.head);
    return 0;
  }
  if (one instanceof Cons || other instanceof Cons) return one instanceof Cons ? 1 : -1;
  if (one instanceof Some && other instanceof Some) {
    todo.push(other.value, one.value);
    return 0;
  }
  if (one instanceof Some || other instanceof Some) return one instanceof Some ? 1 : -1;
  if (one instanceof SortedMap && other instanceof SortedMap)
    return compareMaps(one, other, todo, meter);
  if (one instanceof TypeRep && other instanceof TypeRep) {
    return compareUtf8(exactText(one.type), exactText(other.type));
  }
  if (one instanceof Any && other instanceof Any) {
    todo.push(other.value, one.value);
    return compareUtf8(exactText(one.type), exactText(other.type));
  }
  if (one instanceof InterfaceValue && other instanceof InterfaceValue) {
    todo.push(other.payload, one.payload);
    return compareUtf8(idText(one.template), idText(other.template));
  }
  // Both are unit, empty lists or empty optionals.
  return 0;
}

/** Compares maps like the lists of their entries. */
function compareMaps(one: SortedMap, other: SortedMap, todo: Value[], meter: Meter): number {
  const count = Math.min(one.entries.length, other.entries.length);
  meter.copy(count);
  todo.push(BigInt(other.entries.length), BigInt(one.entries.length));
  for (let at = count - 1; at >= 0; at -= 1) {
    const [entry, otherEntry] = [one.entries[at], other.entries[at]];
    if (entry !== undefined && otherEntry !== undefined) {
      todo.push(otherEntry[1], entry[1], otherEntry[0], entry[0]);
    }
  }
  return 0;
}

function pushPairs(
  todo: Value[],
  ones: readonly Value[],
  others: readonly Value[],
  meter: Meter,
): void {
  meter.copy(ones.length);
  for (let at = ones.length - 1; at >= 0; at -= 1) {
    const one = ones[at];
    const other = others[at];
    if (one !== undefined && other !== undefined) todo.push(other, one);
  }
}
