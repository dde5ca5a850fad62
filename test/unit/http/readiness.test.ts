import { afterEach, expect, test, vi } from 'vitest';
import { HTTP_LIMITS } from '../../../src/http/limits.ts';
import { createReadiness } from '../../../src/http/kit/readiness.ts';

afterEach(() => {
  vi.useRealTimers();
});

const ok = { name: 'queue', check: () => Promise.resolve() };

test('ready when every check passes, also when there is none', async () => {
  expect(await createReadiness([])()).toEqual({
    isReady: true,
    status: 'ready',
    body: { status: 'ready', checks: [] },
  });
  expect((await createReadiness([ok])()).body['checks']).toEqual([{ name: 'queue', ok: true }]);
});

test('not ready says which check failed and why, in one line', async () => {
  const bad = {
    name: 'database',
    check: () => Promise.reject(new Error('cannot reach it\n  at secret.ts')),
  };
  const thrown = {
    name: 'ledger',
    check: () => {
      throw new Error('thrown at once');
    },
  };
  expect(await createReadiness([ok, bad, thrown])()).toEqual({
    isReady: false,
    status: 'not ready',
    body: {
      status: 'not ready',
      checks: [
        { name: 'queue', ok: true },
        { name: 'database', ok: false, reason: 'cannot reach it' },
        { name: 'ledger', ok: false, reason: 'thrown at once' },
      ],
    },
  });
});

test('a check that hangs fails when its time is up', async () => {
  vi.useFakeTimers();
  const hanging = { name: 'ledger', check: () => new Promise<void>(() => {}) };
  const asked = createReadiness([hanging])();
  await vi.advanceTimersByTimeAsync(HTTP_LIMITS.readinessMs);
  expect((await asked).body['checks']).toEqual([
    { name: 'ledger', ok: false, reason: `no answer within ${HTTP_LIMITS.readinessMs} ms` },
  ]);
});

test('callers of one second share one round', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'Date'] });
  let rounds = 0;
  const counted = {
    name: 'database',
    check: async () => {
      rounds += 1;
    },
  };
  const readiness = createReadiness([counted]);
  await Promise.all(Array.from({ length: 50 }, () => readiness()));
  expect(rounds).toBe(1);
  vi.advanceTimersByTime(HTTP_LIMITS.managementKeptMs);
  await readiness();
  expect(rounds).toBe(2);
});
