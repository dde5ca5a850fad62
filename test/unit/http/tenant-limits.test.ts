import { expect, test } from 'vitest';
import { Places, Rates, RefusalPace } from '../../../src/http/kit/tenant-limits.ts';
import { openLimitShare } from '../../../src/main/callers.ts';
import { MAIN_LIMITS } from '../../../src/main/limits.ts';

const of = (party: string, subject: string) => ({ party, subject });

test('a request that one limit refuses counts against none', () => {
  let nowMs = 0;
  const rates = new Rates(() => nowMs);
  const ask = (subject: string) => {
    const allowance = rates.take([
      { policy: 'tenant', key: 'one', perMinute: 3 },
      { policy: 'caller', key: `one ${subject}`, perMinute: 2 },
    ]);
    return `${allowance?.policy} ${allowance?.left}`;
  };
  expect([ask('anna'), ask('anna'), ask('anna'), ask('anna')]).toEqual([
    'caller 1',
    'caller 0',
    'caller -1',
    'caller -1',
  ]);
  expect([ask('bert'), ask('carl')]).toEqual(['tenant 0', 'tenant -1']);
  nowMs = 60_000;
  expect(ask('anna')).toBe('caller 1');
});

test('what a tenant has open is bounded however many its subjects are, and so is that of one subject', () => {
  const places = new Places();
  const max = { ofTenant: 3, ofCaller: 2 };
  const take = (subject: string, party = 'one') => places.take(of(party, subject), max);
  const leave = take('anna');
  take('anna');
  expect(take('anna')).toBe('caller');
  take('bert');
  expect(take('carl')).toBe('tenant');
  expect(take('carl', 'another')).toBeTypeOf('function');
  if (typeof leave !== 'function') throw new Error('the first one has a place');
  leave();
  // A slot is freed only once, even if the end of its use is reported several times.
  leave();
  expect(take('carl')).toBeTypeOf('function');
  expect(take('dora')).toBe('tenant');
  expect(places.size).toBe(4);
});

test('an address uses up the pace of refusals for itself only', () => {
  let nowMs = 0;
  const pace = new RefusalPace({ ofAddress: 2, ofAll: 6 }, () => nowMs);
  const refuse = (address: string, times: number) => {
    for (let n = 0; n < times; n += 1) pace.count(address);
  };
  // Requests that began at the same time are all refused in full.
  refuse('flood', 500);
  expect([pace.isSpent('flood'), pace.isSpent('other')]).toEqual([true, false]);
  refuse('other', 1);
  expect(pace.isSpent('other')).toBe(false);
  // Many addresses together leave one refusal per second to each further address.
  refuse('second', 2);
  refuse('third', 2);
  expect(['other', 'fourth'].map((address) => pace.isSpent(address))).toEqual([true, false]);
  refuse('fourth', 1);
  expect(pace.isSpent('fourth')).toBe(true);
  nowMs = 1_000;
  expect(['flood', 'other'].map((address) => pace.isSpent(address))).toEqual([false, false]);
});

test('processes divide a limit, and look at their number once a second at most', async () => {
  let nowMs = 0;
  const counts = [2, 4];
  let asked = 0;
  const count = async (): Promise<number> => {
    asked += 1;
    const found = counts.shift();
    if (found === undefined) throw new Error('away');
    return found;
  };
  const failed: unknown[] = [];
  const share = await openLimitShare(
    count,
    (error) => failed.push(error),
    () => nowMs,
  );
  expect([share(10), share(1), share(10)]).toEqual([5, 1, 5]);
  expect(asked).toBe(1);
  nowMs = MAIN_LIMITS.limitShareMs;
  // The request that makes the process count again does not wait for the new count.
  expect([share(10), share(10)]).toEqual([5, 5]);
  await Promise.resolve();
  expect(share(10)).toBe(3);
  nowMs *= 2;
  share(10);
  await Promise.resolve();
  expect([share(10), asked, failed.length]).toEqual([3, 3, 1]);
});
