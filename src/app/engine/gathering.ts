/** Takes an entry into a batch, and answers what became of it there. */
export type Gather<In, Out> = (entry: In, signal?: AbortSignal) => Promise<Out>;

export interface Gathering<In, Out> {
  /**
   * Does the work of a batch at once: what became of each entry, in their order. If it throws, that is what all of them
   * fail with.
   *
   * @param signal fires when the last entry has been given up
   */
  readonly run: (
    entries: readonly In[],
    signal: AbortSignal,
  ) => Promise<readonly PromiseSettledResult<Out>[]>;
  /** Entries of a batch. */
  readonly max: number;
  /**
   * Batches that run at the same time.
   *
   * @default 1
   */
  readonly atOnce?: number;
  /**
   * A batch that takes longer holds up no other: something that one of its entries needs may be held for long.
   *
   * @default no batch is taken for stuck
   */
  readonly slowMs?: number;
  /**
   * What is asked for without a pause between is one batch, also where none runs.
   *
   * @default the first is a batch by itself
   */
  readonly waitsForBreath?: boolean;
  /** @default a batch begins as soon as it may */
  readonly rest?: Rest;
}

/** Has batches begin apart, so that more share one: for work that costs much by the batch and little by the entry. */
export interface Rest {
  /** From the beginning of one batch to that of the next, unless that is full. */
  readonly ms: number;
  /** False: nothing else is under way that it could be in the way of, and it begins at once. */
  readonly isWanted: () => boolean;
}

/** What a batch has left of the time of its entries, at least a millisecond. */
export const msUntil = (atMs: number): number => Math.max(1, atMs - performance.now());

interface Waiting<In, Out> {
  readonly entry: In;
  readonly settle: (outcome: PromiseSettledResult<Out>) => void;
  /** Runs when the caller gives up: until the batch begins it leaves the queue. */
  giveUp: () => void;
}

const failed = (reason: unknown): PromiseRejectedResult => ({ status: 'rejected', reason });

/** Entries that are given up leave the others alone: the batch ends early only when none is left. */
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
 * Makes batches of what comes while one runs. An entry that comes when none runs does not wait for others: it is a
 * batch by itself. Those that come meanwhile are the next one, in their order.
 *
 * A caller whose signal fires is answered with its reason at once. If its batch has not begun the entry is taken out;
 * if it has, what becomes of the entry is not told.
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
