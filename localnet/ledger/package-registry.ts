import { LedgerError } from './ledger-error.ts';
import { isDottedName, isPackageId, isPackageName, preprocessingFailed } from './lf-values.ts';
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

  /** What a command names. PACKAGE_NOT_FOUND, COMMAND_PREPROCESSING_FAILED. */
  resolveForCommand(
    reference: TypeReference,
  ): ResolvedType<TemplateDefinition | InterfaceDefinition> {
    const loaded = this.#load(reference.packageId);
    if (loaded === undefined) {
      throw new LedgerError('PACKAGE_NOT_FOUND', `Could not find package ${reference.packageId}.`, {
        resources: [{ type: 'PACKAGE', name: reference.packageId.replace(/^#/, '') }],
      });
    }
    const definition = loaded.types.get(typeKey(reference.module, reference.entity));
    if (definition === undefined) {
      throw preprocessingFailed(
        `unknown template or interface ${loaded.definition.id}:${reference.module}:${reference.entity}`,
      );
    }
    return { packageId: this.#idFor(reference, loaded), definition };
  }

  /**
   * What a read filter names. PACKAGE_NAMES_NOT_FOUND for an unknown name,
   * NO_TEMPLATES_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME for an unknown type of a known name,
   * TEMPLATES_OR_INTERFACES_NOT_FOUND for what an ID names in vain.
   */
  resolveForFilter(
    reference: TypeReference,
    kind: 'template' | 'interface',
  ): TemplateDefinition | InterfaceDefinition {
    const loaded = this.#load(reference.packageId);
    const byName = reference.packageId.startsWith('#');
    if (loaded === undefined && byName && this.uploaded.find(reference.packageId) === undefined) {
      const name = reference.packageId.slice(1);
      throw new LedgerError(
        'PACKAGE_NAMES_NOT_FOUND',
        `The following package names do not match upgradable packages uploaded on this participant: [${name}].`,
        { resources: [{ type: 'PACKAGE_NAME', name }] },
      );
    }
    const definition = loaded?.types.get(typeKey(reference.module, reference.entity));
    if (definition?.kind === kind) return definition;
    throw unknownType(reference, kind, byName);
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

function unknownType(reference: TypeReference, kind: string, byName: boolean): LedgerError {
  const name = `${reference.packageId}:${reference.module}:${reference.entity}`;
  if (byName) {
    return new LedgerError(
      'NO_TEMPLATES_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME',
      `The following package-name/${kind} qualified-name pairs do not reference any ${kind} uploaded on this participant: [(${name})].`,
      { resources: [{ type: 'TEMPLATE_ID', name }] },
    );
  }
  const what = kind === 'template' ? 'Templates' : 'Interfaces';
  return new LedgerError('TEMPLATES_OR_INTERFACES_NOT_FOUND', `${what} do not exist: [${name}].`, {
    resources: [{ type: kind === 'template' ? 'TEMPLATE_ID' : 'INTERFACE_ID', name }],
  });
}

/** MISSING_FIELD is the caller's business; this is for what is there but is no identifier. */
export function typeReferenceDefect({
  packageId,
  module,
  entity,
}: TypeReference): string | undefined {
  const isPackage = packageId.startsWith('#')
    ? isPackageName(packageId.slice(1))
    : isPackageId(packageId);
  if (!isPackage)
    return `package_id: '${packageId.slice(0, 100)}' is neither a package id nor #name`;
  if (!isDottedName(module)) return `module_name: '${module.slice(0, 100)}' is not a module name`;
  if (!isDottedName(entity)) return `entity_name: '${entity.slice(0, 100)}' is not an entity name`;
  return undefined;
}
