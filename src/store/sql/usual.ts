import type { Pool } from 'pg';
import { STORE_LIMITS } from '../limits.ts';
import { readDatabaseUrl } from './database-url.ts';

/*
 * Limits the connections of a pool to a usual number, which it exceeds only if necessary. Each server session keeps its
 * prepared statements and caches, some ten MiB, as long as it lives. A pool opens a session whenever all sessions are
 * in use for a moment. So a burst opens as many sessions as allowed, and the load keeps them open. If the server shares
 * the cores of this machine, more sessions than it can run bring no benefit, so callers wait briefly for one of the
 * usual connections. If the first caller has waited too long, another connection is opened, because then the sessions
 * in use are waiting themselves, for a lock or for a long query.
 */

export interface UsualOptions {
  /** How many connections are opened without waiting. */
  readonly usual: number;
  readonly max: number;
  /** @default STORE_LIMITS.patienceMs */
  readonly patienceMs?: number;
  /** @default STORE_LIMITS.idleConnectionMs */
  readonly keptMs?: number;
  /** @default the steady clock of the process */
  readonly nowMs?: () => number;
}

/** Limits how many callers have a connection at the same time. The first waiting caller waits at most `patienceMs`. */
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

  /** How many connections may be in use now. If this is `max`, callers wait for the pool itself. */
  get atOnce(): number {
    return this.#atOnce;
  }

  /**
   * Waits for a connection; callers are served in the order of their requests. `leave` returns the connection.
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
      // If the connection was granted at the same moment, it is returned.
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

  /** Starts the timer of the caller that is now the first to wait. */
  #watchHead(): void {
    if (this.#waiting.size === 0 || this.#patience !== undefined) return;
    this.#patience = setTimeout(() => {
      this.#patience = undefined;
      this.#atOnce = Math.min(this.#atOnce + 1, this.#options.max);
      this.#raisedMs = this.#options.nowMs();
      this.#admit();
    }, this.#options.patienceMs);
  }

  /**
   * Lowers a raised limit again, by one at a time. If the limit is still needed, a caller waits once more and raises
   * it.
   */
  #lower(): void {
    const now = this.#options.nowMs();
    if (this.#atOnce <= this.#options.usual || now - this.#raisedMs < this.#options.keptMs) return;
    this.#atOnce -= 1;
    this.#raisedMs = now;
  }
}

/**
 * Returns the usual number of connections for a database. Returns `null` if the database may be on another machine: its
 * cores are not known, and a round trip takes longer than the query itself. A port of this machine may be a tunnel or a
 * proxy to such a database, so only a Unix socket counts as local; the embedded server uses one.
 */
export function usualFor(url: string, cores: number): number | null {
  const hosts = readDatabaseUrl(url)?.hosts ?? [];
  return hosts.length > 0 && hosts.every(({ host }) => host.startsWith('/'))
    ? cores + STORE_LIMITS.connectionsBesideCores
    : null;
}

const USUAL = new WeakMap<Pool, UsualConnections>();

/** Applies this limit to all connections that `transact` takes from this pool from now on. */
export function keepUsual(pool: Pool, options: UsualOptions): void {
  USUAL.set(pool, new UsualConnections(options));
}

export const usualOf = (pool: Pool): UsualConnections | undefined => USUAL.get(pool);
