import type { StoreObserver } from '../app/ports/transaction.ts';
import { movesEffects } from '../app/ports/writes.ts';

/** In-process signals that somebody may listen to. */
export interface LocalSignals {
  /** After a commit: effects may be due, or due at another time than before. */
  effectsDue(): void;
  /** Returns what ends the listening. */
  onEffectsDue(listener: () => void): () => void;
}

/** For a process that both records changes and relays them: no way round through the database. */
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
 * Has this process look for effects as soon as they are committed, and others with the notification.
 *
 * @param process names it
 * @param observer told as well
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
