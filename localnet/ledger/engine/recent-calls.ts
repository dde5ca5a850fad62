import type { Expression } from './expression.ts';

/** The number of calls that are kept. It is a power of two. */
const SIZE = 64;
const LAST = SIZE - 1;
/** The number of calls in a trace. */
const OPEN_MAX = 16;
/** The depth at which a nested machine begins. It is more than the depth of a machine's stack. */
const NESTED = 2 ** 22;

/**
 * The latest calls of functions. The machine has no frame for a call at the end of a function, so this is the only
 * trace of such a call. Machines that run within one another share their calls.
 */
export class RecentCalls {
  readonly #expressions: (Expression | undefined)[] = Array.from({ length: SIZE });
  readonly #depths = new Float64Array(SIZE);
  /** The smallest depth between each call and the next one. */
  readonly #lowest = new Float64Array(SIZE);
  #latest = 0;
  /** The depth of the running machine. */
  base = 0;
  /** The smallest depth since the latest call. A call at a greater depth has ended. */
  lowest = 0;

  add(expression: Expression, depth: number): void {
    const next = (this.#latest + 1) & LAST;
    this.#lowest[this.#latest] = this.lowest;
    this.#expressions[next] = expression;
    this.#depths[next] = depth;
    this.#latest = next;
    this.lowest = depth;
  }

  /** Runs a machine, possibly within another one. */
  nested<T>(run: () => T): T {
    const { base } = this;
    this.base = base + NESTED;
    try {
      return run();
    } finally {
      this.base = base;
      this.lowest = Math.min(this.lowest, base + NESTED - 1);
    }
  }

  /** Returns the calls that have not ended, the latest first, up to {@link OPEN_MAX}. */
  open(): readonly { readonly expression: Expression; readonly depth: number }[] {
    const open: { readonly expression: Expression; readonly depth: number }[] = [];
    let { lowest } = this;
    for (let back = 0; back < SIZE && open.length < OPEN_MAX; back += 1) {
      const at = (this.#latest - back) & LAST;
      if (back > 0) lowest = Math.min(lowest, this.#lowest[at] ?? 0);
      const [expression, depth = 0] = [this.#expressions[at], this.#depths[at]];
      if (expression !== undefined && depth <= lowest) open.push({ expression, depth });
    }
    return open;
  }
}
