import type { StoreObserver } from '../app/ports/transaction.ts';
import { movesEffects } from '../app/ports/writes.ts';

/** Signals within a process. */
export interface LocalSignals {
  /** Called after a commit: effects may be due, or their due time has changed. */
  effectsDue(): void;
  /** Returns a function that ends the subscription. */
  onEffectsDue(listener: () => void): () => void;
}

/** For a process that both records changes and relays them, without the detour through the database. */
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
 * Wakes the relay of this process as soon as effects are committed; other processes use the notification.
 *
 * @param process the name of this process
 * @param observer also notified
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
