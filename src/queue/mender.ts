import { QUEUE_LIMITS } from './limits.ts';
import type { QueueLog } from './queue-log.ts';
import { errorText } from '../domain/error-text.ts';

/** The checks and the replacement of a queue's storage. */
export interface Mendable {
  /** Looks at what the queue needs, closely after a failure. Returns what is wrong with it, or `null`. */
  look(closely: boolean): Promise<string | null>;
  /**
   * Replaces the storage by an empty one, unless another process has done so meanwhile.
   * @param isSure `false` replaces it only if it looks damaged
   * @param because the reason, which is stored beside it
   */
  makeAnew(because: string, isSure: boolean): Promise<boolean>;
}

/** Looks after what a queue is kept in, while it is used. */
export interface Mender {
  /** Something failed that damage may be the reason of: looks soon, and mends. Any number of calls cost one look. */
  suspect(error: unknown): void;
  /** Looks now and then, for damage that nothing meets. Returns what ends that. */
  watch(): () => void;
}

/**
 * Checks the storage of a queue and replaces it. Everything on a queue is in the outbox, which dispatches it again, so
 * damaged storage is deleted and created anew instead of repaired. Storage that looks right and fails repeatedly is
 * replaced too.
 */
export function createMender(
  store: Mendable,
  log: QueueLog,
  lookMs: number = QUEUE_LIMITS.lookMs,
): Mender {
  let mending = false;
  let restedMs = 0;
  /** Looks in a row that something had failed before and that found nothing. */
  let fruitless = 0;
  let suspectedMs = 0;

  const becauseOf = async (error: unknown): Promise<string | null> => {
    const found = await store.look(error !== undefined);
    if (found !== null || error === undefined) return found;
    const nowMs = performance.now();
    fruitless = nowMs - suspectedMs > QUEUE_LIMITS.suspicionMs ? 1 : fruitless + 1;
    suspectedMs = nowMs;
    if (fruitless < QUEUE_LIMITS.suspicionsMax) return null;
    return `it looks right and fails again and again: ${errorText(error)}`;
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
        log.warn({ because }, 'the queue was made anew; what was on it is dispatched again');
      }
      fruitless = 0;
    } catch (failure) {
      log.warn({ error: errorText(failure) }, 'the queue could not be looked after');
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
