import type { LfType } from './lf-types.ts';
import { VALUE_NESTING_MAX } from './lf-values.ts';

const depths = new WeakMap<LfType, number>();

/** Levels that a value of the type can have at most; of a type that contains itself there is no most. */
function levelsOf(type: LfType): number {
  const known = depths.get(type);
  if (known !== undefined) return known;
  // What asks again before there is an answer is part of the type that it asks about.
  depths.set(type, Number.POSITIVE_INFINITY);
  const levels = 1 + Math.max(0, ...partsOf(type).map(levelsOf));
  depths.set(type, levels);
  return levels;
}

function partsOf(type: LfType): readonly LfType[] {
  switch (type.kind) {
    case 'optional':
    case 'list':
    case 'textMap':
      return [type.of];
    case 'genMap':
      return [type.key, type.value];
    case 'record':
      return type.fields.map((field) => field.type);
    case 'variant':
      return type.constructors.map((constructor) => constructor.type);
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

function levelsOfValue(type: LfType, value: unknown): number {
  return 1 + Math.max(0, ...innerOf(type, value).map(([of, inner]) => levelsOfValue(of, inner)));
}

function innerOf(type: LfType, value: unknown): readonly (readonly [LfType, unknown])[] {
  switch (type.kind) {
    case 'optional': {
      const optional = value as { readonly some: unknown } | null;
      return optional === null ? [] : [[type.of, optional.some]];
    }
    case 'list':
      return (value as unknown[]).map((item) => [type.of, item]);
    case 'textMap':
      return Array.from(value as ReadonlyMap<string, unknown>, ([, item]) => [type.of, item]);
    case 'genMap':
      return (value as [unknown, unknown][]).flatMap(([key, item]) => [
        [type.key, key] as const,
        [type.value, item] as const,
      ]);
    case 'record': {
      const record = value as Readonly<Record<string, unknown>>;
      return type.fields.map((field) => [field.type, record[field.name]]);
    }
    case 'variant': {
      const { tag, value: inner } = value as { readonly tag: string; readonly value: unknown };
      const found = type.constructors.find(({ name }) => name === tag);
      return found === undefined ? [] : [[found.type, inner]];
    }
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

/** Whether a value that a contract has built nests too deeply. Types that cannot are not looked into. */
export const nestsTooDeeply = (type: LfType, value: unknown): boolean =>
  levelsOf(type) > VALUE_NESTING_MAX && levelsOfValue(type, value) > VALUE_NESTING_MAX;
