import { expect, test } from 'vitest';
import { LIMITS } from '../../../src/domain/limits.ts';
import { createWallLedgerClock } from '../../../src/ledger/ledger-clock.ts';

test('ledger time is behind wall time by the margin, and never behind what was seen', async () => {
  let wallMs = 1_000_000;
  const clock = createWallLedgerClock({ nowMs: () => wallMs }, () => 0);
  expect(clock.nowMs()).toBe(wallMs - LIMITS.ledgerSkewMs);

  clock.observe(wallMs + 50);
  expect(clock.nowMs()).toBe(wallMs + 50);
  clock.observe(wallMs - 50);
  expect(clock.nowMs()).toBe(wallMs + 50);

  wallMs += 10_000;
  await clock.refresh({ signal: new AbortController().signal, deadlineMs: 1 });
  expect(clock.nowMs()).toBe(wallMs - LIMITS.ledgerSkewMs);
});

test('what was seen goes on by a clock that nobody sets, a little slower', () => {
  let wallMs = 1_000_000;
  let steadyMs = 7_000;
  const clock = createWallLedgerClock({ nowMs: () => wallMs }, () => steadyMs);
  clock.observe(900_000_000);
  steadyMs += 60_000;
  // Set back, and of no use for the ledger's time.
  wallMs -= 500_000;
  const expected = 900_000_000 + 60_000 * (1 - LIMITS.ledgerDriftShare);
  expect(clock.nowMs()).toBe(Math.floor(expected));
  expect(clock.nowMs()).toBeLessThan(900_000_000 + 60_000);

  // Late news is behind what is known without it; what is ahead of that counts from now on.
  clock.observe(900_000_000 + 59_000);
  expect(clock.nowMs()).toBe(Math.floor(expected));
  clock.observe(900_000_000 + 60_000);
  steadyMs += 1_000;
  expect(clock.nowMs()).toBe(900_000_000 + 60_000 + 999);
});
