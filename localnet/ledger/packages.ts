import { promisify } from 'node:util';
import { deflateRaw, inflateRawSync } from 'node:zlib';
import { readDar } from '../lf/dar.ts';
import { describePackage } from '../lf/description.ts';
import type { PackageDescription } from '../lf/description.ts';
import { Lineages } from '../lf/lineage.ts';
import type { VettedPackage } from '../lf/lineage.ts';
import type { LfPackage } from '../lf/package.ts';
import { compareVersions } from '../lf/versions.ts';
import type { ParticipantName } from '../ports.ts';
import { describeBuiltIn } from './built-in-description.ts';
import type { LedgerClock } from './clock.ts';
import { LedgerError } from './ledger-error.ts';
import type { LedgerState, PackageEntry } from './ledger-state.ts';
import type { LedgerStore } from './ledger-store.ts';
import type { KnownPackage, Packages } from './participant.ts';
import type { PackageRegistry } from './package-registry.ts';
import { invalidArgument } from './submission-checks.ts';
import { isForever } from './vetting.ts';
import type { VettingChange } from './vetting.ts';

/** The maximum compressed size of all uploaded packages in a network's journal, in bytes. */
const UPLOADED_BYTES_MAX = 256 * 1024 * 1024;

export interface ParticipantPackagesOptions {
  readonly store: LedgerStore;
  readonly name: ParticipantName;
  readonly registry: PackageRegistry;
  readonly clock: LedgerClock;
}

/** A package that is uploaded, with its dependencies. */
interface Upload {
  readonly mainId: string;
  readonly packages: readonly LfPackage[];
}

/** The packages that an upload adds, and the builds in it that replace LocalNet's own packages. */
interface Arriving {
  readonly packages: readonly LfPackage[];
  /** Builds that replace LocalNet's own packages, by package name. */
  readonly builds: ReadonlyMap<string, LfPackage>;
}

/** Requirements on a package version. */
interface PackageWish {
  readonly parties: readonly string[];
  /** IDs of packages. @default none */
  readonly preferences?: readonly string[];
  /** Ledger time, microseconds. */
  readonly at: bigint;
}

const NOTHING = Buffer.alloc(0);
const NONE_ARRIVING: Arriving = { packages: [], builds: new Map() };
const deflate = promisify(deflateRaw);
/** Fast compression. Its result is a tenth larger, but it needs only a third of the time. */
const QUICKLY = { level: 1 } as const;

/**
 * The packages of one participant: those that LocalNet runs natively, which all participants know, and those that were
 * uploaded here, whose code the engine runs.
 */
export class ParticipantPackages implements Packages {
  readonly #options: ParticipantPackagesOptions;
  readonly #lineages = new Lineages();

  constructor(options: ParticipantPackagesOptions) {
    this.#options = options;
  }

  list(): readonly KnownPackage[] {
    const { packages } = this.#options.store.state;
    return [...packages.values()].flatMap((entry) => this.#known(entry) ?? []);
  }

  get(packageId: string): KnownPackage {
    const known = this.#find(packageId);
    if (known !== undefined) return known;
    throw new LedgerError('PACKAGE_NOT_FOUND', 'Could not find package.', {
      resources: [{ type: 'PACKAGE', name: packageId }],
    });
  }

  has(packageId: string): boolean {
    return this.#find(packageId) !== undefined;
  }

  /** Returns whether a participant knows a package and has vetted it. */
  isVettedBy(name: ParticipantName, packageId: string, at: bigint): boolean {
    const { packages, participants } = this.#options.store.state;
    const entry = packages.get(packageId);
    if (entry === undefined || entry.uploaded?.participants.has(name) === false) return false;
    return participants[name].vetting.isVetted(packageId, at);
  }

  /**
   * Returns the version of a package that all hosts of the parties have vetted: the preferred one if there is one,
   * otherwise the latest.
   */
  preferred(
    packageName: string,
    { parties, preferences = [], at }: PackageWish,
  ): KnownPackage | undefined {
    const { hosts } = this.#options.store.state;
    const participants = new Set(parties.flatMap((party) => [...(hosts.get(party) ?? [])]));
    const versions = this.list().filter(({ name }) => name === packageName);
    // A ledger may have several builds of one version, which earlier releases of LocalNet created. The current build is
    // chosen.
    const meant = this.#options.registry.byName(packageName)?.id;
    const isMeant = ({ id }: KnownPackage) => Number(id === meant);
    const wanted = versions.filter(({ id }) => preferences.includes(id));
    return (wanted.length > 0 ? wanted : versions)
      .filter(({ id }) => [...participants].every((name) => this.isVettedBy(name, id, at)))
      .toSorted((a, b) => compareVersions(a.version, b.version) || isMeant(a) - isMeant(b))
      .at(-1);
  }

  describe(packageId: string): PackageDescription {
    const { id } = this.get(packageId);
    const { registry } = this.#options;
    const content = registry.uploaded.package(id);
    const definition = registry.byId(id);
    if (content !== undefined) return describePackage(content);
    if (definition !== undefined) return describeBuiltIn(definition);
    throw new TypeError(`package ${id} has no content`);
  }

  async validateDar(dar: Uint8Array): Promise<string> {
    const { mainId, packages } = await this.#open(dar);
    const builds = this.#buildsThatTakePlace(packages);
    this.#requireVettable(this.#notVettedOf(packages), { packages, builds });
    return mainId;
  }

  async uploadDar(dar: Uint8Array, isVetted = true): Promise<string> {
    const { mainId, packages } = await this.#open(dar);
    const payloads = await this.#packed(packages);
    // No other code runs between these checks and the write of the packages, so the results stay true.
    const unknown = packages.filter(({ id }) => !this.has(id));
    const toVet = isVetted ? this.#notVettedOf(packages) : [];
    const arriving = { packages, builds: this.#buildsThatTakePlace(packages) };
    const refusal = refusalOf(() => this.#requireVettable(toVet, arriving));
    this.#keep(arriving, payloads);
    const { store, name } = this.#options;
    const { vetting } = store.state.participants[name];
    // Packages that cannot be vetted are stored nevertheless, as on a participant.
    const isKeptBack = !isVetted || refusal !== undefined;
    const changes = isKeptBack
      ? unknown
      : toVet.filter(({ id }) => !isForever(vetting.periodOf(id)));
    if (changes.length > 0) {
      const period = isKeptBack ? null : {};
      store.add({
        kind: 'vetting',
        participant: name,
        changes: changes.map(({ id: packageId }) => ({ packageId, period })),
      });
    }
    store.flush();
    if (refusal !== undefined) throw refusal;
    return mainId;
  }

  /**
   * Checks that the vetted packages would be consistent after the changes. The errors are those for versions that do
   * not upgrade each other.
   */
  checkVetting(changes: readonly VettingChange[]): void {
    const next = new Set(this.#vetted());
    const added = changes.filter(
      ({ packageId, period }) => period !== null && !next.has(packageId),
    );
    for (const { packageId, period } of changes) {
      if (period === null) next.delete(packageId);
      else next.add(packageId);
    }
    this.#checkLineages(
      added.map(({ packageId }) => packageId),
      next,
      NONE_ARRIVING,
    );
  }

  /** Returns the packages that are not vetted here, or are vetted only for a limited time. */
  #notVettedOf(packages: readonly LfPackage[]): readonly LfPackage[] {
    const { store, name } = this.#options;
    const { vetting } = store.state.participants[name];
    return packages.filter(({ id }) => !this.has(id) || !isForever(vetting.periodOf(id)));
  }

  /**
   * Returns the builds that replace LocalNet's own packages of the same names, by name.
   *
   * @throws LedgerError KNOWN_PACKAGE_VERSION, NOT_VALID_UPGRADE_PACKAGE, and INVALID_ARGUMENT for a build that is
   *   uploaded too late to replace LocalNet's own package
   */
  #buildsThatTakePlace(packages: readonly LfPackage[]): ReadonlyMap<string, LfPackage> {
    const builds = new Map<string, LfPackage>();
    for (const lf of packages.filter(({ id }) => !this.has(id))) {
      if (!builds.has(lf.name) && this.#takesPlace(lf, packages)) builds.set(lf.name, lf);
    }
    return builds;
  }

  /** A build replaces LocalNet's own package only until that package is used. Later builds are added as upgrades. */
  #takesPlace(lf: LfPackage, packages: readonly LfPackage[]): boolean {
    const { registry, store } = this.#options;
    const own = registry.ownBuild(lf.name);
    if (own === undefined) return false;
    const lateness = latenessOf(own.name, store.state);
    if (lateness === undefined) return true;
    const refusal = refusalOf(() => this.#requireVettable([lf], { packages, builds: new Map() }));
    if (refusal === undefined && compareVersions(lf.version, own.version) > 0) return false;
    const words = `LocalNet runs ${own.name} itself, and this build cannot take its place: ${lateness}.`;
    if (refusal === undefined) throw invalidArgument(words);
    const { code, text, metadata, resources } = refusal;
    // The reason comes first, because a long text is cut at its end.
    throw new LedgerError(code, `${words} ${text}`, { metadata, resources });
  }

  #requireVettable(toVet: readonly LfPackage[], arriving: Arriving): void {
    const vetted = new Set(this.#vetted());
    const added = toVet.map(({ id }) => id).filter((id) => !vetted.has(id));
    if (added.length > 0) this.#checkLineages(added, new Set([...vetted, ...added]), arriving);
  }

  /** Compresses the packages whose bytes are not stored yet. */
  async #packed(packages: readonly LfPackage[]): Promise<ReadonlyMap<string, Buffer>> {
    const unknown = packages.filter(({ id }) => !this.#hasContent(id));
    const packed = await Promise.all(
      unknown.map(async ({ id, payload }) => [id, await deflate(payload, QUICKLY)] as const),
    );
    return new Map(packed);
  }

  /** Writes packages to the journal that are unknown, or whose bytes are not stored yet. */
  #keep({ packages, builds }: Arriving, payloads: ReadonlyMap<string, Buffer>): void {
    const { store, name, clock, registry } = this.#options;
    const { state } = store;
    const fresh = packages.filter(({ id }) => !this.has(id) || !this.#hasContent(id));
    const kept = fresh.map((lf) => ({
      lf,
      payload: this.#hasContent(lf.id) ? NOTHING : (payloads.get(lf.id) ?? NOTHING),
    }));
    const bytes = kept.reduce((sum, { payload }) => sum + payload.length, 0);
    if (state.uploadedBytes + bytes > UPLOADED_BYTES_MAX) {
      throw invalidArgument('LocalNet keeps no more uploaded packages; start it with a new folder');
    }
    const knownSince = clock.nowMicros();
    for (const { lf, payload } of kept) {
      store.add({
        kind: 'packageUploaded',
        participant: name,
        packageId: lf.id,
        packageName: lf.name,
        version: lf.version,
        knownSince,
        size: lf.payload.length,
        payload: payload.toString('base64'),
        ...(builds.get(lf.name) === lf ? { takesPlace: true } : {}),
      });
      registry.uploaded.keep(lf);
    }
  }

  #find(packageId: string): KnownPackage | undefined {
    const entry = this.#options.store.state.packages.get(packageId);
    return entry === undefined ? undefined : this.#known(entry);
  }

  #known(entry: PackageEntry): KnownPackage | undefined {
    const { packageId: id, packageName: name, version, knownSince, uploaded, original } = entry;
    const content = uploaded ?? original;
    if (uploaded?.participants.has(this.#options.name) === false) return undefined;
    if (content !== undefined) {
      const archive = () => inflateRawSync(content.payload);
      const runs = this.#runs(id);
      return { id, name, version, knownSince, size: content.size, archive, runs };
    }
    const definition = this.#options.registry.byId(id);
    if (definition === undefined) return undefined;
    const { archive } = definition;
    const size = archive.length;
    return { id, name, version, knownSince, size, archive: () => archive, runs: 'native' };
  }

  #runs(packageId: string): KnownPackage['runs'] {
    return this.#options.registry.isNative(packageId) ? 'native' : 'engine';
  }

  /** Returns whether a package's bytes are stored, no matter to which participant they were uploaded. */
  #hasContent(packageId: string): boolean {
    const entry = this.#options.store.state.packages.get(packageId);
    return (entry?.uploaded ?? entry?.original) !== undefined;
  }

  /** Reads the packages of a DAR, or of the archive of a built-in package as `GetPackage` returns it. */
  async #open(dar: Uint8Array): Promise<Upload> {
    const builtIn = this.#builtInOf(dar);
    if (builtIn !== undefined) return { mainId: builtIn, packages: [] };
    const { uploaded } = this.#options.registry;
    const { main, dependencies } = await readDar(dar, {
      known: (id) => uploaded.known(id),
      stored: (id) => (this.has(id) ? uploaded.package(id) : undefined),
    });
    const byId = new Map([main, ...dependencies].map((lf) => [lf.id, lf]));
    return { mainId: main.id, packages: [...byId.values()] };
  }

  /** Returns the IDs of the packages that this participant knows and has vetted. */
  #vetted(): readonly string[] {
    const { store, name } = this.#options;
    const { vetting } = store.state.participants[name];
    return this.list().flatMap(({ id }) => (vetting.periodOf(id) === undefined ? [] : [id]));
  }

  #checkLineages(
    added: readonly string[],
    target: ReadonlySet<string>,
    { packages, builds }: Arriving,
  ): void {
    const { uploaded } = this.#options.registry;
    const byId = new Map(packages.map((lf) => [lf.id, lf]));
    const stored = new Map<string, VettedPackage>();
    const { packages: entries } = this.#options.store.state;
    for (const { id, name, version } of this.list()) {
      const content = () => byId.get(id) ?? uploaded.package(id);
      const isBuiltIn = entries.get(id)?.uploaded === undefined;
      stored.set(id, { id, name, version, isBuiltIn, content });
    }
    for (const lf of packages) {
      if (stored.has(lf.id)) continue;
      const { id, name, version } = lf;
      stored.set(id, { id, name, version, isBuiltIn: false, content: () => lf });
    }
    const isCounted = ({ id, name, isBuiltIn }: VettedPackage) =>
      !isBuiltIn || (this.#isVersion(id) && !builds.has(name));
    const inStore = (ids: Iterable<string>) => [...ids].flatMap((id) => stored.get(id) ?? []);
    this.#lineages.check(inStore(added), inStore(target).filter(isCounted), stored);
  }

  /**
   * Returns whether a native package counts as a version of its name. LocalNet's partial copies of libraries do not
   * count, nor do IDs of earlier builds, because their content is not that of the package that is published under the
   * name.
   */
  #isVersion(packageId: string): boolean {
    const definition = this.#options.registry.byId(packageId);
    if (this.#hasContent(packageId)) return true;
    if (definition?.id !== packageId) return false;
    return definition.templates.length > 0 || definition.interfaces.length > 0;
  }

  #builtInOf(archive: Uint8Array): string | undefined {
    return this.#options.registry.packages.find(
      (known) => Buffer.compare(known.archive, archive) === 0,
    )?.id;
  }
}

/** Returns the refusal that a check throws; `undefined` if the check throws none. Rethrows any other error. */
function refusalOf(check: () => void): LedgerError | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof LedgerError) return error;
    throw error;
  }
}

/** Returns why a build is uploaded too late to replace a package, or `undefined` if it is not too late. */
function latenessOf(packageName: string, state: LedgerState): string | undefined {
  if (state.usedPackages.has(packageName)) {
    return `there are contracts of it already; upload before the first one, or reset LocalNet`;
  }
  return state.undecided.size > 0 ? 'commands wait for their verdict; upload again' : undefined;
}
