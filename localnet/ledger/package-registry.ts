import { Engine } from './engine/engine.ts';
import type { DefinitionId } from '../lf/types.ts';
import { LedgerError } from './ledger-error.ts';
import { preprocessingFailed } from './lf-values.ts';
import { standardLibraryPackage } from './package-definition.ts';
import type {
  InterfaceDefinition,
  PackageDefinition,
  TemplateDefinition,
} from './package-definition.ts';
import type { TypeReference } from './submission.ts';
import { UploadedPackages } from './uploaded-packages.ts';
import type { UploadedPackage } from './uploaded-packages.ts';

/** A template or interface, and the ID of the package to which its reference was resolved. */
export interface ResolvedType<D> {
  readonly packageId: string;
  readonly definition: D;
}

/** A type in a read filter, with its package's name. */
export interface FilterType {
  readonly kind: 'template' | 'interface';
  readonly reference: TypeReference;
}

interface LoadedPackage {
  readonly definition: PackageDefinition;
  readonly types: ReadonlyMap<string, TemplateDefinition | InterfaceDefinition>;
}

const typeKey = (module: string, entity: string) => `${module}:${entity}`;

/**
 * Definitions by package ID and by package name, which all participants know. LocalNet runs its own packages natively;
 * the engine runs those that were uploaded.
 */
export class PackageRegistry {
  readonly #byId = new Map<string, LoadedPackage>();
  /** Packages by name. A package that is added later replaces an earlier one. */
  readonly #byName = new Map<string, LoadedPackage>();
  /** Packages whose content is known: all uploaded ones, even if they cannot run here, and LocalNet's own. */
  readonly uploaded = new UploadedPackages();
  readonly engine: Engine;
  /** Uploaded packages that the engine has loaded. */
  readonly #interpreted = new Map<string, LoadedPackage>();
  /** Receives trace messages of contract code. */
  trace: (message: string) => void = () => {};
  /**
   * IDs of LocalNet's own packages, without those that stand for published packages. An uploaded build may replace
   * them.
   */
  readonly #own = new Set<string>();

  constructor(packages: Iterable<PackageDefinition>) {
    this.engine = new Engine(
      this.uploaded,
      (id) => this.#nativeDefinition(id),
      (message) => this.trace(message),
    );
    this.#add(standardLibraryPackage);
    for (const definition of packages) this.#add(definition);
  }

  /** Returns LocalNet's own package with this name; none if an uploaded build has replaced it. */
  ownBuild(packageName: string): PackageDefinition | undefined {
    const definition = this.byName(packageName);
    return definition !== undefined && this.#own.has(definition.id) ? definition : undefined;
  }

  /** Replaces LocalNet's own package by an uploaded build of the same name, which the engine runs. */
  takePlace(build: UploadedPackage): void {
    const own = this.#byName.get(build.name);
    if (own === undefined) throw new TypeError(`no package ${build.name}`);
    for (const [id, { definition }] of this.#byId) {
      if (definition.name === build.name) this.#byId.delete(id);
    }
    this.#byName.delete(build.name);
    this.#own.delete(own.definition.id);
    this.uploaded.remove(own.definition.id);
    this.uploaded.add(build);
  }

  #nativeDefinition({ packageId, module, name }: DefinitionId) {
    return this.#byId.get(packageId)?.types.get(typeKey(module, name));
  }

  #add(definition: PackageDefinition): void {
    const loaded = loadedOf(definition);
    this.#byId.set(definition.id, loaded);
    this.#byName.set(definition.name, loaded);
    if (definition.isStandIn) return;
    this.#own.add(definition.id);
    const { id, name, version, archive } = definition;
    this.uploaded.add({ id, name, version, payload: () => archive });
  }

  /**
   * Adds the package ID that an earlier build had for one of LocalNet's packages. Contracts with this ID in a journal
   * keep it, and run with the current definitions.
   */
  addFormerId(packageId: string, packageName: string): void {
    const loaded = this.#byName.get(packageName);
    if (loaded !== undefined && !this.#byId.has(packageId)) this.#byId.set(packageId, loaded);
  }

  get packages(): readonly PackageDefinition[] {
    return [...new Set(Array.from(this.#byName.values(), ({ definition }) => definition))];
  }

  byId(packageId: string): PackageDefinition | undefined {
    return this.#byId.get(packageId)?.definition;
  }

  byName(packageName: string): PackageDefinition | undefined {
    return this.#byName.get(packageName)?.definition;
  }

  /** Returns the package ID that events show for a type of the named package. */
  idOf(packageName: string): string {
    const id =
      this.#byName.get(packageName)?.definition.id ?? this.uploaded.find(`#${packageName}`)?.id;
    if (id === undefined) throw new TypeError(`no package ${packageName}`);
    return id;
  }

  /** Returns whether a version later than LocalNet's own has been uploaded. The engine runs that version. */
  hasLaterVersion(packageName: string): boolean {
    const own = this.ownBuild(packageName);
    return own !== undefined && this.uploaded.find(`#${packageName}`)?.id !== own.id;
  }

  /** Returns whether LocalNet runs a package natively. */
  isNative(packageId: string): boolean {
    return this.#byId.has(packageId);
  }

  /** Returns the template of a stored contract. */
  templateOf(packageId: string, module: string, entity: string): TemplateDefinition | undefined {
    const type = this.#typeIn(this.#load(packageId), module, entity);
    return type?.kind === 'template' ? type : undefined;
  }

  /** Returns the type that a reference names, or `undefined` if the type is unknown here. */
  find(
    reference: TypeReference,
  ): ResolvedType<TemplateDefinition | InterfaceDefinition> | undefined {
    const loaded = this.#load(reference.packageId);
    const definition = this.#typeIn(loaded, reference.module, reference.entity);
    if (loaded === undefined || definition === undefined) return undefined;
    return { packageId: this.#idFor(reference, loaded), definition };
  }

  /** Returns the type that a command names. Throws PACKAGE_NOT_FOUND, COMMAND_PREPROCESSING_FAILED. */
  resolveForCommand(
    reference: TypeReference,
  ): ResolvedType<TemplateDefinition | InterfaceDefinition> {
    const loaded = this.#load(reference.packageId);
    if (loaded === undefined) {
      const { packageId, module, entity } = reference;
      throw new LedgerError(
        'PACKAGE_NOT_FOUND',
        `Couldn't find package ${packageId} while looking for template or interface ${packageId}:${module}:${entity}`,
      );
    }
    const definition = this.#typeIn(loaded, reference.module, reference.entity);
    if (definition === undefined) {
      throw preprocessingFailed(
        `unknown template or interface ${loaded.definition.id}:${reference.module}:${reference.entity}`,
      );
    }
    return { packageId: this.#idFor(reference, loaded), definition };
  }

  /**
   * Returns whether a package with this ID, or this name if the text begins with `#`, is known, even if it cannot run
   * here.
   */
  isKnown(packageId: string): boolean {
    return this.#load(packageId) !== undefined || this.uploaded.find(packageId) !== undefined;
  }

  /**
   * Checks that all types in the filters of one format are known. Throws the first of PACKAGE_NAMES_NOT_FOUND,
   * NO_TEMPLATES_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME and NO_INTERFACE_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME that applies;
   * each error lists everything that is missing.
   */
  requireFilterTypes(types: readonly FilterType[]): void {
    const isMissing = (type: FilterType) => this.typeOfFilter(type) === undefined;
    const packages = types.filter(({ reference }) => !this.isKnown(reference.packageId));
    if (packages.length > 0) {
      const names = packages.map(({ reference }) => reference.packageId.slice(1));
      throw new LedgerError(
        'PACKAGE_NAMES_NOT_FOUND',
        `The following package names do not match upgradable packages uploaded on this participant: [${unique(names)}].`,
      );
    }
    for (const kind of ['template', 'interface'] as const) {
      const missing = types.filter((type) => type.kind === kind && isMissing(type));
      if (missing.length > 0) throw unknownTypes(kind, missing);
    }
  }

  /** Returns the type that a read filter names. */
  typeOfFilter({
    kind,
    reference,
  }: FilterType): TemplateDefinition | InterfaceDefinition | undefined {
    const loaded = this.#load(reference.packageId);
    const definition = this.#typeIn(loaded, reference.module, reference.entity);
    return definition?.kind === kind ? definition : undefined;
  }

  #load(packageId: string): LoadedPackage | undefined {
    const native = packageId.startsWith('#')
      ? this.#byName.get(packageId.slice(1))
      : this.#byId.get(packageId);
    return native ?? this.#interpretedPackage(this.uploaded.find(packageId)?.id);
  }

  /** Returns an uploaded package, loaded by the engine. */
  #interpretedPackage(packageId: string | undefined): LoadedPackage | undefined {
    if (packageId === undefined) return undefined;
    const known = this.#interpreted.get(packageId);
    if (known !== undefined) return known;
    const lf = this.uploaded.package(packageId);
    if (lf === undefined) return undefined;
    const { id, name, version, payload } = lf;
    const loaded = loadedOf({
      id,
      name,
      version,
      isStandIn: false,
      archive: payload,
      ...this.engine.definitionsOf(lf),
    });
    this.#interpreted.set(packageId, loaded);
    return loaded;
  }

  /**
   * Finds a type of a package. A type that is missing in a stand-in is looked up in the published package, if that was
   * uploaded. A type that is missing in LocalNet's own package is looked up in that package's latest version.
   */
  #typeIn(
    loaded: LoadedPackage | undefined,
    module: string,
    entity: string,
  ): TemplateDefinition | InterfaceDefinition | undefined {
    if (loaded === undefined) return undefined;
    const key = typeKey(module, entity);
    const { id, name, isStandIn } = loaded.definition;
    const found = loaded.types.get(key);
    if (found !== undefined) return found;
    const other = isStandIn ? id : this.uploaded.find(`#${name}`)?.id;
    if (other === id && !isStandIn) return undefined;
    return this.#interpretedPackage(other)?.types.get(key);
  }

  #idFor(reference: TypeReference, loaded: LoadedPackage): string {
    return reference.packageId.startsWith('#') ? loaded.definition.id : reference.packageId;
  }
}

function loadedOf(definition: PackageDefinition): LoadedPackage {
  const types = new Map<string, TemplateDefinition | InterfaceDefinition>();
  for (const type of [...definition.templates, ...definition.interfaces]) {
    types.set(typeKey(type.name.module, type.name.entity), type);
  }
  return { definition, types };
}

const unique = (texts: readonly string[]): string => [...new Set(texts)].join(', ');

function unknownTypes(kind: 'template' | 'interface', types: readonly FilterType[]): LedgerError {
  const pairs = types.map(
    ({ reference: { packageId, module, entity } }) => `(${packageId.slice(1)},${module}:${entity})`,
  );
  return new LedgerError(
    kind === 'template'
      ? 'NO_TEMPLATES_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME'
      : 'NO_INTERFACE_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME',
    `The following package-name/${kind} qualified-name pairs do not reference any ${kind}-id uploaded on this participant: [${unique(pairs)}].`,
  );
}
