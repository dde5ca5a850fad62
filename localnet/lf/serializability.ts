import { validationError } from './errors.ts';
import { dataTypeIn } from './library.ts';
import type { Library } from './library.ts';
import type { DataType } from './module.ts';
import { typeText } from './pretty.ts';
import type { Steps } from './steps.ts';
import type { Builtin, DefinitionId, Type, TypeVar } from './types.ts';

/**
 * For each builtin type whose values can be stored, its number of type arguments. Values of other builtins cannot be
 * stored.
 */
const STORABLE: Partial<Record<Builtin, number>> = {
  Unit: 0,
  Bool: 0,
  Int64: 0,
  Date: 0,
  Timestamp: 0,
  Party: 0,
  Text: 0,
  AnyException: 0,
  Numeric: 1,
  ContractId: 1,
  Optional: 1,
  List: 1,
  TextMap: 1,
  GenMap: 2,
};
const REASONS: Partial<Record<Builtin, string>> = {
  Numeric: 'unapplied Numeric',
  ContractId: 'ContractId not applied to a template type',
  Optional: 'unapplied Option',
  List: 'unapplied List',
  TextMap: 'unapplied TextMap',
  GenMap: 'unapplied GenMap',
  Arrow: 'function type',
};

/** Why a type must be serialisable: it is a template's payload, a choice's argument, … */
export interface Requirement {
  /** Where the type is used: ` in template …` */
  readonly where: string;
  readonly problem: string;
}

const TOO_LARGE = 'the types of its definitions are too large';

/**
 * Checks that values of a type can be stored on a ledger. Throws DAR_VALIDATION_ERROR.
 *
 * @param steps limit for all packages that arrive together with the type's package
 * @param vars type variables that stand for types whose values can be stored
 */
export function requireSerializable(
  { library, steps }: { readonly library: Library; readonly steps: Steps },
  type: Type,
  requirement: Requirement,
  vars: readonly TypeVar[] = [],
): void {
  const names = new Set(vars.map(({ name }) => name));
  const seen = new Set<Type>();
  const todo = [type];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    const { head, args } = spine(next);
    steps.take(1 + args.length, TOO_LARGE);
    const reason = unserializable(library, head, args, names);
    if (reason !== undefined) throw notSerializable(type, reason, requirement);
    // A contract ID contains no value of its argument type, and the scale of a numeric is not a type of values.
    const isOpaque = head.kind === 'builtin' && ['ContractId', 'Numeric'].includes(head.builtin);
    if (!isOpaque) todo.push(...args);
  }
}

const NO_TYPES: readonly Type[] = [];

/** Splits a type into the applied type and its arguments. */
export function spine(type: Type): { readonly head: Type; readonly args: readonly Type[] } {
  if (type.kind !== 'app') return { head: type, args: NO_TYPES };
  const args: Type[] = [];
  let head: Type = type;
  while (head.kind === 'app') {
    args.push(head.arg);
    head = head.fun;
  }
  return { head, args: args.reverse() };
}

function unserializable(
  library: Library,
  head: Type,
  args: readonly Type[],
  vars: ReadonlySet<string>,
): string | undefined {
  switch (head.kind) {
    case 'var':
      if (!vars.has(head.name)) return `free type variable ${head.name}`;
      return args.length === 0 ? undefined : `higher-kinded type variable ${head.name}`;
    case 'nat':
      return 'Nat';
    case 'con':
      return unserializableData(dataTypeIn(library, head.id), head.id, args.length);
    case 'builtin': {
      const takes = STORABLE[head.builtin];
      const isWhole =
        takes === args.length && (head.builtin !== 'Numeric' || args[0]?.kind === 'nat');
      return isWhole ? undefined : (REASONS[head.builtin] ?? head.builtin);
    }
    case 'synonym':
      return `type synonym ${head.id.module}:${head.id.name}`;
    case 'forall':
      return 'higher-ranked type';
    case 'struct':
      return 'structural record';
    case 'app':
      return 'application';
    default:
      return head satisfies never;
  }
}

function unserializableData(
  data: DataType | undefined,
  id: DefinitionId,
  args: number,
): string | undefined {
  const isWhole = data?.isSerializable === true && data.params.length === args;
  return isWhole ? undefined : `unserializable data type ${id.module}:${id.name}`;
}

export const notSerializable = (type: Type, reason: string, { where, problem }: Requirement) =>
  validationError(
    `expected serializable type:\n * reason: ${reason}\n * found: ${typeText(type)}\n * problem: ${problem}`,
    where,
  );
