import type { Pool, PoolClient } from 'pg';
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
  /** @default STORE_LIMITS.patienceMs */
  readonly patienceMs?: number;
  /** @default STORE_LIMITS.idleConnectionMs */
  readonly keptMs?: number;
}

interface Usual {
  readonly max: number;
  /** Must be called after each request for a connection. */
  readonly asked: () => void;
}

const USUAL = new WeakMap<Pool, Usual>();

/**
 * Lowers the maximum of a pool to the usual number. The maximum rises by one, up to its first value, each time the
 * first waiting caller has waited for `patienceMs`. A raised maximum is lowered again, by one at a time.
 */
export function keepUsual(
  pool: Pool,
  {
    usual,
    patienceMs = STORE_LIMITS.patienceMs,
    keptMs = STORE_LIMITS.idleConnectionMs,
  }: UsualOptions,
): void {
  const { options } = pool;
  const { max } = options;
  let patience: NodeJS.Timeout | undefined;
  let changedMs = -Infinity;
  const changeMax = (by: number) => {
    options.max += by;
    changedMs = performance.now();
  };
  const rest = () => {
    clearTimeout(patience);
    patience = undefined;
    asked();
  };
  const asked = () => {
    if (patience !== undefined || pool.waitingCount <= pool.idleCount || options.max >= max) return;
    patience = setTimeout(() => {
      changeMax(1);
      // The pool gives the new connection to the caller that has waited longest.
      pool.connect().then((client) => client.release(), rest);
    }, patienceMs);
  };
  options.max = Math.min(usual, max);
  pool.on('acquire', () => {
    if (options.max > usual && performance.now() - changedMs >= keptMs) changeMax(-1);
    rest();
  });
  USUAL.set(pool, { max, asked });
}

/** Requests a connection. If callers wait too long, the pool opens a further one; see `keepUsual`. */
export function connectUsually(pool: Pool): Promise<PoolClient> {
  const asked = pool.connect();
  USUAL.get(pool)?.asked();
  return asked;
}

/** Returns a connection. The pool closes it if it has more than its maximum now. */
export const release = (pool: Pool, client: PoolClient, broken?: Error): void =>
  client.release(broken ?? pool.totalCount > pool.options.max);

/** Returns the number of connections that a pool never exceeds. */
export const mostOf = (pool: Pool): number => USUAL.get(pool)?.max ?? pool.options.max;

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
