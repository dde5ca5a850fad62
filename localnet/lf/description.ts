import type { Choice, DataType, Interface, LfModule, Template } from './module.ts';
import type { LfPackage } from './package.ts';
import { TypeTexts } from './pretty.ts';
import type { TypedName } from './types.ts';

/** Describes a package for people. Types are shown as text. */
export interface PackageDescription {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /** `2.1` to `2.3`; absent if LocalNet only has its own description of the package. */
  readonly languageVersion?: string;
  readonly modules: readonly ModuleDescription[];
}

export interface ModuleDescription {
  readonly name: string;
  readonly templates: readonly TemplateDescription[];
  readonly interfaces: readonly InterfaceDescription[];
  /** Data types whose values can be stored on a ledger. */
  readonly types: readonly TypeDescription[];
}

export interface FieldDescription {
  readonly name: string;
  readonly type: string;
}

export interface ChoiceDescription {
  readonly name: string;
  readonly consuming: boolean;
  readonly argument: string;
  readonly result: string;
}

interface TemplateDescription {
  readonly name: string;
  readonly fields: readonly FieldDescription[];
  readonly key?: string;
  readonly choices: readonly ChoiceDescription[];
  /** Interfaces, each as `Module:Name`. */
  readonly implements: readonly string[];
}

interface InterfaceDescription {
  readonly name: string;
  readonly view: string;
  readonly choices: readonly ChoiceDescription[];
  readonly requires: readonly string[];
}

interface TypeDescription {
  readonly name: string;
  readonly params: readonly string[];
  readonly kind: 'record' | 'variant' | 'enum';
  /** Constructors of an enum have no types. */
  readonly parts: readonly { readonly name: string; readonly type?: string }[];
}

const nameOf = ({ module, name }: { readonly module: string; readonly name: string }): string =>
  `${module}:${name}`;

/** Describes a package's contents, but not what its expressions do. */
export function describePackage({
  id,
  name,
  version,
  minor,
  modules,
}: LfPackage): PackageDescription {
  const describer = new Describer();
  return {
    id,
    name,
    version,
    languageVersion: `2.${minor}`,
    modules: Array.from(modules.values(), (module) => describer.module(module)),
  };
}

class Describer {
  readonly #texts = new TypeTexts();

  module(module: LfModule): ModuleDescription {
    const { name, templates, interfaces, dataTypes } = module;
    return {
      name,
      templates: Array.from(templates.values(), (each) => this.#template(module, each)),
      interfaces: Array.from(interfaces.values(), (each) => this.#interface(each)),
      types: Array.from(dataTypes.values()).flatMap((data) =>
        templates.has(data.name) ? [] : this.#type(data),
      ),
    };
  }

  #template(
    module: LfModule,
    { name, key, choices, implements: instances }: Template,
  ): TemplateDescription {
    const shape = module.dataTypes.get(name)?.shape;
    return {
      name,
      fields: shape?.kind === 'record' ? this.#fields(shape.fields) : [],
      ...(key === undefined ? {} : { key: this.#texts.of(key) }),
      choices: this.#choices(choices),
      implements: instances.map(({ id }) => nameOf(id)),
    };
  }

  #interface({ name, view, choices, requires }: Interface): InterfaceDescription {
    return {
      name,
      view: this.#texts.of(view),
      choices: this.#choices(choices),
      requires: requires.map(nameOf),
    };
  }

  #choices(choices: ReadonlyMap<string, Choice>): readonly ChoiceDescription[] {
    return Array.from(choices.values(), ({ name, isConsuming, argument, result }) => ({
      name,
      consuming: isConsuming,
      argument: this.#texts.of(argument),
      result: this.#texts.of(result),
    }));
  }

  #type({ name, params, shape, isSerializable }: DataType): readonly TypeDescription[] {
    if (!isSerializable || shape.kind === 'interface') return [];
    const parts =
      shape.kind === 'enum'
        ? shape.constructors.map((of) => ({ name: of }))
        : this.#fields(shape.kind === 'record' ? shape.fields : shape.constructors);
    return [{ name, params: params.map((param) => param.name), kind: shape.kind, parts }];
  }

  #fields(fields: readonly TypedName[]): readonly FieldDescription[] {
    return fields.map(({ name, type }) => ({ name, type: this.#texts.of(type) }));
  }
}
