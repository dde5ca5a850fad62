import type { Pool } from 'pg';
import { STORE_LIMITS } from '../limits.ts';
import { readDatabaseUrl } from './database-url.ts';

/*
 * Each session of the server keeps what it has prepared and looked up, some ten MiB of its own, as long as it lives. A
 * pool opens one whenever all are in use for a moment, so a burst opens as many as it may, and load keeps them. Where
 * the server has the cores of this machine, more sessions than it can run bring nothing. Callers wait a moment for one
 * of the usual ones instead. Another is opened when the first of them has waited too long: then those in use wait
 * themselves, for a lock or for a long question.
 */

export interface UsualOptions {
  /** Connections that are there without anyone having waited for them. */
  readonly usual: number;
  readonly max: number;
  /** @default STORE_LIMITS.patienceMs */
  readonly patienceMs?: number;
  /** @default STORE_LIMITS.idleConnectionMs */
  readonly keptMs?: number;
  /** @default the steady clock of the process */
  readonly nowMs?: () => number;
}

/** Says how many callers have a connection at a time. The first of those that wait does so for `patienceMs` at most. */
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

  /** How many may be in use now. With `max` of them it is the pool that callers wait for. */
  get atOnce(): number {
    return this.#atOnce;
  }

  /**
   * Waits for a turn, in the order of the asking. It is given back with `leave`.
   *
   * @param over rejects when the caller waits no longer
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
      // Its turn may have come at the same moment.
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

  /** The first is so since the one before had its turn. */
  #watchHead(): void {
    if (this.#waiting.size === 0 || this.#patience !== undefined) return;
    this.#patience = setTimeout(() => {
      this.#patience = undefined;
      this.#atOnce = Math.min(this.#atOnce + 1, this.#options.max);
      this.#raisedMs = this.#options.nowMs();
      this.#admit();
    }, this.#options.patienceMs);
  }

  /** What was raised is lowered again, one by one: where it is needed still, a caller waits once more. */
  #lower(): void {
    const now = this.#options.nowMs();
    if (this.#atOnce <= this.#options.usual || now - this.#raisedMs < this.#options.keptMs) return;
    this.#atOnce -= 1;
    this.#raisedMs = now;
  }
}

/**
 * How many connections are usual for a database; `null` where it may be on another machine, whose cores are not known
 * here, and to which a question takes longer than it takes there. What listens on a port of this machine may be a
 * tunnel or a proxy to such a server: a socket is what the embedded one is reached by.
 */
export function usualFor(url: string, cores: number): number | null {
  const hosts = readDatabaseUrl(url)?.hosts ?? [];
  return hosts.length > 0 && hosts.every(({ host }) => host.startsWith('/'))
    ? cores + STORE_LIMITS.connectionsBesideCores
    : null;
}

const USUAL = new WeakMap<Pool, UsualConnections>();

/** Connections of this pool that are given out by `transact` are given out so from now on. */
export function keepUsual(pool: Pool, options: UsualOptions): void {
  USUAL.set(pool, new UsualConnections(options));
}

export const usualOf = (pool: Pool): UsualConnections | undefined => USUAL.get(pool);
