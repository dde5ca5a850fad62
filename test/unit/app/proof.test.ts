import { describe, expect, test } from 'vitest';
import { SENT_WITHIN_MS, createHear, isHeard } from '../../../src/app/engine/doubts/proof.ts';
import { trusted } from '../../../src/domain/ids.ts';

/*
 * The record time after which an attempt can no longer take effect. It follows from a call to the attempt's
 * participant.
 */

const BOUNDS = { toleranceMs: 60_000, clockDifferenceMs: 10_000 };
const BEGAN_MS = Date.UTC(2026, 0, 1);
const io = { signal: new AbortController().signal, deadlineMs: 1_000 };
const participant = trusted<Parameters<ReturnType<typeof createHear>>[0]>('app-user');
const after = (ms: number): string => new Date(BEGAN_MS + ms).toISOString();

/** Returns a call that is sent at once, and answered after `tookMs`. */
function heard(tookMs: number, answer: () => Promise<readonly string[]>) {
  let nowMs = BEGAN_MS;
  const synchronizersForParties = () => {
    nowMs += tookMs;
    return answer();
  };
  return createHear({ synchronizersForParties }, { nowMs: () => nowMs }, BOUNDS)(participant, io);
}

describe('a call to a participant', () => {
  test('that is answered counts from when it was sent, and bounds what was read until its answer', async () => {
    expect(await heard(5_000, async () => ['one'])).toEqual({
      synchronizers: ['one'],
      sentMs: BEGAN_MS - 10_000,
      overAt: after(5_000 + 2 * 60_000 + 10_000),
    });
  });

  test('that is not answered tells nothing: it may have read nothing for an hour', async () => {
    expect(await heard(5_000, () => Promise.reject(new Error('away')))).toBeNull();
  });

  test('tells only of attempts that were not sent any more when it was sent', () => {
    const attempt = { at: after(0) };
    const contact = { synchronizers: [], overAt: after(0) };
    const isHeardAt = (sentMs: number) => isHeard(attempt, { ...contact, sentMs });
    expect(isHeardAt(BEGAN_MS + SENT_WITHIN_MS)).toBe(true);
    expect(isHeardAt(BEGAN_MS + SENT_WITHIN_MS - 1)).toBe(false);
    expect(isHeardAt(BEGAN_MS - SENT_WITHIN_MS)).toBe(false);
  });
});
