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
