import type {
  ChoiceDescription,
  ModuleDescription,
  PackageDescription,
} from '../lf/description.ts';
import type { LfType, TypeName } from './lf-types.ts';
import type { ChoiceType, PackageDefinition } from './package-definition.ts';

/** A type as {@link PackageDescription} has it. */
export function describeType(type: LfType, isArgument = false): string {
  switch (type.kind) {
    case 'record':
    case 'variant':
    case 'enum':
      return `${type.name.module}:${type.name.entity}`;
    case 'contractId':
      return type.of === undefined
        ? 'ContractId'
        : inBrackets(isArgument, `ContractId ${nameOf(type.of)}`);
    case 'numeric':
      return inBrackets(isArgument, `Numeric ${type.scale}`);
    case 'optional':
      return inBrackets(isArgument, `Optional ${describeType(type.of, true)}`);
    case 'list':
      return inBrackets(isArgument, `List ${describeType(type.of, true)}`);
    case 'textMap':
      return inBrackets(isArgument, `TextMap ${describeType(type.of, true)}`);
    case 'genMap':
      return inBrackets(
        isArgument,
        `GenMap ${describeType(type.key, true)} ${describeType(type.value, true)}`,
      );
    case 'unit':
    case 'bool':
    case 'int64':
    case 'date':
    case 'timestamp':
    case 'party':
    case 'text':
      return `${type.kind.charAt(0).toUpperCase()}${type.kind.slice(1)}`;
    default:
      return type satisfies never;
  }
}

const inBrackets = (isNeeded: boolean, text: string): string => (isNeeded ? `(${text})` : text);

const choicesOf = (choices: readonly ChoiceType[]): readonly ChoiceDescription[] =>
  choices.map(({ name, kind, argument, result }) => ({
    name,
    consuming: kind === 'consuming',
    argument: describeType(argument),
    result: describeType(result),
  }));

const nameOf = ({ module, entity }: TypeName): string => `${module}:${entity}`;

/** A package that LocalNet runs, by its description: templates and interfaces, without the types that they use. */
export function describeBuiltIn({
  id,
  name,
  version,
  templates,
  interfaces,
}: PackageDefinition): PackageDescription {
  const names = new Set([...templates, ...interfaces].map((type) => type.name.module));
  const modules = Array.from(names, (module): ModuleDescription => ({
    name: module,
    templates: templates
      .filter((template) => template.name.module === module)
      .map((template) => ({
        name: template.name.entity,
        fields: template.payload.fields.map((field) => ({
          name: field.name,
          type: describeType(field.type),
        })),
        choices: choicesOf(template.choices),
        implements: template.implements.map(({ iface }) => nameOf(iface.name)),
      })),
    interfaces: interfaces
      .filter((iface) => iface.name.module === module)
      .map((iface) => ({
        name: iface.name.entity,
        view: describeType(iface.view),
        choices: choicesOf(iface.choices),
        requires: [],
      })),
    types: [],
  }));
  return { id, name, version, modules };
}
