import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Party } from '../../../src/domain/ids.ts';
import { trusted } from '../../../src/domain/ids.ts';
import { QUEUE_LIMITS } from '../../../src/queue/limits.ts';
import type { Asker, Recent } from '../../../src/queue/turns.ts';
import { shareOut } from '../../../src/queue/turns.ts';

const { sharesOf, aheadMax } = QUEUE_LIMITS;

const of = (party: string, count = 1, provider = 'provider'): Asker[] =>
  Array.from({ length: count }, () => ({
    provider: trusted<Party>(provider),
    party: trusted<Party>(party),
  }));

/**
 * Gives these rounds to the distribution, one after another. @returns the parties whose effects overtake others in the
 * last round, in order
 */
function aheadOf(...rounds: readonly (readonly Asker[])[]): readonly string[] {
  let recent: Recent = [];
  let parties: readonly string[] = [];
  for (const round of rounds) {
    const shared = shareOut(recent, round);
    recent = shared.recent;
    parties = [...shared.ahead].map(({ party }) => party);
  }
  return parties;
}

test('alone, or beside others who have as much, a caller goes ahead of nothing', () => {
  expect(aheadOf(of('a', 100), of('a', 100))).toEqual([]);
  expect(aheadOf(of('a', 50), [...of('b', 50), ...of('a', 10)])).toEqual([]);
});

test('who has little goes ahead of who has much, in the same round and in a later one', () => {
  expect(aheadOf([...of('loud', 99), ...of('quiet')])).toEqual(['quiet']);
  expect(aheadOf(of('loud', 100), of('quiet', 2))).toEqual(['quiet', 'quiet']);
  expect(aheadOf(of('loud', 100), of('loud'))).toEqual([]);
});

test('who has little goes ahead also where there are many who have much', () => {
  const loud = Array.from({ length: 20 }, (_, n) => of(`loud-${n}`, 12)).flat();
  expect(aheadOf(loud, of('quiet', 4))).toEqual(Array.from({ length: 4 }, () => 'quiet'));
});

test('who comes to have more than half of the most goes ahead no more', () => {
  const round = [...of('loud', 40), ...of('other', 20)];
  expect(aheadOf(round)).toHaveLength(20);
  expect(aheadOf(round, of('other'))).toEqual([]);
});

test('what is long over counts no more', () => {
  expect(aheadOf(of('loud', 200), of('other', sharesOf), of('loud', 10))).toHaveLength(10);
  expect(aheadOf(of('loud', 200), of('other', sharesOf), of('other', 10))).toEqual([]);
});

test('no more go ahead than the bound says, those with the least first', () => {
  const flood = of('loud', 150);
  const others = [...of('medium', 70), ...of('small', 3)];
  const ahead = aheadOf(flood, others);
  expect(ahead).toHaveLength(aheadMax);
  expect(ahead.slice(0, 4)).toEqual(['small', 'small', 'small', 'medium']);
  expect(aheadOf(flood, others, of('smallest'))).toEqual([]);
});

test('a provider with little goes ahead of one with much, though it has one caller', () => {
  const crowd = Array.from({ length: 100 }, (_, n) => of(`of-many-${n}`)).flat();
  expect(aheadOf(crowd, [...crowd.slice(0, 50), ...of('only', 30, 'small')])).toEqual(
    Array.from({ length: 30 }, () => 'only'),
  );
});

test('providers take turns at what there is room for', () => {
  const flood = [...of('loud', 90), ...of('loud', 90, 'other')];
  const many = Array.from({ length: 70 }, (_, n) => of(`quiet-${n}`)).flat();
  const ahead = aheadOf(flood, [...many, ...of('quiet', 3, 'other')]);
  expect(ahead).toHaveLength(aheadMax);
  expect(ahead.filter((party) => party === 'quiet')).toHaveLength(3);
});

test('whatever is asked for, at most a quarter of what is remembered went ahead', () => {
  const asker = fc.record({
    provider: fc.constantFrom('p', 'q').map((id) => trusted<Party>(id)),
    party: fc.constantFrom('a', 'b', 'c', 'd', 'e').map((id) => trusted<Party>(id)),
  });
  const rounds = fc.array(fc.array(asker, { minLength: 1, maxLength: 300 }), { maxLength: 12 });
  fc.assert(
    fc.property(rounds, (all) => {
      let recent: Recent = [];
      for (const round of all) {
        const shared = shareOut(recent, round);
        recent = shared.recent;
        expect(recent.length).toBeLessThanOrEqual(sharesOf);
        expect(recent.filter(({ isAhead }) => isAhead).length).toBeLessThanOrEqual(aheadMax);
        expect(shared.ahead.size).toBeLessThanOrEqual(aheadMax);
      }
    }),
  );
});

test('an empty round goes nowhere', () => {
  expect(shareOut([], [])).toEqual({ ahead: new Set(), recent: [] });
});
