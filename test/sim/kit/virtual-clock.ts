import { AsyncLocalStorage } from 'node:async_hooks';

/** Whom a timer belongs to: it decides whether the timer fires now, later, or never. */
export interface TimerOwner {
  /** Milliseconds by which its wall clock is ahead of the world's. */
  readonly skewMs: number;
  /** Runs `fire` now, keeps it for later, or drops it. */
  onTimer(fire: () => void): void;
}

/**
 * On whose behalf the code runs at this moment: it follows promises, so that everything which a simulated process
 * starts is its own. The world itself has none.
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

/** Timers by due time, those of one moment in the order in which they were set. A binary heap. */
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

/** Until everything that can run without time passing has run. */
export const settled = (): Promise<void> => new Promise((resolve) => realImmediate(resolve));

/**
 * Time that advances only from one timer to the next. The code that sets a timer owns it. Between two timers all
 * pending work runs, so a run is a function of what the timers do.
 */
export class VirtualClock {
  readonly #heap = new TimerHeap();
  #nowMs: number;
  #timersSet = 0;
  #fired = 0;

  constructor(startMs: number) {
    this.#nowMs = startMs;
  }

  /** The world's time, milliseconds since 1970. Not always whole. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** Returns the wall time of the acting process in whole milliseconds. */
  wallMs(): number {
    return Math.floor(this.#nowMs + (acting()?.skewMs ?? 0));
  }

  get fired(): number {
    return this.#fired;
  }

  /** The timer belongs to the acting process. */
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

  /** For this time nothing runs, as if every machine were asleep; timers that were due meanwhile fire late. */
  leap(forMs: number): void {
    this.#nowMs += forMs;
  }

  /** Resolves when `delayMs` have passed. */
  pass(delayMs: number): Promise<void> {
    return new Promise((resolve) => void this.set(resolve, delayMs));
  }

  /**
   * Goes from timer to timer until `isDone`, which is asked between them.
   *
   * @returns false when nothing is left to wait for, or `fireMax` timers were not enough
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
