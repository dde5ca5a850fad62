import type { DataType, Interface, LfModule, Synonym } from './module.ts';
import type { LfPackage } from './package.ts';
import type { DefinitionId } from './types.ts';

/** Gives access to packages that refer to each other. */
export interface Library {
  package(packageId: string): LfPackage | undefined;
}

export const libraryOf = (packages: Iterable<LfPackage>): Library => {
  const byId = new Map(Array.from(packages, (each) => [each.id, each]));
  return { package: (packageId) => byId.get(packageId) };
};

const moduleIn = (library: Library, { packageId, module }: DefinitionId): LfModule | undefined =>
  library.package(packageId)?.modules.get(module);

export const dataTypeIn = (library: Library, id: DefinitionId): DataType | undefined =>
  moduleIn(library, id)?.dataTypes.get(id.name);

export const synonymIn = (library: Library, id: DefinitionId): Synonym | undefined =>
  moduleIn(library, id)?.synonyms.get(id.name);

export const interfaceIn = (library: Library, id: DefinitionId): Interface | undefined =>
  moduleIn(library, id)?.interfaces.get(id.name);
