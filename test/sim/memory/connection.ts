import type { Io } from '../../../src/app/ports/io.ts';
import type { ChangeId } from '../../../src/domain/ids.ts';
import { STORE_LIMITS } from '../../../src/store/limits.ts';
import { DatabaseDeadlineError } from '../../../src/store/sql/deadline.ts';
import { DatabaseError, connectionLost } from './database-error.ts';
import type { Hooks, StepPoint } from './hooks.ts';
import { never } from './hooks.ts';
import type { Server, ServerTransaction } from './server.ts';

/** The notifications of a committed transaction. */
export interface News {
  /** The changes that have ended or are in doubt. */
  readonly changes: readonly ChangeId[];
  /** Whether effects may be due, or due earlier than before. */
  readonly effects: boolean;
  /** Whether timers may be due: a time of lapse has changed, or something has happened for which a policy may wait. */
  readonly timers: boolean;
}

interface ConnectionParts {
  readonly process: string;
  readonly server: Server;
  readonly hooks: Hooks;
  readonly tell: (news: News) => void;
}

/** The time limit and the signal of one call. */
interface Bounds extends Disposable {
  /** Rejects when the signal aborts or the time has passed. */
  readonly over: Promise<never>;
  readonly isOver: boolean;
}

/** How long a process takes a session for valid after it has ended. */
const NOTICED_MS = 20;

/** Everything that one life of a process does with the database. */
export class Connection {
  readonly process: string;
  readonly server: Server;
  readonly hooks: Hooks;
  readonly tell: (news: News) => void;
  readonly #open = new Set<ServerTransaction>();
  #killed = false;
  #sessions = 0;
  #session = '';
  #lostAtMs: number | null = null;

  constructor({ process, server, hooks, tell }: ConnectionParts) {
    this.process = process;
    this.server = server;
    this.hooks = hooks;
    this.tell = tell;
  }

  get isKilled(): boolean {
    return this.#killed;
  }

  /**
   * The name of the session that shows that the process is alive. When a session ends, the process notices this after a
   * moment, and then has a new session.
   */
  get session(): string | null {
    const { server } = this;
    if (this.#killed) return null;
    if (this.#session !== '' && server.sessions.has(this.#session)) return this.#session;
    this.#lostAtMs ??= this.#session === '' ? -Infinity : server.now();
    if (server.now() - this.#lostAtMs < NOTICED_MS) return this.#session;
    this.#sessions += 1;
    this.#lostAtMs = null;
    this.#session = `${this.process}/${this.#sessions}`;
    server.sessions.add(this.#session);
    return this.#session;
  }

  /**
   * Ends the process. The server rolls back what the process had begun, and none of the process's calls is ever
   * answered.
   */
  kill(): void {
    this.#killed = true;
    this.cut();
  }

  /** Breaks the process's connections. The process survives, and its calls fail. */
  cut(): void {
    this.server.sessions.delete(this.#session);
    for (const tx of this.#open) tx.end(connectionLost('the server closed the connection'));
    this.#open.clear();
  }

  /** Whether nothing can happen between a call and its answer, because there are no hooks. */
  get isHookless(): boolean {
    return this.hooks.step === undefined && !this.#killed;
  }

  /** @throws the error that the hook throws */
  async step(call: string, at: StepPoint['at']): Promise<void> {
    if (this.#killed) return never();
    await this.hooks.step?.({ process: this.process, call, at });
    return this.#killed ? never() : undefined;
  }

  begin(call: string, durable: boolean): ServerTransaction {
    const tx = this.server.begin({ process: this.process, call, durable });
    this.#open.add(tx);
    return tx;
  }

  over(tx: ServerTransaction): void {
    this.#open.delete(tx);
  }

  bounds(io: Io): Bounds {
    io.signal.throwIfAborted();
    const over = Promise.withResolvers<never>();
    over.promise.catch(() => undefined);
    let isOver = false;
    const end = (error: unknown) => {
      isOver = true;
      over.reject(error);
    };
    const abort = () => end(io.signal.reason);
    io.signal.addEventListener('abort', abort, { once: true });
    const cancel = this.hooks.after?.(io.deadlineMs, () =>
      end(new DatabaseDeadlineError(io.deadlineMs)),
    );
    return {
      over: over.promise,
      get isOver() {
        return isOver;
      },
      [Symbol.dispose]() {
        io.signal.removeEventListener('abort', abort);
        cancel?.();
      },
    };
  }
}

/**
 * A transaction as its process uses it: statements are sent at once, and are answered in the same order. After a
 * failure, every later statement and the commit fail with the same error.
 */
export class Session {
  readonly #connection: Connection;
  readonly #tx: ServerTransaction;
  readonly #changes: ChangeId[] = [];
  #effects = false;
  #timers = false;
  #tail: Promise<unknown> = Promise.resolve();
  #failure: { readonly error: unknown } | null = null;
  #ended = false;

  constructor(connection: Connection, tx: ServerTransaction) {
    this.#connection = connection;
    this.#tx = tx;
  }

  /** Sends statements and waits for their answers. Each `work` is one round trip. */
  run<T>(call: string, work: (tx: ServerTransaction) => T | Promise<T>): Promise<T> {
    if (this.#ended) return Promise.reject(new Error('the transaction is over'));
    const answered = this.#tail.then(() => this.#answer(call, work));
    this.#tail = answered.catch(() => undefined);
    return answered;
  }

  /**
   * Sends statements without waiting for their answers. A failure is reported by a later call, at the latest by the
   * commit.
   */
  send(call: string, work: (tx: ServerTransaction) => void | Promise<void>): void {
    this.run(call, work).catch(() => undefined);
  }

  /** Notifies listeners if the transaction commits. */
  announce(news: News): void {
    this.#changes.push(...news.changes);
    this.#effects ||= news.effects;
    this.#timers ||= news.timers;
  }

  /** Resolves when every sent statement has been answered. */
  async idle(): Promise<void> {
    await this.#tail;
    if (this.#failure !== null) throw this.#failure.error;
  }

  async commit(call: string): Promise<void> {
    await this.#step(call, 'before-commit');
    this.#tx.commit();
    this.#ended = true;
    this.#connection.over(this.#tx);
    if (this.#changes.length > 0 || this.#effects || this.#timers) {
      const news = { changes: this.#changes, effects: this.#effects, timers: this.#timers };
      this.#connection.tell(news);
    }
    await this.#connection.step(call, 'after');
  }

  /** Rolls the transaction back, unless it has been committed. */
  rollBack(error: unknown): void {
    this.#ended = true;
    this.#tx.end(error);
    this.#connection.over(this.#tx);
  }

  async #answer<T>(call: string, work: (tx: ServerTransaction) => T | Promise<T>): Promise<T> {
    if (this.#failure !== null) throw this.#failure.error;
    try {
      if (!this.#connection.isHookless) await this.#step(call, 'before');
      this.#tx.wake();
      const value = await work(this.#tx);
      this.#tx.rest();
      return value;
    } catch (error) {
      if (this.#connection.isKilled) return never();
      this.#failure ??= { error };
      throw this.#failure.error;
    }
  }

  /**
   * An error that the hook throws here breaks the connection: the server rolls the transaction back, while the process
   * may be doing something else.
   */
  async #step(call: string, at: StepPoint['at']): Promise<void> {
    try {
      await this.#connection.step(call, at);
    } catch (error) {
      this.#tx.end(error);
      throw error;
    }
  }
}

export interface TransactOptions {
  readonly call: string;
  /** Whether a crash of the server cannot lose the commit. @default true */
  readonly durable?: boolean;
  /** Whether the transaction is repeated after a transient failure; false for a single statement. @default true */
  readonly repeated?: boolean;
}

const isRepeatable = (error: unknown): boolean =>
  error instanceof DatabaseError &&
  (error.code === '40P01' || (error.code === '23505' && error.constraint === 'change_command_key'));

/** Works like `src/store/sql/transact.ts`. */
export async function transact<T>(
  connection: Connection,
  io: Io,
  work: (session: Session) => Promise<T>,
  options: TransactOptions,
): Promise<T> {
  if (connection.isKilled) return never();
  using bounds = connection.bounds(io);
  for (let tries = 1; ; tries += 1) {
    try {
      return await once(connection, bounds, work, options);
    } catch (error) {
      if (connection.isKilled) return never();
      const again =
        options.repeated !== false &&
        isRepeatable(error) &&
        tries < STORE_LIMITS.transactionTriesMax &&
        !bounds.isOver;
      if (!again) throw error;
    }
    await Promise.race([connection.step(options.call, 'repeat'), bounds.over]);
  }
}

async function once<T>(
  connection: Connection,
  bounds: Bounds,
  work: (session: Session) => Promise<T>,
  { call, durable = true }: TransactOptions,
): Promise<T> {
  const session = new Session(connection, connection.begin(call, durable));
  try {
    const value = await Promise.race([work(session), bounds.over]);
    await Promise.race([session.idle(), bounds.over]);
    await session.commit(call);
    return value;
  } catch (error) {
    session.rollBack(error);
    throw error;
  }
}

/** Reads the rows that are committed at this moment. */
export async function query<T>(
  connection: Connection,
  io: Io,
  call: string,
  read: () => T,
): Promise<T> {
  if (connection.isHookless) {
    io.signal.throwIfAborted();
    return read();
  }
  using bounds = connection.bounds(io);
  await Promise.race([connection.step(call, 'before'), bounds.over]);
  return read();
}
