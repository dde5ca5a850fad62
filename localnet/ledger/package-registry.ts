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
  /** Packages that were uploaded: those that nothing here can run, and published ones that others here stand for. */
  readonly uploaded = new UploadedPackages();

  constructor(packages: Iterable<PackageDefinition>) {
    this.#add(standardLibraryPackage);
    for (const definition of packages) this.#add(definition);
  }

  #add(definition: PackageDefinition): void {
    const types = new Map<string, TemplateDefinition | InterfaceDefinition>();
    for (const type of [...definition.templates, ...definition.interfaces]) {
      types.set(typeKey(type.name.module, type.name.entity), type);
    }
    const loaded = { definition, types };
    this.#byId.set(definition.id, loaded);
    this.#byName.set(definition.name, loaded);
  }

  /**
   * A journal may hold contracts of an earlier build of a package of ours, under another package ID. They keep it, and
   * run by the definitions of today.
   */
  addFormerId(packageId: string, packageName: string): void {
    const loaded = this.#byName.get(packageName);
    if (loaded !== undefined && !this.#byId.has(packageId)) this.#byId.set(packageId, loaded);
  }

  /** Whether a command names a package that was uploaded and that nothing here can run. */
  isUploadedOnly(packageId: string): boolean {
    return this.#load(packageId) === undefined && this.uploaded.find(packageId) !== undefined;
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
