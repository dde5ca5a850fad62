import { setTimeout as sleep } from 'node:timers/promises';
import type { PairServer, PostgresPair } from '../embedded/postgres/pair.ts';
import { isFollowed, promote, waitForStandby } from '../embedded/postgres/pair.ts';
import { until } from '../embedded/until.ts';

/** The time within which the observers of both servers notice that the primary is dead. */
const SEEN_MS = 500;

/**
 * A PostgreSQL primary and its standby, either of which can take the other's role. Only one act on them is performed at
 * a time. After each act, the primary's commits wait for the standby. Without this, a primary that dies could lose
 * commits that it has acknowledged.
 */
export class DatabasePair {
  /** The servers in a fixed order, which is also the order of their proxies. */
  readonly servers: readonly PairServer[];
  readonly url: string;
  #primary: PairServer;
  #standby: PairServer;
  #last: Promise<void> = Promise.resolve();

  constructor({ url, primary, standby }: PostgresPair) {
    this.url = url;
    this.servers = [primary, standby];
    this.#primary = primary;
    this.#standby = standby;
  }

  /** The address of the primary, without a proxy. */
  get primaryUrl(): string {
    return this.#primary.url;
  }

  /** The index of the primary among the servers. */
  get primaryIndex(): number {
    return this.servers.indexOf(this.#primary);
  }

  /** Makes the primary wait for its standby, also after a restart. */
  begin(): Promise<void> {
    return waitForStandby(this.#primary, true);
  }

  /**
   * Kills the primary and promotes its standby. When `away` has resolved, the killed server becomes the new standby,
   * with a new copy of the data.
   */
  failOver(away: () => Promise<void>): Promise<void> {
    return this.#inTurn(async () => {
      const [dead, next] = [this.#primary, this.#standby];
      await dead.kill();
      await sleep(SEEN_MS);
      await promote(next);
      [this.#primary, this.#standby] = [next, dead];
      await away();
      await dead.follow(next);
      await waitForStandby(next, true);
    });
  }

  /** Kills the primary, and starts it again in the same role. */
  crash(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#primary.kill();
      await this.#primary.start();
    });
  }

  /** Stops the standby until `away` has resolved. No commit is acknowledged during that time. */
  loseStandby(away: () => Promise<void>): Promise<void> {
    return this.#inTurn(async () => {
      await this.#standby.kill();
      await away();
      await this.#standby.start();
    });
  }

  /** Resolves when no act is in progress, and the standby has everything that was committed. */
  async whole(): Promise<void> {
    await this.#last;
    await until('the standby has what was committed', () => isFollowed(this.#primary));
  }

  #inTurn(act: () => Promise<void>): Promise<void> {
    const last = this.#last;
    const inTurn = async (): Promise<void> => {
      await last;
      await until('the standby has what was committed', () => isFollowed(this.#primary));
      await act();
    };
    const done = inTurn();
    this.#last = done.catch(() => undefined);
    return done;
  }
}
