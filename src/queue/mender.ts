import { QUEUE_LIMITS } from './limits.ts';
import type { QueueLog } from './queue-log.ts';
import { errorText } from '../domain/error-text.ts';

/** Checks a queue's storage, and replaces it. */
export interface Mendable {
  /** Returns what is wrong with the storage, or `null`. @param closely true after a failure: checks more */
  look(closely: boolean): Promise<string | null>;
  /**
   * Replaces the storage by an empty one, unless another process has already done so.
   *
   * @param isSure if false, replaces the storage only if it looks damaged
   * @param because the reason, which is stored with the new storage
   */
  makeAnew(because: string, isSure: boolean): Promise<boolean>;
}

/** Checks a queue's storage while it is in use, and replaces damaged storage. */
export interface Mender {
  /** Reports a failure that damaged storage may have caused: the storage is checked soon, once for many reports. */
  suspect(error: unknown): void;
  /** Checks the storage regularly, for damage that causes no failure. Returns a function that stops the checks. */
  watch(): () => void;
}

/**
 * Checks the storage of a queue and replaces it. Everything on a queue is also in the outbox, which dispatches it
 * again, so damaged storage is not repaired, but deleted and created again. Storage that fails repeatedly is replaced
 * even if no damage is found.
 */
export function createMender(
  store: Mendable,
  log: QueueLog,
  lookMs: number = QUEUE_LIMITS.lookMs,
): Mender {
  let mending = false;
  let restedMs = 0;
  /** Number of checks in a row that followed a failure and found no damage. */
  let fruitless = 0;
  let suspectedMs = 0;

  const becauseOf = async (error: unknown): Promise<string | null> => {
    const found = await store.look(error !== undefined);
    if (found !== null || error === undefined) return found;
    const nowMs = performance.now();
    fruitless = nowMs - suspectedMs > QUEUE_LIMITS.suspicionMs ? 1 : fruitless + 1;
    suspectedMs = nowMs;
    if (fruitless < QUEUE_LIMITS.suspicionsMax) return null;
    return `its tables look correct but statements keep failing: ${errorText(error)}`;
  };

  const mend = async (error?: unknown): Promise<void> => {
    const nowMs = performance.now();
    if (mending || nowMs - restedMs < QUEUE_LIMITS.mendMs) return;
    mending = true;
    try {
      const because = await becauseOf(error);
      if (because === null) return;
      const isSure = fruitless >= QUEUE_LIMITS.suspicionsMax;
      if (await store.makeAnew(because, isSure)) {
        log.warn({ because }, 'recreated the queue; the relay dispatches its effects again');
      }
      fruitless = 0;
    } catch (failure) {
      log.warn({ error: errorText(failure) }, 'the check of the queue failed');
    } finally {
      mending = false;
      restedMs = performance.now();
    }
  };

  return {
    suspect: (error) => void mend(error),
    watch() {
      const timer = setInterval(() => void mend(), lookMs);
      timer.unref();
      return () => clearInterval(timer);
    },
  };
}
