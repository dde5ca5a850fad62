import { deadlock } from './database-error.ts';

/**
 * Two `share` locks are compatible with each other; `exclusive` is compatible with no lock. In PostgreSQL these are
 * `for share` and `for no key update`.
 */
export type LockMode = 'share' | 'exclusive';

interface Waiter {
  readonly owner: object;
  readonly mode: LockMode;
  readonly grant: () => void;
  readonly fail: (error: unknown) => void;
}

interface Lock {
  readonly key: string;
  readonly holders: Map<object, LockMode>;
  readonly queue: Waiter[];
}

const conflicts = (a: LockMode, b: LockMode): boolean => a === 'exclusive' || b === 'exclusive';

/**
 * Locks by name. They are granted in the order of the requests. A request that would cause a deadlock is refused at
 * once. PostgreSQL would take a second to detect it.
 */
export class LockTable {
  readonly #locks = new Map<string, Lock>();
  readonly #held = new Map<object, Set<Lock>>();
  readonly #waits = new Map<object, { readonly lock: Lock; readonly waiter: Waiter }>();

  /**
   * @returns a promise if the caller must wait; it rejects if the owner is disconnected or in a deadlock
   * @throws DatabaseError `40P01`
   */
  acquire(owner: object, key: string, mode: LockMode): Promise<void> | undefined {
    const lock = this.#lockOf(key);
    const has = lock.holders.get(owner);
    if (has === 'exclusive' || has === mode) return undefined;
    const free = this.#isFree(lock, owner, mode);
    if (free && (lock.queue.length === 0 || has !== undefined)) {
      this.#hold(lock, owner, mode);
      return undefined;
    }
    return this.#wait(lock, owner, mode, has !== undefined);
  }

  /** Takes the lock if no other owner has it or waits for it. */
  tryAcquire(owner: object, key: string, mode: LockMode): boolean {
    const lock = this.#lockOf(key);
    if (!this.#isFree(lock, owner, mode)) {
      this.#forget(lock);
      return false;
    }
    this.#hold(lock, owner, mode);
    return true;
  }

  holds(owner: object, key: string): boolean {
    return this.#locks.get(key)?.holders.has(owner) ?? false;
  }

  /**
   * Releases one lock before the end of the transaction. This is for rows for which a statement has waited, but which
   * it then does not write.
   */
  release(owner: object, key: string): void {
    const lock = this.#locks.get(key);
    if (lock === undefined) return;
    this.#held.get(owner)?.delete(lock);
    lock.holders.delete(owner);
    this.#grantNext(lock);
  }

  /** Releases all locks of the owner. If the owner waits for a lock, its wait rejects with `error`. */
  releaseAll(owner: object, error: unknown): void {
    const waits = this.#waits.get(owner);
    if (waits !== undefined) {
      this.#waits.delete(owner);
      waits.lock.queue.splice(waits.lock.queue.indexOf(waits.waiter), 1);
      waits.waiter.fail(error);
      this.#grantNext(waits.lock);
    }
    const held = this.#held.get(owner);
    this.#held.delete(owner);
    for (const lock of held ?? []) {
      lock.holders.delete(owner);
      this.#grantNext(lock);
    }
  }

  /** The owners that wait, with the locks for which they wait, as texts for messages of tests. */
  get waiting(): readonly string[] {
    return [...this.#waits.values()].map(({ lock }) => lock.key);
  }

  #lockOf(key: string): Lock {
    let lock = this.#locks.get(key);
    if (lock === undefined) {
      lock = { key, holders: new Map(), queue: [] };
      this.#locks.set(key, lock);
    }
    return lock;
  }

  #isFree(lock: Lock, owner: object, mode: LockMode): boolean {
    for (const [other, held] of lock.holders) {
      if (other !== owner && conflicts(mode, held)) return false;
    }
    return true;
  }

  #hold(lock: Lock, owner: object, mode: LockMode): void {
    lock.holders.set(owner, mode);
    const held = this.#held.get(owner);
    if (held === undefined) this.#held.set(owner, new Set([lock]));
    else held.add(lock);
  }

  #wait(lock: Lock, owner: object, mode: LockMode, first: boolean): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = { owner, mode, grant: resolve, fail: reject };
    if (first) lock.queue.unshift(waiter);
    else lock.queue.push(waiter);
    this.#waits.set(owner, { lock, waiter });
    if (this.#isInCircle(owner)) {
      this.#waits.delete(owner);
      lock.queue.splice(lock.queue.indexOf(waiter), 1);
      throw deadlock();
    }
    return promise;
  }

  #isInCircle(start: object): boolean {
    const seen = new Set<object>();
    const pending = this.#inTheWayOf(start);
    for (let one = pending.pop(); one !== undefined; one = pending.pop()) {
      if (one === start) return true;
      if (seen.has(one)) continue;
      seen.add(one);
      pending.push(...this.#inTheWayOf(one));
    }
    return false;
  }

  /**
   * Returns the owners for which this owner waits: those that hold the lock it needs, and those that requested the lock
   * before.
   */
  #inTheWayOf(owner: object): object[] {
    const waits = this.#waits.get(owner);
    if (waits === undefined) return [];
    const { lock, waiter } = waits;
    const holders = [...lock.holders]
      .filter(([other, held]) => other !== owner && conflicts(waiter.mode, held))
      .map(([other]) => other);
    const before = lock.queue
      .slice(0, lock.queue.indexOf(waiter))
      .filter((other) => conflicts(waiter.mode, other.mode))
      .map((other) => other.owner);
    return [...holders, ...before];
  }

  #grantNext(lock: Lock): void {
    for (let next = lock.queue[0]; next !== undefined; next = lock.queue[0]) {
      if (!this.#isFree(lock, next.owner, next.mode)) return;
      lock.queue.shift();
      this.#waits.delete(next.owner);
      this.#hold(lock, next.owner, next.mode);
      next.grant();
    }
    this.#forget(lock);
  }

  #forget(lock: Lock): void {
    if (lock.holders.size === 0 && lock.queue.length === 0) this.#locks.delete(lock.key);
  }
}
