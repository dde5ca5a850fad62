import { createRequire, syncBuiltinESMExports } from 'node:module';
import type { Random } from './random.ts';
import type { VirtualClock, VirtualTimer } from './virtual-clock.ts';

const require = createRequire(import.meta.url);
const timersModule = require('node:timers') as Record<string, unknown>;
const timersPromises = require('node:timers/promises') as Record<string, unknown>;
const cryptoModule = require('node:crypto') as Record<string, unknown>;

const RealDate = Date;

/** The result of `setTimeout`: those members of Node's `Timeout` that the code uses. */
class VirtualTimeout {
  readonly timer: VirtualTimer;
  constructor(timer: VirtualTimer) {
    this.timer = timer;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  hasRef(): boolean {
    return true;
  }
  close(): this {
    this.timer.isOver = true;
    return this;
  }
  [Symbol.dispose](): void {
    this.close();
  }
}

type Callback = (...args: unknown[]) => void;

const abortError = (signal: AbortSignal): Error => {
  const error = new Error('The operation was aborted', { cause: signal.reason });
  error.name = 'AbortError';
  return Object.assign(error, { code: 'ABORT_ERR' });
};

/** A replacement of `node:timers/promises`. */
function promisedTimers(clock: VirtualClock) {
  const wait = <T>(
    delayMs = 1,
    value?: T,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<T | undefined> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(abortError(signal));
        return;
      }
      const abort = () => {
        timer.isOver = true;
        if (signal !== undefined) reject(abortError(signal));
      };
      const timer = clock.set(() => {
        signal?.removeEventListener('abort', abort);
        resolve(value);
      }, delayMs);
      signal?.addEventListener('abort', abort, { once: true });
    });
  return {
    setTimeout: wait,
    setImmediate: <T>(value?: T, options?: { readonly signal?: AbortSignal }) =>
      wait(0, value, options),
  };
}

function timers(clock: VirtualClock) {
  const set =
    (leastMs: number) =>
    (callback: Callback, delayMs?: number, ...args: unknown[]) =>
      new VirtualTimeout(
        clock.set(() => callback(...args), Math.max(leastMs, Math.trunc(delayMs ?? 0))),
      );
  const repeat = (callback: Callback, delayMs?: number, ...args: unknown[]) => {
    const handle: { timer: VirtualTimer } = { timer: clock.set(() => undefined, 0) };
    const again = () => {
      handle.timer = clock.set(
        () => {
          again();
          callback(...args);
        },
        Math.max(1, Math.trunc(delayMs ?? 0)),
      );
    };
    again();
    return Object.assign(handle, { ref: () => handle, unref: () => handle });
  };
  const clear = (handle: { readonly timer?: VirtualTimer } | null | undefined) => {
    if (handle?.timer !== undefined) handle.timer.isOver = true;
  };
  const immediately = (callback: Callback, ...args: unknown[]) => set(0)(callback, 0, ...args);
  return {
    setTimeout: set(1),
    setInterval: repeat,
    setImmediate: immediately,
    clearTimeout: clear,
    clearInterval: clear,
    clearImmediate: clear,
  };
}

const virtualDate = (clock: VirtualClock): DateConstructor =>
  class VirtualDate extends RealDate {
    constructor(...args: [] | [number]) {
      if (args.length === 0) super(clock.wallMs());
      else super(...args);
    }
    static override now(): number {
      return clock.wallMs();
    }
    static override [Symbol.hasInstance](value: unknown): boolean {
      return value instanceof RealDate;
    }
  } as unknown as DateConstructor;

function timeoutSignal(delayMs: number): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => {
    controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  }, delayMs);
  return controller.signal;
}

function entropyOf(random: Random) {
  const fill = <T extends Uint8Array>(bytes: T): T => {
    random.scatter(bytes);
    return bytes;
  };
  return {
    randomUUID: () => random.uuid(),
    randomFillSync: fill,
    randomBytes: (count: number) => fill(Buffer.alloc(count)),
    randomInt: (min: number, max?: number) =>
      max === undefined ? random.integer(0, min - 1) : random.integer(min, max - 1),
  };
}

/** Replaces members of an object, and returns a function that restores them. */
function replace(target: object, members: Readonly<Record<string, unknown>>): () => void {
  const before = Object.keys(members).map(
    (name) => [name, Object.getOwnPropertyDescriptor(target, name)] as const,
  );
  for (const [name, value] of Object.entries(members)) {
    Object.defineProperty(target, name, {
      value,
      configurable: true,
      writable: true,
      enumerable: true,
    });
  }
  return () => {
    for (const [name, descriptor] of before) {
      if (descriptor === undefined) Reflect.deleteProperty(target, name);
      else Object.defineProperty(target, name, descriptor);
    }
  };
}

/**
 * Replaces the time and the random numbers of this process by those of the simulation, wherever code uses them: timers,
 * dates, `performance`, `node:timers/promises`, `AbortSignal.timeout`, `Math.random` and `node:crypto`. Code under test
 * runs unchanged. Disposing restores the originals.
 */
export function installGlobals(clock: VirtualClock, random: Random): Disposable {
  const startMs = clock.nowMs;
  const virtualTimers = timers(clock);
  const undo = [
    replace(globalThis, { ...virtualTimers, Date: virtualDate(clock) }),
    replace(performance, { now: () => clock.nowMs - startMs }),
    replace(AbortSignal, { timeout: timeoutSignal }),
    replace(Math, { random: () => random.fraction() }),
    replace(timersModule, virtualTimers),
    replace(timersPromises, promisedTimers(clock)),
    replace(cryptoModule, entropyOf(random)),
  ];
  syncBuiltinESMExports();
  return {
    [Symbol.dispose]() {
      for (const putBack of undo.toReversed()) putBack();
      syncBuiltinESMExports();
    },
  };
}
