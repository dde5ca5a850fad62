import type { Reads } from '../../app/ports/reads.ts';
import type { Change } from '../../domain/change.ts';
import { isOpen } from '../../domain/change.ts';
import type { ChangeId } from '../../domain/ids.ts';
import { HTTP_LIMITS } from '../limits.ts';

/** Receives notifications about changes; see `OutcomeWaiters`. */
export interface ChangeListener {
  /** Called after any process has written these changes. This process may not know all of the ids. */
  onChanges(ids: readonly ChangeId[]): void;
  /** Called after this process has committed these changes in this form. */
  onCommitted(changes: readonly Change[]): void;
  /** Called when notifications may have been lost, because a connection broke or was newly made. */
  onGap(): void;
}

/** Lets callers wait for the outcome of their changes. */
export interface Outcomes {
  /**
   * Returns the change once it has ended, or in its last known state when the time is up.
   *
   * @param isNew the change was recorded just now, so it cannot have an outcome yet and is not read first
   * @throws the signal's reason if it is aborted first
   */
  wait(change: Change, timeoutMs: number, signal: AbortSignal, isNew?: boolean): Promise<Change>;
  /** Answers all waiting callers with the known states, and accepts no more waits. */
  close(): void;
}

export interface OutcomeWaitersDeps {
  readonly reads: Pick<Reads, 'changesById'>;
  /** Called if changes could not be read; they are read again at the next poll. */
  readonly onError: (error: unknown) => void;
}

interface Waiter {
  latest: Change;
  /** Ends the wait and returns `latest` to the waiter. */
  readonly end: () => void;
}

/**
 * All callers of this process that wait for an outcome, in one map. A waiter holds no database connection: all changes
 * that were notified, polled or newly waited for are read together, by at most one query at a time.
 *
 * A waiter is registered before its change is read for the first time, so that this read finds an outcome that was
 * committed before it. A later outcome is reported by this process, notified by another process or, if the notification
 * is lost, found by polling.
 */
export class OutcomeWaiters implements Outcomes, ChangeListener {
  readonly #deps: OutcomeWaitersDeps;
  readonly #waiters = new Map<ChangeId, Set<Waiter>>();
  /** The changes that the next read includes; only changes with waiters. */
  readonly #asked = new Set<ChangeId>();
  readonly #closing = new AbortController();
  #reading = false;
  #poll: NodeJS.Timeout | null = null;

  constructor(deps: OutcomeWaitersDeps) {
    this.#deps = deps;
  }

  /** The number of waiting callers. */
  get size(): number {
    let size = 0;
    for (const waiters of this.#waiters.values()) size += waiters.size;
    return size;
  }

  get isEmpty(): boolean {
    return this.#waiters.size === 0;
  }

  async wait(
    change: Change,
    timeoutMs: number,
    signal: AbortSignal,
    isNew = false,
  ): Promise<Change> {
    signal.throwIfAborted();
    if (timeoutMs <= 0 || this.#closing.signal.aborted || !isOpen(change.state)) return change;
    const { promise, resolve, reject } = Promise.withResolvers<Change>();
    const waiter: Waiter = { latest: change, end: () => resolve(waiter.latest) };
    const onAbort = (): void => reject(signal.reason as Error);
    const timer = setTimeout(waiter.end, timeoutMs);
    signal.addEventListener('abort', onAbort, { once: true });
    this.#enter(change.id, waiter);
    if (!isNew) this.#ask([change.id]);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      this.#leave(change.id, waiter);
    }
  }

  onChanges(ids: readonly ChangeId[]): void {
    this.#ask(ids);
  }

  onCommitted(changes: readonly Change[]): void {
    for (const change of changes) if (!isOpen(change.state)) this.#tell(change);
  }

  onGap(): void {
    this.#ask(this.#waiters.keys());
  }

  close(): void {
    this.#closing.abort();
    for (const waiters of this.#waiters.values()) for (const waiter of waiters) waiter.end();
  }

  #enter(id: ChangeId, waiter: Waiter): void {
    const waiters = this.#waiters.get(id) ?? new Set();
    waiters.add(waiter);
    this.#waiters.set(id, waiters);
    this.#poll ??= setInterval(() => this.onGap(), HTTP_LIMITS.outcomePollMs);
  }

  #leave(id: ChangeId, waiter: Waiter): void {
    const waiters = this.#waiters.get(id);
    waiters?.delete(waiter);
    if (waiters?.size === 0) {
      this.#waiters.delete(id);
      this.#asked.delete(id);
    }
    if (this.#waiters.size > 0 || this.#poll === null) return;
    clearInterval(this.#poll);
    this.#poll = null;
  }

  #ask(ids: Iterable<ChangeId>): void {
    for (const id of ids) if (this.#waiters.has(id)) this.#asked.add(id);
    if (this.#asked.size === 0 || this.#reading) return;
    this.#reading = true;
    // Deferred, so that changes that arrive in the same turn of the event loop share the query.
    setImmediate(() => void this.#read());
  }

  async #read(): Promise<void> {
    try {
      while (this.#asked.size > 0 && !this.#closing.signal.aborted) {
        const ids = [...this.#asked].slice(0, HTTP_LIMITS.outcomeReadMax);
        for (const id of ids) this.#asked.delete(id);
        const io = { signal: this.#closing.signal, deadlineMs: HTTP_LIMITS.outcomeReadMs };
        for (const change of await this.#deps.reads.changesById(ids, io)) this.#tell(change);
      }
    } catch (error) {
      this.#asked.clear();
      if (!this.#closing.signal.aborted) this.#deps.onError(error);
    } finally {
      this.#reading = false;
    }
  }

  #tell(change: Change): void {
    for (const waiter of this.#waiters.get(change.id) ?? []) {
      waiter.latest = change;
      if (!isOpen(change.state)) waiter.end();
    }
  }
}
