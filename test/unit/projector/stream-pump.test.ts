import { expect, test } from 'vitest';
import type { StreamItem } from '../../../src/projector/stream-pump.ts';
import { StreamPump, StreamStopped } from '../../../src/projector/stream-pump.ts';
import { PROJECTOR_LIMITS } from '../../../src/projector/limits.ts';

/* One stream, which is read for ever and from which no element is skipped. */

const quiet = () => undefined;
const FAR = 10n + 1n + PROJECTOR_LIMITS.jumpMax + 1n;

test('what is refused while a jump is asked about is read again, and nothing behind it before', async () => {
  const ending = new AbortController();
  const opened: bigint[] = [];
  const handed: bigint[] = [];
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<boolean>();
  const pump = new StreamPump<StreamItem>(
    {
      name: 'updates',
      repeated: 'drop',
      begin: async (received) => received ?? 10n,
      async *open(after) {
        opened.push(after);
        for (const offset of [11n, FAR]) if (offset > after) yield { kind: 'transaction', offset };
        await new Promise((resolve) => ending.signal.addEventListener('abort', resolve));
      },
      // When the previous element is refused, the answer is known, but it is delivered a moment later.
      hasReached: () => {
        asked.resolve();
        return answer.promise;
      },
    },
    {
      log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
      signal: ending.signal,
      hand: ({ offset }) => handed.push(offset),
      room: () => Promise.resolve(),
      onTrouble: quiet,
      nowMs: Date.now,
      silenceMs: 60_000,
    },
  );
  const running = pump.run();
  await asked.promise;
  expect(handed).toEqual([11n]);
  pump.refuse(new StreamStopped('CANNOT_APPLY', 'the database says no', 'person'), 10n);
  answer.resolve(true);
  await expect.poll(() => handed).toEqual([11n, 11n, FAR]);
  expect(opened).toEqual([10n, 10n]);
  ending.abort();
  await running;
});
