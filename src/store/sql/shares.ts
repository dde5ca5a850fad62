import type { Pool } from 'pg';
import type { ShareName, Turn } from '../../app/ports/io.ts';
import { Turns } from '../../domain/turns.ts';

/** The maximum number of connections that each kind of work may use at the same time. */
export type ShareSizes = Readonly<Record<ShareName, number>>;

export const sumOfShares = (sizes: ShareSizes): number =>
  Object.values(sizes).reduce((sum, size) => sum + size, 0);

interface Share {
  readonly size: number;
  free: number;
  readonly waiting: Turns<() => void>;
}

const openShare = (size: number): Share => ({ size, free: size, waiting: new Turns() });

const ENGINE: Turn = { share: 'engine', of: { party: '', subject: '' } };

/**
 * Divides the connections of a pool among callers' reads, callers' writes, the engine and probes. No kind of work uses
 * connections of another kind, so callers never use up those of the engine. Within a share, tenants take turns.
 */
export class ConnectionShares {
  readonly #shares: Readonly<Record<ShareName, Share>>;

  constructor(sizes: ShareSizes) {
    this.#shares = {
      reads: openShare(sizes.reads),
      writes: openShare(sizes.writes),
      engine: openShare(sizes.engine),
      probes: openShare(sizes.probes),
    };
  }

  /** The number of calls that wait for a connection, by share. */
  get waiting(): readonly (readonly [share: string, calls: number])[] {
    return Object.entries(this.#shares).map(([name, { waiting }]) => [name, waiting.size]);
  }

  /**
   * Waits for a connection of the share.
   *
   * @param over rejects when the caller stops waiting
   * @returns a function that returns the connection
   * @throws Error if the share has no connection in this process
   */
  async enter(turn: Turn | undefined, over: Promise<never>): Promise<() => void> {
    const { share: name, of } = turn ?? ENGINE;
    const share = this.#shares[name];
    if (share.size === 0) throw new Error(`no connection of this process is for ${name}`);
    const leave = (): void => {
      const next = share.waiting.take();
      if (next === undefined) share.free += 1;
      else next();
    };
    if (share.free > 0) {
      share.free -= 1;
      return leave;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    share.waiting.add(of, resolve);
    try {
      await Promise.race([promise, over]);
      return leave;
    } catch (error) {
      // If the connection was granted at the same moment, it is returned.
      if (!share.waiting.remove(of, resolve)) leave();
      throw error;
    }
  }
}

const SHARES = new WeakMap<Pool, ConnectionShares>();

/** Applies the division to all connections that `transact` takes from this pool from now on. */
export function keepShares(pool: Pool, sizes: ShareSizes): void {
  SHARES.set(pool, new ConnectionShares(sizes));
}

export const sharesOf = (pool: Pool): ConnectionShares | undefined => SHARES.get(pool);
