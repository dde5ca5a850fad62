import type { Reads } from '../../app/ports/reads.ts';
import type { Change } from '../../domain/change.ts';
import { isOpen } from '../../domain/change.ts';
import type { ChangeId } from '../../domain/ids.ts';
import { HTTP_LIMITS } from '../limits.ts';

/** Whoever hears of changes tells it here; see `OutcomeWaiters`. */
export interface ChangeListener {
  /** These changes have been written, in whatever process. May name any, also unknown ones. */
  onChanges(ids: readonly ChangeId[]): void;
  /** These have been committed by this process, as they are here. */
  onCommitted(changes: readonly Change[]): void;
  /** Notifications may have been lost: a connection broke, or was made. */
  onGap(): void;
}

/** How callers wait for what becomes of their changes. */
export interface Outcomes {
  /**
   * The change once it has ended, or as it was last seen when the time is up.
   *
   * @param isNew it has been recorded just now: nothing can have become of it yet, and it is not read to find out
   * @throws the signal's reason when it is aborted first
   */
  wait(change: Change, timeoutMs: number, signal: AbortSignal, isNew?: boolean): Promise<Change>;
  /** Answers everyone who waits with what is known, and lets nobody wait any more. */
  close(): void;
}

export interface OutcomeWaitersDeps {
  readonly reads: Pick<Reads, 'changesById'>;
  /** Told when changes could not be read; those who wait are asked about again at the next poll. */
  readonly onError: (error: unknown) => void;
}

interface Waiter {
  latest: Change;
  /** Ends the wait with `latest`. */
  readonly end: () => void;
}

/**
 * All callers of this process that wait for an outcome, in one map. Nobody holds a database connection: whatever is
 * notified, polled or newly waited for is read together, at most one query at a time.
 *
 * A waiter is registered before its change is read for the first time, so an outcome that is committed in between is
 * found by that read; one that is committed later is told by this process or notified by another, and if the
 * notification is lost, polled.
 */
export class OutcomeWaiters implements Outcomes, ChangeListener {
  readonly #deps: OutcomeWaitersDeps;
  readonly #waiters = new Map<ChangeId, Set<Waiter>>();
  /** To be read next. Only changes that somebody waits for. */
  readonly #asked = new Set<ChangeId>();
  readonly #closing = new AbortController();
  #reading = false;
  #poll: NodeJS.Timeout | null = null;

  constructor(deps: OutcomeWaitersDeps) {
    this.#deps = deps;
  }

  /** How many callers wait. */
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
    // Not at once: what else arrives in this turn of the event loop goes into the same query.
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
