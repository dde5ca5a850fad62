import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { readDar } from '../lf/dar.ts';
import { describePackage } from '../lf/description.ts';
import type { PackageDescription } from '../lf/description.ts';
import { checkLineages } from '../lf/lineage.ts';
import type { VettedPackage } from '../lf/lineage.ts';
import type { LfPackage } from '../lf/package.ts';
import type { ParticipantName } from '../ports.ts';
import { describeBuiltIn } from './built-in-description.ts';
import type { LedgerClock } from './clock.ts';
import { LedgerError } from './ledger-error.ts';
import type { PackageEntry } from './ledger-state.ts';
import type { LedgerStore } from './ledger-store.ts';
import type { KnownPackage, Packages } from './participant.ts';
import type { PackageRegistry } from './package-registry.ts';
import { invalidArgument } from './submission-checks.ts';

/** Bytes that the uploaded packages of a network may take in its journal, compressed. */
const UPLOADED_BYTES_MAX = 256 * 1024 * 1024;

export interface ParticipantPackagesOptions {
  readonly store: LedgerStore;
  readonly name: ParticipantName;
  readonly registry: PackageRegistry;
  readonly clock: LedgerClock;
}

/** What somebody wants to be known here. */
interface Upload {
  readonly mainId: string;
  readonly packages: readonly LfPackage[];
}

const NOTHING = Buffer.alloc(0);

/**
 * Packages of one participant: those that LocalNet runs, which are known everywhere, and those that were uploaded here.
 * The latter are kept, listed and given out again, but nothing runs them: there is no Daml engine.
 */
export class ParticipantPackages implements Packages {
  readonly #options: ParticipantPackagesOptions;

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

  /** Whether a participant has vetted a package that is known there. */
  isVettedBy(name: ParticipantName, packageId: string, at: bigint): boolean {
    const { packages, participants } = this.#options.store.state;
    const entry = packages.get(packageId);
    if (entry === undefined || entry.uploaded?.participants.has(name) === false) return false;
    return participants[name].vetting.isVetted(packageId, at);
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
    const upload = await this.#open(dar);
    this.#newOf(upload);
    return upload.mainId;
  }

  async uploadDar(dar: Uint8Array, isVetted = true): Promise<string> {
    const upload = await this.#open(dar);
    // From here on nothing else runs, so what is checked is still so when it is written.
    const { store, name, clock, registry } = this.#options;
    const { state } = store;
    const fresh = this.#newOf(upload).map((lf) => ({
      lf,
      payload: this.#hasContent(lf.id) ? NOTHING : deflateRawSync(lf.payload),
    }));
    const bytes = fresh.reduce((sum, { payload }) => sum + payload.length, 0);
    if (state.uploadedBytes + bytes > UPLOADED_BYTES_MAX) {
      throw invalidArgument('LocalNet keeps no more uploaded packages; start it with a new folder');
    }
    const knownSince = clock.nowMicros();
    for (const { lf, payload } of fresh) {
      store.add({
        kind: 'packageUploaded',
        participant: name,
        packageId: lf.id,
        packageName: lf.name,
        version: lf.version,
        knownSince,
        size: lf.payload.length,
        payload: payload.toString('base64'),
      });
    }
    const { vetting } = state.participants[name];
    const changes = isVetted
      ? upload.packages.filter(({ id }) => vetting.periodOf(id) === undefined)
      : fresh.map(({ lf }) => lf);
    if (changes.length > 0) {
      const period = isVetted ? {} : null;
      store.add({
        kind: 'vetting',
        participant: name,
        changes: changes.map(({ id: packageId }) => ({ packageId, period })),
      });
    }
    store.flush();
    for (const { lf } of fresh) registry.uploaded.keep(lf);
    return upload.mainId;
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
      const runs = uploaded === undefined;
      return { id, name, version, knownSince, size: content.size, archive, runs };
    }
    const definition = this.#options.registry.byId(id);
    if (definition === undefined) return undefined;
    const { archive } = definition;
    const size = archive.length;
    return { id, name, version, knownSince, size, archive: () => archive, runs: true };
  }

  /** Whether the bytes of a package are here, from whatever participant. */
  #hasContent(packageId: string): boolean {
    const entry = this.#options.store.state.packages.get(packageId);
    return (entry?.uploaded ?? entry?.original) !== undefined;
  }

  /** Reads a DAR, or the archive of a built-in package as `GetPackage` gives it. */
  async #open(dar: Uint8Array): Promise<Upload> {
    const builtIn = this.#builtInOf(dar);
    if (builtIn !== undefined) return { mainId: builtIn, packages: [] };
    const { uploaded } = this.#options.registry;
    const { main, dependencies } = await readDar(dar, (id) => uploaded.known(id));
    return { mainId: main.id, packages: [main, ...dependencies] };
  }

  /**
   * Those that are not here yet, or whose bytes are not, and may be. KNOWN_PACKAGE_VERSION, NOT_VALID_UPGRADE_PACKAGE.
   */
  #newOf({ packages }: Upload): readonly LfPackage[] {
    const byId = new Map(packages.map((lf) => [lf.id, lf]));
    const unknown = [...byId.values()].filter(({ id }) => !this.has(id));
    if (unknown.length > 0) this.#checkLineages(unknown, byId);
    return [...byId.values()].filter(({ id }) => !this.has(id) || !this.#hasContent(id));
  }

  /** Everything that is known here is vetted here. */
  #checkLineages(unknown: readonly LfPackage[], byId: ReadonlyMap<string, LfPackage>): void {
    const { registry } = this.#options;
    const { uploaded } = registry;
    const library = { package: (id: string) => byId.get(id) ?? uploaded.package(id) };
    const current = this.list().filter(({ id, runs }) => !runs || this.#isVersion(id));
    const known = current.map(({ id, name, version }): VettedPackage => {
      const content = () => library.package(id);
      return { id, name, version, content };
    });
    const added = unknown.map(({ id, name, version }) => ({
      id,
      name,
      version,
      content: () => library.package(id),
    }));
    checkLineages(added, [...known, ...added], library);
  }

  /**
   * Whether a package that runs here counts as a version of its name. Libraries that LocalNet has types of, and IDs
   * that earlier builds of a package had, are not what is published under the name.
   */
  #isVersion(packageId: string): boolean {
    const definition = this.#options.registry.byId(packageId);
    if (this.#hasContent(packageId)) return true;
    if (definition?.id !== packageId) return false;
    return definition.templates.length > 0 || definition.interfaces.length > 0;
  }

  #builtInOf(archive: Uint8Array): string | undefined {
    const hash = createHash('sha256').update(archive).digest('hex');
    return this.#options.registry.packages.find(
      (known) => createHash('sha256').update(known.archive).digest('hex') === hash,
    )?.id;
  }
}
