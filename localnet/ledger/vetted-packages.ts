import type { ParticipantName } from '../ports.ts';
import { LedgerError } from './ledger-error.ts';
import type { PackageEntry } from './ledger-state.ts';
import type { LedgerStore } from './ledger-store.ts';
import type { VettedPeriod, VettingChange } from './vetting.ts';

/** A vetted package, with the period in which it is vetted, its name and its version. */
export interface VettedPackage extends VettedPeriod {
  readonly packageId: string;
  readonly name: string;
  readonly version: string;
}

/** One participant's vetted packages, in order of package ID. */
export interface VettedPackages {
  readonly participantId: string;
  readonly synchronizerId: string;
  readonly serial: number;
  readonly packages: readonly VettedPackage[];
}

/** A reference to a package in a request: by ID, by name and version, or by all three. */
export interface PackageRef {
  readonly id: string;
  readonly name: string;
  readonly version: string;
}

/** One change. `period` applies to packages that are to be vetted; if it is `null`, the packages are unvetted. */
export interface VettingOperation {
  readonly refs: readonly PackageRef[];
  readonly period: VettedPeriod | null;
}

interface VettingRequest {
  readonly operations: readonly VettingOperation[];
  readonly isDryRun: boolean;
  /** Whether to skip the check that later versions upgrade earlier ones. */
  readonly isForced: boolean;
  /** The serial that the request expects to be the current one. If absent, any serial is accepted. */
  readonly priorSerial?: number | 'none' | undefined;
}

interface VettingChecks {
  /** Throws if the vetted packages would be inconsistent after the changes. */
  checkVetting(changes: readonly VettingChange[]): void;
}

/** The vetted packages of all participants of a network. A participant reads all of them and changes its own. */
export class VettedPackageStates {
  readonly #store: LedgerStore;
  readonly #name: ParticipantName;
  readonly #checks: VettingChecks;

  constructor(store: LedgerStore, name: ParticipantName, checks: VettingChecks) {
    this.#store = store;
    this.#name = name;
    this.#checks = checks;
  }

  /** Returns the vetted packages of all participants, in order of participant ID. */
  all(): readonly VettedPackages[] {
    return this.#store.state.names
      .map((name) => this.#of(name))
      .sort((a, b) => (a.participantId < b.participantId ? -1 : 1));
  }

  /**
   * Changes the vetted packages. Throws TOPOLOGY_SERIAL_MISMATCH, UNRESOLVED_VETTING_REFERENCE,
   * AMBIGUOUS_VETTING_REFERENCE, and the errors for versions of which the later does not upgrade the earlier.
   */
  update(request: VettingRequest): { readonly past: VettedPackages; readonly now: VettedPackages } {
    const past = this.#of(this.#name);
    const { priorSerial } = request;
    if (priorSerial !== undefined && priorSerial !== past.serial) {
      const expected = priorSerial === 'none' ? 'None' : `Some(${priorSerial})`;
      throw new LedgerError(
        'TOPOLOGY_SERIAL_MISMATCH',
        `The provided serial ${expected} did not match the expected serial Some(${past.serial}).`,
      );
    }
    const changes = this.#changesOf(request.operations);
    if (changes.length === 0) return { past, now: past };
    if (!request.isForced) this.#checks.checkVetting(changes);
    if (request.isDryRun) return { past, now: this.#preview(past, changes) };
    this.#store.commit({ kind: 'vetting', participant: this.#name, changes });
    return { past, now: this.#of(this.#name) };
  }

  #of(name: ParticipantName): VettedPackages {
    const { state } = this.#store;
    const { vetting, participantId } = state.participants[name];
    const packages = this.#knownTo(name).flatMap((entry) => {
      const { packageId } = entry;
      const period = vetting.periodOf(packageId);
      return period === undefined ? [] : [described(entry, period)];
    });
    const { synchronizerId } = state;
    return { participantId, synchronizerId, serial: vetting.serial, packages };
  }

  #knownTo(name: ParticipantName): readonly PackageEntry[] {
    return [...this.#store.state.packages.values()]
      .filter(({ uploaded }) => uploaded === undefined || uploaded.participants.has(name))
      .sort((a, b) => (a.packageId < b.packageId ? -1 : 1));
  }

  /** Returns the changes that differ from the present state. */
  #changesOf(operations: readonly VettingOperation[]): readonly VettingChange[] {
    const changes = new Map<string, VettingChange>();
    for (const { refs, period } of operations) {
      for (const ref of refs) {
        const packageId = this.#resolve(ref, period === null);
        if (packageId !== undefined) changes.set(packageId, { packageId, period });
      }
    }
    const { vetting } = this.#store.state.participants[this.#name];
    return [...changes.values()].filter(({ packageId, period }) => {
      const present = vetting.periodOf(packageId);
      return present === undefined || period === null
        ? present !== undefined || period !== null
        : present.validFrom !== period.validFrom || present.validUntil !== period.validUntil;
    });
  }

  /** Returns the ID of a package; `undefined` if the package is unknown and the request unvets it. */
  #resolve(ref: PackageRef, isOptional: boolean): string | undefined {
    const found = this.#knownTo(this.#name).filter(
      ({ packageId, packageName, version }) =>
        (ref.id === '' || ref.id === packageId) &&
        (ref.name === '' || ref.name === packageName) &&
        (ref.version === '' || ref.version === version),
    );
    const text = `VettedPackagesRef(packageId = ${ref.id}, packageName = ${ref.name}, version = ${ref.version})`;
    if (found.length > 1) {
      throw new LedgerError(
        'AMBIGUOUS_VETTING_REFERENCE',
        `The vetted package reference ${text} matches more than one package in the package store: ${found.map(({ packageId }) => packageId).join(', ')}`,
      );
    }
    if (found.length === 1 || (isOptional && ref.id !== '')) return found[0]?.packageId;
    throw new LedgerError(
      'UNRESOLVED_VETTING_REFERENCE',
      `The vetted package reference ${text} does not match any package in the package store. Reason: no such package`,
    );
  }

  #preview(past: VettedPackages, changes: readonly VettingChange[]): VettedPackages {
    const changed = new Map(changes.map(({ packageId, period }) => [packageId, period]));
    const kept = past.packages.filter(({ packageId }) => !changed.has(packageId));
    const added = this.#knownTo(this.#name).flatMap((entry) => {
      const period = changed.get(entry.packageId);
      return period === undefined || period === null ? [] : [described(entry, period)];
    });
    const packages = [...kept, ...added].sort((a, b) => (a.packageId < b.packageId ? -1 : 1));
    return { ...past, serial: past.serial + 1, packages };
  }
}

const described = (
  { packageId, packageName: name, version }: PackageEntry,
  period: VettedPeriod,
): VettedPackage => ({ ...period, packageId, name, version });
