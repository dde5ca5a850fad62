import { describe, expect, test } from 'vitest';
import { PROJECTOR_LIMITS } from '../../../src/projector/limits.ts';
import { Stall } from '../../../src/projector/batch.ts';
import type { ProjectorStatus } from '../../../src/projector/status.ts';
import { whyNotReady } from '../../../src/projector/status.ts';

const status = (over: Partial<ProjectorStatus> = {}): ProjectorStatus => ({
  state: 'following',
  reason: null,
  broken: new Map(),
  awaited: new Set(),
  cursors: new Map(),
  stall: { ms: 0, reason: null },
  ...over,
});

const late = PROJECTOR_LIMITS.stallMs + 1_000;

describe('a projector that applies nothing although updates wait', () => {
  test('is not ready, whatever state the terms are in that it begins', () => {
    for (const state of ['following', 'preparing', 'starting'] as const) {
      const why = whyNotReady(status({ state, stall: { ms: late, reason: 'timeout' } }));
      expect(why).toBe('the projector has applied nothing for 16 s although updates wait: timeout');
    }
    expect(whyNotReady(status({ stall: { ms: late, reason: null } }))).toContain('has not ended');
  });

  test('is ready for a while, and when another one follows', () => {
    expect(
      whyNotReady(status({ stall: { ms: PROJECTOR_LIMITS.stallMs, reason: 'x' } })),
    ).toBeNull();
    expect(whyNotReady(status({ state: 'standby', stall: { ms: late, reason: 'x' } }))).toBeNull();
  });
});

test('a stall begins with what waits, goes on through failures, and ends with what is applied', () => {
  let nowMs = 1_000;
  const stall = new Stall(() => nowMs);
  stall.failed('nothing waits');
  expect(stall).toMatchObject({ ms: 0, reason: null });
  stall.waits();
  nowMs += 500;
  stall.failed('timeout');
  stall.waits();
  expect(stall).toMatchObject({ ms: 500, reason: 'timeout' });
  stall.ended();
  expect(stall).toMatchObject({ ms: 0, reason: null });
});
