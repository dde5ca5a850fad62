import { expect, test } from 'vitest';
import { LIMITS } from '../../../src/domain/limits.ts';
import { createWallLedgerClock } from '../../../src/ledger/ledger-clock.ts';

test('ledger time is behind wall time by the margin, and never behind what was seen', async () => {
  let wallMs = 1_000_000;
  const clock = createWallLedgerClock({ nowMs: () => wallMs });
  expect(clock.nowMs()).toBe(wallMs - LIMITS.ledgerSkewMs);

  clock.observe(wallMs + 50);
  expect(clock.nowMs()).toBe(wallMs + 50);
  clock.observe(wallMs - 50);
  expect(clock.nowMs()).toBe(wallMs + 50);

  wallMs += 10_000;
  await clock.refresh({ signal: new AbortController().signal, deadlineMs: 1 });
  expect(clock.nowMs()).toBe(wallMs - LIMITS.ledgerSkewMs);
});
