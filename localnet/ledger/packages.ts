import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { ParticipantName } from '../ports.ts';
import type { LedgerClock } from './clock.ts';
import { readDar } from './dar.ts';
import { LedgerError } from './ledger-error.ts';
import type { PackageEntry } from './ledger-state.ts';
import type { LedgerStore } from './ledger-store.ts';
import type { LfPackage } from './lf-archive.ts';
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

  async validateDar(dar: Uint8Array): Promise<string> {
    const upload = await this.#open(dar);
    this.#newOf(upload);
    return upload.mainId;
  }

  async uploadDar(dar: Uint8Array, isVetted = true): Promise<string> {
    const upload = await this.#open(dar);
    // From here on nothing else runs, so what is checked is still so when it is written.
    const { store, name, clock } = this.#options;
    const { state } = store;
    const fresh = this.#newOf(upload).map((lf) => ({
      lf,
      payload: state.packages.has(lf.id) ? NOTHING : deflateRawSync(lf.payload),
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
    return upload.mainId;
  }

  #find(packageId: string): KnownPackage | undefined {
    const entry = this.#options.store.state.packages.get(packageId);
    return entry === undefined ? undefined : this.#known(entry);
  }

  #known(entry: PackageEntry): KnownPackage | undefined {
    const { packageId: id, packageName: name, version, knownSince, uploaded } = entry;
    if (uploaded !== undefined) {
      if (!uploaded.participants.has(this.#options.name)) return undefined;
      const archive = () => inflateRawSync(uploaded.payload);
      return { id, name, version, knownSince, size: uploaded.size, archive };
    }
    const definition = this.#options.registry.byId(id);
    if (definition === undefined) return undefined;
    const { archive } = definition;
    return { id, name, version, knownSince, size: archive.length, archive: () => archive };
  }

  /** Reads a DAR, or the archive of a built-in package as `GetPackage` gives it. */
  async #open(dar: Uint8Array): Promise<Upload> {
    const builtIn = this.#builtInOf(dar);
    if (builtIn !== undefined) return { mainId: builtIn, packages: [] };
    const { main, dependencies } = await readDar(dar);
    return { mainId: main.id, packages: [main, ...dependencies] };
  }

  /** Those that are not here yet and may be. */
  #newOf({ packages }: Upload): readonly LfPackage[] {
    const added = packages.filter(({ id }) => !this.has(id));
    for (const lf of added) this.#requireNewVersion(lf);
    return [...new Map(added.map((lf) => [lf.id, lf])).values()];
  }

  #builtInOf(archive: Uint8Array): string | undefined {
    const hash = createHash('sha256').update(archive).digest('hex');
    return this.#options.registry.packages.find(
      (known) => createHash('sha256').update(known.archive).digest('hex') === hash,
    )?.id;
  }

  /** One name and version is one package, unless it only helps others. KNOWN_PACKAGE_VERSION. */
  #requireNewVersion({ id, name, version, definesContracts }: LfPackage): void {
    if (!definesContracts) return;
    const other = this.list().find((known) => known.name === name && known.version === version);
    if (other === undefined) return;
    throw new LedgerError(
      'KNOWN_PACKAGE_VERSION',
      `Tried to upload package ${id} (${name} v${version}), but a different package ${other.id} with the same name and version has previously been uploaded.`,
      {
        metadata: {
          uploadedPackageId: id,
          existingPackage: other.id,
          packageVersion: version,
        },
      },
    );
  }
}
