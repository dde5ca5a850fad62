import type { Socket } from 'node:net';
import type { Pool, PoolClient } from 'pg';
import { sleep } from '../../app/ports/wakeup.ts';
import { STORE_LIMITS } from '../limits.ts';
import { ServerClient } from './server-client.ts';

/*
 * A connection that says nothing may be waiting for a long statement or a lock, or be dead without a word:
 * behind a route that was lost, or a proxy that froze. The server knows which. So it is asked, over another
 * connection, whether it still works for those that are silent; one for which it does nothing has lost the question or
 * the answer.
 */

/** A connection that waited for an answer, and for which the server does nothing. What it was asked may be done. */
export class SilentConnectionError extends Error {
  override readonly name = 'SilentConnectionError';
  constructor() {
    super('Connection terminated: it said nothing, and the server does nothing for it');
  }
}

/** What a pool emits when such connections were found, and ended. */
export const SILENCE_EVENT = 'silence';

/** What a pool emits while commits of it wait for a synchronous standby, with how many, about every second. */
export const STANDBY_EVENT = 'standby';

/** Who uses a connection. */
export interface Asker {
  /** By the steady clock: since when it waits for an answer, or the last one came while more are waited for. */
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

/** What a dead connection had begun is undone now, and its locks are free for the next try. */
const END = 'select pg_terminate_backend(pid) from pg_stat_activity where pid = any($1::int[])';

const isStill = ({ client, asker, sinceMs, bytes }: Suspect): boolean =>
  asker.silentSinceMs === sinceMs && client.connection.stream.bytesRead === bytes;

class SilenceWatch {
  readonly #pool: Pool;
  readonly #askers = new Map<Connected, Asker>();
  /** When the server last said that it works for one. */
  readonly #askedMs = new WeakMap<PoolClient, number>();
  readonly #heardMs = new WeakMap<PoolClient, number>();
  #isLooking = false;
  #suspects: readonly Suspect[] = [];
  /** Connections that were not heard since may be as dead as those that were found. */
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

  /** Nothing runs while no connection is in use. */
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

  /** Those that were silent at the last look as well: what has arrived meanwhile has been read. */
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

  /** Ends none where the server cannot be asked: then nothing is known, and another connection would not help. */
  async #endDead(all: readonly Suspect[]): Promise<void> {
    const { connectionString = '', application_name: name } = this.#pool.options;
    const [first] = all;
    if (first === undefined) return;
    const { server } = first.client;
    // After a failover there may be some on each of two: those of the other are asked after next time.
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
      // What was answered just now has a moment to arrive.
      await sleep(STORE_LIMITS.silenceLookMs, NEVER);
      const dead = suspects.filter(
        (one) => isStill(one) && !isWorkedFor.has(one.client.serverPid ?? 0),
      );
      if (dead.length === 0) return;
      // First here: what the server closes would look like any connection that broke.
      this.#giveUp(dead);
      await client.query(END, [pidsOf(dead)]);
    } catch {
      // What is left is looked at again.
    } finally {
      client.end().catch(() => undefined);
    }
  }
}

const NEVER = new AbortController().signal;

const WATCHES = new WeakMap<Pool, SilenceWatch>();

/** Connections of this pool that are given out by `transact` are watched from now on. */
export function watchSilence(pool: Pool): void {
  const watch = new SilenceWatch(pool);
  WATCHES.set(pool, watch);
  pool.on('connect', (client) => watch.connected(client));
}

export const silenceOf = (pool: Pool): SilenceWatch | undefined => WATCHES.get(pool);
