import { readPayload } from '../lf/archive.ts';
import type { Library } from '../lf/library.ts';
import type { LfPackage } from '../lf/package.ts';
import { compareVersions } from '../lf/versions.ts';

export interface UploadedPackage {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly payload: () => Uint8Array;
}

/** The maximum size of all decoded packages in the cache, in bytes. */
const READ_BYTES_MAX = 32 * 1024 * 1024;

/**
 * All packages whose content is known, no matter to which participant they were uploaded. They are decoded on demand.
 */
export class UploadedPackages implements Library {
  readonly #byId = new Map<string, UploadedPackage>();
  readonly #byName = new Map<string, UploadedPackage>();
  readonly #read = new Map<string, LfPackage>();
  #readBytes = 0;

  add(uploaded: UploadedPackage): void {
    this.#byId.set(uploaded.id, uploaded);
    const known = this.#byName.get(uploaded.name);
    // A package name refers to the latest version.
    if (known !== undefined && compareVersions(known.version, uploaded.version) > 0) return;
    this.#byName.set(uploaded.name, uploaded);
  }

  remove(packageId: string): void {
    const removed = this.#byId.get(packageId);
    if (removed === undefined) return;
    this.#byId.delete(packageId);
    if (this.#byName.get(removed.name) === removed) this.#byName.delete(removed.name);
    const read = this.#read.get(packageId);
    if (read === undefined) return;
    this.#read.delete(packageId);
    this.#readBytes -= read.payload.length;
  }

  /** Finds a package by ID or `#name`. */
  find(reference: string): UploadedPackage | undefined {
    return reference.startsWith('#')
      ? this.#byName.get(reference.slice(1))
      : this.#byId.get(reference);
  }

  package(packageId: string): LfPackage | undefined {
    const known = this.known(packageId);
    if (known !== undefined) return known;
    const uploaded = this.#byId.get(packageId);
    if (uploaded === undefined) return undefined;
    const read = readPayload(packageId, uploaded.payload());
    this.keep(read);
    return read;
  }

  /** Returns a decoded package if it is still cached. The least recently used packages are dropped first. */
  known(packageId: string): LfPackage | undefined {
    const known = this.#read.get(packageId);
    if (known === undefined) return undefined;
    this.#read.delete(packageId);
    this.#read.set(packageId, known);
    return known;
  }

  /** Caches a decoded package. The least recently used packages are dropped if necessary. */
  keep(read: LfPackage): void {
    if (this.#read.has(read.id)) return;
    this.#read.set(read.id, read);
    this.#readBytes += read.payload.length;
    for (const [id, { payload }] of this.#read) {
      if (this.#readBytes <= READ_BYTES_MAX) return;
      this.#read.delete(id);
      this.#readBytes -= payload.length;
    }
  }
}
