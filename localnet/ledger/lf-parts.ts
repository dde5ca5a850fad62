import type { LfType } from './lf-types.ts';
import {
  VALUE_NESTING_MAX,
  canonicalNumeric,
  isContractId,
  isDate,
  isInt64,
  isParty,
  isText,
  isTimestamp,
} from './lf-values.ts';

/** A type within another type, and the function that returns its values within a value of the other type. */
interface Part {
  readonly type: LfType;
  readonly of: (value: unknown) => Iterable<unknown>;
}

const known = new WeakMap<LfType, readonly Part[]>();

function partsOf(type: LfType): readonly Part[] {
  const parts = known.get(type) ?? findParts(type);
  known.set(type, parts);
  return parts;
}

function findParts(type: LfType): readonly Part[] {
  switch (type.kind) {
    case 'optional':
      return [{ type: type.of, of: (value) => someOf(value as { readonly some: unknown } | null) }];
    case 'list':
      return [{ type: type.of, of: (value) => value as unknown[] }];
    case 'textMap':
      return [{ type: type.of, of: (value) => (value as ReadonlyMap<string, unknown>).values() }];
    case 'genMap':
      return [
        { type: type.key, of: (value) => (value as [unknown, unknown][]).map(([key]) => key) },
        { type: type.value, of: (value) => (value as [unknown, unknown][]).map(([, of]) => of) },
      ];
    case 'record':
      return type.fields.map((field) => ({
        type: field.type,
        of: (value) => [(value as Readonly<Record<string, unknown>>)[field.name]],
      }));
    case 'variant':
      return type.constructors.map(({ name, type: of }) => ({
        type: of,
        of: (value) => taggedWith(name, value as { readonly tag: string; readonly value: unknown }),
      }));
    case 'unit':
    case 'bool':
    case 'int64':
    case 'date':
    case 'timestamp':
    case 'numeric':
    case 'party':
    case 'text':
    case 'contractId':
    case 'enum':
      return [];
    default:
      throw new TypeError(`no such LF type: ${JSON.stringify(type satisfies never)}`);
  }
}

const someOf = (optional: { readonly some: unknown } | null): readonly unknown[] =>
  optional === null ? [] : [optional.some];

const taggedWith = (
  name: string,
  { tag, value }: { readonly tag: string; readonly value: unknown },
): readonly unknown[] => (tag === name ? [value] : []);

const depths = new WeakMap<LfType, number>();

/** Returns the maximum nesting depth of the type's values; infinite for a recursive type. */
function levelsOf(type: LfType): number {
  const known = depths.get(type);
  if (known !== undefined) return known;
  // The result for a recursive type is set first, because computing the depth asks for the type's own depth.
  depths.set(type, Number.POSITIVE_INFINITY);
  const levels = 1 + Math.max(0, ...partsOf(type).map((part) => levelsOf(part.type)));
  depths.set(type, levels);
  return levels;
}

function levelsOfValue(type: LfType, value: unknown): number {
  let deepest = 0;
  for (const part of partsOf(type)) {
    for (const inner of part.of(value))
      deepest = Math.max(deepest, levelsOfValue(part.type, inner));
  }
  return 1 + deepest;
}

/** The nesting of the outermost value is 0, so the limit permits one more level than its number. */
const LEVELS_MAX = VALUE_NESTING_MAX + 1;

/**
 * Returns whether a value that contract code built is nested too deeply. If the type rules this out, the value is not
 * examined.
 */
export const nestsTooDeeply = (type: LfType, value: unknown): boolean =>
  levelsOf(type) > LEVELS_MAX && levelsOfValue(type, value) > LEVELS_MAX;

const holdsContractIds = new WeakMap<LfType, boolean>();

/** Returns whether values of the type can contain contract IDs. For recursive types the answer is always yes. */
function canHoldContractIds(type: LfType): boolean {
  const known = holdsContractIds.get(type);
  if (known !== undefined) return known;
  holdsContractIds.set(type, true);
  const can =
    type.kind === 'contractId' || partsOf(type).some((part) => canHoldContractIds(part.type));
  holdsContractIds.set(type, can);
  return can;
}

/** Yields the contract IDs within a value. */
export function* contractIdsIn(type: LfType, value: unknown): Generator<string, void, undefined> {
  if (type.kind === 'contractId') yield value as string;
  else if (canHoldContractIds(type)) {
    for (const part of partsOf(type)) {
      for (const inner of part.of(value)) yield* contractIdsIn(part.type, inner);
    }
  }
}

/** Returns whether the value is valid for the type: it is in the type's range and can be written. */
function isInRange(type: LfType, value: unknown): boolean {
  switch (type.kind) {
    case 'int64':
      return isInt64(value as bigint);
    case 'timestamp':
      return isTimestamp(value as bigint);
    case 'date':
      return isDate(value as number);
    case 'numeric':
      return canonicalNumeric(value as string, type.scale) === value;
    case 'text':
      return isText(value as string);
    case 'party':
      return isParty(value as string);
    case 'contractId':
      return isContractId(value as string);
    case 'textMap':
      return [...(value as ReadonlyMap<string, unknown>).keys()].every(isText);
    case 'unit':
    case 'bool':
    case 'optional':
    case 'list':
    case 'genMap':
    case 'record':
    case 'variant':
    case 'enum':
      return true;
    default:
      throw new TypeError(`no such LF type: ${JSON.stringify(type satisfies never)}`);
  }
}

/**
 * Returns the type of a part that no ledger could write, in a value that contract code built; `undefined` if all parts
 * can be written.
 */
export function unwritablePart(type: LfType, value: unknown): LfType | undefined {
  if (!isInRange(type, value)) return type;
  for (const part of partsOf(type)) {
    for (const inner of part.of(value)) {
      const found = unwritablePart(part.type, inner);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}
