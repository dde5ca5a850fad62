import { LedgerError } from '../ledger/ledger-error.ts';
import type { Library } from './library.ts';
import type { LfPackage } from './package.ts';
import { upgradeDefect } from './upgrade.ts';
import { compareVersions } from './versions.ts';

/** A package that is vetted, or is to be. */
export interface VettedPackage {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /** Gives nothing where there is only a description of it. */
  readonly content: () => LfPackage | undefined;
}

/** They come in many builds, which are never upgraded. */
const STANDARD_LIBRARIES: ReadonlySet<string> = new Set(['daml-prim', 'daml-stdlib']);

const nameOf = ({ id, name, version }: VettedPackage): string => `${id} (${name} v${version})`;

/**
 * Checks that packages which come to those vetted continue the versions that are there: no two alike, and each an
 * upgrade of the one before it.
 *
 * @param added packages that come, each after those that it refers to
 * @param vetted all that are vetted then, `added` among them
 * @throws LedgerError KNOWN_PACKAGE_VERSION, NOT_VALID_UPGRADE_PACKAGE
 */
export function checkLineages(
  added: readonly VettedPackage[],
  vetted: readonly VettedPackage[],
  library: Library,
): void {
  for (const name of new Set(added.map((each) => each.name))) {
    if (!STANDARD_LIBRARIES.has(name)) {
      checkLineage(
        vetted.filter((each) => each.name === name),
        library,
      );
    }
  }
}

function checkLineage(lineage: readonly VettedPackage[], library: Library): void {
  const upgradable = lineage
    .filter(({ content }) => content()?.isUtility !== true)
    .toSorted((a, b) => compareVersions(a.version, b.version) || (a.id < b.id ? -1 : 1));
  const pairs = upgradable.slice(1).map((present, index) => ({ past: upgradable[index], present }));
  for (const { past, present } of pairs) {
    if (past === undefined || compareVersions(past.version, present.version) !== 0) continue;
    throw new LedgerError(
      'KNOWN_PACKAGE_VERSION',
      `Tried to vet two packages with the same name and version: ${nameOf(past)} and ${nameOf(present)}.`,
    );
  }
  for (const { past, present } of pairs) {
    const [from, to] = [past?.content(), present.content()];
    const defect =
      from === undefined || to === undefined ? undefined : upgradeDefect(library, from, to);
    if (past === undefined || defect === undefined) continue;
    throw new LedgerError(
      'NOT_VALID_UPGRADE_PACKAGE',
      `Upgrade checks indicate that ${nameOf(present)} cannot be an upgrade of ${nameOf(past)}. Reason: ${defect}`,
    );
  }
}
