/** A bounded number of places, shared by all that ask for one. */
export interface Slots {
  /**
   * Waits for a place, in the order of the asking.
   *
   * @returns what gives it back
   * @throws the signal's reason
   */
  take(signal: AbortSignal): Promise<() => void>;
}

export function createSlots(max: number): Slots {
  const waiting = new Set<() => void>();
  let taken = 0;

  const giveBack = (): void => {
    taken -= 1;
    const [next] = waiting;
    if (next === undefined) return;
    waiting.delete(next);
    next();
  };
  const hold = (): (() => void) => {
    taken += 1;
    return giveBack;
  };
  return {
    async take(signal) {
      signal.throwIfAborted();
      if (taken < max) return hold();
      const { promise, resolve, reject } = Promise.withResolvers<() => void>();
      const turn = (): void => {
        signal.removeEventListener('abort', leave);
        resolve(hold());
      };
      const leave = (): void => {
        waiting.delete(turn);
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      waiting.add(turn);
      return promise;
    },
  };
}
