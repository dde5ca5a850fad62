import type { Choice, DataType, Interface, LfModule, Template } from './module.ts';
import type { LfPackage } from './package.ts';
import { typeText } from './pretty.ts';
import type { TypedName } from './types.ts';

/** A package as people read it. Types are text. */
export interface PackageDescription {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /** `2.1` to `2.3`; absent where LocalNet has a description of its own only. */
  readonly languageVersion?: string;
  readonly modules: readonly ModuleDescription[];
}

export interface ModuleDescription {
  readonly name: string;
  readonly templates: readonly TemplateDescription[];
  readonly interfaces: readonly InterfaceDescription[];
  /** Data types whose values can be stored. */
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
  /** `Module:Name` each. */
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

const fieldsOf = (fields: readonly TypedName[]): readonly FieldDescription[] =>
  fields.map(({ name, type }) => ({ name, type: typeText(type) }));

const nameOf = ({ module, name }: { readonly module: string; readonly name: string }): string =>
  `${module}:${name}`;

const choicesOf = (choices: ReadonlyMap<string, Choice>): readonly ChoiceDescription[] =>
  Array.from(choices.values(), ({ name, isConsuming, argument, result }) => ({
    name,
    consuming: isConsuming,
    argument: typeText(argument),
    result: typeText(result),
  }));

/** What is in a package, apart from what expressions do. */
export const describePackage = ({
  id,
  name,
  version,
  minor,
  modules,
}: LfPackage): PackageDescription => ({
  id,
  name,
  version,
  languageVersion: `2.${minor}`,
  modules: Array.from(modules.values(), describeModule),
});

function describeModule(module: LfModule): ModuleDescription {
  return {
    name: module.name,
    templates: Array.from(module.templates.values(), (template) =>
      describeTemplate(module, template),
    ),
    interfaces: Array.from(module.interfaces.values(), describeInterface),
    types: Array.from(module.dataTypes.values()).flatMap((data) =>
      module.templates.has(data.name) ? [] : describeType(data),
    ),
  };
}

function describeTemplate(
  module: LfModule,
  { name, key, choices, implements: instances }: Template,
): TemplateDescription {
  const shape = module.dataTypes.get(name)?.shape;
  return {
    name,
    fields: shape?.kind === 'record' ? fieldsOf(shape.fields) : [],
    ...(key === undefined ? {} : { key: typeText(key) }),
    choices: choicesOf(choices),
    implements: instances.map(({ id }) => nameOf(id)),
  };
}

const describeInterface = ({ name, view, choices, requires }: Interface): InterfaceDescription => ({
  name,
  view: typeText(view),
  choices: choicesOf(choices),
  requires: requires.map(nameOf),
});

function describeType({
  name,
  params,
  shape,
  isSerializable,
}: DataType): readonly TypeDescription[] {
  if (!isSerializable || shape.kind === 'interface') return [];
  const parts =
    shape.kind === 'enum'
      ? shape.constructors.map((of) => ({ name: of }))
      : fieldsOf(shape.kind === 'record' ? shape.fields : shape.constructors);
  return [{ name, params: params.map((param) => param.name), kind: shape.kind, parts }];
}
