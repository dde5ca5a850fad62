import { expect, test } from 'vitest';
import { RecordClocks } from '../../../src/app/engine/doubts/record-clocks.ts';
import type { LedgerCompletion } from '../../../src/domain/ledger.ts';
import { trusted } from '../../../src/domain/ids.ts';
import { answer } from './made.ts';

const P = trusted<Parameters<RecordClocks['apartMs']>[0]>('app-provider');
const BOUNDS = { toleranceMs: 60_000, clockDifferenceMs: 10_000 };
const NOON = '2026-01-01T12:00:00Z';
const LATER = '2026-01-01T12:00:20Z';
const NEXT_DAY = '2026-01-02T12:00:00Z';

const times = (at: string, synchronizer = 'global') => new Map([[synchronizer, at]]);

const told = (at: string, over: Partial<LedgerCompletion> = {}): LedgerCompletion => ({
  kind: 'completion',
  participant: P,
  offset: 7n,
  commandId: 'c',
  submissionId: trusted('s'),
  ledgerUser: 'backend',
  actAs: [],
  updateId: trusted('u'),
  answer: null,
  times: times(at),
  ...over,
});
const refused = (at: string, code = 'NOT_SEQUENCED_TIMEOUT') =>
  told(at, { updateId: null, answer: answer({ code }) });

test('what was recorded before it was submitted, or later than it is told, says that clocks are apart', () => {
  const clocks = new RecordClocks(BOUNDS);
  clocks.completed(told(NOON), LATER, LATER);
  expect(clocks.apartMs(P)).toBe(20_000);
  clocks.completed(told(NOON), NOON, LATER);
  expect(clocks.apartMs(P)).toBeNull();
  clocks.completed(told(LATER), NOON, NOON);
  expect(clocks.apartMs(P)).toBe(20_000);
});

test('a position that is told before its time says so as well, and that it is not says nothing', () => {
  const clocks = new RecordClocks(BOUNDS);
  clocks.told(P, times(LATER), NOON);
  expect(clocks.apartMs(P)).toBe(20_000);
  clocks.told(P, times(LATER), LATER);
  expect(clocks.apartMs(P)).toBe(20_000);
});

test('a refusal may have the record time of whatever was told long before it: it lifts nothing', () => {
  const clocks = new RecordClocks(BOUNDS);
  clocks.completed(refused(NOON), NEXT_DAY, NEXT_DAY);
  expect(clocks.apartMs(P)).toBeNull();
  clocks.completed(told(LATER), NOON, NOON);
  clocks.completed(refused(NOON), NOON, NOON);
  expect(clocks.apartMs(P)).toBe(20_000);
});

test('a participant whose ledger time is out of bounds is ahead by more than the tolerance', () => {
  const clocks = new RecordClocks(BOUNDS);
  clocks.completed(refused(NOON, 'LOCAL_VERDICT_LEDGER_TIME_OUT_OF_BOUND'), NOON, NOON);
  expect(clocks.apartMs(P)).toBe(60_000);
  clocks.completed(told(LATER), LATER, LATER);
  expect(clocks.apartMs(P)).toBeNull();
});

test('each synchronizer has a clock of its own', () => {
  const clocks = new RecordClocks(BOUNDS);
  clocks.completed(told(NOON, { times: times(NOON, 'wrong') }), LATER, LATER);
  clocks.completed(told(LATER, { times: times(LATER, 'right') }), LATER, LATER);
  expect(clocks.apart(P)).toEqual(new Map([['wrong', 20_000]]));
  expect(clocks.apartMs(P)).toBe(20_000);
  clocks.forget(P, ['wrong']);
  expect(clocks.apartMs(P)).toBeNull();
});

test('what was written down holds until it is compared here', () => {
  const stored = new Map([
    ['wrong', 20_000],
    ['right', 30_000],
  ]);
  const clocks = new RecordClocks(BOUNDS);
  clocks.completed(told(LATER, { times: times(LATER, 'right') }), LATER, LATER);
  clocks.begin(P, stored);
  expect(clocks.apart(P)).toEqual(new Map([['wrong', 20_000]]));
  clocks.completed(told(LATER, { times: times(LATER, 'wrong') }), LATER, LATER);
  clocks.begin(P, stored);
  expect(clocks.apart(P)).toEqual(new Map());
});
