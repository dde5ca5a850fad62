import type { Writable } from 'node:stream';
import type { Compilable } from 'kysely';
import type { PoolClient } from 'pg';
import { ServerClient, UnreplicatedCommitError } from './server-client.ts';
import type { Planning } from './session-settings.ts';
import { planningOf, PLANNINGS } from './session-settings.ts';
import type { Statement } from './statement.ts';
import { statement } from './statement.ts';

/** PostgreSQL ends the statement timeout before it commits, so no deadline interrupts the wait for a standby. */
const COMMIT = 'commit';

/**
 * If a transaction has failed, its commit rolls back and reports success, and the notifications after it would be sent.
 * So while a statement may still fail, an empty query precedes the commit, because that query fails in a failed
 * transaction.
 */
const COMMIT_UNLESS_FAILED = `select; ${COMMIT}`;

const NOTIFY = statement<never>(
  'notify',
  'select pg_notify(n.channel, n.payload) from unnest($1::text[], $2::text[]) as n(channel, payload)',
);

/** The driver's own socket, which its type declarations omit. */
interface WithStream {
  readonly connection: { readonly stream: Writable };
}

/**
 * One connection within one transaction. If the pool was opened with `pipelined`, statements are sent at once and
 * answered in order. Awaiting each answer costs one round trip for each statement; awaiting only the last answer costs
 * one round trip in all.
 *
 * After a failure, PostgreSQL refuses every further statement of the transaction. These refusals say nothing about the
 * cause, so every later statement, and the commit, fails with the first error.
 */
export class Session {
  readonly #client: PoolClient;
  #failure: { readonly error: unknown } | null = null;
  #ended = false;
  #gathering = false;
  #unanswered = 0;
  #heardMs = 0;
  readonly #news: { readonly channel: string; readonly payload: string }[] = [];

  constructor(client: PoolClient) {
    this.#client = client;
  }

  /** See `Asker`. */
  get silentSinceMs(): number | null {
    return this.#unanswered === 0 ? null : this.#heardMs;
  }

  /** The system identifier of the server's cluster; `null` if the server does not report it. */
  get system(): string | null {
    return this.#client instanceof ServerClient ? this.#client.standing.system : null;
  }

  /** Switches how later statements are planned, unless the connection already plans in this way. */
  plan(planning: Planning): void {
    if (planningOf.get(this.#client) === planning) return;
    planningOf.set(this.#client, planning);
    this.script(PLANNINGS[planning]).catch(() => planningOf.delete(this.#client));
  }

  /** Sends a statement and waits for its rows. */
  async run<Row>({ name, text }: Statement<Row>, values: readonly unknown[] = []): Promise<Row[]> {
    const query = { ...(name === null ? {} : { name }), text, values: [...values] };
    return this.#answered(() => this.#client.query<Row & Record<string, unknown>>(query));
  }

  /**
   * Sends a built query and waits for its rows. The query is planned with its values, because the best index depends on
   * them.
   */
  ask<Row>(query: Compilable<Row>): Promise<Row[]> {
    const { sql: text, parameters } = query.compile();
    return this.run<Row>({ name: null, text }, parameters);
  }

  /**
   * Sends a statement without waiting for its answer. If it fails, the next awaited statement fails, at the latest the
   * commit.
   */
  send(statement: Statement<unknown>, values: readonly unknown[]): void {
    this.run(statement, values).catch(() => {});
  }

  /** Sends SQL without parameters; it may contain several statements. */
  async script(text: string): Promise<void> {
    await this.#answered(() => this.#client.query(text));
  }

  /**
   * Notifies the listeners of a channel after the commit of the transaction, and only if it commits. Without a
   * transaction: after the work of the connection, and only if it succeeds.
   */
  announce(channel: string, payload: string): void {
    this.#news.push({ channel, payload });
  }

  /**
   * Sends the commit and, right after it, the notifications. `done` resolves with the commit, `told` with the
   * notifications.
   *
   * The notifications are not part of the transaction, although PostgreSQL supports that. A transaction that notifies
   * holds a lock of the whole server while it commits, including the write to disk, so that several commits no longer
   * share one write. That costs at least half the throughput (with 24 connections, 590 instead of 1200 commits a
   * second). In return, notifications may be lost if the connection breaks, which costs the waiting callers one poll
   * interval.
   */
  commit(): { readonly done: Promise<void>; readonly told: Promise<void> } {
    const done = this.script(this.#unanswered === 0 ? COMMIT : COMMIT_UNLESS_FAILED);
    return { done, told: this.hasNews ? this.tell() : done };
  }

  get hasNews(): boolean {
    return this.#news.length > 0;
  }

  /** Sends the notifications. */
  async tell(): Promise<void> {
    const channels = this.#news.map((item) => item.channel);
    const payloads = this.#news.map((item) => item.payload);
    await this.run(NOTIFY, [channels, payloads]);
  }

  /** Rolls back the transaction. After that, no statement can be sent. */
  async rollBack(): Promise<void> {
    this.end();
    await this.#counted(() => this.#client.query('rollback'));
  }

  /** Ends the session, so that callers that still refer to it cannot use the connection any more. */
  end(): void {
    this.#ended = true;
  }

  /**
   * Sends all statements of one tick in one write. Each write is a system call, which costs more than everything else
   * that is done here for a statement.
   */
  #gather(): void {
    const { stream } = (this.#client as PoolClient & WithStream).connection;
    if (this.#gathering) return;
    this.#gathering = true;
    stream.cork();
    process.nextTick(() => {
      this.#gathering = false;
      stream.uncork();
    });
  }

  async #answered<Row>(send: () => Promise<{ readonly rows: Row[] }>): Promise<Row[]> {
    if (this.#failure !== null) throw this.#failure.error;
    if (this.#ended) throw new Error('the transaction is over');
    try {
      this.#gather();
      const { rows } = await this.#counted(send);
      // The unreplicated commit may be this one, or one that was sent right after it.
      if (this.#client instanceof ServerClient && this.#client.isUnreplicated)
        throw new UnreplicatedCommitError();
      return rows;
    } catch (error) {
      this.#failure ??= { error };
      throw this.#failure.error;
    }
  }

  async #counted<T>(send: () => Promise<T>): Promise<T> {
    if (this.#unanswered === 0) this.#heardMs = performance.now();
    this.#unanswered += 1;
    try {
      return await send();
    } finally {
      this.#unanswered -= 1;
      this.#heardMs = performance.now();
    }
  }
}

/** Functions whose first parameter is the session, by the names under which callers use them. */
type Operations = Readonly<Record<string, (session: Session, ...rest: never[]) => unknown>>;

type Bound<Of> = Of extends (session: Session, ...rest: infer Rest) => infer Answer
  ? (...rest: Rest) => Answer
  : never;

/** @returns the same functions, bound to this session, without their first parameter */
export const bind = <Of extends Operations>(
  session: Session,
  operations: Of,
): { readonly [Name in keyof Of]: Bound<Of[Name]> } =>
  Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => [name, operation.bind(null, session)]),
  ) as { readonly [Name in keyof Of]: Bound<Of[Name]> };

interface Asked<Key, Found> {
  readonly key: Key;
  readonly resolve: (found: Found | null) => void;
  readonly reject: (error: unknown) => void;
}

/** Collects look-ups by key, so that those of one tick share one statement. */
export class LookUp<Key, Found> {
  readonly #findAll: (keys: readonly Key[]) => Promise<readonly (Found | null)[]>;
  #asked: Asked<Key, Found>[] = [];

  /** @param findAll answers in the order of the keys; if it fails, all look-ups of the batch fail */
  constructor(findAll: (keys: readonly Key[]) => Promise<readonly (Found | null)[]>) {
    this.#findAll = findAll;
  }

  find(key: Key): Promise<Found | null> {
    const { promise, resolve, reject } = Promise.withResolvers<Found | null>();
    this.#asked.push({ key, resolve, reject });
    if (this.#asked.length === 1) queueMicrotask(() => void this.#flush());
    return promise;
  }

  async #flush(): Promise<void> {
    const asked = this.#asked;
    this.#asked = [];
    try {
      const found = await this.#findAll(asked.map(({ key }) => key));
      for (const [index, { resolve }] of asked.entries()) resolve(found[index] ?? null);
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }
}
