import { describe, expect, test } from 'vitest';
import { WAITS } from '../../../src/domain/change.ts';
import type { Wait } from '../../../src/domain/change.ts';
import type { Alarm, Reads } from '../../../src/app/ports.ts';
import type { Change } from '../../../src/domain/change.ts';
import { trusted } from '../../../src/domain/ids.ts';
import { AGE_MS_MAX, PATIENCE_MS, overdue, watchOverdue } from '../../../src/ops/overdue.ts';
import { change } from '../app/made.ts';

const NOW_MS = Date.parse('2026-01-01T12:00:00.000Z');
const iso = (agoMs: number): string => new Date(NOW_MS - agoMs).toISOString();
const quiet = () => undefined;
const waiting = (kind: Wait, agoMs: number, untilMs?: number) =>
  change({
    acceptedAt: iso(agoMs),
    waitingFor: {
      kind,
      detail: 'for something',
      since: iso(agoMs),
      ...(untilMs === undefined ? {} : { until: iso(-untilMs) }),
    },
  });

test('what waits behind a circuit is told as what it is, and a participant is looked at once for all', async () => {
  const over = new AbortController();
  const heads = ['1', '2', '3'].map((n) => ({
    ...waiting('queue', 10 * 60_000),
    id: trusted<Change['id']>(n),
  }));
  const raised = Promise.withResolvers<readonly Omit<Alarm, 'raisedAt'>[]>();
  let asked = 0;
  const duty = watchOverdue({
    reads: {
      longestWaiting: () => Promise.resolve(heads),
      inDoubt: () => Promise.resolve([]),
      foreignLedgers: () => Promise.resolve([]),
      circuitOf: (participant: string) => {
        asked += 1;
        const since = iso(5 * 60_000);
        const circuit = { participant, reason: 'unreachable', probe: true, level: 9, since };
        return Promise.resolve({ ...circuit, until: since, ledgerCode: 'TOKEN_UNAVAILABLE' });
      },
    } as unknown as Reads,
    alarms: {
      replace: (alarms) => {
        raised.resolve(alarms);
        return Promise.resolve({ raised: [], cleared: [] });
      },
      list: () => Promise.resolve([]),
    },
    wallClock: { nowMs: () => NOW_MS },
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
  }).run({ epoch: 1n, signal: over.signal });
  expect(await raised.promise).toMatchObject(
    heads.map(({ id }) => ({ changeId: id, kind: 'participant', since: iso(5 * 60_000) })),
  );
  expect(asked).toBe(1);
  over.abort();
  await duty;
});

describe('what has waited too long', () => {
  test.each(WAITS.filter((kind) => kind !== 'person'))('%s', (kind) => {
    expect(overdue(waiting(kind, PATIENCE_MS[kind]), NOW_MS)).toBeNull();
    const late = waiting(kind, PATIENCE_MS[kind] + 1);
    expect(overdue(late, NOW_MS)).toEqual({
      changeId: late.id,
      kind,
      since: late.waitingFor?.since,
      detail: 'for something',
    });
  });

  test('a person is told at once', () => {
    expect(overdue(waiting('person', 0), NOW_MS)).toMatchObject({ kind: 'person' });
  });

  test('what knows when it goes on is late from then on', () => {
    expect(overdue(waiting('backoff', 9 * 60_000, 1_000), NOW_MS)).toBeNull();
    const missed = waiting('backoff', 9 * 60_000, -PATIENCE_MS.backoff - 1);
    expect(overdue(missed, NOW_MS)).toMatchObject({ kind: 'backoff' });
  });

  test('one that goes on trying is told when it is too old, whatever it waits for', () => {
    const trying = { ...waiting('backoff', 0, 1_000), acceptedAt: iso(AGE_MS_MAX + 1) };
    expect(overdue(trying, NOW_MS)).toMatchObject({ kind: 'backoff', since: iso(0) });
  });

  test('one that states nothing is told as well', () => {
    const silent = change({ acceptedAt: iso(AGE_MS_MAX), waitingFor: null });
    expect(overdue(silent, NOW_MS)).toMatchObject({ detail: 'nothing is stated' });
  });
});
