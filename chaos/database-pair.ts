import { setTimeout as sleep } from 'node:timers/promises';
import type { PairServer, PostgresPair } from '../embedded/postgres/pair.ts';
import { isFollowed, promote, waitForStandby } from '../embedded/postgres/pair.ts';
import { until } from '../embedded/until.ts';

/** How long what watches both takes to see that the primary is dead. */
const SEEN_MS = 500;

/**
 * Two servers, and which of them is the primary. One thing is done to them at a time, and each leaves a primary whose
 * commits wait for its standby: a primary that dies before would take with it what was answered.
 */
export class DatabasePair {
  /** In the order of their ways. */
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

  /** Straight to the one that takes writes. */
  get primaryUrl(): string {
    return this.#primary.url;
  }

  /** The place of the primary among the servers. */
  get primaryIndex(): number {
    return this.servers.indexOf(this.#primary);
  }

  /** Has the primary wait for its standby also after it was started again. */
  begin(): Promise<void> {
    return waitForStandby(this.#primary, true);
  }

  /** The primary dies and the standby is promoted; after `away` the other follows it, with a new copy. */
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

  /** The primary dies, and starts again in its place. */
  crash(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#primary.kill();
      await this.#primary.start();
    });
  }

  /** Stops the standby for a while. No commit is answered meanwhile. */
  loseStandby(away: () => Promise<void>): Promise<void> {
    return this.#inTurn(async () => {
      await this.#standby.kill();
      await away();
      await this.#standby.start();
    });
  }

  /** Resolves when nothing is being done to them. */
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
