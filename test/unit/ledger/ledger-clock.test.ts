import { expect, test } from 'vitest';
import { LIMITS } from '../../../src/domain/limits.ts';
import { LEDGER_LIMITS } from '../../../src/ledger/limits.ts';
import { createWallLedgerClock } from '../../../src/ledger/ledger-clock.ts';

const DIFFERENCE_MS = 10_000;
const TOLERANCE_MS = 60_000;
const { ledgerLagMs, ledgerLeadMs } = LEDGER_LIMITS;
const { ledgerSkewMs } = LIMITS;

/** Returns a ledger clock with a wall clock and a monotonic clock, which the test sets independently of each other. */
function openClock() {
  const time = { wallMs: 1_000_000, steadyMs: 7_000 };
  const clock = createWallLedgerClock(
    { nowMs: () => time.wallMs },
    {
      clockDifferenceMs: DIFFERENCE_MS,
      toleranceMs: TOLERANCE_MS,
      steadyMs: () => time.steadyMs,
    },
  );
  return {
    time,
    clock,
    pass: (ms: number) => {
      time.wallMs += ms;
      time.steadyMs += ms;
    },
  };
}

test('ledger time is behind wall time by the margin, and never behind what was seen', async () => {
  const { time, clock } = openClock();
  expect(clock.nowMs()).toBe(time.wallMs - ledgerSkewMs);
  expect(clock.provenMs()).toBe(0);

  clock.observe(1_000_050);
  expect(clock.nowMs()).toBe(1_000_050);
  clock.observe(999_950);
  expect(clock.nowMs()).toBe(1_000_050);

  time.wallMs += 10_000;
  await clock.refresh({ signal: new AbortController().signal, deadlineMs: 1 });
  expect(clock.nowMs()).toBe(time.wallMs - ledgerSkewMs);
  expect(clock.provenMs()).toBe(1_000_050);
});

test('what was seen goes on, whatever becomes of the wall clock', () => {
  const { time, clock, pass } = openClock();
  clock.observe(900_000_000);
  pass(30_000);
  time.wallMs -= 500_000;
  expect(clock.nowMs()).toBe(900_030_000 - ledgerLagMs);
  // This update is late, so the clock learns nothing from it.
  clock.observe(900_029_000);
  expect(clock.nowMs()).toBe(900_030_000 - ledgerLagMs);
  // Within the margin, the observed time itself is the later one, so it counts.
  clock.observe(900_030_000);
  expect(clock.nowMs()).toBe(900_030_000);
});

test('what was seen long ago does not go on', () => {
  const { time, clock, pass } = openClock();
  // The clock of a sequencer was ahead of the others once.
  clock.observe(time.wallMs + 60_000);
  for (let ms = 0; ms < 2 * ledgerLeadMs; ms += ledgerLeadMs / 4) {
    pass(ledgerLeadMs / 4);
    clock.observe(time.wallMs - 20);
  }
  expect(clock.nowMs()).toBe(time.wallMs - 20);
  pass(10 * ledgerLeadMs);
  expect(clock.provenMs()).toBeLessThan(time.wallMs - 9 * ledgerLeadMs);
  expect(clock.nowMs()).toBe(time.wallMs - ledgerSkewMs);
});

test('what is certainly past, the ledger itself has said, less how far clocks may be apart and how late it may be sequenced', () => {
  const { time, clock } = openClock();
  clock.observe(time.wallMs);
  expect(clock.certainMs()).toBe(time.wallMs - DIFFERENCE_MS - TOLERANCE_MS);
  // A jump of this process's wall clock changes nothing.
  time.wallMs += 3_600_000;
  expect(clock.nowMs()).toBe(time.wallMs - ledgerSkewMs);
  expect(clock.certainMs()).toBe(1_000_000 - DIFFERENCE_MS - TOLERANCE_MS);
  clock.observe(2_000_000 + DIFFERENCE_MS + TOLERANCE_MS);
  expect(clock.certainMs()).toBe(2_000_000);
});

test('what the ledger compares with its own time is past there too, also where our own clock is ahead', () => {
  const { time, clock, pass } = openClock();
  expect(clock.pastMs()).toBe(time.wallMs - ledgerSkewMs);
  clock.observe(time.wallMs - 45_000);
  pass(5_000);
  expect(clock.pastMs()).toBe(time.wallMs - 45_000 - ledgerLagMs);
  // The ledger clock stays behind the others. So a time that has passed for it has also passed for every other clock.
  clock.observe(time.wallMs + 45_000);
  expect(clock.pastMs()).toBe(time.wallMs - ledgerSkewMs);
  pass(10 * ledgerLeadMs);
  expect(clock.pastMs()).toBe(time.wallMs - ledgerSkewMs);
});
