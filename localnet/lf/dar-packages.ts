import { LedgerError } from '../ledger/ledger-error.ts';
import { missingPackages } from './lineage.ts';
import type { LfPackage } from './package.ts';
import { STABLE_PACKAGES } from './stable-packages.ts';

/** The first minor version of Daml-LF 2 whose DARs must contain all their dependencies. */
const WHOLE_MINOR = 2;

/**
 * Returns the dependencies of a DAR's packages. A DAR of 2.2 or later contains exactly these. An earlier one may omit
 * packages that are stored already.
 *
 * @param packages the packages of the DAR, the main one first
 * @param stored returns a stored package
 * @throws LedgerError DAR_DEPENDENCIES_NOT_VALID, TOPOLOGY_CANNOT_VET_DUE_TO_MISSING_PACKAGES
 */
export function withDependencies(
  packages: readonly [LfPackage, ...LfPackage[]],
  stored: (packageId: string) => LfPackage | undefined,
): readonly LfPackage[] {
  const [main] = packages;
  const brought = new Map(packages.map((each) => [each.id, each]));
  if (main.minor >= WHOLE_MINOR) {
    requireWhole(main, brought);
    return packages;
  }
  const all = new Map(brought);
  // The packages that are found refer to further packages. The iteration over the map also reaches entries that are
  // added during it.
  for (const { dependencies } of all.values()) {
    for (const id of dependencies) {
      if (all.has(id)) continue;
      const found = stored(id);
      if (found === undefined) throw missingPackages();
      all.set(id, found);
    }
  }
  return [...all.values()];
}

function requireWhole(main: LfPackage, brought: ReadonlyMap<string, LfPackage>): void {
  const mentioned = new Set([main.id]);
  for (const id of mentioned) {
    for (const dependency of brought.get(id)?.dependencies ?? []) mentioned.add(dependency);
  }
  const counted = (ids: Iterable<string>) => [...ids].filter((id) => !STABLE_PACKAGES.has(id));
  const missing = counted(mentioned).filter((id) => !brought.has(id));
  const extra = counted(brought.keys()).filter((id) => !mentioned.has(id));
  if (missing.length + extra.length === 0) return;
  throw new LedgerError(
    'DAR_DEPENDENCIES_NOT_VALID',
    'The set of packages in the dar is not self-consistent and is missing dependencies or has extra dependencies',
    {
      metadata: {
        mainPackageId: main.id,
        missingDependencies: setText(missing),
        extraDependencies: setText(extra),
      },
    },
  );
}

/**
 * The maximum number of packages that an error lists, because a malicious package may refer to any number of packages.
 */
const SHOWN_MAX = 20;
const setText = (ids: readonly string[]): string => `Set(${ids.slice(0, SHOWN_MAX).join(', ')})`;
