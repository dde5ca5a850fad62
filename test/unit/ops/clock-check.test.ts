import { expect, test } from 'vitest';
import type { ClockReport, NewestOwn } from '../../../src/app/ports/clocks.ts';
import { createWallLedgerClock } from '../../../src/ledger/ledger-clock.ts';
import type { ComparedClocks } from '../../../src/ops/clock-check.ts';
import { onlyOnTime, startClockCheck, withClockCheck } from '../../../src/ops/clock-check.ts';

const BOUND_MS = 10_000;
const NOW_MS = Date.parse('2026-01-01T00:00:00Z');
const iso = (ms: number) => new Date(ms).toISOString();
const io = { signal: new AbortController().signal, deadlineMs: 1_000 };

/** Returns the watch of a process whose clock is ahead of the database's by `world.aheadMs`. */
function openWatch({ isTimeStatic = false } = {}) {
  const world = { aheadMs: 0, isAway: false, newest: null as NewestOwn | null };
  const reports: ClockReport[] = [];
  const forgotten: string[] = [];
  const said: string[] = [];
  const compared: ComparedClocks[] = [];
  const log = (level: string) => (_fields: object, message: string) =>
    void said.push(`${level}: ${message}`);
  const watch = startClockCheck({
    clocks: {
      report: async (report) => {
        if (world.isAway) throw new Error('away');
        reports.push(report);
        return { at: iso(NOW_MS), newest: world.newest };
      },
      forget: async (process) => void forgotten.push(process),
    },
    process: 'host:1',
    roles: 'api',
    boundMs: BOUND_MS,
    isTimeStatic,
    wallClock: { nowMs: () => NOW_MS + world.aheadMs },
    log: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
    onCompared: (seen) => compared.push(seen),
  });
  return { world, watch, reports, forgotten, said, compared };
}

test('a clock that is further from the database’s than allowed is refused, and said once', async () => {
  const { world, watch, reports, forgotten, said, compared } = openWatch();
  expect(watch.ownDefect()).toBeNull();
  await watch.compare();
  expect([watch.ownDefect(), said]).toEqual([null, []]);
  world.aheadMs = 3_600_000;
  await watch.compare();
  await watch.compare();
  expect(watch.ownDefect()).toBe(
    'the clock of this process is 3600.0 s ahead of the clock of the database; the limit is 10.0 s',
  );
  expect(said).toEqual(['error: the clocks differ too much: work that depends on them is refused']);
  expect(compared.at(-1)).toMatchObject({ isOwnWrong: true, isLedgerWrong: false });
  // The next report contains the difference that was measured.
  expect(Math.round((reports.at(-1)?.difference?.aheadMs ?? 0) / 1_000)).toBe(3_600);
  // While the database is unreachable, there is no new measurement.
  world.isAway = true;
  world.aheadMs = 0;
  await watch.compare();
  expect(watch.ownDefect()).toContain('ahead of');
  world.isAway = false;
  await watch.compare();
  expect([watch.ownDefect(), said.at(-1)]).toEqual([null, 'info: the clocks agree again']);
  world.aheadMs = -11_000;
  await watch.compare();
  expect(watch.ownDefect()).toContain('behind');
  await watch.stop();
  expect(forgotten).toEqual(['host:1']);
});

test('whoever’s clock is wrong takes no lease, and keeps none', async () => {
  const { world, watch } = openWatch();
  const leases = onlyOnTime(
    { acquire: async () => 7n, renew: async () => true, release: async () => undefined },
    watch,
  );
  const both = async () => [
    await leases.acquire('projector', 'a', 1, io),
    await leases.renew('projector', 'a', 7n, 1, io),
  ];
  await watch.compare();
  expect(await both()).toEqual([7n, true]);
  world.aheadMs = 45_000;
  await watch.compare();
  expect(await both()).toEqual([null, false]);
  await watch.stop();
});

test('clocks of the network that are apart make nothing certain', async () => {
  const { world, watch } = openWatch();
  const wall = createWallLedgerClock(
    { nowMs: () => NOW_MS },
    { clockDifferenceMs: BOUND_MS, toleranceMs: 0 },
  );
  const asked: number[] = [];
  const clock = withClockCheck(wall, watch, (untilMs) => void asked.push(untilMs));
  await watch.compare();
  clock.observe(NOW_MS);
  expect([watch.ledgerDefect(), clock.certainMs()]).toEqual([null, NOW_MS - BOUND_MS]);

  // The transaction took some time before the participant sent it.
  const newest = (effectiveMs: number, recordMs = NOW_MS - 500) => ({
    sentAt: iso(NOW_MS - 1_000),
    effectiveAt: iso(effectiveMs),
    recordTime: iso(recordMs),
  });
  world.newest = newest(NOW_MS - 1_000 - BOUND_MS - 1);
  await watch.compare();
  expect([watch.ledgerDefect(), clock.certainMs()]).toEqual([
    'a clock of the network is at least 10.0 s behind the clock of the database; the limit is 10.0 s',
    0,
  ]);
  world.newest = newest(NOW_MS - 900);
  await watch.compare();
  expect(watch.ledgerDefect()).toBeNull();
  // According to this process's own clock, the observed time is in the future.
  clock.observe(NOW_MS + 2 * BOUND_MS);
  expect(watch.ledgerDefect()).toContain('ahead of');
  expect(clock.certainMs()).toBe(0);
  clock.observe(NOW_MS + 100);
  expect(watch.ledgerDefect()).toBeNull();
  clock.ask(5);
  expect(asked).toEqual([5]);
  await watch.stop();
});

test('a time that is set by hand is no clock', async () => {
  const { world, watch } = openWatch({ isTimeStatic: true });
  world.newest = {
    sentAt: iso(NOW_MS),
    effectiveAt: iso(0),
    recordTime: iso(0),
  };
  await watch.compare();
  watch.sawRecordTime(NOW_MS + 10 * BOUND_MS);
  expect(watch.ledgerDefect()).toBeNull();
  await watch.stop();
});
