import { checkCollisions } from './collisions.ts';
import { shown, validationError } from './errors.ts';
import { InterfaceChecks } from './interfaces.ts';
import { dataTypeIn, interfaceIn, libraryOf, synonymIn } from './library.ts';
import type { Library } from './library.ts';
import type { Choice, DataType, LfModule, Template } from './module.ts';
import type { LfPackage } from './package.ts';
import { definitionText } from './pretty.ts';
import { notSerializable, requireSerializable } from './serializability.ts';
import { Steps } from './steps.ts';
import { checkSynonyms } from './synonyms.ts';
import type { DefinitionId, Type } from './types.ts';

/*
 * A participant's validation of a readable package, except the parts that need the types of expressions. It checks
 * names, references, data types, and the parts of templates and interfaces.
 */

/**
 * Checks packages that refer only to each other. Throws DAR_PARSE_ERROR for errors that are found only when the whole
 * package is read, and otherwise DAR_VALIDATION_ERROR.
 *
 * @param all the packages and those to which they refer. @default only the packages
 * @param known returns a package that was found valid before
 */
export function validatePackages(
  packages: readonly LfPackage[],
  all: readonly LfPackage[] = packages,
  known: (packageId: string) => LfPackage | undefined = () => undefined,
): void {
  const checked = { library: libraryOf(all), steps: new Steps() };
  for (const each of packages) each.requireReadable();
  for (const each of packages) {
    const check = new PackageCheck(checked, each);
    check.dependencies();
    if (known(each.id) === undefined) check.content();
  }
}

interface Checked {
  readonly library: Library;
  readonly steps: Steps;
}

class PackageCheck {
  readonly #library: Library;
  readonly #package: LfPackage;
  readonly #checked: Checked;
  readonly #interfaces: InterfaceChecks;

  constructor(checked: Checked, of: LfPackage) {
    this.#library = checked.library;
    this.#package = of;
    this.#checked = checked;
    this.#interfaces = new InterfaceChecks(checked);
  }

  content(): void {
    const { modules } = this.#package;
    checkCollisions(modules.values(), this.#checked.steps);
    for (const module of modules.values()) checkSynonyms(this.#package.id, module);
    for (const id of this.#package.typesNamed()) this.#requireDataType(id);
    for (const { id, args } of this.#package.synonymsNamed()) this.#requireSynonym(id, args);
    for (const module of modules.values()) this.#checkModule(module);
  }

  dependencies(): void {
    const { id, minor, dependencies } = this.#package;
    for (const dependency of dependencies) {
      const found = this.#library.package(dependency);
      if (found === undefined) throw validationError(`unknown package ${shown(dependency)}`);
      if (found.minor <= minor) continue;
      throw validationError(
        `package ${id} using version 2.${minor} depends on package ${found.id} using newer version 2.${found.minor}`,
      );
    }
  }

  #idOf(module: LfModule, name: string): DefinitionId {
    return { packageId: this.#package.id, module: module.name, name };
  }

  #requireDataType(id: DefinitionId): void {
    if (dataTypeIn(this.#library, id) === undefined) throw this.#unknown(id, 'data type');
  }

  #requireSynonym(id: DefinitionId, args: number): void {
    const synonym = synonymIn(this.#library, id);
    if (synonym === undefined) throw this.#unknown(id, 'type synonym');
    if (synonym.params.length === args) return;
    throw validationError(`wrong arity in type synonym application: ${id.module}:${id.name}`);
  }

  #unknown(id: DefinitionId, what: string): Error {
    const name = definitionText(id);
    const module = this.#library.package(id.packageId)?.modules.get(id.module);
    const missing =
      module === undefined ? `module ${id.packageId}:${id.module}` : `definition ${name}`;
    return validationError(`unknown ${missing} while looking for ${what} ${name}`);
  }

  #checkModule(module: LfModule): void {
    for (const data of module.dataTypes.values())
      this.#checkData(this.#idOf(module, data.name), data);
    for (const template of module.templates.values()) {
      this.#checkTemplate(this.#idOf(module, template.name), template);
    }
    for (const name of module.exceptions.names()) {
      const id = this.#idOf(module, name);
      this.#requirePlainRecord(id, 'exception');
      const where = ` in exception ${definitionText(id)}`;
      const problem = 'exception argument';
      requireSerializable(this.#checked, { kind: 'con', id }, { where, problem });
    }
    for (const each of module.interfaces.values()) {
      const id = this.#idOf(module, each.name);
      const where = ` in interface ${definitionText(id)}`;
      this.#interfaces.checkInterface(id, each);
      for (const choice of each.choices.values()) this.#checkChoice(choice, where);
      requireSerializable(this.#checked, each.view, { where, problem: 'view' });
    }
  }

  #checkData(id: DefinitionId, { params, shape, isSerializable }: DataType): void {
    const where = ` in data type ${definitionText(id)}`;
    requireUnique(
      params.map(({ name }) => name),
      'type parameter',
      where,
    );
    const self: Type = { kind: 'con', id };
    const requirement = { where, problem: 'serializable data type' };
    if (isSerializable) {
      const higher = params.find(({ kind }) => kind !== 'star');
      if (higher !== undefined) {
        throw notSerializable(self, `higher-kinded type variable ${higher.name}`, requirement);
      }
    }
    switch (shape.kind) {
      case 'record':
        requireUnique(
          shape.fields.map(({ name }) => name),
          'field',
          where,
        );
        break;
      case 'variant':
        requireUnique(
          shape.constructors.map(({ name }) => name),
          'variant constructor',
          where,
        );
        break;
      case 'enum':
        requireUnique(shape.constructors, 'enum constructor', where);
        break;
      case 'interface':
        if (params.length > 0) throw validationError('illegal higher interface type', where);
        if (interfaceIn(this.#library, id) !== undefined) break;
        throw validationError(`unknown interface ${definitionText(id)}`, where);
      default:
        shape satisfies never;
    }
    if (!isSerializable) return;
    if (shape.kind === 'interface') throw notSerializable(self, 'Interface', requirement);
    if (shape.kind !== 'record' && shape.constructors.length === 0) {
      throw notSerializable(self, 'variant type without constructors', requirement);
    }
    for (const type of typesIn(shape)) {
      requireSerializable(this.#checked, type, requirement, params);
    }
  }

  #checkTemplate(id: DefinitionId, template: Template): void {
    const where = ` in template ${definitionText(id)}`;
    this.#requirePlainRecord(id, 'template');
    requireSerializable(
      this.#checked,
      { kind: 'con', id },
      { where, problem: 'template argument' },
    );
    for (const choice of template.choices.values()) this.#checkChoice(choice, where);
    if (template.key !== undefined) {
      requireSerializable(this.#checked, template.key, { where, problem: 'contract key' });
    }
    this.#interfaces.checkInstances(id, template);
  }

  #requirePlainRecord(id: DefinitionId, what: 'template' | 'exception'): void {
    const data = dataTypeIn(this.#library, id);
    if (data?.shape.kind === 'record' && data.params.length === 0) return;
    throw validationError(
      `expected monomorphic record type in ${what} definition, but found: ${id.module}:${id.name}`,
      ` in ${what} ${definitionText(id)}`,
    );
  }

  #checkChoice({ argument, result }: Choice, where: string): void {
    requireSerializable(this.#checked, argument, { where, problem: 'choice argument' });
    requireSerializable(this.#checked, result, { where, problem: 'choice result' });
  }
}

function typesIn(shape: DataType['shape']): readonly Type[] {
  if (shape.kind === 'record') return shape.fields.map(({ type }) => type);
  return shape.kind === 'variant' ? shape.constructors.map(({ type }) => type) : [];
}

function requireUnique(names: readonly string[], what: string, where: string): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) throw validationError(`duplicate ${what}: ${shown(name)}`, where);
    seen.add(name);
  }
}
