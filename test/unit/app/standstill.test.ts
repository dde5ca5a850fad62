import { describe, expect, test } from 'vitest';
import type { Standstill } from '../../../src/domain/participant-health.ts';
import type { Sight } from '../../../src/app/engine/doubts/standstill.ts';
import { missingOf, standstillOf } from '../../../src/app/engine/doubts/standstill.ts';
import { LIMITS } from '../../../src/domain/limits.ts';

const NOW_MS = Date.parse('2026-01-01T12:00:00.000Z');
const [S1, S2] = ['one::1220aa', 'two::1220bb'];
const iso = (agoMs: number): string => new Date(NOW_MS - agoMs).toISOString();
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Returns what is known while a change waits. The time of the only synchronizer was reported a moment ago. */
const sight = (given: Partial<Sight> = {}): Sight => ({
  nowMs: NOW_MS,
  times: new Map([[S1, iso(1_000)]]),
  missing: new Map(),
  arrival: null,
  tick: null,
  apartMs: null,
  isHeld: false,
  isAwaited: true,
  ...given,
});
const seen = (given: Partial<Sight>, before: Standstill | null = null) =>
  standstillOf(sight(given), before);
const toldLongAgo = { times: new Map([[S1, iso(HOUR_MS)]]) };

describe('a participant that tells nothing more', () => {
  test('has nothing in its way while it tells, or while nothing is awaited', () => {
    expect(seen({})).toBeNull();
    expect(seen({ ...toldLongAgo, isAwaited: false })).toBeNull();
    expect(seen({ times: new Map() })).toBeNull();
  });

  test('tells times that cannot be believed, whatever else is the matter with it', () => {
    const missing = new Map([[S2, NOW_MS - LIMITS.goneMs]]);
    for (const more of [{}, { missing }, toldLongAgo, { isAwaited: false }]) {
      const apart = seen({ ...more, apartMs: 120_000 });
      expect(apart).toMatchObject({ kind: 'clock', since: iso(0) });
      expect(apart?.detail).toContain('differ from ours by 120 s');
    }
  });

  test('holds requests, and says what else may keep them held', () => {
    const held = seen({ isHeld: true });
    expect(held).toMatchObject({ kind: 'replay', since: iso(0) });
    expect(held?.detail).not.toContain('it is');
    const apart = seen({ isHeld: true, apartMs: 120_000, nowMs: NOW_MS + MINUTE_MS }, held);
    expect(apart).toMatchObject({ kind: 'replay', since: iso(0) });
    expect(apart?.detail).toContain('it is clock: its times differ from ours by 120 s');
  });

  test('is behind by how old its news is, for as long as that is news', () => {
    const arrival = { atMs: NOW_MS - 20_000, ageMs: 40_000 };
    const behind = seen({ arrival });
    expect(behind).toEqual({
      kind: 'behind',
      since: iso(60_000),
      detail: 'it catches up and is 40 s behind',
    });
    // `since` stays the same while the participant is behind, even if updates arrive.
    const nearer = seen({ arrival: { atMs: NOW_MS, ageMs: 11_000 } }, behind);
    expect(nearer).toMatchObject({ since: iso(60_000), detail: expect.stringContaining('11 s') });
    expect(seen({ arrival: { ...arrival, ageMs: 9_000 } })).toBeNull();
    expect(seen({ arrival: { ...arrival, atMs: NOW_MS - 31_000 } })).toBeNull();
  });

  test('is quiet since it was told of last, where nothing is known to have happened', () => {
    expect(seen(toldLongAgo)).toEqual({
      kind: 'quiet',
      since: iso(HOUR_MS),
      detail: 'nothing has happened on its synchronizer for 3600 s',
    });
  });

  test('is behind where something was made to happen and is not told', () => {
    const tick = { sentMs: NOW_MS - 20_000, refusal: null };
    const found = seen({ ...toldLongAgo, tick });
    expect(found).toMatchObject({ kind: 'behind', since: iso(HOUR_MS) });
    expect(found?.detail).toContain('3600 s ago, although something has happened since');
    // The time advance was sent a moment ago, so its update may still arrive.
    expect(seen({ ...toldLongAgo, tick: { ...tick, sentMs: NOW_MS - 5_000 } })).toBeNull();
  });

  test('says why its time cannot be moved', () => {
    const tick = { sentMs: NOW_MS - 20_000, refusal: 'the acting party has no right' };
    expect(seen({ ...toldLongAgo, tick })).toMatchObject({
      kind: 'quiet',
      detail: expect.stringMatching(/and it cannot be moved: the acting party has no right$/u),
    });
  });

  test('is behind while a synchronizer is missing, and has left it only after a good while', () => {
    const missing = (ms: number) => new Map([[S2, NOW_MS - ms]]);
    const away = seen({ missing: missing(LIMITS.goneMs - 1) });
    expect(away).toMatchObject({ kind: 'behind', since: iso(LIMITS.goneMs - 1) });
    expect(away?.detail).toMatch(/not connected to two::1220bb, or that is not ready/u);
    expect(away?.detail).not.toContain('gives it up');
    const left = seen({ missing: missing(LIMITS.goneMs) }, away);
    expect(left).toMatchObject({ kind: 'gone', since: iso(LIMITS.goneMs) });
    expect(left?.detail).toMatch(/or that was not ready; all goes on by itself when it is again/u);
    expect(left?.detail).toMatch(/Only if it never will be, a person gives it up/u);
  });
});

describe('what is missing', () => {
  const times = new Map([
    [S1, iso(HOUR_MS)],
    [S2, iso(HOUR_MS)],
  ]);
  const awaitedAt = iso(0);
  const missing = (connected: readonly string[] | null, before = new Map<string, number>()) =>
    missingOf(before, times, connected, awaitedAt, NOW_MS);

  test('keeps since when, until it is there again', () => {
    const before = missing([S1]);
    expect([...before]).toEqual([[S2, NOW_MS]]);
    expect([...missingOf(before, times, [S1], awaitedAt, NOW_MS + 5_000)]).toEqual([[S2, NOW_MS]]);
    expect([...missing([S1, S2], new Map(before))]).toEqual([]);
  });

  test('is every one of them where it is connected to none, also the only one, also one that is not known', () => {
    expect([...missing([]).keys()]).toEqual([S1, S2]);
    const unknown = missingOf(new Map(), new Map(), [], awaitedAt, NOW_MS);
    expect([...unknown.keys()]).toEqual(['any synchronizer']);
  });

  test('is nothing of which nothing is awaited, nor where it cannot be asked', () => {
    const past = missingOf(new Map(), times, [S1], iso(2 * HOUR_MS), NOW_MS);
    expect([...past]).toEqual([]);
    expect([...missing(null, new Map([[S2, NOW_MS - HOUR_MS]]))]).toEqual([]);
  });
});
