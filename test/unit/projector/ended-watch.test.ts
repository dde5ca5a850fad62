import { NEWEST_MODEL } from '../../../src/app/licensing/model.ts';
import { expect, test } from 'vitest';
import type { Store } from '../../../src/app/ports/transaction.ts';
import type { CursorMove } from '../../../src/app/ports/writes.ts';
import { PROJECTOR_LEASE } from '../../../src/app/ports/leases.ts';
import { UPDATES_STREAM, completionsStream } from '../../../src/app/ports/streams.ts';
import { RecordClocks } from '../../../src/app/engine/doubts/record-clocks.ts';
import { Ticks } from '../../../src/app/engine/doubts/ticks.ts';
import type { ParticipantName, SubmissionId } from '../../../src/domain/ids.ts';
import { trusted } from '../../../src/domain/ids.ts';
import { PROJECTOR_LIMITS } from '../../../src/projector/limits.ts';
import { LIMITS } from '../../../src/domain/limits.ts';
import { TimeWatch } from '../../../src/projector/time-watch.ts';
import { answer, change, effectId, io, rejected } from '../../kit/store-rows.ts';
import { arrive, dispatchAll, save } from '../../kit/store-under-test.ts';
import { createMemoryDatabase } from '../../sim/memory/database.ts';
import { realAfter, realHooks } from '../../sim/memory/real-hooks.ts';

/*
 * If an operation ended while one of its attempts had no verdict, the attempt gets its verdict later: its participant
 * is queried, and the time of its synchronizer is advanced. Without such attempts, nothing is done.
 */

const PARTICIPANT = trusted<ParticipantName>('app-provider');
const STREAMS = [UPDATES_STREAM, completionsStream(PARTICIPANT)];
const SYNCHRONIZER = 'global::1220';
const MINUTE_MS = 60_000;

async function watching() {
  const database = createMemoryDatabase({ now: Date.now, after: realAfter });
  const under = database.connect('projector', realHooks());
  const leaseEpoch = (await under.leases.acquire(PROJECTOR_LEASE, 'test', 600_000, io())) ?? 0n;
  let nowMs = Date.now();
  let offset = 10n;
  const seen = { asked: 0, heard: 0, ticks: 0, isAway: false };
  const move = (stream: string, to: bigint, ms: number): CursorMove => {
    const recordTime = new Date(ms).toISOString();
    return { stream, from: offset, to, recordTime, times: new Map([[SYNCHRONIZER, recordTime]]) };
  };
  await under.store.transact(io(), async (tx) => {
    for (const stream of STREAMS) await tx.startCursor(move(stream, offset, nowMs), leaseEpoch);
  });
  const store: Store = {
    ...under.store,
    transact: (bounds, work) =>
      under.store.transact(bounds, (tx) =>
        work({
          ...tx,
          endedWithoutEffect: (...asked) => {
            seen.asked += 1;
            return tx.endedWithoutEffect(...asked);
          },
        }),
      ),
  };
  const quiet = () => undefined;
  const overMs = nowMs + 2 * MINUTE_MS;
  const watch = new TimeWatch(
    {
      model: NEWEST_MODEL,
      store,
      gateway: {
        submit: async () => {
          seen.ticks += 1;
          return null;
        },
        synchronizers: async () => [SYNCHRONIZER],
      },
      hear: async () => {
        seen.heard += 1;
        if (seen.isAway) return null;
        const overAt = new Date(overMs).toISOString();
        return { synchronizers: [SYNCHRONIZER], sentMs: nowMs + 60 * MINUTE_MS, overAt };
      },
      bounds: { toleranceMs: MINUTE_MS, clockDifferenceMs: 10_000 },
      wallClock: { nowMs: () => nowMs },
      log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
      leaseEpoch,
      clocks: new RecordClocks({ toleranceMs: 0, clockDifferenceMs: Infinity }),
      ticks: new Ticks(),
      arrivalOf: () => null,
    },
    PARTICIPANT,
  );
  return {
    seen,
    overMs,
    look: async (afterMs: number) => {
      nowMs += afterMs;
      await watch.look(io());
    },
    /** Makes the streams report this time. */
    tell: async (ms: number) => {
      const to = offset + 1n;
      const moves = STREAMS.map((stream) => move(stream, to, ms));
      expect(await under.store.transact(io(), (tx) => tx.moveCursors(moves, leaseEpoch))).toBe(
        true,
      );
      offset = to;
    },
    /**
     * Records a change that ended before one of its attempts was answered. @returns a function that reads the attempt
     */
    ended: async () => {
      const before = change();
      await arrive(under.store, before);
      await dispatchAll(under.outbox);
      const submissionId = trusted<SubmissionId>(`try-${before.id}`);
      await under.outbox.startAttempt(effectId(before), 1, submissionId, io());
      const unknown = { submissionId, answer: answer('unknown') };
      await save(under.store, {
        changes: [rejected(before)],
        effectsDone: [before.id],
        attempts: [unknown],
      });
      return async () => (await under.store.reads.attempts(before.id, io()))[0];
    },
  };
}

test('it is heard, its time is moved once its bound is past, and its verdict is written down', async () => {
  const { seen, overMs, look, tell, ended } = await watching();
  const attempt = await ended();
  seen.isAway = true;
  await look(0);
  expect(await attempt()).toMatchObject({ overAt: null, answer: { verdict: 'unknown' } });
  seen.isAway = false;
  // A participant that is unreachable is queried again soon.
  await look(PROJECTOR_LIMITS.endedAgainMs);
  expect(await attempt()).toMatchObject({ overAt: new Date(overMs).toISOString() });
  expect(seen.ticks).toBe(0);
  await look(2 * MINUTE_MS);
  expect(seen.ticks).toBe(1);
  await tell(overMs - 1);
  await look(1);
  expect(await attempt()).toMatchObject({ answer: { verdict: 'unknown' } });
  await tell(overMs);
  await look(1);
  expect(await attempt()).toMatchObject({
    answer: { verdict: 'refused', provenAt: new Date(overMs).toISOString() },
  });
  await look(PROJECTOR_LIMITS.tickMs);
  expect(seen.ticks).toBe(1);
});

test('where nothing is without a verdict, nobody is heard, and it is looked for once an hour', async () => {
  const { seen, look } = await watching();
  for (let i = 0; i < 9; i += 1) await look(MINUTE_MS);
  expect(seen).toMatchObject({ asked: 1, heard: 0, ticks: 0 });
  await look(PROJECTOR_LIMITS.endedLookMs);
  expect(seen.asked).toBe(2);
});

test('of many a part is looked at at a time, and all in the end', async () => {
  const { seen, overMs, look, tell, ended } = await watching();
  const attempts: Awaited<ReturnType<typeof ended>>[] = [];
  for (let i = 0; i <= LIMITS.endedWalkMax; i += 1) attempts.push(await ended());
  await look(0);
  expect(seen.asked).toBe(1);
  await look(1);
  expect(seen.asked).toBe(2);
  const all = async () => Promise.all(attempts.map((attempt) => attempt()));
  expect((await all()).every((one) => one?.overAt !== null)).toBe(true);
  await tell(overMs);
  await look(1);
  await look(1);
  expect((await all()).every((one) => one?.answer?.verdict === 'refused')).toBe(true);
});
