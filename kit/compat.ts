/*
 * Replacements for features that Node 20 and 22 lack. The build uses them instead of the names in the sources. If the
 * platform has a feature, the platform's own implementation is used.
 */

type Released = () => unknown;

/**
 * The part of the standard's `AsyncDisposableStack` that is needed here: resources are released in reverse order, even
 * if one of them fails.
 */
class ReleasedInReverse {
  #releases: Released[] = [];

  use<T extends AsyncDisposable>(value: T): T {
    this.#releases.push(() => value[Symbol.asyncDispose]());
    return value;
  }

  adopt<T>(value: T, release: (value: T) => unknown): T {
    this.#releases.push(() => release(value));
    return value;
  }

  defer(release: Released): void {
    this.#releases.push(release);
  }

  move(): ReleasedInReverse {
    const moved = new ReleasedInReverse();
    moved.#releases = this.#releases;
    this.#releases = [];
    return moved;
  }

  async disposeAsync(): Promise<void> {
    const failures: unknown[] = [];
    for (
      let release = this.#releases.pop();
      release !== undefined;
      release = this.#releases.pop()
    ) {
      try {
        await release();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.disposeAsync();
  }
}

export const CompatStack = globalThis.AsyncDisposableStack ?? ReleasedInReverse;

export function withResolvers<T>(): PromiseWithResolvers<T> {
  let resolve: PromiseWithResolvers<T>['resolve'] = () => undefined;
  let reject: PromiseWithResolvers<T>['reject'] = () => undefined;
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

/** Writes an integer that a JavaScript number cannot hold as a text, which the JSON Ledger API accepts too. */
export const rawJson = (Reflect.get(JSON, 'rawJSON') ?? ((digits: string) => digits)) as (
  digits: string,
) => unknown;

export function groupBy<K, T>(
  items: Iterable<T>,
  keyOf: (item: T, index: number) => K,
): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  let index = 0;
  for (const item of items) {
    const key = keyOf(item, index);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
    index += 1;
  }
  return groups;
}

const NOTHING = Symbol('nothing');

/** Replaces `await using`: `a` takes a value, `d` releases all values, and `e` is the block's error. */
export function usingScope() {
  const taken = new ReleasedInReverse();
  const scope = {
    e: NOTHING as unknown,
    a: <T extends AsyncDisposable>(value: T): T => taken.use(value),
    d: async (): Promise<void> => {
      try {
        await taken.disposeAsync();
      } catch (error) {
        if (scope.e === NOTHING) throw error;
      }
      if (scope.e !== NOTHING) throw scope.e;
    },
  };
  return scope;
}
