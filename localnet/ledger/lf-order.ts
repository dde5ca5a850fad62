import type { LfType } from './lf-types.ts';
import { compareUtf8 } from './lf-values.ts';

type Comparison = number;

const compareNatural = <T extends bigint | number | boolean>(left: T, right: T): Comparison =>
  left < right ? -1 : left > right ? 1 : 0;

/**
 * Returns the number without its decimal point, as an integer. Numerics of one scale in canonical form can be compared
 * by it.
 */
const unscaled = (numeric: string) => BigInt(numeric.replace('.', ''));

function compareLists<T>(
  left: readonly T[],
  right: readonly T[],
  compare: (left: T, right: T) => Comparison,
): Comparison {
  for (const [index, item] of left.entries()) {
    const other = right[index];
    if (index >= right.length) return 1;
    const difference = compare(item, other as T);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

const compareEntries =
  (key: LfType, value: LfType) =>
  (
    [leftKey, leftValue]: readonly [unknown, unknown],
    [rightKey, rightValue]: readonly [unknown, unknown],
  ) =>
    compareValues(key, leftKey, rightKey) || compareValues(value, leftValue, rightValue);

/** Compares two Daml values of one type in the built-in order: returns a negative number, zero or a positive number. */
export function compareValues(type: LfType, left: unknown, right: unknown): Comparison {
  switch (type.kind) {
    case 'unit':
      return 0;
    case 'bool':
      return compareNatural(left as boolean, right as boolean);
    case 'date':
      return compareNatural(left as number, right as number);
    case 'int64':
    case 'timestamp':
      return compareNatural(left as bigint, right as bigint);
    case 'numeric':
      return compareNatural(unscaled(left as string), unscaled(right as string));
    case 'party':
    case 'text':
    case 'contractId':
      return compareUtf8(left as string, right as string);
    case 'enum':
      return type.constructors.indexOf(left as string) - type.constructors.indexOf(right as string);
    case 'optional':
      return compareOptionals(
        type.of,
        left as { some: unknown } | null,
        right as { some: unknown } | null,
      );
    case 'list':
      return compareLists(left as unknown[], right as unknown[], (a, b) =>
        compareValues(type.of, a, b),
      );
    case 'textMap':
      return compareLists(
        [...(left as ReadonlyMap<string, unknown>)],
        [...(right as ReadonlyMap<string, unknown>)],
        compareEntries({ kind: 'text' }, type.of),
      );
    case 'genMap':
      return compareLists(
        left as [unknown, unknown][],
        right as [unknown, unknown][],
        compareEntries(type.key, type.value),
      );
    case 'record':
      return compareRecords(
        type,
        left as Record<string, unknown>,
        right as Record<string, unknown>,
      );
    case 'variant':
      return compareVariants(type, left as Tagged, right as Tagged);
    default:
      throw new TypeError(`no such LF type: ${JSON.stringify(type satisfies never)}`);
  }
}

function compareOptionals(
  of: LfType,
  left: { some: unknown } | null,
  right: { some: unknown } | null,
): Comparison {
  if (left === null || right === null) return Number(left !== null) - Number(right !== null);
  return compareValues(of, left.some, right.some);
}

function compareRecords(
  { fields }: LfType & { readonly kind: 'record' },
  left: Record<string, unknown>,
  right: Record<string, unknown>,
): Comparison {
  for (const { name, type } of fields) {
    const difference = compareValues(type, left[name], right[name]);
    if (difference !== 0) return difference;
  }
  return 0;
}

interface Tagged {
  readonly tag: string;
  readonly value: unknown;
}

function compareVariants(
  { constructors }: LfType & { readonly kind: 'variant' },
  left: Tagged,
  right: Tagged,
): Comparison {
  const indexOf = ({ tag }: Tagged) => constructors.findIndex(({ name }) => name === tag);
  const found = constructors[indexOf(left)];
  if (left.tag !== right.tag || found === undefined) return indexOf(left) - indexOf(right);
  return compareValues(found.type, left.value, right.value);
}

/** Sorts the entries of a gen map by key, in ledger order. If two keys are equal, the later entry is kept. */
export function sortedGenMap(
  key: LfType,
  entries: readonly (readonly [unknown, unknown])[],
): readonly (readonly [unknown, unknown])[] {
  const sorted = entries.toSorted(([left], [right]) => compareValues(key, left, right));
  return sorted.filter(([own], index) => {
    const next = sorted[index + 1];
    return next === undefined || compareValues(key, own, next[0]) !== 0;
  });
}
