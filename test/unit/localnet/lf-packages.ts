import { expect } from 'vitest';
import { LedgerError } from '../../../localnet/ledger/ledger-error.ts';
import { readArchive } from '../../../localnet/lf/archive.ts';
import { Lineages } from '../../../localnet/lf/lineage.ts';
import type { LfPackage } from '../../../localnet/lf/package.ts';
import { validatePackages } from '../../../localnet/lf/validation.ts';
import { lfPackage } from '../../../localnet/lf/build/package.ts';
import type { LfSource, ModuleSource } from '../../../localnet/lf/build/package.ts';
import type { Bytes } from '../../../localnet/lf/build/tables.ts';

/** Returns the source of a package that has a single module, `Main`. */
export const mainOnly = (Main: ModuleSource, changes: Partial<LfSource> = {}): LfSource => ({
  name: 'made',
  version: '1.0.0',
  modules: { Main },
  ...changes,
});

export const read = (source: LfSource): LfPackage => readArchive(lfPackage(source).archive);

/** Reads a package and the packages to which it refers, and checks all of them together. */
export function readWhole(source: LfSource, others: readonly LfPackage[] = []): LfPackage {
  const made = read(source);
  validatePackages([made, ...others]);
  return made;
}

/** Returns the code and the reason of a refusal. */
export function refusalOf(attempt: () => unknown): { readonly code: string; readonly why: string } {
  try {
    attempt();
  } catch (error) {
    expect(error).toBeInstanceOf(LedgerError);
    const { code, metadata, text } = error as LedgerError;
    return { code, why: metadata['reason'] ?? metadata['validationError'] ?? text };
  }
  return { code: 'none', why: '' };
}

/** Reads an archive, and checks it without other packages. */
export function readBytes(archive: Bytes): LfPackage {
  const made = readArchive(archive);
  validatePackages([made]);
  return made;
}

const vettedOf = (lf: LfPackage) => ({
  id: lf.id,
  name: lf.name,
  version: lf.version,
  isBuiltIn: false,
  content: () => lf,
});

/** Vets a package in addition to others, in the same way as a participant. Fails if it is not a valid upgrade. */
export function vet(
  added: LfPackage,
  vetted: readonly LfPackage[],
  others: readonly LfPackage[] = [],
): void {
  const stored = new Map([...vetted, added, ...others].map((lf) => [lf.id, vettedOf(lf)] as const));
  new Lineages().check([vettedOf(added)], [...vetted, added].map(vettedOf), stored);
}
