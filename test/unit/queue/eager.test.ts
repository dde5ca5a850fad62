import { describe, expect, test, vi } from 'vitest';
import type { RecordedAttempt } from '../../../src/app/ports/outbox.ts';
import { LIMITS } from '../../../src/domain/limits.ts';
import { trusted } from '../../../src/domain/ids.ts';
import type { ParticipantName } from '../../../src/domain/ids.ts';
import { startEager } from '../../../src/queue/eager.ts';
import { createSlots } from '../../../src/queue/turns.ts';
import * as rows from '../../kit/store-rows.ts';
import { newSubmissionId } from '../../kit/submission-ids.ts';

/* The places and time limits of first attempts that a process submits itself. */

const P = trusted<ParticipantName>('app-provider');
const U = trusted<ParticipantName>('app-user');
const STARTED = {
  change: rows.change(),
  attempt: 1,
  lifecycle: null,
  through: null,
  circuit: null,
} as const;

function made() {
  let nowMs = 1_000_000;
  const processed: { readonly recorded: RecordedAttempt; readonly signal: AbortSignal }[] = [];
  const givenUp: string[] = [];
  const eager = startEager({
    slots: createSlots(4),
    concurrency: 4,
    processor: async (_job, { signal }, _onQueue, recorded) => {
      processed.push({ recorded: recorded!, signal });
      await new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve());
      });
    },
    outbox: { giveUp: async (effects) => void givenUp.push(...effects) },
    session: () => 'a-session',
    newSubmissionId,
    wallClock: { nowMs: () => nowMs },
    wakeRelay: () => undefined,
    log: { info() {}, warn() {}, error() {} },
    drainMs: 10,
  });
  return {
    eager,
    processed,
    givenUp,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

describe('a first attempt of this process', () => {
  test('counts its time from before the transaction that records it', async () => {
    const { eager, processed, pass } = made();
    const [place] = eager.take([P]);
    pass(4_000);
    place?.submit(STARTED);
    pass(2_000);
    expect(processed[0]?.recorded.elapsedMs()).toBe(6_000);
    await eager.stop();
  });

  test('is aborted when its effect is dispatched again', async () => {
    vi.useFakeTimers();
    try {
      const { eager, processed } = made();
      eager.take([P])[0]?.submit(STARTED);
      vi.advanceTimersByTime(LIMITS.redispatchMs - 1);
      expect(processed[0]?.signal.aborted).toBe(false);
      vi.advanceTimersByTime(1);
      expect(processed[0]?.signal.aborted).toBe(true);
    } finally {
      vi.useRealTimers();
    }
  });

  test('takes one of the free places, of which a participant gets three quarters', () => {
    const { eager } = made();
    const places = eager.take([P, P, P, P, U, U]);
    expect(places.map((place) => place !== null)).toEqual([true, true, true, false, true, false]);
    places[0]?.leave();
    expect(eager.take([U])[0]).not.toBeNull();
  });

  test('begins no more once the process stops, and is then given up', async () => {
    const { eager, processed, givenUp } = made();
    eager.take([P])[0]?.submit(STARTED);
    const stopped = eager.stop();
    expect(eager.take([P, U])).toEqual([null, null]);
    await stopped;
    expect(processed[0]?.signal.aborted).toBe(true);
    expect(givenUp).toEqual([rows.effectId(STARTED.change)]);
  });
});
