import { validationError } from './errors.ts';
import { interfaceIn } from './library.ts';
import type { Library } from './library.ts';
import type { Interface, Template } from './module.ts';
import { definitionText } from './pretty.ts';
import type { Steps } from './steps.ts';
import type { DefinitionId } from './types.ts';

const TOO_MANY = 'its interfaces require too many others, or have too many methods';

/** Checks interfaces of a package and their instances. What an interface requires is read once. */
export class InterfaceChecks {
  readonly #library: Library;
  readonly #steps: Steps;
  readonly #required = new Map<Interface, ReadonlyMap<string, DefinitionId>>();

  /** @param steps of the packages that arrive with the one that is checked */
  constructor({ library, steps }: { readonly library: Library; readonly steps: Steps }) {
    this.#library = library;
    this.#steps = steps;
  }

  /** Whether an interface requires all that those that it requires do, and not itself. DAR_VALIDATION_ERROR. */
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
  }

  /** Whether a template implements whole interfaces. DAR_VALIDATION_ERROR. */
  checkInstances(template: Template, where: string): void {
    const implemented = new Set(template.implements.map(({ id }) => this.#textOf(id)));
    for (const { id, methods } of template.implements) {
      const of = this.#lookUp(id, where);
      const missing = this.#firstMissing(of, implemented);
      if (missing !== undefined) {
        throw validationError(
          `Missing required interface instance ${missing} for template ${template.name}, required by interface ${definitionText(id)}`,
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

  /** Each once, in the package's order. */
  #requiredBy(of: Interface): ReadonlyMap<string, DefinitionId> {
    const known = this.#required.get(of);
    if (known !== undefined) return known;
    const required = new Map(of.requires.map((id) => [this.#textOf(id), id]));
    this.#required.set(of, required);
    return required;
  }

  /** What an interface requires that is not among what is there. */
  #firstMissing(of: Interface, there: { has(text: string): boolean }): string | undefined {
    const required = this.#requiredBy(of);
    this.#steps.take(1 + required.size, TOO_MANY);
    for (const text of required.keys()) if (!there.has(text)) return text;
    return undefined;
  }
}
