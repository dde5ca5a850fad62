import { AsyncLocalStorage } from 'node:async_hooks';

/** The owner of a timer. It decides whether the timer fires now, later or never. */
export interface TimerOwner {
  /** The number of milliseconds by which the owner's wall clock is ahead of the world's clock. */
  readonly skewMs: number;
  /** Runs `fire` now, postpones it, or drops it. */
  onTimer(fire: () => void): void;
}

/**
 * The process to which the code that runs at this moment belongs. Promises keep the value, so everything that a
 * simulated process starts belongs to it. Code of the world itself has no owner.
 */
const owner = new AsyncLocalStorage<TimerOwner | undefined>();

/** Runs `work` on behalf of a simulated process, or of the world. */
export const actingFor = <T>(who: TimerOwner | undefined, work: () => T): T => owner.run(who, work);

/** Returns the owner of the code that runs now. */
export const acting = (): TimerOwner | undefined => owner.getStore();

export interface VirtualTimer {
  readonly atMs: number;
  readonly no: number;
  readonly owner: TimerOwner | undefined;
  readonly fire: () => void;
  isOver: boolean;
}

const isBefore = (a: VirtualTimer, b: VirtualTimer): boolean =>
  a.atMs < b.atMs || (a.atMs === b.atMs && a.no < b.no);

/** Timers in a binary heap, by due time; timers with the same due time fire in the order in which they were set. */
class TimerHeap {
  readonly #items: VirtualTimer[] = [];

  push(timer: VirtualTimer): void {
    const items = this.#items;
    let at = items.push(timer) - 1;
    while (at > 0) {
      const parentAt = (at - 1) >> 1;
      const parent = items[parentAt];
      if (parent === undefined || !isBefore(timer, parent)) break;
      items[at] = parent;
      at = parentAt;
    }
    items[at] = timer;
  }

  pop(): VirtualTimer | undefined {
    const items = this.#items;
    const [top] = items;
    const last = items.pop();
    if (top === undefined || last === undefined || top === last) return top;
    let at = 0;
    for (;;) {
      let childAt = 2 * at + 1;
      let child = items[childAt];
      if (child === undefined) break;
      const right = items[childAt + 1];
      if (right !== undefined && isBefore(right, child)) {
        child = right;
        childAt += 1;
      }
      if (!isBefore(child, last)) break;
      items[at] = child;
      at = childAt;
    }
    items[at] = last;
    return top;
  }
}

const realImmediate = globalThis.setImmediate;

/** Resolves when everything has run that needs no time to pass. */
export const settled = (): Promise<void> => new Promise((resolve) => realImmediate(resolve));

/**
 * Time that advances only from one timer to the next. A timer belongs to the process whose code sets it. Between two
 * timers, all pending work runs, so a run depends only on what the timers do.
 */
export class VirtualClock {
  readonly #heap = new TimerHeap();
  #nowMs: number;
  #timersSet = 0;
  #fired = 0;

  constructor(startMs: number) {
    this.#nowMs = startMs;
  }

  /** The world's time in milliseconds since 1970; not always a whole number. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** Returns the wall-clock time of the acting process in whole milliseconds. */
  wallMs(): number {
    return Math.floor(this.#nowMs + (acting()?.skewMs ?? 0));
  }

  get fired(): number {
    return this.#fired;
  }

  /** Sets a timer that belongs to the acting process. */
  set(fire: () => void, delayMs: number): VirtualTimer {
    this.#timersSet += 1;
    const timer = {
      atMs: this.#nowMs + Math.max(0, delayMs),
      no: this.#timersSet,
      owner: acting(),
      fire,
      isOver: false,
    };
    this.#heap.push(timer);
    return timer;
  }

  /**
   * Advances the time while nothing runs, as if every machine were asleep. Timers that were due in that time fire late.
   */
  leap(forMs: number): void {
    this.#nowMs += forMs;
  }

  /** Resolves when `delayMs` have passed. */
  pass(delayMs: number): Promise<void> {
    return new Promise((resolve) => void this.set(resolve, delayMs));
  }

  /**
   * Advances from timer to timer until `isDone`, which is called between them, returns true.
   *
   * @returns false if no timer is left, or `fireMax` timers were not enough
   */
  async run(isDone: () => boolean, fireMax: number): Promise<boolean> {
    const lastFire = this.#fired + fireMax;
    await settled();
    while (!isDone()) {
      const timer = this.#heap.pop();
      if (timer === undefined || this.#fired >= lastFire) return false;
      if (timer.isOver) continue;
      this.#nowMs = Math.max(this.#nowMs, timer.atMs);
      this.#fire(timer);
      await settled();
    }
    return true;
  }

  #fire(timer: VirtualTimer): void {
    timer.isOver = true;
    this.#fired += 1;
    const { owner: who, fire } = timer;
    if (who === undefined) actingFor(undefined, fire);
    else who.onTimer(() => actingFor(who, fire));
  }
}
