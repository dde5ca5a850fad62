import type { DataType } from './module.ts';
import type { Origin } from './upgrade-origins.ts';
import type { TypeComparison } from './upgrade-types.ts';
import type { Type, TypedName } from './types.ts';

interface Versions<T> {
  readonly past: T;
  readonly present: T;
}

/** Returns why values of a data type would be invalid in its later version, with a participant's message. */
export function shapeDefect(
  name: string,
  origin: Origin,
  { past, present }: Versions<DataType>,
  types: TypeComparison,
): string | undefined {
  const [from, to] = [past.shape, present.shape];
  if (from.kind === 'record' && to.kind === 'record') {
    return fieldsDefect(origin, { past: from.fields, present: to.fields }, types);
  }
  if (from.kind === 'variant' && to.kind === 'variant') {
    return variantDefect(origin, { past: from.constructors, present: to.constructors }, types);
  }
  if (from.kind === 'enum' && to.kind === 'enum') {
    return constructorsDefect(
      origin,
      { past: from.constructors, present: to.constructors },
      'enum',
    );
  }
  if (from.kind === to.kind) return undefined;
  return `The upgraded data type ${name} has changed from a ${from.kind} to a ${to.kind}. Datatypes cannot change variety via upgrades.`;
}

function fieldsDefect(
  { text, kind }: Origin,
  { past, present }: Versions<readonly TypedName[]>,
  types: TypeComparison,
): string | undefined {
  const later = new Map(present.map(({ name, type }) => [name, type]));
  if (past.some(({ name }) => !later.has(name))) {
    return `The upgraded ${text} is missing some of its original fields.`;
  }
  if (past.some(({ name, type }) => !isSame(types, type, later.get(name)))) {
    return `The upgraded ${text} has changed the types of some of its original fields.`;
  }
  const former = new Set(past.map(({ name }) => name));
  if (present.some(({ name, type }) => !former.has(name) && !isOptional(type))) {
    return kind === 'constructor'
      ? `The upgraded ${text} has added a field.`
      : `The upgraded ${text} has added new fields, but those fields are not Optional.`;
  }
  if (past.every(({ name }, index) => present[index]?.name === name)) return undefined;
  return `The upgraded ${text} has changed the order of its fields - any new fields must be added at the end of the record.`;
}

function variantDefect(
  origin: Origin,
  { past, present }: Versions<readonly TypedName[]>,
  types: TypeComparison,
): string | undefined {
  const later = new Map(present.map(({ name, type }) => [name, type]));
  const changed = past.some(
    ({ name, type }) => later.has(name) && !isSame(types, type, later.get(name)),
  );
  const names = (constructors: readonly TypedName[]) => constructors.map(({ name }) => name);
  if (changed && past.every(({ name }) => later.has(name))) {
    return `The upgraded ${origin.text} has changed the type of a variant.`;
  }
  return constructorsDefect(origin, { past: names(past), present: names(present) }, 'variant');
}

function constructorsDefect(
  { text }: Origin,
  { past, present }: Versions<readonly string[]>,
  kind: 'variant' | 'enum',
): string | undefined {
  const later = new Set(present);
  if (past.some((name) => !later.has(name))) {
    return `The upgraded ${text} has removed an existing variant.`;
  }
  if (past.every((name, index) => present[index] === name)) return undefined;
  return `The upgraded ${text} has changed the order of its variants - any new variant must be added at the end of the ${kind}.`;
}

const isSame = (types: TypeComparison, past: Type, present: Type | undefined): boolean =>
  present !== undefined && types.isSame(past, present);

const isOptional = (type: Type): boolean =>
  type.kind === 'app' && type.fun.kind === 'builtin' && type.fun.builtin === 'Optional';
