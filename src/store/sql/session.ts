import type { Writable } from 'node:stream';
import type { Compilable } from 'kysely';
import type { PoolClient } from 'pg';
import { ServerClient, UnreplicatedCommitError } from './server-client.ts';
import type { Planning } from './session-settings.ts';
import { planningOf, PLANNINGS } from './session-settings.ts';
import type { Statement } from './statement.ts';
import { statement } from './statement.ts';

/** PostgreSQL ends the statement timeout before it commits, so no deadline cuts short the wait for a standby. */
const COMMIT = 'commit';

/**
 * A commit of a failed transaction rolls back and reports success, and the notifications after it would be sent. So
 * while a statement may still fail, an empty query goes first, which fails in a failed transaction.
 */
const COMMIT_UNLESS_FAILED = `select; ${COMMIT}`;

const NOTIFY = statement<never>(
  'notify',
  'select pg_notify(n.channel, n.payload) from unnest($1::text[], $2::text[]) as n(channel, payload)',
);

/** The driver's own socket, which its types omit. */
interface WithStream {
  readonly connection: { readonly stream: Writable };
}

/**
 * One connection in one transaction. On a pool opened with `pipelined`, statements are sent at once and answered in
 * order; awaiting each one costs a round trip each, awaiting only the last one costs one.
 *
 * After a failure PostgreSQL refuses every further statement of the transaction. Those refusals carry no information,
 * so every later statement, and the commit, fails with the first error.
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

  /** The cluster of its server; `null` if the server does not report it. */
  get system(): string | null {
    return this.#client instanceof ServerClient ? this.#client.standing.system : null;
  }

  /** Lets later statements be planned in this way, if the connection does not plan so already. */
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
   * Sends a built query and waits for its rows. It is planned with its values, because the best index depends on them.
   */
  ask<Row>(query: Compilable<Row>): Promise<Row[]> {
    const { sql: text, parameters } = query.compile();
    return this.run<Row>({ name: null, text }, parameters);
  }

  /** Sends a statement without waiting: a failure fails later statements, at the latest the commit. */
  send(statement: Statement<unknown>, values: readonly unknown[]): void {
    this.run(statement, values).catch(() => {});
  }

  /** Sends SQL without parameters, several statements if need be. */
  async script(text: string): Promise<void> {
    await this.#answered(() => this.#client.query(text));
  }

  /** Notifies listeners of a channel after the transaction has committed, and only then. */
  announce(channel: string, payload: string): void {
    this.#news.push({ channel, payload });
  }

  /**
   * Sends the commit, and the notifications right after it. `done` is the commit, `told` the rest.
   *
   * The notifications are not part of the transaction, although PostgreSQL supports that. A transaction that notifies
   * commits under a lock of the whole server, its write to disk included, so that commits no longer share one write.
   * That costs at least half the throughput (24 connections: 590 instead of 1200 commits a second). Here a broken
   * connection may lose notifications, which costs the waiting callers a poll interval.
   */
  commit(): { readonly done: Promise<void>; readonly told: Promise<void> } {
    const done = this.script(this.#unanswered === 0 ? COMMIT : COMMIT_UNLESS_FAILED);
    if (this.#news.length === 0) return { done, told: done };
    const channels = this.#news.map((item) => item.channel);
    const payloads = this.#news.map((item) => item.payload);
    return { done, told: this.run(NOTIFY, [channels, payloads]).then(() => undefined) };
  }

  /** Rolls back; no statement can be sent after that. */
  async rollBack(): Promise<void> {
    this.end();
    await this.#counted(() => this.#client.query('rollback'));
  }

  /** Ends the transaction: callers that still hold the session cannot use the connection any more. */
  end(): void {
    this.#ended = true;
  }

  /**
   * Statements of one tick leave in one write. Each write is a system call, which costs more than anything else that is
   * done here for a statement.
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
      // It may have been this commit, or one sent right after it.
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

/** Functions that take the session first, by the names that callers know them by. */
type Operations = Readonly<Record<string, (session: Session, ...rest: never[]) => unknown>>;

type Bound<Of> = Of extends (session: Session, ...rest: infer Rest) => infer Answer
  ? (...rest: Rest) => Answer
  : never;

/** @returns the same functions without their first parameter, for this session */
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

/** Look-ups by key; those of one tick share one statement. */
export class LookUp<Key, Found> {
  readonly #findAll: (keys: readonly Key[]) => Promise<readonly (Found | null)[]>;
  #asked: Asked<Key, Found>[] = [];

  /** @param findAll answers in the order of the keys; its failure fails all look-ups of the batch */
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
