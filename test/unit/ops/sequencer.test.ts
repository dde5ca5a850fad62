import { once } from 'node:events';
import { afterEach, expect, test, vi } from 'vitest';
import type { Leases } from '../../../src/app/ports/leases.ts';
import { OPS_LIMITS } from '../../../src/ops/limits.ts';
import { startSequencer } from '../../../src/ops/sequencer.ts';
import type { Sequencer, SequencerDeps } from '../../../src/ops/sequencer.ts';
import { recordingLog } from '../../kit/queue-under-test.ts';

/* Events are numbered and deliveries are created by separate loops, so followers of events do not wait for webhooks. */

let sequencer: Sequencer;
afterEach(async () => {
  vi.useRealTimers();
  await sequencer.stop();
});
const soon = { interval: 5, timeout: 60_000 };

function begin(fanOut: SequencerDeps['fanOut'] & {}) {
  const seen = { numberings: 0, terms: 0 };
  const leases: Leases = {
    acquire: async () => BigInt((seen.terms += 1)),
    renew: async () => true,
    release: async () => undefined,
  };
  const events: SequencerDeps['events'] = {
    number: async () => {
      seen.numberings += 1;
      return { count: 1, isForWebhooks: true };
    },
  };
  const log = { ...recordingLog(), debug: () => undefined };
  sequencer = startSequencer({ events, fanOut, leases, log, random: () => 0, holder: 'this test' });
  return { seen, log };
}

test('deliveries that fail or take for ever do not hold up the numbering, and are made again', async () => {
  let makings = 0;
  const { seen, log } = begin(async (_epoch, { signal }) => {
    makings += 1;
    if (makings === 1) throw new Error('out of order');
    await once(signal, 'abort');
    return false;
  });
  await expect.poll(() => makings, soon).toBe(2);
  for (let round = 0; round < 3; round += 1) {
    const before = seen.numberings;
    sequencer.wake();
    await expect.poll(() => seen.numberings, soon).toBeGreaterThan(before);
  }
  expect(seen.terms).toBe(1);
  expect(JSON.stringify(log.entries)).toContain('deliveries of new events could not be created');
});

test('deliveries that are refused for the lease end the term', async () => {
  const { seen } = begin(async (epoch) => (epoch === 1n ? null : false));
  await expect.poll(() => seen.terms, soon).toBe(2);
});

test('events that are committed within one interval are numbered together', async () => {
  vi.useFakeTimers();
  const { seen } = begin(async () => false);
  const halfMs = OPS_LIMITS.eventGatherMs / 2;
  await vi.advanceTimersByTimeAsync(4 * halfMs);
  const before = seen.numberings;
  sequencer.wake();
  await vi.advanceTimersByTimeAsync(halfMs);
  sequencer.wake();
  expect(seen.numberings).toBe(before);
  await vi.advanceTimersByTimeAsync(4 * halfMs);
  expect(seen.numberings).toBe(before + 1);
});
