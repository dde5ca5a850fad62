import type { Socket } from 'node:net';
import type { Pool, PoolClient } from 'pg';
import { sleep } from '../../app/ports/wakeup.ts';
import { STORE_LIMITS } from '../limits.ts';
import { ServerClient } from './server-client.ts';

/*
 * A silent connection may be waiting for a long statement or a lock, or it may be dead: its route was lost, or a proxy
 * froze. The server knows which, so it is asked over another connection whether it works for the silent ones. If it
 * does not, the statement or the answer was lost.
 */

/** A connection that waited for an answer although the server was idle. The statement may have been executed. */
export class SilentConnectionError extends Error {
  override readonly name = 'SilentConnectionError';
  constructor() {
    super('Connection terminated: it said nothing, and the server does nothing for it');
  }
}

/** The event that a pool emits when such connections were found and ended. */
export const SILENCE_EVENT = 'silence';

/**
 * The event that a pool emits about every second, with their number, while its commits wait for a synchronous standby.
 */
export const STANDBY_EVENT = 'standby';

/** The user of a connection. */
export interface Asker {
  /** Steady-clock time since which it waits for an answer, or since the last answer if it waits for more. */
  readonly silentSinceMs: number | null;
}

type Connected = PoolClient & ServerClient & { readonly connection: { readonly stream: Socket } };

interface Suspect {
  readonly client: Connected;
  readonly asker: Asker;
  readonly sinceMs: number;
  readonly bytes: number;
}

const WORKED_FOR = `
  select pid, wait_event = 'SyncRep' as waits from pg_stat_activity
  where pid = any($1::int[]) and state = 'active'`;

/** Rolls back the work of a dead connection now, and frees its locks for the next try. */
const END = 'select pg_terminate_backend(pid) from pg_stat_activity where pid = any($1::int[])';

const isStill = ({ client, asker, sinceMs, bytes }: Suspect): boolean =>
  asker.silentSinceMs === sinceMs && client.connection.stream.bytesRead === bytes;

class SilenceWatch {
  readonly #pool: Pool;
  readonly #askers = new Map<Connected, Asker>();
  /** When the server last reported that it works for a connection. */
  readonly #askedMs = new WeakMap<PoolClient, number>();
  readonly #heardMs = new WeakMap<PoolClient, number>();
  #isLooking = false;
  #suspects: readonly Suspect[] = [];
  /** Connections without an answer since this time may be as dead as the ones that were found. */
  #distrustedBeforeMs = -Infinity;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  enter(client: PoolClient, asker: Asker): void {
    this.#askers.set(client as Connected, asker);
    this.#arm();
  }

  leave(client: PoolClient): void {
    this.#askers.delete(client as Connected);
    this.#heardMs.set(client, performance.now());
  }

  connected(client: PoolClient): void {
    this.#heardMs.set(client, performance.now());
  }

  isTrusted(client: PoolClient): boolean {
    return (this.#heardMs.get(client) ?? 0) >= this.#distrustedBeforeMs;
  }

  /** No timer runs while no connection is in use. */
  #arm(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    setTimeout(() => {
      void this.#look().finally(() => {
        this.#isLooking = false;
        if (this.#askers.size > 0) this.#arm();
      });
    }, STORE_LIMITS.silenceLookMs).unref();
  }

  /**
   * Checks the connections that were silent in the previous check too, so that answers received since have been read.
   */
  async #look(): Promise<void> {
    const again = this.#suspects.filter(isStill);
    this.#suspects = again.length === 0 ? this.#silent() : [];
    if (again.length === 0) return;
    await this.#endDead(again);
    for (const { client } of again) this.#askedMs.set(client, performance.now());
  }

  #giveUp(dead: readonly Suspect[]): void {
    this.#distrustedBeforeMs = performance.now();
    for (const { client } of dead) client.connection.stream.destroy(new SilentConnectionError());
    this.#pool.emit(SILENCE_EVENT, dead.length);
  }

  #silent(): readonly Suspect[] {
    const beforeMs = performance.now() - STORE_LIMITS.silenceMs;
    return [...this.#askers].flatMap(([client, asker]) => {
      const { silentSinceMs: sinceMs } = asker;
      const askedMs = this.#askedMs.get(client) ?? -Infinity;
      if (sinceMs === null || Math.max(sinceMs, askedMs) > beforeMs) return [];
      return { client, asker, sinceMs, bytes: client.connection.stream.bytesRead };
    });
  }

  /**
   * Ends no connection if the server cannot be asked: then their state is unknown, and another connection would not
   * help.
   */
  async #endDead(all: readonly Suspect[]): Promise<void> {
    const { connectionString = '', application_name: name } = this.#pool.options;
    const [first] = all;
    if (first === undefined) return;
    const { server } = first.client;
    // After a failover, connections to two servers may be silent: those of the other server are checked next time.
    const suspects = all.filter(
      ({
        client: {
          server: { host, port },
        },
      }) => host === server.host && port === server.port,
    );
    const client = new ServerClient({
      connectionString,
      serves: 'readers',
      at: server,
      application_name: name,
      connectionTimeoutMillis: STORE_LIMITS.silenceAskMs,
      query_timeout: STORE_LIMITS.silenceAskMs,
    });
    const pidsOf = (of: readonly Suspect[]) => of.map(({ client: { serverPid } }) => serverPid);
    try {
      await client.connect();
      const { rows } = await client.query<{ pid: number; waits: boolean | null }>(WORKED_FOR, [
        pidsOf(suspects),
      ]);
      const waiting = rows.filter(({ waits }) => waits === true).length;
      if (waiting > 0) this.#pool.emit(STANDBY_EVENT, waiting);
      const isWorkedFor = new Set(rows.map(({ pid }) => pid));
      // Recent answers get a moment to arrive.
      await sleep(STORE_LIMITS.silenceLookMs, NEVER);
      const dead = suspects.filter(
        (one) => isStill(one) && !isWorkedFor.has(one.client.serverPid ?? 0),
      );
      if (dead.length === 0) return;
      // Reported first: a connection that the server closes would look like any broken one.
      this.#giveUp(dead);
      await client.query(END, [pidsOf(dead)]);
    } catch {
      // Remaining connections are checked again later.
    } finally {
      client.end().catch(() => undefined);
    }
  }
}

const NEVER = new AbortController().signal;

const WATCHES = new WeakMap<Pool, SilenceWatch>();

/** Watches the connections that `transact` takes from this pool from now on. */
export function watchSilence(pool: Pool): void {
  const watch = new SilenceWatch(pool);
  WATCHES.set(pool, watch);
  pool.on('connect', (client) => watch.connected(client));
}

export const silenceOf = (pool: Pool): SilenceWatch | undefined => WATCHES.get(pool);
