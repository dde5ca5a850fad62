import { definitionText } from './pretty.ts';
import type { Library } from './library.ts';
import type { DefinitionId, Type } from './types.ts';
import { compareVersions } from './versions.ts';

/** Compares types of a package with those of the one that it upgrades, inside one definition of each. */
export class TypeComparison {
  readonly #library: Library;
  readonly #pastVars: ReadonlyMap<string, number>;
  readonly #presentVars: ReadonlyMap<string, number>;
  /** Types are shared, so each pair is looked at once. */
  readonly #same = new Map<Type, Set<Type>>();

  /** The variables of both definitions, in order. */
  constructor(library: Library, pastVars: readonly string[], presentVars: readonly string[]) {
    this.#library = library;
    this.#pastVars = new Map(pastVars.map((name, index) => [name, index]));
    this.#presentVars = new Map(presentVars.map((name, index) => [name, index]));
  }

  /** Whether a value of the one is a value of the other. */
  isSame(past: Type, present: Type): boolean {
    const todo: [Type, Type][] = [[past, present]];
    for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
      const [left, right] = next;
      if (this.#isKnown(left, right)) continue;
      if (left.kind === 'app' && right.kind === 'app') {
        todo.push([left.fun, right.fun], [left.arg, right.arg]);
      } else if (!this.#isSameHead(left, right)) return false;
    }
    return true;
  }

  #isKnown(past: Type, present: Type): boolean {
    const known = this.#same.get(past);
    if (known?.has(present) === true) return true;
    if (known === undefined) this.#same.set(past, new Set([present]));
    else known.add(present);
    return false;
  }

  #isSameHead(past: Type, present: Type): boolean {
    if (past.kind === 'var') {
      const depth = this.#pastVars.get(past.name);
      return present.kind === 'var' && depth === this.#presentVars.get(present.name);
    }
    if (past.kind === 'nat') return present.kind === 'nat' && past.value === present.value;
    if (past.kind === 'builtin') {
      return present.kind === 'builtin' && past.builtin === present.builtin;
    }
    return past.kind === 'con' && present.kind === 'con' && this.#isUpgraded(past.id, present.id);
  }

  /** The same name in the same package, or in a later version of it. */
  #isUpgraded(past: DefinitionId, present: DefinitionId): boolean {
    if (past.module !== present.module || past.name !== present.name) return false;
    if (past.packageId === present.packageId) return true;
    const [from, to] = [
      this.#library.package(past.packageId),
      this.#library.package(present.packageId),
    ];
    if (from === undefined || to === undefined)
      return definitionText(past) === definitionText(present);
    return from.name === to.name && compareVersions(from.version, to.version) <= 0;
  }
}
