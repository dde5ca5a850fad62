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

/** A template or interface together with the package that a reference picked. */
export interface ResolvedType<D> {
  readonly packageId: string;
  readonly definition: D;
}

/** A type that a read filter names, by the name of its package. */
export interface FilterType {
  readonly kind: 'template' | 'interface';
  readonly reference: TypeReference;
}

interface LoadedPackage {
  readonly definition: PackageDefinition;
  readonly types: ReadonlyMap<string, TemplateDefinition | InterfaceDefinition>;
}

const typeKey = (module: string, entity: string) => `${module}:${entity}`;

/** Definitions by package ID and by package name. What runs is known to all participants alike. */
export class PackageRegistry {
  readonly #byId = new Map<string, LoadedPackage>();
  /** Later versions win: a name stands for the last one added. */
  readonly #byName = new Map<string, LoadedPackage>();
  /**
   * Packages whose content is here: those that were uploaded, whether or not they can run here, and those that are
   * LocalNet's own.
   */
  readonly uploaded = new UploadedPackages();
  /** IDs of packages that are LocalNet's own, and stand for no others. An uploaded build may take their place. */
  readonly #own = new Set<string>();

  constructor(packages: Iterable<PackageDefinition>) {
    this.#add(standardLibraryPackage);
    for (const definition of packages) this.#add(definition);
  }

  /** The package of the name, if it is LocalNet's own and no build has taken its place. */
  ownBuild(packageName: string): PackageDefinition | undefined {
    const definition = this.byName(packageName);
    return definition !== undefined && this.#own.has(definition.id) ? definition : undefined;
  }

  /** An uploaded build takes the place of our own package of its name: it runs as that did, and that is gone. */
  takePlace(build: UploadedPackage): void {
    const own = this.#byName.get(build.name);
    if (own === undefined) throw new TypeError(`no package ${build.name}`);
    for (const [id, { definition }] of this.#byId) {
      if (definition.name === build.name) this.#byId.delete(id);
    }
    this.#own.delete(own.definition.id);
    this.uploaded.remove(own.definition.id);
    this.uploaded.add(build);
    const { templates, interfaces } = own.definition;
    const { id, name, version } = build;
    const definition: PackageDefinition = {
      id,
      name,
      version,
      templates,
      interfaces,
      isStandIn: false,
      get archive() {
        return build.payload();
      },
    };
    const loaded = { definition, types: own.types };
    this.#byId.set(id, loaded);
    this.#byName.set(name, loaded);
  }

  #add(definition: PackageDefinition): void {
    const types = new Map<string, TemplateDefinition | InterfaceDefinition>();
    for (const type of [...definition.templates, ...definition.interfaces]) {
      types.set(typeKey(type.name.module, type.name.entity), type);
    }
    const loaded = { definition, types };
    this.#byId.set(definition.id, loaded);
    this.#byName.set(definition.name, loaded);
    if (definition.isStandIn) return;
    this.#own.add(definition.id);
    const { id, name, version, archive } = definition;
    this.uploaded.add({ id, name, version, payload: () => archive });
  }

  /**
   * A journal may hold contracts of an earlier build of a package of ours, under another package ID. They keep it, and
   * run by the definitions of today.
   */
  addFormerId(packageId: string, packageName: string): void {
    const loaded = this.#byName.get(packageName);
    if (loaded !== undefined && !this.#byId.has(packageId)) this.#byId.set(packageId, loaded);
  }

  /**
   * The uploaded package that a command means where nothing here can run it: one that is only uploaded, or a published
   * one that LocalNet stands for without what is named.
   */
  uploadedOnly({ packageId, module, entity }: TypeReference): string | undefined {
    const loaded = this.#load(packageId);
    if (loaded === undefined) return this.uploaded.find(packageId)?.id;
    if (loaded.types.has(typeKey(module, entity))) return undefined;
    const { id } = loaded.definition;
    return this.uploaded.type({ packageId: id, module, entity }) === undefined ? undefined : id;
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

  /** The package ID that events show for a type of the named package. */
  idOf(packageName: string): string {
    const found = this.#byName.get(packageName);
    if (found === undefined) throw new TypeError(`no package ${packageName}`);
    return found.definition.id;
  }

  /** The template of a stored contract. */
  templateOf(packageId: string, module: string, entity: string): TemplateDefinition | undefined {
    const type = this.#byId.get(packageId)?.types.get(typeKey(module, entity));
    return type?.kind === 'template' ? type : undefined;
  }

  /** What a reference names, if anything here. */
  find(
    reference: TypeReference,
  ): ResolvedType<TemplateDefinition | InterfaceDefinition> | undefined {
    const loaded = this.#load(reference.packageId);
    const definition = loaded?.types.get(typeKey(reference.module, reference.entity));
    if (loaded === undefined || definition === undefined) return undefined;
    return { packageId: this.#idFor(reference, loaded), definition };
  }

  /** What a command names. PACKAGE_NOT_FOUND, COMMAND_PREPROCESSING_FAILED. */
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
    const definition = loaded.types.get(typeKey(reference.module, reference.entity));
    if (definition === undefined) {
      throw preprocessingFailed(
        `unknown template or interface ${loaded.definition.id}:${reference.module}:${reference.entity}`,
      );
    }
    return { packageId: this.#idFor(reference, loaded), definition };
  }

  /** Whether a package of this ID or `#name` is here, whether or not it can run. */
  isKnown(packageId: string): boolean {
    return this.#load(packageId) !== undefined || this.uploaded.find(packageId) !== undefined;
  }

  /**
   * Whether all that the filters of one format name is here. PACKAGE_NAMES_NOT_FOUND, then
   * NO_TEMPLATES_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME, then NO_INTERFACE_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME; each tells
   * all that is missing.
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

  /** What a read filter names. */
  typeOfFilter({
    kind,
    reference,
  }: FilterType): TemplateDefinition | InterfaceDefinition | undefined {
    const loaded = this.#load(reference.packageId);
    const definition = loaded?.types.get(typeKey(reference.module, reference.entity));
    return definition?.kind === kind ? definition : undefined;
  }

  #load(packageId: string): LoadedPackage | undefined {
    return packageId.startsWith('#')
      ? this.#byName.get(packageId.slice(1))
      : this.#byId.get(packageId);
  }

  #idFor(reference: TypeReference, loaded: LoadedPackage): string {
    return reference.packageId.startsWith('#') ? loaded.definition.id : reference.packageId;
  }
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
