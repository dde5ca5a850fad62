import { definitionText } from './pretty.ts';
import type { Library } from './library.ts';
import type { DefinitionId, Type } from './types.ts';
import { compareVersions } from './versions.ts';

/** Counts one step. Throws if the limit is exceeded. */
export type Spend = () => void;

/** Larger than the number of types in any package's table. */
const IDS_MAX = 2 ** 26;

/** Compares the types of one pair of packages. The result that two types are equal is reused in all definitions. */
export class TypeComparisons {
  readonly #library: Library;
  readonly #spend: Spend;
  readonly #byVars = new Map<string, TypeComparison>();

  constructor(library: Library, spend: Spend) {
    this.#library = library;
    this.#spend = spend;
  }

  /** Returns a comparison within definitions with these type variables, in order. */
  of(pastVars: readonly string[], presentVars: readonly string[]): TypeComparison {
    const key = `${pastVars.join(' ')}/${presentVars.join(' ')}`;
    const known = this.#byVars.get(key);
    if (known !== undefined) return known;
    const made = new TypeComparison(this.#library, this.#spend, pastVars, presentVars);
    this.#byVars.set(key, made);
    return made;
  }
}

/** Compares a package's types with those of the package that it upgrades, within one definition of each. */
export class TypeComparison {
  readonly #library: Library;
  readonly #spend: Spend;
  readonly #pastVars: ReadonlyMap<string, number>;
  readonly #presentVars: ReadonlyMap<string, number>;
  readonly #ids = new Map<Type, number>();
  /** Pairs of types that were compared already. Types are shared, so each pair is compared only once. */
  readonly #same = new Set<number>();

  constructor(
    library: Library,
    spend: Spend,
    pastVars: readonly string[],
    presentVars: readonly string[],
  ) {
    this.#library = library;
    this.#spend = spend;
    this.#pastVars = new Map(pastVars.map((name, index) => [name, index]));
    this.#presentVars = new Map(presentVars.map((name, index) => [name, index]));
  }

  /** Returns whether values of one type are values of the other. */
  isSame(past: Type, present: Type): boolean {
    const todo: [Type, Type][] = [[past, present]];
    for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
      const [left, right] = next;
      this.#spend();
      if (left.kind !== 'app' || right.kind !== 'app') {
        if (this.#isSameHead(left, right)) continue;
        // Types that contain this pair were assumed to be equal, so the cache is cleared.
        this.#same.clear();
        return false;
      } else if (this.#isNew(left, right)) {
        todo.push([left.fun, right.fun], [left.arg, right.arg]);
      }
    }
    return true;
  }

  #isNew(past: Type, present: Type): boolean {
    const pair = this.#idOf(past) * IDS_MAX + this.#idOf(present);
    if (this.#same.has(pair)) return false;
    this.#same.add(pair);
    return true;
  }

  #idOf(type: Type): number {
    const id = this.#ids.get(type) ?? this.#ids.size;
    this.#ids.set(type, id);
    return id;
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

  /** Returns whether the names are equal, in the same package or in a later version of it. */
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
