import type { Socket } from 'node:net';
import type { Pool, PoolClient } from 'pg';
import { sleep } from '../../app/ports/wakeup.ts';
import { STORE_LIMITS } from '../limits.ts';
import { ServerClient } from './server-client.ts';

/*
 * Finds connections that are dead. A silent connection may be waiting for a long statement or for a lock, or it may be
 * dead because its route was lost or a proxy froze. The server knows which, so it is asked over another connection
 * whether it is working for the silent ones. If it is not, the statement or its answer was lost.
 */

/**
 * The error of a connection that waited for an answer although the server was idle. The statement may have been
 * executed.
 */
export class SilentConnectionError extends Error {
  override readonly name = 'SilentConnectionError';
  constructor() {
    super('Connection terminated: no data arrived, and the server has no work for this connection');
  }
}

/** The event that a pool emits when it has found and ended such connections. */
export const SILENCE_EVENT = 'silence';

/**
 * The event that a pool emits about once a second while commits wait for a synchronous standby. Its argument is the
 * number of these commits.
 */
export const STANDBY_EVENT = 'standby';

/** Code that uses a connection. */
export interface Asker {
  /**
   * The time, by a steady clock, since which the connection has been waiting for an answer, or of the last answer if
   * more are expected; `null` if it does not wait.
   */
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

/**
 * Ends the server sessions of dead connections, so that their work is rolled back now and their locks are free for the
 * next try.
 */
const END = 'select pg_terminate_backend(pid) from pg_stat_activity where pid = any($1::int[])';

const isStill = ({ client, asker, sinceMs, bytes }: Suspect): boolean =>
  asker.silentSinceMs === sinceMs && client.connection.stream.bytesRead === bytes;

class SilenceWatch {
  readonly #pool: Pool;
  readonly #askers = new Map<Connected, Asker>();
  /** When the server last reported that it is working for the connection. */
  readonly #askedMs = new WeakMap<PoolClient, number>();
  readonly #heardMs = new WeakMap<PoolClient, number>();
  #isLooking = false;
  #suspects: readonly Suspect[] = [];
  /** Connections that have had no answer since this time may be as dead as those that were found. */
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

  /** Starts the timer. While no connection is in use, no timer runs. */
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
   * Checks only connections that were silent at the previous examination too: answers that arrived in between have been
   * read by now.
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
   * Ends the connections for which the server does not work. If the server cannot be asked, ends none: their state is
   * unknown, and another connection would not help.
   */
  async #endDead(all: readonly Suspect[]): Promise<void> {
    const { connectionString = '', application_name: name } = this.#pool.options;
    const [first] = all;
    if (first === undefined) return;
    const { server } = first.client;
    // After a failover, connections to two servers may be silent. Connections to the other server are checked next
    // time.
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
      // Answers that the server has just sent get a moment to arrive.
      await sleep(STORE_LIMITS.silenceLookMs, NEVER);
      const dead = suspects.filter(
        (one) => isStill(one) && !isWorkedFor.has(one.client.serverPid ?? 0),
      );
      if (dead.length === 0) return;
      // The error is raised before the session is ended: if the server closed the connection first, it would look like
      // any broken one.
      this.#giveUp(dead);
      await client.query(END, [pidsOf(dead)]);
    } catch {
      // The remaining connections are checked again later.
    } finally {
      client.end().catch(() => undefined);
    }
  }
}

const NEVER = new AbortController().signal;

const WATCHES = new WeakMap<Pool, SilenceWatch>();

/** Watches all connections that `transact` takes from this pool from now on. */
export function watchSilence(pool: Pool): void {
  const watch = new SilenceWatch(pool);
  WATCHES.set(pool, watch);
  pool.on('connect', (client) => watch.connected(client));
}

export const silenceOf = (pool: Pool): SilenceWatch | undefined => WATCHES.get(pool);
