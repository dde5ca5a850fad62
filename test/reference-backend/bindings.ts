import type { LfType, RecordField, TypeName } from '../../localnet/ledger/lf-types.ts';
import {
  ARCHIVE_CHOICE,
  Archive,
  standardLibraryPackage,
} from '../../localnet/ledger/package-definition.ts';
import type {
  ChoiceType,
  InterfaceDefinition,
  PackageDefinition,
  TemplateDefinition,
} from '../../localnet/ledger/package-definition.ts';
import { unit } from '../../localnet/ledger/lf-types.ts';

/*
 * Generates JavaScript in the layout of `daml codegen js`: a package for each package of a DAR, a CommonJS module for
 * each Daml module and, in this module, a companion for each type, template and interface, which uses `@daml/types`.
 * Contract IDs have no type argument here, because LocalNet's packages do not contain it.
 */

type Named = Extract<LfType, { readonly name: TypeName }>;
type Contract = TemplateDefinition | InterfaceDefinition;

/** The definitions of one Daml module. */
interface Module {
  readonly types: Map<string, Named>;
  readonly contracts: Contract[];
}

type Modules = Map<string, Module>;

const isNamed = (type: LfType): type is Named => 'name' in type;

/** Returns the types that a type contains. */
function partsOf(type: LfType): readonly LfType[] {
  if (type.kind === 'record') return type.fields.map((field) => field.type);
  if (type.kind === 'variant') return type.constructors.map((constructor) => constructor.type);
  if (type.kind === 'genMap') return [type.key, type.value];
  return 'of' in type && type.kind !== 'contractId' ? [type.of] : [];
}

const folderOf = (of: Pick<PackageDefinition, 'name' | 'version'>): string =>
  `${of.name}-${of.version}`;

/** Writes the modules of packages that refer to each other by their package names. */
class Generator {
  readonly #packages: ReadonlyMap<string, PackageDefinition>;
  readonly #modules: Modules = new Map();

  constructor(known: readonly PackageDefinition[], wanted: readonly string[]) {
    this.#packages = new Map([...known, standardLibraryPackage].map((of) => [of.name, of]));
    for (const name of wanted) {
      const { templates, interfaces } = this.#package(name);
      for (const contract of [...interfaces, ...templates]) this.#addContract(contract);
    }
  }

  #package(name: string): PackageDefinition {
    const found = this.#packages.get(name);
    if (found === undefined) throw new Error(`no package ${name}`);
    return found;
  }

  /** Returns the path with which other modules import a module. */
  #pathOf({ packageName, module }: TypeName): string {
    return `@daml.js/${folderOf(this.#package(packageName))}/lib/${module.replaceAll('.', '/')}/module`;
  }

  #moduleOf(name: TypeName): Module {
    const path = this.#pathOf(name);
    const module = this.#modules.get(path) ?? { types: new Map(), contracts: [] };
    this.#modules.set(path, module);
    return module;
  }

  #addType(type: LfType): void {
    if (isNamed(type)) {
      const { types } = this.#moduleOf(type.name);
      if (types.has(type.name.entity)) return;
      types.set(type.name.entity, type);
    }
    for (const part of partsOf(type)) this.#addType(part);
  }

  #addContract(contract: Contract): void {
    this.#moduleOf(contract.name).contracts.push(contract);
    this.#addType(contract.kind === 'template' ? contract.payload : contract.view);
    for (const { argument, result } of choicesOf(contract)) {
      this.#addType(argument);
      this.#addType(result);
    }
  }

  /** Returns the texts of all files, by their paths below `node_modules`. */
  files(): ReadonlyMap<string, string> {
    const files = new Map<string, string>();
    for (const [path, module] of this.#modules) {
      const writer = new ModuleWriter((name) => this.#pathOf(name), path);
      files.set(
        `${path}.js`,
        writer.code(module, (name) => this.#package(name).id),
      );
      files.set(`${path}.d.ts`, writer.declarations(module));
      const [scope, folder = ''] = path.split('/');
      const version = folder.replace(/^.*-/u, '');
      const manifest = {
        name: `${scope}/${folder}`,
        version,
        dependencies: { '@daml/types': '*' },
      };
      files.set(`${scope}/${folder}/package.json`, `${JSON.stringify(manifest)}\n`);
    }
    return files;
  }
}

const archive: ChoiceType = {
  name: ARCHIVE_CHOICE,
  kind: 'consuming',
  argument: Archive,
  result: unit,
};

const choicesOf = ({ choices }: Contract): readonly ChoiceType[] => [archive, ...choices];

const inBraces = (lines: readonly string[]): string => `{\n${lines.join('\n')}\n}`;

/** For each simple type, its companion in `@daml/types` and its TypeScript type. */
const SIMPLE = {
  unit: ['damlTypes.Unit', '{}'],
  bool: ['damlTypes.Bool', 'boolean'],
  int64: ['damlTypes.Int', 'damlTypes.Int'],
  date: ['damlTypes.Date', 'damlTypes.Date'],
  timestamp: ['damlTypes.Time', 'damlTypes.Time'],
  party: ['damlTypes.Party', 'damlTypes.Party'],
  text: ['damlTypes.Text', 'string'],
  contractId: ['damlTypes.ContractId(undefined)', 'damlTypes.ContractId<any>'],
} as const;

class ModuleWriter {
  readonly #pathOf: (name: TypeName) => string;
  readonly #path: string;
  /** The modules that this module imports, by path, with the names that they have in it. */
  readonly #imports = new Map<string, string>();

  constructor(pathOf: (name: TypeName) => string, path: string) {
    this.#pathOf = pathOf;
    this.#path = path;
  }

  #named(name: TypeName, here: string): string {
    const path = this.#pathOf(name);
    if (path === this.#path) return `${here}${name.entity}`;
    const known = this.#imports.get(path) ?? `module${this.#imports.size}`;
    this.#imports.set(path, known);
    return `${known}.${name.entity}`;
  }

  /** Returns the object that decodes and encodes a type. */
  #companion(type: LfType): string {
    switch (type.kind) {
      case 'record':
      case 'variant':
      case 'enum':
        return this.#named(type.name, 'exports.');
      case 'numeric':
        return `damlTypes.Numeric(${type.scale})`;
      case 'optional':
        return `damlTypes.Optional(${this.#companion(type.of)})`;
      case 'list':
        return `damlTypes.List(${this.#companion(type.of)})`;
      case 'textMap':
        return `damlTypes.TextMap(${this.#companion(type.of)})`;
      case 'genMap':
        return `damlTypes.Map(${this.#companion(type.key)}, ${this.#companion(type.value)})`;
      case 'unit':
      case 'bool':
      case 'int64':
      case 'date':
      case 'timestamp':
      case 'party':
      case 'text':
      case 'contractId':
        return SIMPLE[type.kind][0];
      default:
        return type satisfies never;
    }
  }

  #type(type: LfType): string {
    switch (type.kind) {
      case 'record':
      case 'variant':
      case 'enum':
        return this.#named(type.name, '');
      case 'numeric':
        return 'damlTypes.Numeric';
      case 'optional':
        return `damlTypes.Optional<${this.#type(type.of)}>`;
      case 'list':
        return `${this.#type(type.of)}[]`;
      case 'textMap':
        return `{ [key: string]: ${this.#type(type.of)} }`;
      case 'genMap':
        return `damlTypes.Map<${this.#type(type.key)}, ${this.#type(type.value)}>`;
      case 'unit':
      case 'bool':
      case 'int64':
      case 'date':
      case 'timestamp':
      case 'party':
      case 'text':
      case 'contractId':
        return SIMPLE[type.kind][1];
      default:
        return type satisfies never;
    }
  }

  #recordBodies(fields: readonly RecordField[]): readonly [decoder: string, encode: string] {
    const read = fields.map(({ name, type }) => `${name}: ${this.#companion(type)}.decoder,`);
    const written = fields.map(
      ({ name, type }) => `${name}: ${this.#companion(type)}.encode(__typed__.${name}),`,
    );
    return [`jtv.object(${inBraces(read)})`, `return ${inBraces(written)};`];
  }

  #bodies(type: Named): readonly [decoder: string, encode: string] {
    if (type.kind === 'record') return this.#recordBodies(type.fields);
    if (type.kind === 'enum') {
      const constants = type.constructors.map((name) => `jtv.constant('${name}')`);
      return [`jtv.oneOf(${constants.join(', ')})`, 'return __typed__;'];
    }
    const cases = type.constructors.map(({ name, type: value }) => ({
      read: `jtv.object({tag: jtv.constant('${name}'), value: ${this.#companion(value)}.decoder}),`,
      written: `case '${name}': return {tag: __typed__.tag, value: ${this.#companion(value)}.encode(__typed__.value)};`,
    }));
    return [
      `jtv.oneOf(\n${cases.map(({ read }) => read).join('\n')}\n)`,
      `switch (__typed__.tag) ${inBraces(cases.map(({ written }) => written))}`,
    ];
  }

  #members(type: Named): string {
    const [decoder, encode] = this.#bodies(type);
    return `decoder: damlTypes.lazyMemo(function () { return ${decoder}; }),
encode: function (__typed__) { ${encode} },`;
  }

  #choices(contract: Contract): readonly string[] {
    return choicesOf(contract).map(({ name, argument, result }) => {
      const [given, back] = [this.#companion(argument), this.#companion(result)];
      return `${name}: {
template: function () { return exports.${contract.name.entity}; },
choiceName: '${name}',
argumentDecoder: damlTypes.lazyMemo(function () { return ${given}.decoder; }),
argumentEncode: function (__typed__) { return ${given}.encode(__typed__); },
resultDecoder: damlTypes.lazyMemo(function () { return ${back}.decoder; }),
resultEncode: function (__typed__) { return ${back}.encode(__typed__); },
},`;
    });
  }

  #contractCode(contract: Contract, packageId: string): string {
    const { packageName, module, entity } = contract.name;
    const ids = [
      `#${packageName}:${module}:${entity}`,
      `${packageId}:${module}:${entity}`,
    ] as const;
    if (contract.kind === 'interface') {
      const view = this.#companion(contract.view);
      return `exports.${entity} = damlTypes.assembleInterface('${ids[0]}', '${ids[1]}', function () { return ${view}; }, ${inBraces(this.#choices(contract))});`;
    }
    return `exports.${entity} = damlTypes.assembleTemplate({
templateId: '${ids[0]}',
templateIdWithPackageId: '${ids[1]}',
keyDecoder: damlTypes.lazyMemo(function () { return jtv.constant(undefined); }),
keyEncode: function () { throw 'EncodeError'; },
${this.#members(contract.payload)}
${this.#choices(contract).join('\n')}
});
damlTypes.registerTemplate(exports.${entity}, ['${packageId}', '#${packageName}']);`;
  }

  code(module: Module, idOf: (packageName: string) => string): string {
    const contracts = module.contracts.map((contract) =>
      this.#contractCode(contract, idOf(contract.name.packageName)),
    );
    const types = dataTypes(module).map(
      (type) => `exports.${type.name.entity} = {\n${this.#members(type)}\n};`,
    );
    const required = Array.from(
      this.#imports,
      ([path, name]) => `var ${name} = require('${path}');`,
    );
    return [
      '"use strict";',
      'Object.defineProperty(exports, "__esModule", { value: true });',
      "var jtv = require('@mojotech/json-type-validation');",
      "var damlTypes = require('@daml/types');",
      ...required,
      ...contracts,
      ...types,
      '',
    ].join('\n');
  }

  #declaredType(type: Named): string {
    if (type.kind === 'enum') return type.constructors.map((name) => `'${name}'`).join(' | ');
    const fields = (of: readonly RecordField[]) =>
      of.map((field) => [field.name, this.#type(field.type)] as const);
    return type.kind === 'record'
      ? inBraces(fields(type.fields).map(([name, text]) => `${name}: ${text};`))
      : fields(type.constructors)
          .map(([name, text]) => `| { tag: '${name}'; value: ${text} }`)
          .join('\n');
  }

  #contractDeclarations(contract: Contract): string {
    const { packageName, module, entity } = contract.name;
    const id = `'#${packageName}:${module}:${entity}'`;
    const choices = choicesOf(contract).map(
      ({ name, argument, result }) =>
        `${name}: damlTypes.Choice<${entity}, ${this.#type(argument)}, ${this.#type(result)}, undefined>${
          contract.kind === 'interface'
            ? ` & damlTypes.ChoiceFrom<damlTypes.InterfaceCompanion<${entity}, undefined>>`
            : ` & damlTypes.ChoiceFrom<damlTypes.Template<${entity}, undefined>>`
        };`,
    );
    const [type, companion] =
      contract.kind === 'interface'
        ? [
            `damlTypes.Interface<${id}> & ${this.#type(contract.view)}`,
            `damlTypes.InterfaceCompanion<${entity}, undefined, ${id}> & damlTypes.FromTemplate<${entity}, unknown>`,
          ]
        : [
            this.#declaredType(contract.payload),
            `damlTypes.Template<${entity}, undefined, ${id}> & damlTypes.ToInterface<${entity}, never>`,
          ];
    return `export declare type ${entity} = ${type};
export declare interface ${entity}Interface ${inBraces(choices)}
export declare const ${entity}: ${companion} & ${entity}Interface;`;
  }

  declarations(module: Module): string {
    const contracts = module.contracts.map((contract) => this.#contractDeclarations(contract));
    const types = dataTypes(module).map(
      (type) => `export declare type ${type.name.entity} = ${this.#declaredType(type)};
export declare const ${type.name.entity}: damlTypes.Serializable<${type.name.entity}>;`,
    );
    const imported = Array.from(
      this.#imports,
      ([path, name]) => `import * as ${name} from '${path}.js';`,
    );
    return [
      "import * as damlTypes from '@daml/types';",
      ...imported,
      ...contracts,
      ...types,
      '',
    ].join('\n');
  }
}

/**
 * Returns the types of a module, without the payloads of templates, because these are generated together with their
 * templates.
 */
function dataTypes({ types, contracts }: Module): readonly Named[] {
  const payloads = new Set(contracts.map(({ name }) => name.entity));
  return [...types.values()].filter(({ name }) => !payloads.has(name.entity));
}

/**
 * Returns the packages for JavaScript that a code generator makes from DARs, with their dependencies.
 *
 * @returns the texts of all files, by their paths below `node_modules`
 */
export const bindings = (
  known: readonly PackageDefinition[],
  wanted: readonly string[],
): ReadonlyMap<string, string> => new Generator(known, wanted).files();
