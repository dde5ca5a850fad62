import { expect, test } from 'vitest';
import { placesOf, timelineRows } from '../../web/src/pages/desk/timeline-rows.ts';
import { bytesWords, sentence, spanWords } from '../../web/src/parts/words.ts';

const at = (seconds: number): string => new Date(seconds * 1_000).toISOString();

const attempt = (n: number, from: number, until?: number) => ({
  n,
  submissionId: `s${n}`,
  at: at(from),
  answer: until === undefined ? 'pending' : 'refused',
  explanation: 'a rule of the contract was not met',
  ...(until === undefined ? {} : { answeredAt: at(until) }),
  participant: 'app-provider',
  actAs: 'provider::1220',
});

const told = {
  attempts: [attempt(1, 1, 3), attempt(2, 3_603)],
  timeline: [
    { at: at(0), what: 'accepted', detail: 'it was asked for' },
    { at: at(1), what: 'submitted', detail: 'to app-provider', attempt: 1 },
    { at: at(3), what: 'answered', detail: 'refused', attempt: 1 },
    { at: at(3_603), what: 'submitted', detail: 'to app-provider', attempt: 2 },
  ],
};

test('an attempt and its answer are one row, which says how long nothing happened before it', () => {
  const rows = timelineRows(told);
  expect(rows.map(({ what, endMs, idleMs }) => ({ what, endMs, idleMs }))).toEqual([
    { what: 'accepted', endMs: 0, idleMs: null },
    { what: 'submitted', endMs: 3_000, idleMs: null },
    { what: 'submitted', endMs: null, idleMs: 3_600_000 },
  ]);
});

test('idle time takes no more of the axis than a gap, however long it was', () => {
  const rows = timelineRows(told);
  const [accepted, first, second] = placesOf(rows, 3_605_000);
  expect(accepted?.from).toBe(0);
  expect(first!.to - first!.from).toBeCloseTo(second!.to - second!.from);
  expect(first!.to - first!.from).toBeGreaterThan(0.3);
  expect(second?.to).toBe(1);
});

test('nothing is drawn before what it follows, whatever the clocks of those who told it', () => {
  const rows = timelineRows({
    attempts: [attempt(1, 5, 9)],
    timeline: [
      { at: at(4), what: 'accepted', detail: 'it was asked for' },
      { at: at(3), what: 'queued', detail: 'at the head of its lane' },
      { at: at(5), what: 'submitted', detail: 'to app-provider', attempt: 1 },
      { at: at(8), what: 'finished', detail: 'succeeded' },
    ],
  });
  const places = placesOf(rows, 9_000);
  expect(places.map(({ from }) => from)).toEqual(
    places.map(({ from }) => from).toSorted((a, b) => a - b),
  );
  expect(places.map(({ from, to }) => to >= from)).toEqual([true, true, true, true]);
  expect(places[0]).toEqual(places[1]);
});

test('spans are told in their two largest units', () => {
  expect([38, 1_240, 42 * 60_000 + 12_000, 3_600_000, 49 * 3_600_000].map(spanWords)).toEqual([
    '38 ms',
    '1.2 s',
    '42 min 12 s',
    '1 h',
    '2 d 1 h',
  ]);
});

test('bytes are told in thousands', () => {
  expect([999, 18_432, 2_500_000].map(bytesWords)).toEqual(['999 B', '18.4 kB', '2.5 MB']);
});

test('a text of the API becomes a sentence without fingerprints of parties', () => {
  expect(sentence(`the user is app_user::1220${'ab'.repeat(32)} now`)).toBe(
    'The user is app_user now',
  );
});
