/** Something to wait at. However often it is rung before somebody waits, it wakes once. */
export interface Bell {
  ring(): void;
  /** True when it was rung since the last `hush` or `wait`. */
  readonly rung: boolean;
  /** What was rung until now is being looked after. */
  hush(): void;
  /** Resolves when rung, at once if it has been rung before, else after `waitMs`. Whether it was rung. */
  wait(waitMs: number): Promise<boolean>;
}

/** For one waiter at a time. */
export function createBell(): Bell {
  let rung = false;
  let wake: (() => void) | null = null;
  return {
    get rung() {
      return rung;
    },
    ring() {
      rung = true;
      wake?.();
    },
    hush() {
      rung = false;
    },
    async wait(waitMs) {
      if (!rung) {
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        const timer = setTimeout(resolve, waitMs);
        await promise;
        clearTimeout(timer);
        wake = null;
      }
      const wasRung = rung;
      rung = false;
      return wasRung;
    },
  };
}
