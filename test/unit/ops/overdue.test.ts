import { describe, expect, test } from 'vitest';
import { WAITS } from '../../../src/domain/change.ts';
import type { Wait } from '../../../src/domain/change.ts';
import type { Alarm } from '../../../src/app/ports/alarms.ts';
import type { Reads } from '../../../src/app/ports/reads.ts';
import type { Change } from '../../../src/domain/change.ts';
import { trusted } from '../../../src/domain/ids.ts';
import { PATIENCE_MS, overdue } from '../../../src/app/desk/overdue.ts';
import { watchOverdue } from '../../../src/ops/overdue.ts';
import { change } from '../app/made.ts';
import { LIMITS } from '../../../src/domain/limits.ts';

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

/** Returns the alarms that the first check of these heads raises. */
async function raisedOf(heads: readonly Change[], reads: object) {
  const over = new AbortController();
  const raised = Promise.withResolvers<readonly Omit<Alarm, 'raisedAt'>[]>();
  const duty = watchOverdue({
    reads: {
      longestWaiting: () => Promise.resolve(heads),
      inDoubt: () => Promise.resolve([]),
      participantCauses: () => Promise.resolve([]),
      leaseOf: () => Promise.resolve(null),
      ...reads,
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
  const alarms = await raised.promise;
  over.abort();
  await duty;
  return alarms;
}

const three = (kind: Wait, agoMs: number) =>
  ['1', '2', '3'].map((n) => ({ ...waiting(kind, agoMs), id: trusted<Change['id']>(n) }));

test('what waits behind a circuit is told as what it is, and a participant is looked at once for all', async () => {
  const heads = three('queue', 10 * 60_000);
  const { participant } = change().submitter;
  let asked = 0;
  const participantCauses = () => {
    asked += 1;
    const since = iso(5 * 60_000);
    const cause = { participant, kind: 'unreachable', since, detail: 'TOKEN_UNAVAILABLE' };
    return Promise.resolve([{ ...cause, stream: null }]);
  };
  expect(await raisedOf(heads, { participantCauses })).toMatchObject(
    heads.map(({ id }) => ({ changeId: id, kind: 'participant', since: iso(5 * 60_000) })),
  );
  expect(asked).toBe(1);
});

describe('what waits for a ledger that tells nothing', () => {
  const HELD = { holder: 'p', epoch: 1n, expiresAt: iso(-5_000), isHeld: true };
  const readsOf = (kind: Wait, sinceMs: number, lease = HELD) => {
    const { participant } = change().submitter;
    const cause = { participant, kind, since: iso(sinceMs), detail: `it is ${kind}`, stream: null };
    return {
      participantCauses: () => Promise.resolve([cause]),
      leaseOf: () => Promise.resolve(lease),
    };
  };
  const raised = (kind: Wait, sinceMs: number, waitsMs: number) =>
    raisedOf([waiting('ledger', waitsMs)], readsOf(kind, sinceMs));

  test('is told as what is known of why', async () => {
    const heads = three('ledger', 6 * 60_000);
    const reads = readsOf('behind', 7 * 60_000);
    const alarms = await raisedOf(heads, reads);
    expect(alarms).toMatchObject(
      heads.map(({ id }) => ({ changeId: id, kind: 'behind', since: iso(6 * 60_000) })),
    );
    const { participant } = change().submitter;
    expect(alarms[0]?.detail).toContain(`${participant} since ${iso(7 * 60_000)}: it is behind`);
  });

  test.each(['behind', 'quiet'] as const)('%s has its own patience', async (kind) => {
    const [long, late] = [60 * 60_000, PATIENCE_MS[kind] + 1];
    // The limit is longer than for a normal wait for the ledger, and the wait counts from the beginning of the
    // standstill.
    expect(PATIENCE_MS[kind]).toBeGreaterThan(PATIENCE_MS.ledger);
    expect(await raised(kind, long, PATIENCE_MS[kind])).toEqual([]);
    expect(await raised(kind, PATIENCE_MS[kind], long / 10)).toEqual([]);
    expect(await raised(kind, long, late)).toMatchObject([{ kind, since: iso(late) }]);
  });

  test.each(['queue', 'backoff'] as const)(
    '%s is told as held requests, and as nothing else',
    async (kind) => {
      const heads = three(kind, 6 * 60_000);
      const told = async (standstill: Wait) => {
        const reads = readsOf(standstill, 2 * 60_000);
        return (await raisedOf(heads, reads)).map((alarm) => alarm.kind);
      };
      expect(await told('replay')).toEqual(heads.map(() => 'replay'));
      expect(await told('quiet')).not.toContain('quiet');
    },
  );

  test('clocks that are apart are told at once', async () => {
    expect(await raised('clock', 60 * 60_000, 16_000)).toMatchObject([{ kind: 'clock' }]);
  });

  test('a synchronizer that was left is told at once', async () => {
    expect(await raised('gone', 60 * 60_000, 16_000)).toMatchObject([{ kind: 'gone' }]);
    expect(await raised('gone', 1, 60_000)).toMatchObject([{ kind: 'gone', since: iso(1) }]);
  });

  test('that nobody follows is told as that', async () => {
    const lease = { ...HELD, expiresAt: iso(30_000), isHeld: false };
    const reads = readsOf('quiet', 60_000, lease);
    expect(await raisedOf([waiting('projection', 60_000)], reads)).toMatchObject([
      { kind: 'lease', since: iso(30_000) },
    ]);
  });
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
    const trying = { ...waiting('backoff', 0, 1_000), acceptedAt: iso(LIMITS.ageMsMax + 1) };
    expect(overdue(trying, NOW_MS)).toMatchObject({ kind: 'backoff', since: iso(0) });
  });

  test('one that states nothing is told as well', () => {
    const silent = change({ acceptedAt: iso(LIMITS.ageMsMax), waitingFor: null });
    expect(overdue(silent, NOW_MS)).toMatchObject({ detail: 'nothing is stated' });
  });
});
