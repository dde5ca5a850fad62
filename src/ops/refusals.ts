import type { WallClock } from '../app/ports/clocks.ts';
import type { Io, Log } from '../app/ports/io.ts';
import type { CountedRefusals, Refusal, RefusalLog, RefusalStore } from '../app/ports/refusals.ts';
import { LIMITS } from '../domain/limits.ts';
import { OPS_LIMITS } from './limits.ts';

export interface RefusalLogDeps {
  readonly store: RefusalStore;
  readonly wallClock: WallClock;
  readonly log: Log;
}

/** Counts similar refusals together, and keeps a bounded number of different ones. */
class Tally {
  #counted = new Map<string, CountedRefusals>();
  readonly #wallClock: WallClock;

  constructor(wallClock: WallClock) {
    this.#wallClock = wallClock;
  }

  note(refusal: Refusal): void {
    const kept = this.#isRoomFor(refusal) ? refusal : { ...refusal, by: null, object: 'others' };
    const key = keyOf(kept);
    const now = new Date(this.#wallClock.nowMs()).toISOString();
    const before = this.#counted.get(key) ?? { ...kept, count: 0, first: now };
    this.#counted.set(key, { ...before, count: before.count + 1, last: now });
  }

  take(): readonly CountedRefusals[] {
    const taken = [...this.#counted.values()];
    this.#counted = new Map();
    return taken;
  }

  #isRoomFor(refusal: Refusal): boolean {
    return this.#counted.has(keyOf(refusal)) || this.#counted.size < OPS_LIMITS.refusalsMax;
  }
}

const keyOf = ({ act, by, object }: Refusal): string =>
  JSON.stringify([act, by?.party ?? null, by?.subject ?? null, object]);

/**
 * Writes refusals to the audit log once per interval: one row for similar refusals, and a bounded number of rows, even
 * if unknown senders make many requests. A crash loses the counts of one interval.
 */
export function startRefusalLog({
  store,
  wallClock,
  log,
}: RefusalLogDeps): RefusalLog & { stop(): Promise<void> } {
  const tally = new Tally(wallClock);
  const write = async (): Promise<void> => {
    const refusals = tally.take();
    if (refusals.length === 0) return;
    const io: Io = {
      signal: new AbortController().signal,
      deadlineMs: LIMITS.databaseStatementMs,
    };
    await store
      .record(refusals, io)
      .catch((error: unknown) =>
        log.warn(
          { error: String(error), refusals },
          'refusals could not be written to the audit log',
        ),
      );
  };
  let running = Promise.resolve();
  const timer = setInterval(() => {
    running = running.then(write);
  }, OPS_LIMITS.refusalSpanMs);
  return {
    note: (refusal) => tally.note(refusal),
    async stop() {
      clearInterval(timer);
      await running;
      await write();
    },
  };
}
