import { LedgerError } from '../ledger/ledger-error.ts';
import type { Library } from './library.ts';
import type { LfPackage } from './package.ts';
import { upgradeDefect } from './upgrade.ts';
import type { Spend } from './upgrade-types.ts';
import { compareVersions } from './versions.ts';

/** A package that is vetted, or that is to be vetted. */
export interface VettedPackage {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /** Whether the package is part of LocalNet. Its dependencies may then be missing. */
  readonly isBuiltIn: boolean;
  /** Returns the package's content; undefined if there is only a description. */
  readonly content: () => LfPackage | undefined;
}

/** Standard libraries that exist in many builds and are never upgraded. */
const STANDARD_LIBRARIES: ReadonlySet<string> = new Set(['daml-prim', 'daml-stdlib']);
/**
 * The last version of these libraries that contains types whose values can be stored. Libraries up to this version are
 * accepted nevertheless.
 */
const LAST_STORABLE_LIBRARY = '3.2.0.20241030.13394.0';
/**
 * The maximum number of types that one check compares, over all pairs of packages. Of 150 pairs in published DARs, the
 * largest takes 734.
 */
const STEPS_MAX = 1_000_000;
/** The maximum number of cached comparisons. A participant has a few hundred. */
const PAIRS_MAX = 10_000;

const TOO_LARGE = 'the types of its definitions are too large to be compared';

/** Returns why a package is not an upgrade of another one. */
type Compare = (past: VettedPackage, present: VettedPackage) => string | undefined;

const nameOf = ({ id, name, version }: VettedPackage): string => `${id} (${name} v${version})`;

/** Compares package versions that are vetted together. The results of comparisons are cached. */
export class Lineages {
  readonly #defects = new Map<string, string | undefined>();

  /**
   * Checks that packages that are to be vetted fit the vetted versions: no two versions may be equal, and each version
   * must upgrade the one before it. Their dependencies are checked in the same way.
   *
   * @param added packages that are to be vetted
   * @param vetted all packages that will then be vetted, including `added`
   * @param stored all stored packages, vetted or not
   * @throws LedgerError TOPOLOGY_CANNOT_VET_DUE_TO_MISSING_PACKAGES, DAML_PRIM_NOT_UTILITY_PACKAGE,
   *   KNOWN_PACKAGE_VERSION, NOT_VALID_UPGRADE_PACKAGE
   */
  check(
    added: readonly VettedPackage[],
    vetted: readonly VettedPackage[],
    stored: ReadonlyMap<string, VettedPackage>,
  ): void {
    const byName = Map.groupBy(vetted, ({ name }) => name);
    const library = { package: (id: string) => stored.get(id)?.content() };
    let steps = 0;
    const compare: Compare = (past, present) =>
      this.#defectOf(past, present, library, () => {
        steps += 1;
        if (steps > STEPS_MAX) throw notValid(past, present, TOO_LARGE);
      });
    for (const name of namesConcerned(added, stored)) {
      checkLineage(byName.get(name) ?? [], stored, compare);
    }
  }

  #defectOf(
    past: VettedPackage,
    present: VettedPackage,
    library: Library,
    spend: Spend,
  ): string | undefined {
    const key = `${past.id} ${present.id}`;
    if (this.#defects.has(key)) return this.#defects.get(key);
    const [from, to] = [past.content(), present.content()];
    if (from === undefined || to === undefined) return undefined;
    const defect = upgradeDefect(library, from, to, spend);
    if (this.#defects.size >= PAIRS_MAX) this.#defects.clear();
    this.#defects.set(key, defect);
    return defect;
  }
}

function checkLineage(
  lineage: readonly VettedPackage[],
  stored: ReadonlyMap<string, VettedPackage>,
  compare: Compare,
): void {
  const inOrder = lineage.toSorted(
    (a, b) => compareVersions(a.version, b.version) || (a.id < b.id ? -1 : 1),
  );
  for (const each of inOrder) requireDependencies(each, stored);
  for (const each of inOrder) requireUtility(each);
  const upgradable = inOrder.filter((each) => !isNeverUpgraded(each));
  const pairs = upgradable.flatMap((present, index) => {
    const past = upgradable[index - 1];
    return past === undefined ? [] : [{ past, present }];
  });
  for (const { past, present } of pairs) {
    if (compareVersions(past.version, present.version) !== 0) continue;
    throw new LedgerError(
      'KNOWN_PACKAGE_VERSION',
      `Tried to vet two packages with the same name and version: ${nameOf(past)} and ${nameOf(present)}.`,
    );
  }
  for (const { past, present } of pairs) {
    const defect = compare(past, present);
    if (defect !== undefined) throw notValid(past, present, defect);
  }
}

const notValid = (past: VettedPackage, present: VettedPackage, reason: string): LedgerError =>
  new LedgerError(
    'NOT_VALID_UPGRADE_PACKAGE',
    `Upgrade checks indicate that ${nameOf(present)} cannot be an upgrade of ${nameOf(past)}. Reason: ${reason}`,
  );

/** Returns the names of packages and their dependencies, dependencies first. */
function namesConcerned(
  added: readonly VettedPackage[],
  stored: ReadonlyMap<string, VettedPackage>,
): ReadonlySet<string> {
  const names = new Set<string>();
  const seen = new Set<string>();
  const todo = added.map((of) => ({ of, isLeft: false })).reverse();
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const { of, isLeft } = next;
    if (isLeft) names.add(of.name);
    if (isLeft || seen.has(of.id)) continue;
    seen.add(of.id);
    todo.push({ of, isLeft: true });
    for (const id of of.content()?.dependencies ?? []) {
      const dependency = stored.get(id);
      if (dependency !== undefined) todo.push({ of: dependency, isLeft: false });
    }
  }
  return names;
}

function requireDependencies(of: VettedPackage, stored: ReadonlyMap<string, VettedPackage>): void {
  if (of.isBuiltIn) return;
  for (const id of of.content()?.dependencies ?? []) {
    if (!stored.has(id)) throw missingPackages();
  }
}

/** Returns the error for a package that is to be vetted and refers to missing packages. */
export const missingPackages = (): LedgerError =>
  new LedgerError(
    'TOPOLOGY_CANNOT_VET_DUE_TO_MISSING_PACKAGES',
    'Package vetting failed due to packages not existing on the local node',
  );

const isEarlyLibrary = ({ name, version }: VettedPackage): boolean =>
  STANDARD_LIBRARIES.has(name) && compareVersions(version, LAST_STORABLE_LIBRARY) <= 0;

const isNeverUpgraded = (of: VettedPackage): boolean =>
  isEarlyLibrary(of) || of.content()?.isUtility === true;

function requireUtility(of: VettedPackage): void {
  const isWrong = STANDARD_LIBRARIES.has(of.name) && of.content()?.isUtility === false;
  if (!isWrong || isEarlyLibrary(of)) return;
  throw new LedgerError(
    'DAML_PRIM_NOT_UTILITY_PACKAGE',
    `Tried to vet a package ${nameOf(of)}, but this package is not a utility package. All packages named \`daml-prim\` or \`daml-std-lib\` must be a utility package.`,
  );
}
