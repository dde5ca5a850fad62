import type { Pool } from 'pg';
import { STORE_LIMITS } from '../limits.ts';
import { readDatabaseUrl } from './database-url.ts';

/*
 * Each server session keeps its prepared statements and caches, some ten MiB, as long as it lives. A pool opens a
 * session whenever all are in use for a moment, so a burst opens as many as allowed, and load keeps them open. If the
 * server shares the cores of this machine, more sessions than it can run bring no benefit. Callers therefore wait
 * briefly for one of the usual connections. Another is opened when the first caller has waited too long, because then
 * the sessions in use wait themselves, for a lock or for a long query.
 */

export interface UsualOptions {
  /** Connections that are opened without waiting. */
  readonly usual: number;
  readonly max: number;
  /** @default STORE_LIMITS.patienceMs */
  readonly patienceMs?: number;
  /** @default STORE_LIMITS.idleConnectionMs */
  readonly keptMs?: number;
  /** @default the steady clock of the process */
  readonly nowMs?: () => number;
}

/** Bounds how many callers have a connection at a time. The first waiting caller waits for at most `patienceMs`. */
export class UsualConnections {
  readonly #options: Required<UsualOptions>;
  readonly #waiting = new Set<() => void>();
  #atOnce: number;
  #used = 0;
  #raisedMs = -Infinity;
  #patience: NodeJS.Timeout | undefined;

  constructor(options: UsualOptions) {
    this.#options = {
      patienceMs: STORE_LIMITS.patienceMs,
      keptMs: STORE_LIMITS.idleConnectionMs,
      nowMs: () => performance.now(),
      ...options,
    };
    this.#atOnce = Math.min(options.usual, options.max);
  }

  /** Connections that may be in use now. At `max`, callers wait for the pool itself. */
  get atOnce(): number {
    return this.#atOnce;
  }

  /**
   * Waits for a connection in request order. `leave` returns it.
   *
   * @param over rejects when the caller stops waiting
   */
  async enter(over: Promise<never>): Promise<void> {
    this.#lower();
    if (this.#waiting.size === 0 && this.#hasRoom()) {
      this.#used += 1;
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    this.#watchHead();
    try {
      await Promise.race([promise, over]);
    } catch (error) {
      // The connection may have been granted at the same moment.
      if (!this.#waiting.delete(resolve)) this.leave();
      if (this.#waiting.size === 0) this.#forgetHead();
      throw error;
    }
  }

  leave(): void {
    this.#used -= 1;
    this.#admit();
  }

  #hasRoom(): boolean {
    return this.#used < this.#atOnce || this.#atOnce >= this.#options.max;
  }

  #admit(): void {
    for (const turn of this.#waiting) {
      if (!this.#hasRoom()) break;
      this.#waiting.delete(turn);
      this.#used += 1;
      this.#forgetHead();
      turn();
    }
    this.#watchHead();
  }

  #forgetHead(): void {
    clearTimeout(this.#patience);
    this.#patience = undefined;
  }

  /** Starts the timer of the first waiting caller when it becomes the first. */
  #watchHead(): void {
    if (this.#waiting.size === 0 || this.#patience !== undefined) return;
    this.#patience = setTimeout(() => {
      this.#patience = undefined;
      this.#atOnce = Math.min(this.#atOnce + 1, this.#options.max);
      this.#raisedMs = this.#options.nowMs();
      this.#admit();
    }, this.#options.patienceMs);
  }

  /** Lowers a raised bound again, one by one: if it is still needed, a caller waits once more. */
  #lower(): void {
    const now = this.#options.nowMs();
    if (this.#atOnce <= this.#options.usual || now - this.#raisedMs < this.#options.keptMs) return;
    this.#atOnce -= 1;
    this.#raisedMs = now;
  }
}

/**
 * Returns how many connections are usual for a database. Returns `null` if the database may be on another machine,
 * whose cores are unknown and to which a round trip takes longer than the query itself. A port of this machine may be a
 * tunnel or a proxy to such a server, so only a socket counts as local: the embedded server uses one.
 */
export function usualFor(url: string, cores: number): number | null {
  const hosts = readDatabaseUrl(url)?.hosts ?? [];
  return hosts.length > 0 && hosts.every(({ host }) => host.startsWith('/'))
    ? cores + STORE_LIMITS.connectionsBesideCores
    : null;
}

const USUAL = new WeakMap<Pool, UsualConnections>();

/** Applies this bound to the connections that `transact` takes from this pool from now on. */
export function keepUsual(pool: Pool, options: UsualOptions): void {
  USUAL.set(pool, new UsualConnections(options));
}

export const usualOf = (pool: Pool): UsualConnections | undefined => USUAL.get(pool);
