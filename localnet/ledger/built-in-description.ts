import type {
  ChoiceDescription,
  ModuleDescription,
  PackageDescription,
} from '../lf/description.ts';
import type { LfType, TypeName } from './lf-types.ts';
import type { ChoiceType, PackageDefinition } from './package-definition.ts';

/**
 * The maximum length of a type's text. A type may refer to one part many times, and its text repeats the part each
 * time.
 */
const TYPE_CHARS_MAX = 1000;

/** Returns a type in the form of {@link PackageDescription}, cut if it is too long. */
export function describeType(type: LfType): string {
  const text = new TypeText();
  text.add(type, false);
  return text.parts.join('').slice(0, TYPE_CHARS_MAX);
}

class TypeText {
  readonly parts: string[] = [];
  #length = 0;

  #put(text: string): void {
    this.parts.push(text);
    this.#length += text.length;
  }

  add(type: LfType, isArgument: boolean): void {
    if (this.#length > TYPE_CHARS_MAX) return;
    switch (type.kind) {
      case 'record':
      case 'variant':
      case 'enum':
        this.#put(nameOf(type.name));
        return;
      case 'contractId':
        if (type.of === undefined) this.#put('ContractId');
        else this.#applied(isArgument, `ContractId ${nameOf(type.of)}`);
        return;
      case 'numeric':
        this.#applied(isArgument, `Numeric ${type.scale}`);
        return;
      case 'optional':
      case 'list':
      case 'textMap':
        this.#applied(isArgument, headOf(type), type.of);
        return;
      case 'genMap':
        this.#applied(isArgument, headOf(type), type.key, type.value);
        return;
      case 'unit':
      case 'bool':
      case 'int64':
      case 'date':
      case 'timestamp':
      case 'party':
      case 'text':
        this.#put(headOf(type));
        return;
      default:
        throw new TypeError(`no such type: ${JSON.stringify(type satisfies never)}`);
    }
  }

  #applied(isArgument: boolean, head: string, ...args: readonly LfType[]): void {
    this.#put(isArgument ? `(${head}` : head);
    for (const arg of args) {
      this.#put(' ');
      this.add(arg, true);
    }
    if (isArgument) this.#put(')');
  }
}

const headOf = ({ kind }: LfType): string => `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;

const choicesOf = (choices: readonly ChoiceType[]): readonly ChoiceDescription[] =>
  choices.map(({ name, kind, argument, result }) => ({
    name,
    consuming: kind === 'consuming',
    argument: describeType(argument),
    result: describeType(result),
  }));

const nameOf = ({ module, entity }: TypeName): string => `${module}:${entity}`;

/** Describes a package that LocalNet runs natively: its templates and interfaces, without the types that they use. */
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
