import type { StoreObserver } from '../app/ports/transaction.ts';
import { movesEffects } from '../app/ports/writes.ts';

/** Notifications between parts of one process. */
export interface LocalSignals {
  /** Must be called after a commit if effects may be due, or if their due time has changed. */
  effectsDue(): void;
  /** Returns a function that ends the subscription. */
  onEffectsDue(listener: () => void): () => void;
}

/**
 * Creates notifications for a process that both records changes and relays them, so that it need not wait for the
 * database's notification.
 */
export function createSignals(): LocalSignals {
  const listeners = new Set<() => void>();
  return {
    effectsDue() {
      for (const listener of listeners) listener();
    },
    onEffectsDue(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}

/**
 * Returns an observer that wakes this process's relay as soon as effects are committed; other processes are notified by
 * the database.
 *
 * @param process the name of this process
 * @param observer a further observer to notify
 */
export const wakingRelay = (
  process: string,
  signals: Pick<LocalSignals, 'effectsDue'>,
  observer?: StoreObserver,
): StoreObserver => ({
  process,
  committed(saved, startMs) {
    if (saved.some(movesEffects)) signals.effectsDue();
    observer?.committed(saved, startMs);
  },
  failed(saved) {
    if (saved.some(movesEffects)) signals.effectsDue();
    observer?.failed?.(saved);
  },
});
