import { LIMITS } from '../../../src/domain/limits.ts';
import { connectionLost } from './database-error.ts';
import type { After } from './hooks.ts';
import type { LockMode } from './locks.ts';
import { LockTable } from './locks.ts';
import type { CursorRow } from './rows.ts';
import type { RowChange } from './table.ts';
import { Table } from './table.ts';
import type { Tables } from './tables.ts';
import { createTables } from './tables.ts';

/** The writes of one committed transaction, for code that observes them. */
export interface Commit {
  /** The number of the commit, counted from 1. */
  readonly no: number;
  readonly process: string;
  /** The name of the call, such as `transact` or `outbox.startAttempt`. */
  readonly call: string;
  readonly atMs: number;
  readonly changes: readonly RowChange[];
}

/** A cursor that was set or moved, in the order of the commits. */
export interface CursorMoved {
  readonly process: string;
  readonly atMs: number;
  readonly stream: string;
  /** The previous position; `null` if the cursor was set for the first time. */
  readonly from: bigint | null;
  readonly to: bigint;
  /** Whether a rebuild moved the cursor, possibly backwards. */
  readonly isReset: boolean;
  /** The epoch of the projector's lease at the moment of the commit. */
  readonly epoch: bigint;
}

export interface ServerOptions {
  /** Milliseconds since 1970 by the clock of the database's machine. */
  readonly now: () => number;
  /** The timers of the database server's machine. Without them, a transaction may be idle for ever. */
  readonly after?: After;
  /** Called for every commit, before any process reacts to it. */
  readonly onCommit?: (commit: Commit) => void;
}

/** The process that began a transaction, and the options. */
interface Beginning {
  readonly process: string;
  readonly call: string;
  readonly durable: boolean;
}

// oxlint-disable-next-line typescript/no-explicit-any -- tables of all kinds of rows
type AnyTable = Table<any, any>;

/** All tables as they were at one moment. */
export type DatabaseCopy = ReadonlyMap<AnyTable, ReadonlyMap<string, object>>;

const PROJECTOR = 'projector';
/** The name of the call by which rebuilds move cursors. If a copy is restored, this counts as the same call. */
export const REBUILD = 'rebuild';

/** The server's part of the database: tables, locks and open transactions. */
export class Server {
  readonly tables: Tables = createTables(() => this.now());
  readonly locks = new LockTable();
  /** Names of the sessions that show that a process is alive. */
  readonly sessions = new Set<string>();
  readonly cursorMoves: CursorMoved[] = [];
  readonly #options: ServerOptions;
  readonly #open = new Set<ServerTransaction>();
  /** The writes that a crash may undo: those of commits that need not be durable, since the last durable commit. */
  #fleeting: { readonly table: AnyTable; readonly key: string; readonly before: object }[] = [];
  /** How often the server was started. `pg_postmaster_start_time` shows this. */
  starts = 1;
  #commits = 0;
  #auditIds = 0;
  #places = 0;

  constructor(options: ServerOptions) {
    this.#options = options;
  }

  now(): number {
    return this.#options.now();
  }

  /** Returns a new number. A number is never used again, even if the transaction is rolled back. */
  nextAuditId(): number {
    this.#auditIds += 1;
    return this.#auditIds;
  }

  /** Returns the position of an event in the order in which events are written. */
  nextPlace(): number {
    this.#places += 1;
    return this.#places;
  }

  /** Sets a timer. Returns a function that cancels it. */
  after(ms: number, run: () => void): () => void {
    return this.#options.after?.(ms, run) ?? (() => undefined);
  }

  begin(beginning: Beginning): ServerTransaction {
    const tx = new ServerTransaction(this, beginning);
    this.#open.add(tx);
    return tx;
  }

  get openTransactions(): number {
    return this.#open.size;
  }

  /** Ends every transaction. With `losing`, also undoes commits that did not wait for the disk. */
  crash(losing: boolean): void {
    for (const tx of this.#open) tx.end(connectionLost('the server restarts after a crash'));
    this.starts += 1;
    this.sessions.clear();
    const lost = this.#fleeting.splice(0);
    if (!losing) return;
    for (const { table, key, before } of lost.toReversed()) table.restore(key, before);
  }

  copy(): DatabaseCopy {
    const tables = Object.values(this.tables).filter((one) => one instanceof Table);
    return new Map(tables.map((table: AnyTable) => [table, table.copy()]));
  }

  /** Restarts the server with a copy. Sequences keep their values, because no rule depends on them. */
  restore(copy: DatabaseCopy): void {
    this.crash(false);
    for (const [table, rows] of copy) table.putBack(rows);
    for (const row of this.tables.cursors.all(null)) {
      const change = { table: 'query_store_offset', key: row.stream, before: row, after: row };
      this.#cursorMoved(change, { process: 'a person', call: REBUILD, durable: true }, this.now());
    }
  }

  /** Called by the transaction that ends. */
  ended(tx: ServerTransaction, error: unknown): void {
    this.#open.delete(tx);
    this.locks.releaseAll(tx, error);
  }

  committed(tx: ServerTransaction, tables: ReadonlySet<AnyTable>): void {
    const changes: RowChange[] = [];
    if (tx.beginning.durable && tables.size > 0) this.#fleeting = [];
    for (const table of tables) {
      for (const change of table.commit(tx)) {
        changes.push(change);
        if (tx.beginning.durable) continue;
        this.#fleeting.push({ table, key: change.key, before: change.before as object });
      }
    }
    if (changes.length === 0) return;
    this.#commits += 1;
    const { process, call } = tx.beginning;
    const atMs = this.now();
    for (const change of changes) {
      if (change.table === 'query_store_offset') this.#cursorMoved(change, tx.beginning, atMs);
    }
    this.#options.onCommit?.({ no: this.#commits, process, call, atMs, changes });
  }

  #cursorMoved(change: RowChange, { process, call }: Beginning, atMs: number): void {
    const [before, after] = [change.before, change.after] as [CursorRow | undefined, CursorRow];
    const isReset = call === REBUILD;
    if (before?.offset === after.offset && !isReset) return;
    this.cursorMoves.push({
      process,
      atMs,
      stream: after.stream,
      from: before?.offset ?? null,
      to: after.offset,
      isReset,
      epoch: this.tables.leases.get(null, PROJECTOR)?.epoch ?? 0n,
    });
  }
}

/** A transaction of the server, with READ COMMITTED: other transactions see its writes when it has committed. */
export class ServerTransaction {
  readonly server: Server;
  readonly tables: Tables;
  readonly beginning: Beginning;
  /** The time that `now()` returns in all of its statements. */
  readonly beganAtMs: number;
  /** The idle time after which the server ends the transaction. */
  idleMs: number = LIMITS.databaseStatementMs;
  #cancelIdle: () => void = () => undefined;
  readonly #touched = new Set<AnyTable>();
  #over: { readonly error: unknown } | null = null;

  constructor(server: Server, beginning: Beginning) {
    this.server = server;
    this.tables = server.tables;
    this.beginning = beginning;
    this.beganAtMs = server.now();
  }

  /** @throws the error that ended the transaction */
  assertOpen(): void {
    if (this.#over !== null) throw this.#over.error;
  }

  /** Marks the transaction as idle: every statement has been answered, and there is no next one yet. */
  rest(): void {
    if (this.#over !== null) return;
    this.#cancelIdle();
    this.#cancelIdle = this.server.after(this.idleMs, () =>
      this.end(connectionLost('the server ended a transaction that did nothing')),
    );
  }

  /** @throws the error that ended the transaction */
  wake(): void {
    this.assertOpen();
    this.#cancelIdle();
  }

  /** Locks the row, and waits for it if necessary. A read after this returns the row's newest version. */
  lock(table: AnyTable, key: string, mode: LockMode = 'exclusive'): Promise<void> | undefined {
    return this.#acquire(lockName(table, key), mode);
  }

  /** Locks the row unless another transaction has it. */
  tryLock(table: AnyTable, key: string, mode: LockMode = 'exclusive'): boolean {
    this.assertOpen();
    return this.server.locks.tryAcquire(this, lockName(table, key), mode);
  }

  /**
   * Inserts a row. If one with its key exists, locks it and writes what `replace` returns for its newest version; if
   * that is `null`, the row does not change.
   *
   * @returns whether a row was written
   * @throws DatabaseError for a violated constraint
   */
  async upsert<Row extends object, Name extends string>(
    table: Table<Row, Name>,
    proposed: Row,
    replace: (before: Row) => Row | null,
  ): Promise<boolean> {
    table.assertChecked(proposed);
    const key = table.keyOf(proposed);
    const blocked = this.lock(table, key);
    if (blocked !== undefined) await blocked;
    const before = table.get(this, key);
    return this.#write(table, before, before === undefined ? proposed : replace(before));
  }

  /**
   * Like {@link upsert}, but for an existing row. `replace` is called before the wait for the lock, and again with the
   * row as it is then. A row that it does not change is not locked.
   */
  async update<Row extends object, Name extends string>(
    table: Table<Row, Name>,
    key: string,
    replace: (before: Row) => Row | null,
  ): Promise<boolean> {
    const seen = table.get(this, key);
    const proposed = seen === undefined ? null : replace(seen);
    if (proposed === null) return false;
    table.assertChecked(proposed);
    const blocked = this.lock(table, key);
    if (blocked !== undefined) await blocked;
    const before = table.get(this, key);
    return this.#write(table, before, before === undefined ? null : replace(before));
  }

  /** @returns whether the row existed */
  async remove(table: AnyTable, key: string): Promise<boolean> {
    if (table.get(this, key) === undefined) return false;
    const blocked = this.lock(table, key);
    if (blocked !== undefined) await blocked;
    // The transaction may have been ended during the wait for the lock.
    this.assertOpen();
    if (table.get(this, key) === undefined) return false;
    this.#touched.add(table);
    table.remove(this, key);
    return true;
  }

  /** Inserts a row unless one with its key exists. Waits for other transactions that insert or write such a row. */
  async insertIfAbsent<Row extends object, Name extends string>(
    table: Table<Row, Name>,
    row: Row,
  ): Promise<boolean> {
    table.assertChecked(row);
    const key = table.keyOf(row);
    // If this transaction has removed the row, the row does not exist for it.
    const isThere = (): boolean => table.isCommitted(key) && table.get(this, key) !== undefined;
    if (isThere()) {
      await this.#outlast(table, key);
      return false;
    }
    if (table.get(this, key) !== undefined) return false;
    const blocked = this.lock(table, key);
    if (blocked !== undefined) await blocked;
    if (isThere()) {
      this.server.locks.release(this, lockName(table, key));
      return false;
    }
    return this.#write(table, undefined, row);
  }

  commit(): void {
    this.wake();
    this.server.committed(this, this.#touched);
    this.#over = { error: new Error('the transaction has been committed') };
    this.server.ended(this, null);
  }

  /**
   * Rolls the transaction back and releases all its locks. Every later use fails with `error`. Does nothing after the
   * commit.
   */
  end(error: unknown): void {
    if (this.#over !== null) return;
    this.#over = { error };
    this.#cancelIdle();
    for (const table of this.#touched) table.drop(this);
    this.server.ended(this, error);
  }

  async #write<Row extends object, Name extends string>(
    table: Table<Row, Name>,
    before: Row | undefined,
    row: Row | null,
  ): Promise<boolean> {
    if (row === null) return false;
    for (const name of table.uniqueLocks(before, row)) {
      const blocked = this.#acquire(name, 'exclusive');
      if (blocked !== undefined) await blocked;
    }
    // If another transaction writes a row with the same unique key, it may still free this key.
    for (const key of table.contested(this, row)) await this.#outlast(table, key);
    // While it waited, the transaction may have been ended.
    this.assertOpen();
    this.#touched.add(table);
    table.write(this, row);
    return true;
  }

  /** Waits until no other transaction writes the row. Does not lock it. */
  async #outlast(table: AnyTable, key: string): Promise<void> {
    while (table.isWrittenByOther(this, key)) {
      await this.lock(table, key);
      this.server.locks.release(this, lockName(table, key));
    }
  }

  #acquire(name: string, mode: LockMode): Promise<void> | undefined {
    this.assertOpen();
    return this.server.locks.acquire(this, name, mode);
  }
}

const lockName = (table: AnyTable, key: string): string => `${table.name} ${key}`;
