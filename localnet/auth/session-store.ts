import type { Adapter, AdapterPayload } from 'oidc-provider';

interface Entry {
  readonly payload: AdapterPayload;
  readonly expiresAtMs: number;
}

/**
 * The maximum number of entries of each kind (sessions, grants, codes, refresh tokens, sign-ins in progress). Beyond
 * it, the least recently used entry is dropped.
 */
const ENTRIES_MAX = 5_000;

/**
 * A provider's entries of one kind, in memory. Sessions end when LocalNet stops, as with any server that does not store
 * its sessions. Signing keys are stored elsewhere, so tokens remain valid.
 */
export class SessionStore implements Adapter {
  readonly #entries = new Map<string, Entry>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number = Date.now) {
    this.#nowMs = nowMs;
  }

  async upsert(id: string, payload: AdapterPayload, expiresInS?: number): Promise<void> {
    const expiresAtMs = expiresInS === undefined ? Infinity : this.#nowMs() + expiresInS * 1_000;
    // Deleting first moves the key to the end of the map. The entries at the front are dropped first.
    this.#entries.delete(id);
    this.#entries.set(id, { payload, expiresAtMs });
    if (this.#entries.size <= ENTRIES_MAX) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const entry = this.#entries.get(id);
    if (entry === undefined || entry.expiresAtMs > this.#nowMs()) return entry?.payload;
    this.#entries.delete(id);
    return undefined;
  }

  findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return this.#findBy((payload) => payload.uid === uid);
  }

  findByUserCode(userCode: string): Promise<AdapterPayload | undefined> {
    return this.#findBy((payload) => payload.userCode === userCode);
  }

  async consume(id: string): Promise<void> {
    const entry = this.#entries.get(id);
    if (entry !== undefined) entry.payload.consumed = Math.floor(this.#nowMs() / 1_000);
  }

  async destroy(id: string): Promise<void> {
    this.#entries.delete(id);
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    for (const [id, { payload }] of this.#entries) {
      if (payload.grantId === grantId) this.#entries.delete(id);
    }
  }

  /** Finds an entry by a linear search, because there are few entries. */
  async #findBy(
    matches: (payload: AdapterPayload) => boolean,
  ): Promise<AdapterPayload | undefined> {
    for (const [id, { payload }] of this.#entries) {
      if (matches(payload)) return this.find(id);
    }
    return undefined;
  }
}
