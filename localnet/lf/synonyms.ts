import { validationError } from './errors.ts';
import type { LfModule } from './module.ts';
import { definitionText } from './pretty.ts';
import type { DefinitionId, Type } from './types.ts';

/** A type on the path of the search, and its parts that have not been visited yet. */
interface Step {
  readonly type: Type;
  readonly left: Type[];
}

/** The maximum number of names of a cycle that the error lists: the last ones. */
const SHOWN = 10;

/**
 * Checks that a module's synonyms are not cyclic. Types are shared, so each is visited only once for all synonyms.
 * Throws DAR_VALIDATION_ERROR.
 */
export function checkSynonyms(packageId: string, module: LfModule): void {
  const meaningOf = ({ packageId: of, module: inModule, name }: DefinitionId) =>
    of === packageId && inModule === module.name ? module.synonyms.get(name)?.type : undefined;
  const partsOf = (type: Type): Type[] => {
    const meaning = type.kind === 'synonym' ? meaningOf(type.id) : undefined;
    return meaning === undefined ? innerTypes(type) : [...innerTypes(type), meaning];
  };
  const done = new Set<Type>();
  for (const { type: start } of module.synonyms.values()) {
    // Depth-first search. The path contains no type twice, except if there is a cycle.
    const way: Step[] = [];
    const within = new Set<Type>();
    const enter = (type: Type): void => {
      way.push({ type, left: partsOf(type) });
      within.add(type);
    };
    if (!done.has(start)) enter(start);
    for (let last = way.at(-1); last !== undefined; last = way.at(-1)) {
      const next = last.left.pop();
      if (next === undefined) {
        way.pop();
        within.delete(last.type);
        done.add(last.type);
      } else if (within.has(next)) {
        throw validationError(`cycle in type synonym definitions ${circleText(way, next)}`);
      } else if (!done.has(next)) enter(next);
    }
  }
}

/** Returns the names of the synonyms of a cycle, starting where the path meets itself. */
function circleText(way: readonly Step[], start: Type): string {
  const circle = way.slice(way.findIndex(({ type }) => type === start));
  const names = circle.flatMap(({ type }) =>
    type.kind === 'synonym' ? [definitionText(type.id)] : [],
  );
  return names.slice(-SHOWN).join(' -> ');
}

function innerTypes(type: Type): Type[] {
  switch (type.kind) {
    case 'app':
      return [type.fun, type.arg];
    case 'forall':
      return [type.body];
    case 'struct':
      return type.fields.map((field) => field.type);
    case 'synonym':
      return [...type.args];
    case 'var':
    case 'nat':
    case 'con':
    case 'builtin':
      return [];
    default:
      return type satisfies never;
  }
}
