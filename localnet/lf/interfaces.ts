import { validationError } from './errors.ts';
import { dataTypeIn, interfaceIn } from './library.ts';
import type { Library } from './library.ts';
import type { Interface, Template } from './module.ts';
import { definitionText, typeText } from './pretty.ts';
import type { Steps } from './steps.ts';
import type { DefinitionId, Type } from './types.ts';

/** Names of types that are not records, for the error that an interface's view must be a record. */
const NO_RECORDS: Readonly<Record<Exclude<Type['kind'], 'con' | 'app'>, string>> = {
  var: 'a type variable',
  synonym: 'a type synonym',
  builtin: 'a built-in type',
  forall: 'a forall-quantified type',
  struct: 'a structural record',
  nat: 'a type-level natural number',
};
const NO_RECORD_SHAPES = {
  variant: 'a variant type',
  enum: 'an enum type',
  interface: 'a interface type',
} as const;

const TOO_MANY = 'its interfaces require too many others, or have too many methods';

/** Checks interfaces of a package and their instances. The required interfaces are read once for each interface. */
export class InterfaceChecks {
  readonly #library: Library;
  readonly #steps: Steps;
  readonly #required = new Map<Interface, ReadonlyMap<string, DefinitionId>>();

  /** @param steps limit for all packages that arrive together with the checked one */
  constructor({ library, steps }: { readonly library: Library; readonly steps: Steps }) {
    this.#library = library;
    this.#steps = steps;
  }

  /**
   * Checks that an interface also requires the interfaces that its required ones require, that it does not require
   * itself, and that its view is a record. Throws DAR_VALIDATION_ERROR.
   */
  checkInterface(id: DefinitionId, of: Interface): void {
    const own = definitionText(id);
    const where = ` in interface ${own}`;
    const required = this.#requiredBy(of);
    if (required.has(own)) {
      throw validationError(
        `Circular interface requirement is not allowed: interface ${own} requires itself.`,
        where,
      );
    }
    for (const [text, one] of required) {
      const missing = this.#firstMissing(this.#lookUp(one, where), required);
      if (missing === undefined) continue;
      throw validationError(
        `Interface ${own} is missing requirements ${missing} required by ${text}`,
        where,
      );
    }
    const defect = this.#viewDefect(of.view);
    if (defect === undefined) return;
    throw validationError(
      `expected monomorphic record type in view type, but found ${defect}: ${typeText(of.view)}`,
      where,
    );
  }

  #viewDefect(view: Type): string | undefined {
    const data = view.kind === 'con' ? dataTypeIn(this.#library, view.id) : undefined;
    if (view.kind === 'app' || (data !== undefined && data.params.length > 0)) {
      return 'a type constructor with type variables';
    }
    if (view.kind !== 'con') return `${NO_RECORDS[view.kind]} instead`;
    const kind = data?.shape.kind;
    return kind === undefined || kind === 'record'
      ? undefined
      : `${NO_RECORD_SHAPES[kind]} instead`;
  }

  /** Checks that a template implements all required interfaces with all their methods. Throws DAR_VALIDATION_ERROR. */
  checkInstances(templateId: DefinitionId, template: Template): void {
    const implemented = new Set(template.implements.map(({ id }) => this.#textOf(id)));
    for (const { id, methods } of template.implements) {
      const instance = `${this.#textOf(id)} for ${definitionText(templateId)}`;
      const where = ` in interface instance ${instance}`;
      const of = this.#lookUp(id, where);
      const missing = this.#firstMissing(of, implemented);
      if (missing !== undefined) {
        throw validationError(
          `Missing required interface instance ${missing} for ${definitionText(templateId)}, required by interface ${definitionText(id)}`,
          where,
        );
      }
      this.#steps.take(of.methods.length, TOO_MANY);
      const implementedHere = new Set(methods);
      const lacking = of.methods.find(({ name }) => !implementedHere.has(name));
      if (lacking !== undefined) {
        throw validationError(
          `Interface instance lacks an implementation for method '${lacking.name}'.`,
          where,
        );
      }
      const named = new Set(of.methods.map(({ name }) => name));
      const extra = methods.find((name) => !named.has(name));
      if (extra !== undefined) {
        throw validationError(
          `Tried to implement method ${extra} but interface ${definitionText(id)} does not have a method with that name.`,
          where,
        );
      }
    }
  }

  #textOf(id: DefinitionId): string {
    const text = definitionText(id);
    this.#steps.takeText(text, TOO_MANY);
    return text;
  }

  #lookUp(id: DefinitionId, where: string): Interface {
    const found = interfaceIn(this.#library, id);
    if (found !== undefined) return found;
    throw validationError(`unknown interface ${definitionText(id)}`, where);
  }

  /** Returns each required interface once, in the package's order. */
  #requiredBy(of: Interface): ReadonlyMap<string, DefinitionId> {
    const known = this.#required.get(of);
    if (known !== undefined) return known;
    const required = new Map(of.requires.map((id) => [this.#textOf(id), id]));
    this.#required.set(of, required);
    return required;
  }

  /** Returns the name of the first required interface that is missing. */
  #firstMissing(of: Interface, there: { has(text: string): boolean }): string | undefined {
    const required = this.#requiredBy(of);
    this.#steps.take(1 + required.size, TOO_MANY);
    for (const text of required.keys()) if (!there.has(text)) return text;
    return undefined;
  }
}
