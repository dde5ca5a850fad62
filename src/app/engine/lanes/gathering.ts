/** Adds an entry to a batch and resolves to the result of that entry. */
export type Gather<In, Out> = (entry: In, signal?: AbortSignal) => Promise<Out>;

export interface Gathering<In, Out> {
  /**
   * Runs a batch and returns the outcome of each entry, in order. If it throws, all entries fail with that error.
   *
   * @param signal fires when the callers of all entries have given up
   */
  readonly run: (
    entries: readonly In[],
    signal: AbortSignal,
  ) => Promise<readonly PromiseSettledResult<Out>[]>;
  /** Maximum number of entries in a batch. */
  readonly max: number;
  /**
   * Maximum number of batches that run at the same time.
   *
   * @default 1
   */
  readonly atOnce?: number;
  /**
   * After this time, the next batch starts even if this one still runs: one of its entries may wait long for a
   * resource.
   *
   * @default no batch counts as slow
   */
  readonly slowMs?: number;
  /**
   * Starts a batch in a microtask, so that calls made in the same task share it.
   *
   * @default the first entry is a batch of its own
   */
  readonly waitsForBreath?: boolean;
  /** @default a batch starts as soon as `atOnce` allows */
  readonly rest?: Rest;
}

/**
 * Minimum interval between batch starts, so that more entries share a batch. For work that is expensive per batch and
 * cheap per entry.
 */
export interface Rest {
  /** Interval from one start to the next. A full batch starts sooner. */
  readonly ms: number;
  /** Whether to wait. If false, the batch starts at once, because there is no other work that it could delay. */
  readonly isWanted: () => boolean;
}

/** Returns the time left until the deadline of a batch, at least one millisecond. */
export const msUntil = (atMs: number): number => Math.max(1, atMs - performance.now());

interface Waiting<In, Out> {
  readonly entry: In;
  readonly settle: (outcome: PromiseSettledResult<Out>) => void;
  /** Runs when the caller gives up. Before the batch starts, it removes the entry from the queue. */
  giveUp: () => void;
}

const failed = (reason: unknown): PromiseRejectedResult => ({ status: 'rejected', reason });

/** Runs a batch. Aborts it only if the callers of all entries have given up: one caller does not affect the others. */
async function runBatch<In, Out>(
  run: Gathering<In, Out>['run'],
  batch: readonly Waiting<In, Out>[],
): Promise<void> {
  const abandoned = new AbortController();
  let left = batch.length;
  const giveUp = (): void => {
    left -= 1;
    if (left === 0) abandoned.abort();
  };
  for (const each of batch) each.giveUp = giveUp;
  try {
    const entries = batch.map(({ entry }) => entry);
    const outcomes = await run(entries, abandoned.signal);
    for (const [index, { settle }] of batch.entries()) {
      settle(outcomes[index] ?? failed(new Error('the batch said nothing of an entry')));
    }
  } catch (error) {
    for (const { settle } of batch) settle(failed(error));
  }
}

/**
 * Batches entries that arrive while a batch runs. An entry that arrives when none runs does not wait: it is a batch of
 * its own. Entries that arrive during a batch form the next one, in order of arrival.
 *
 * If a caller's signal fires, the call rejects at once with the signal's reason. If the batch has not started, the
 * entry is removed; otherwise the outcome of the entry is discarded.
 *
 * @example
 * const count = createGathering<string, number>({
 *   run: async (words) => Promise.allSettled(words.map(async (word) => word.length)),
 *   max: 50,
 * });
 * const length = await count('lane');
 */
export function createGathering<In, Out>({
  run,
  max,
  atOnce = 1,
  slowMs,
  waitsForBreath = false,
  rest,
}: Gathering<In, Out>): Gather<In, Out> {
  const queue = new Set<Waiting<In, Out>>();
  let running = 0;
  let beganMs = -Infinity;
  let resting: NodeJS.Timeout | undefined;

  const restMs = (): number => {
    const leftMs = beganMs + (rest?.ms ?? 0) - performance.now();
    return leftMs > 0 && queue.size < max && rest?.isWanted() === true ? leftMs : 0;
  };
  const begin = (): void => {
    clearTimeout(resting);
    while (running < atOnce && queue.size > 0) {
      const leftMs = restMs();
      if (leftMs > 0) {
        resting = setTimeout(begin, leftMs);
        return;
      }
      beganMs = performance.now();
      const batch = [...queue.values().take(max)];
      for (const each of batch) queue.delete(each);
      running += 1;
      let isCounted = true;
      const goOn = (): void => {
        if (!isCounted) return;
        isCounted = false;
        running -= 1;
        begin();
      };
      const stuck = slowMs === undefined ? undefined : setTimeout(goOn, slowMs);
      void runBatch(run, batch).finally(() => {
        clearTimeout(stuck);
        goOn();
      });
    }
  };

  return async (entry, signal) => {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Out>();
    const onAbort = (): void => {
      waiting.giveUp();
      reject(signal?.reason);
    };
    const waiting: Waiting<In, Out> = {
      entry,
      settle: (outcome) => {
        signal?.removeEventListener('abort', onAbort);
        if (outcome.status === 'fulfilled') resolve(outcome.value);
        else reject(outcome.reason);
      },
      giveUp: () => queue.delete(waiting),
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    queue.add(waiting);
    if (waitsForBreath) queueMicrotask(begin);
    else begin();
    return promise;
  };
}
