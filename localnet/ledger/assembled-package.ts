import { lfPackage } from '../lf/build/package.ts';
import type {
  ChoiceSource,
  DataSource,
  FieldsSource,
  InterfaceSource,
  LfSource,
  MadePackage,
  ModuleSource,
  TemplateSource,
} from '../lf/build/package.ts';
import * as lf from '../lf/build/types.ts';
import type { Type } from '../lf/build/types.ts';
import type { LfType, RecordField, TypeName } from './lf-types.ts';
import type {
  ChoiceDefinition,
  ChoiceType,
  InterfaceDefinition,
  PackageDefinition,
  TemplateDefinition,
} from './package-definition.ts';

/** The description from which a package is assembled. */
export type Described = Pick<PackageDefinition, 'name' | 'version' | 'templates' | 'interfaces'> & {
  /** Data types that the package defines in addition to those that its templates and interfaces use. */
  readonly types?: readonly LfType[];
  /** The choice `Archive`, which every template and interface has. */
  readonly archive: Pick<ChoiceType, 'name' | 'argument' | 'result'>;
};

/** Returns the ID of a package that the assembled one depends on. */
type IdOf = (packageName: string) => string;

/** The failure message of every expression, in case a Daml engine runs the assembled package. */
const RUNS_NATIVELY = 'LocalNet runs this package natively: its Daml-LF has types, and no code.';

/**
 * Assembles a package in Daml-LF from its description. Its names, types, templates, choices and instances of interfaces
 * are those of the description. Each expression has the right type, but fails when it is evaluated. The ID of the
 * package changes exactly when the description changes.
 */
export const assemblePackage = (described: Described, idOf: IdOf): MadePackage =>
  lfPackage(sourceOf(described, idOf));

/** Returns the source for {@link assemblePackage}. */
export function sourceOf(described: Described, idOf: IdOf): LfSource {
  const { name, version, templates, interfaces, types = [] } = described;
  const assembly = new Assembly(described, idOf);
  for (const template of templates) assembly.addTemplate(template);
  for (const iface of interfaces) assembly.addInterface(iface);
  for (const type of types) assembly.type(type);
  return { name, version, modules: assembly.modules, failure: RUNS_NATIVELY };
}

const { unit, bool, int64, date, timestamp, party, text, optional, list, textMap } = lf;
const PLAIN = { unit, bool, int64, date, timestamp, party, text } as const;
const CONTAINERS = { optional, list, textMap } as const;

interface Parts {
  readonly data: Record<string, DataSource>;
  readonly templates: Record<string, TemplateSource>;
  readonly interfaces: Record<string, InterfaceSource>;
}

class Assembly {
  readonly #packageName: string;
  readonly #archive: Described['archive'];
  readonly #idOf: IdOf;
  readonly #modules: Record<string, Parts & ModuleSource> = {};
  /** Data types that have been added to their module, or are being added to it. */
  readonly #known = new Set<string>();

  constructor({ name, archive }: Described, idOf: IdOf) {
    this.#packageName = name;
    this.#archive = archive;
    this.#idOf = idOf;
  }

  get modules(): Readonly<Record<string, ModuleSource>> {
    return this.#modules;
  }

  addTemplate(template: TemplateDefinition): void {
    const { name, payload, choices, implements: implemented } = template;
    // A template's payload record is defined together with the template.
    this.#known.add(keyOf(name));
    this.#module(name).templates[name.entity] = {
      fields: this.#fields(payload.fields),
      choices: this.#choices(choices),
      implements: implemented.map(({ iface }) => ({
        iface: this.#con(iface.name),
        view: this.type(iface.view),
        methods: this.#methods(iface),
      })),
      hasPrecondition: template.ensure !== undefined,
    };
  }

  addInterface(iface: InterfaceDefinition): void {
    this.#module(iface.name).interfaces[iface.name.entity] = {
      view: this.type(iface.view),
      methods: this.#methods(iface),
      choices: this.#choices(iface.choices),
    };
  }

  /** Returns a type. If this package defines the type, the definition is added to its module. */
  type(type: LfType): Type {
    switch (type.kind) {
      case 'unit':
      case 'bool':
      case 'int64':
      case 'date':
      case 'timestamp':
      case 'party':
      case 'text':
        return PLAIN[type.kind];
      case 'numeric':
        return lf.numeric(type.scale);
      case 'contractId':
        return lf.contractId(type.of === undefined ? lf.unit : this.#con(type.of));
      case 'optional':
      case 'list':
      case 'textMap':
        return CONTAINERS[type.kind](this.type(type.of));
      case 'genMap':
        return lf.genMap(this.type(type.key), this.type(type.value));
      case 'record':
      case 'variant':
      case 'enum':
        this.#define(type);
        return this.#con(type.name);
      default:
        return type satisfies never;
    }
  }

  #define(type: LfType & { readonly name: TypeName }): void {
    const { name } = type;
    const key = keyOf(name);
    if (name.packageName !== this.#packageName || this.#known.has(key)) return;
    this.#known.add(key);
    this.#module(name).data[name.entity] = this.#shape(type);
  }

  #shape(type: LfType): DataSource {
    if (type.kind === 'record') return { record: this.#fields(type.fields) };
    if (type.kind === 'variant') return { variant: this.#fields(type.constructors) };
    return type.kind === 'enum' ? { enum: type.constructors } : {};
  }

  #fields(fields: readonly RecordField[]): FieldsSource {
    return Object.fromEntries(fields.map(({ name, type }) => [name, this.type(type)]));
  }

  #choices(
    choices: readonly (ChoiceType & Pick<Partial<ChoiceDefinition<unknown>>, 'observers'>)[],
  ): Readonly<Record<string, ChoiceSource>> {
    const described = choices.map(({ name, kind, argument, result, observers }) => {
      const source: ChoiceSource = {
        argument: this.type(argument),
        result: this.type(result),
        // A postconsuming choice does not archive its contract itself: LocalNet exercises `Archive` after the choice's
        // body.
        isConsuming: kind === 'consuming',
        isUnobserved: observers === undefined,
      };
      return [name, source] as const;
    });
    const { name, argument, result } = this.#archive;
    const archive: ChoiceSource = {
      argument: this.type(argument),
      result: this.type(result),
      isUnobserved: true,
      doesNothing: true,
    };
    return Object.fromEntries([...described, [name, archive]]);
  }

  /** Returns an interface's methods, through which templates implement choices. */
  #methods({ name, methods = {}, choices }: InterfaceDefinition): FieldsSource {
    return Object.fromEntries(
      Object.entries(methods).map(([method, choiceName]) => {
        const choice = choices.find((one) => one.name === choiceName);
        if (choice === undefined) throw new TypeError(`no choice ${choiceName} of ${name.entity}`);
        const result = lf.update(this.type(choice.result));
        const ofArgument = lf.arrow(this.type(choice.argument), result);
        return [method, lf.arrow(lf.contractId(this.#con(name)), ofArgument)];
      }),
    );
  }

  #con({ packageName, module, entity }: TypeName): Type {
    const packageId = packageName === this.#packageName ? lf.SELF : this.#idOf(packageName);
    return { kind: 'con', id: { packageId, module, name: entity } };
  }

  #module({ module }: TypeName): Parts {
    this.#modules[module] ??= { data: {}, templates: {}, interfaces: {} };
    return this.#modules[module];
  }
}

const keyOf = ({ module, entity }: TypeName): string => `${module}:${entity}`;
