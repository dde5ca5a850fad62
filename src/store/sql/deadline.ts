import type { Io, Turn } from '../../app/ports/io.ts';
import { DatabaseOutageError } from './database-outage.ts';
import { DatabaseUnreachableError } from './database-unreachable.ts';

/**
 * Thrown when the time of a call has passed. Nothing of the call was committed, unless the commit itself was not
 * answered: then only the database knows the result.
 */
export class DatabaseDeadlineError extends Error {
  override readonly name = 'DatabaseDeadlineError';
  readonly deadlineMs: number;
  constructor(deadlineMs: number, options?: ErrorOptions) {
    super(`the database did not answer within ${deadlineMs} ms`, options);
    this.deadlineMs = deadlineMs;
  }
}

/**
 * Returns why the database cannot serve this call now, in words for callers and without its address. A later call may
 * succeed.
 *
 * @returns `null` for an error of the call itself
 */
export function outageWords(error: unknown): string | null {
  if (error instanceof DatabaseOutageError) return error.words;
  if (error instanceof DatabaseDeadlineError) return 'the database did not answer in time';
  if (!(error instanceof DatabaseUnreachableError)) return null;
  if (error.reason === 'connections-exhausted') return 'the database has no free connection';
  if (error.reason === 'starting-or-stopping') return 'the database is starting or stopping';
  return 'the database is unreachable';
}

export const isDatabaseUnavailable = (error: unknown): boolean => outageWords(error) !== null;

/** The limits of one call, counted from the moment at which it was made. */
export class Deadline implements Disposable {
  /** Rejects when the signal fires or when the time has passed; never resolves. */
  readonly over: Promise<never>;
  readonly #io: Io;
  #endsAtMs: number;
  readonly #timer: NodeJS.Timeout;
  readonly #onAbort: () => void;

  /** @throws the signal's reason if it has already fired */
  constructor(io: Io) {
    io.signal.throwIfAborted();
    const over = Promise.withResolvers<never>();
    over.promise.catch(() => {});
    this.over = over.promise;
    this.#io = io;
    this.#endsAtMs = performance.now() + io.deadlineMs;
    this.#timer = setTimeout(() => {
      // A timer may fire slightly before the clock has reached its time.
      this.#endsAtMs = Math.min(this.#endsAtMs, performance.now());
      over.reject(new DatabaseDeadlineError(io.deadlineMs));
    }, io.deadlineMs);
    // A variable and not a function literal in the call: see `askingOf`.
    const onAbort = (): void => over.reject(io.signal.reason);
    this.#onAbort = onAbort;
    io.signal.addEventListener('abort', onAbort, { once: true });
  }

  get turn(): Turn | undefined {
    return this.#io.turn;
  }

  /**
   * Returns the remaining time in whole milliseconds. It is at least one, because PostgreSQL takes zero as no limit.
   */
  remainingMs(): number {
    return Math.max(1, Math.ceil(this.#endsAtMs - performance.now()));
  }

  isOver(): boolean {
    return this.#io.signal.aborted || performance.now() >= this.#endsAtMs;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#io.signal.removeEventListener('abort', this.#onAbort);
  }
}
