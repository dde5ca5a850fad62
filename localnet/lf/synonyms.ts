import { validationError } from './errors.ts';
import type { LfModule } from './module.ts';
import type { Type } from './types.ts';

/** The names of one module's synonyms in a type. */
function synonymsIn(packageId: string, module: string, type: Type): readonly string[] {
  const found = new Set<string>();
  const seen = new Set<Type>();
  const todo = [type];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    if (next.kind === 'app') todo.push(next.fun, next.arg);
    if (next.kind === 'forall') todo.push(next.body);
    if (next.kind === 'struct') todo.push(...next.fields.map((field) => field.type));
    if (next.kind !== 'synonym') continue;
    todo.push(...next.args);
    if (next.id.packageId === packageId && next.id.module === module) found.add(next.id.name);
  }
  return [...found];
}

/** Whether synonyms of a module stand for each other in a circle. DAR_VALIDATION_ERROR. */
export function checkSynonyms(packageId: string, module: LfModule): void {
  const done = new Set<string>();
  for (const start of module.synonyms.names()) {
    // Depth first, with the way that led here, which has no loop while all goes well.
    const way: { readonly name: string; readonly left: string[] }[] = [];
    const within = new Set<string>();
    const enter = (name: string): void => {
      const synonym = module.synonyms.get(name);
      const left =
        synonym === undefined ? [] : [...synonymsIn(packageId, module.name, synonym.type)];
      way.push({ name, left });
      within.add(name);
    };
    if (!done.has(start)) enter(start);
    for (let last = way.at(-1); last !== undefined; last = way.at(-1)) {
      const next = last.left.pop();
      if (next === undefined) {
        way.pop();
        within.delete(last.name);
        done.add(last.name);
      } else if (within.has(next)) {
        const circle = way.map(({ name }) => `${packageId}:${module.name}:${name}`).slice(-10);
        throw validationError(`cycle in type synonym definitions ${circle.join(' -> ')}`);
      } else if (!done.has(next)) enter(next);
    }
  }
}
