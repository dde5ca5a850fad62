import type { Library } from './library.ts';
import type { Choice, DataType, LfModule, Template } from './module.ts';
import type { LfPackage } from './package.ts';
import { definitionText } from './pretty.ts';
import { shapeDefect } from './upgrade-shapes.ts';
import { Origins } from './upgrade-origins.ts';
import { TypeComparisons } from './upgrade-types.ts';
import type { Spend, TypeComparison } from './upgrade-types.ts';

/** A package's past and present version. */
export interface Pair<T> {
  readonly past: T;
  readonly present: T;
}

const missing = (what: string): string =>
  `${what} appears in package that is being upgraded, but does not appear in the upgrading package.`;

/** Returns the first defined result. */
function firstOf<T>(items: Iterable<T>, find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Returns why a package is not an upgrade of another one, with a participant's message; `undefined` if it is an
 * upgrade.
 *
 * @param library all packages to which either package refers
 * @param spend counts each examined type, and ends the comparison by throwing. @default no limit
 */
export function upgradeDefect(
  library: Library,
  past: LfPackage,
  present: LfPackage,
  spend: Spend = () => undefined,
): string | undefined {
  if (past.minor > present.minor) {
    return `The upgraded package uses an older LF version (2.${present.minor} < 2.${past.minor})`;
  }
  for (const name of past.modules.keys()) {
    if (!present.modules.has(name)) return missing(`Module ${name}`);
  }
  const types = new TypeComparisons(library, spend);
  return firstOf(past.modules.values(), (module) => {
    const other = present.modules.get(module.name);
    return other === undefined
      ? undefined
      : new ModuleComparison({ past: module, present: other }, types, spend).defect();
  });
}

class ModuleComparison {
  readonly #modules: Pair<LfModule>;
  readonly #types: TypeComparisons;
  readonly #origins: Pair<Origins>;

  constructor(modules: Pair<LfModule>, types: TypeComparisons, spend: Spend) {
    this.#modules = modules;
    this.#types = types;
    this.#origins = {
      past: new Origins(modules.past, spend),
      present: new Origins(modules.present, spend),
    };
  }

  defect(): string | undefined {
    const { past, present } = this.#modules;
    for (const name of past.templates.names()) {
      if (!present.templates.has(name)) return missing(`Template ${name}`);
    }
    const pairs = [...past.templates.values()].flatMap((template) => {
      const other = present.templates.get(template.name);
      return other === undefined ? [] : [{ past: template, present: other }];
    });
    return (
      firstOf(pairs, (pair) => this.#templateDefect(pair)) ??
      firstOf(pairs, instanceDefect) ??
      this.#dataDefect()
    );
  }

  #templateDefect({ past, present }: Pair<Template>): string | undefined {
    for (const name of past.choices.keys()) {
      if (!present.choices.has(name)) return missing(`Choice ${name}`);
    }
    return (
      firstOf(past.choices.values(), (choice) =>
        this.#choiceDefect(choice, present.choices.get(choice.name)),
      ) ?? this.#keyDefect({ past, present })
    );
  }

  #choiceDefect(past: Choice, present: Choice | undefined): string | undefined {
    if (present === undefined || this.#compare([], []).isSame(past.result, present.result)) {
      return undefined;
    }
    return `The upgraded choice ${past.name} cannot change its return type.`;
  }

  #keyDefect({ past, present }: Pair<Template>): string | undefined {
    const of = `The upgraded template ${past.name} cannot`;
    if (past.key === undefined) return present.key === undefined ? undefined : `${of} add a key.`;
    if (present.key === undefined) return `${of} remove its key.`;
    return this.#compare([], []).isSame(past.key, present.key)
      ? undefined
      : `${of} change its key type.`;
  }

  /** Checks the data types, except those of interfaces and exceptions, which are compared together with these. */
  #dataDefect(): string | undefined {
    const { past, present } = this.#modules;
    const isOwn = (module: LfModule, name: string) =>
      !module.interfaces.has(name) && !module.exceptions.has(name);
    const types = [...past.dataTypes.values()].filter(({ name }) => isOwn(past, name));
    const presentOf = (name: string): DataType | undefined =>
      isOwn(present, name) ? present.dataTypes.get(name) : undefined;
    const gone = types.find(
      ({ name, isSerializable }) => isSerializable && presentOf(name) === undefined,
    );
    if (gone !== undefined) return missing(`Data type ${gone.name}`);
    return firstOf(types, (type) => {
      const other = presentOf(type.name);
      return other === undefined ? undefined : this.#typeDefect({ past: type, present: other });
    });
  }

  #typeDefect({ past, present }: Pair<DataType>): string | undefined {
    if (!past.isSerializable) return undefined;
    const { name } = past;
    const origin = this.#origins.present.of(name);
    const former = this.#origins.past.of(name);
    if (!present.isSerializable) {
      return `The upgraded ${origin.text} was serializable and is now unserializable. Datatypes cannot change their serializability via upgrades.`;
    }
    if (origin.key !== former.key) {
      return `The record ${name} has changed origin from ${former.text} to ${origin.text}`;
    }
    // Parameters of types whose values can be stored are types, so their kinds are equal.
    if (past.params.length !== present.params.length) {
      return `The upgraded ${origin.text} has changed the number of type variables it has.`;
    }
    const names = ({ params }: DataType) => params.map((param) => param.name);
    return shapeDefect(name, origin, { past, present }, this.#compare(names(past), names(present)));
  }

  #compare(pastVars: readonly string[], presentVars: readonly string[]): TypeComparison {
    return this.#types.of(pastVars, presentVars);
  }
}

function instanceDefect({ past, present }: Pair<Template>): string | undefined {
  const kept = new Set(present.implements.map(({ id }) => definitionText(id)));
  const gone = past.implements.map(({ id }) => definitionText(id)).find((id) => !kept.has(id));
  if (gone === undefined) return undefined;
  return `Implementation of interface ${gone} by template ${past.name} appears in package that is being upgraded, but does not appear in this package.`;
}
