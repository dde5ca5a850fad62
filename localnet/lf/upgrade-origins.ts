import type { LfModule } from './module.ts';
import type { Type } from './types.ts';
import type { Spend } from './upgrade-types.ts';

/** The definition to which a data type belongs. */
export interface Origin {
  readonly kind: 'template' | 'choice' | 'constructor' | 'type';
  /** The definition's name in error messages. */
  readonly text: string;
  /** Equal if the definitions correspond to each other in two versions of the package. */
  readonly key: string;
}

/** Finds the origins of a module's data types. The module is read once, for any number of lookups. */
export class Origins {
  readonly #module: LfModule;
  readonly #spend: Spend;
  /** The template of each choice, by the name of the choice's argument record. */
  readonly #choices = new Map<string, string>();
  readonly #variants = new Map<string, ReadonlyMap<string, Type>>();

  /** @param spend counts each examined type */
  constructor(module: LfModule, spend: Spend) {
    this.#module = module;
    this.#spend = spend;
    for (const template of module.templates.values()) {
      const { prefix } = split(template.name);
      for (const choice of template.choices.keys()) {
        const input = `${prefix}.${choice}`;
        if (!this.#choices.has(input)) this.#choices.set(input, template.name);
      }
    }
  }

  /** Returns the origin of the data type with this name. */
  of(name: string): Origin {
    if (this.#module.templates.has(name)) {
      return { kind: 'template', text: `template ${name}`, key: `template ${name}` };
    }
    const { prefix, last } = split(name);
    const template = this.#choices.get(`${prefix}.${last}`);
    if (template !== undefined) {
      const text = `input type of choice ${last} on template ${template}`;
      return { kind: 'choice', text, key: text };
    }
    return (
      this.#constructorOrigin(prefix, last) ?? {
        kind: 'type',
        text: `data type ${name}`,
        key: `type ${name}`,
      }
    );
  }

  /**
   * Returns the origin of a record with a variant constructor's fields, which is named after the variant and the
   * constructor.
   */
  #constructorOrigin(variant: string, name: string): Origin | undefined {
    let head = this.#constructorsOf(variant)?.get(name);
    for (; head?.kind === 'app'; head = head.fun) this.#spend();
    if (head?.kind !== 'con') return undefined;
    const text = `variant constructor ${head.id.name} from variant ${variant}`;
    return { kind: 'constructor', text, key: `${text} ${head.id.module}` };
  }

  #constructorsOf(variant: string): ReadonlyMap<string, Type> | undefined {
    const known = this.#variants.get(variant);
    if (known !== undefined) return known;
    const shape = this.#module.dataTypes.get(variant)?.shape;
    if (shape?.kind !== 'variant') return undefined;
    const constructors = new Map(shape.constructors.map(({ name, type }) => [name, type]));
    this.#variants.set(variant, constructors);
    return constructors;
  }
}

/** Splits a dotted name into its prefix and its last segment. */
function split(name: string): { readonly prefix: string; readonly last: string } {
  const end = name.lastIndexOf('.');
  return { prefix: name.slice(0, Math.max(end, 0)), last: name.slice(end + 1) };
}
