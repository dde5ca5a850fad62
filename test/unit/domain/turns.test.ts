import { expect, test } from 'vitest';
import { Turns } from '../../../src/domain/turns.ts';

const of = (party: string, subject = 'one') => ({ party, subject });

const taken = (turns: Turns<string>): string[] => {
  const all: string[] = [];
  for (let item = turns.take(); item !== undefined; item = turns.take()) all.push(item);
  return all;
};

test('tenants take turns, whatever the number of their subjects, and subjects within a tenant', () => {
  const turns = new Turns<string>();
  for (const subject of ['a', 'b', 'c'])
    for (const n of [1, 2]) turns.add(of('greedy', subject), `${subject}${n}`);
  turns.add(of('modest'), 'm1');
  turns.add(of('modest'), 'm2');
  expect(turns.size).toBe(8);
  expect(taken(turns)).toEqual(['a1', 'm1', 'b1', 'm2', 'c1', 'a2', 'b2', 'c2']);
  expect(turns.size).toBe(0);
});

test('the number of items before that of a caller is as they are taken', () => {
  const turns = new Turns<string>();
  for (const subject of ['a', 'b', 'c'])
    for (const n of [1, 2, 3]) turns.add(of('greedy', subject), `${subject}${n}`);
  for (const caller of [of('modest'), of('greedy', 'd'), of('greedy', 'a')]) {
    const expected = turns.upTo(caller);
    const copy = new Turns<string>();
    for (const subject of ['a', 'b', 'c'])
      for (const n of [1, 2, 3]) copy.add(of('greedy', subject), `${subject}${n}`);
    copy.add(caller, 'mine');
    // The caller's own tenant may be served later in the round than computed here.
    expect(taken(copy).indexOf('mine') + 1).toBeLessThanOrEqual(expected);
  }
  expect(turns.upTo(of('modest'))).toBe(2);
  expect(turns.upTo(of('greedy', 'd'))).toBe(4);
});

test('what is removed is not taken, and what was taken is not removed', () => {
  const turns = new Turns<string>();
  turns.add(of('a'), 'first');
  turns.add(of('a'), 'second');
  turns.add(of('b'), 'other');
  expect(turns.remove(of('a'), 'first')).toBe(true);
  expect(turns.take()).toBe('second');
  expect(turns.remove(of('a'), 'second')).toBe(false);
  expect(taken(turns)).toEqual(['other']);
});
