import type { Signals } from '../app/ports/io.ts';

/** In-process signals that somebody may listen to. */
export interface LocalSignals extends Signals {
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
