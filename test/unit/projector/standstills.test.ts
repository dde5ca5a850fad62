import { NEWEST_MODEL } from '../../../src/app/licensing/model.ts';
import { isStandstill } from '../../../src/domain/participant-health.ts';
import { expect, test } from 'vitest';
import type { SubmitRequest } from '../../../src/app/ports/ledger.ts';
import type { AwaitedProof } from '../../../src/app/ports/proofs.ts';
import { PROJECTOR_LEASE } from '../../../src/app/ports/leases.ts';
import { UPDATES_STREAM, completionsStream } from '../../../src/app/ports/streams.ts';
import { RecordClocks } from '../../../src/app/engine/doubts/record-clocks.ts';
import { Ticks } from '../../../src/app/engine/doubts/ticks.ts';
import type { SubmissionId } from '../../../src/domain/ids.ts';
import { trusted } from '../../../src/domain/ids.ts';
import { PROJECTOR_LIMITS } from '../../../src/projector/limits.ts';
import { LIMITS } from '../../../src/domain/limits.ts';
import { TimeWatch } from '../../../src/projector/time-watch.ts';
import { PROVIDER, change, effectId, io } from '../../kit/store-rows.ts';
import { arrive, dispatchAll, save } from '../../kit/store-under-test.ts';
import { createMemoryDatabase } from '../../sim/memory/database.ts';
import { realAfter, realHooks } from '../../sim/memory/real-hooks.ts';

const quiet = () => undefined;
const bounds = { toleranceMs: 60_000, clockDifferenceMs: 10_000 };
const HOUR_MS = 3_600_000;

/**
 * Opens a watch for a participant that is on two synchronizers and reports nothing new. A change waits for the proof of
 * a lost attempt.
 */
async function openWatch() {
  const database = createMemoryDatabase({ now: Date.now, after: realAfter });
  const { store, leases, pauses, outbox } = database.connect('projector', realHooks());
  const leaseEpoch = (await leases.acquire(PROJECTOR_LEASE, 'test', HOUR_MS, io())) ?? 0n;
  let nowMs = Date.now();
  const ago = (ms: number) => new Date(nowMs - ms).toISOString();
  const waiting = change();
  const { participant } = waiting.submitter;
  const stream = completionsStream(participant);
  await store.transact(io(), async (tx) => {
    for (const name of [UPDATES_STREAM, stream]) {
      await tx.startCursor({ stream: name, from: 0n, to: 1n, recordTime: null }, leaseEpoch);
    }
    const times = new Map([
      ['S1', ago(HOUR_MS)],
      ['S2', ago(HOUR_MS)],
    ]);
    await tx.moveCursors([{ stream, from: 1n, to: 2n, recordTime: null, times }], leaseEpoch);
  });
  await arrive(store, waiting);
  await dispatchAll(outbox);
  const submissionId = trusted<SubmissionId>('lost');
  await outbox.startAttempt(effectId(waiting), 1, submissionId, io());
  await save(store, { pins: [{ submissionId, overAt: ago(60_000) }] });
  const submitted: SubmitRequest[] = [];
  const world = { connected: ['S1', 'S2'], lost: null as AwaitedProof | null };
  const watch = new TimeWatch(
    {
      model: NEWEST_MODEL,
      store,
      gateway: {
        submit: async (request) => {
          submitted.push(request);
          return null;
        },
        synchronizers: async () => world.connected,
      },
      hear: async () => null,
      bounds,
      wallClock: { nowMs: () => nowMs },
      log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
      leaseEpoch,
      clocks: new RecordClocks(bounds),
      ticks: new Ticks(),
      lost: async () => world.lost,
      arrivalOf: () => null,
    },
    participant,
  );
  return {
    store,
    pauses,
    leaseEpoch,
    participant,
    submitted,
    world,
    /** Runs a check after this time has passed. @returns the standstill that the check recorded */
    found: async (afterMs: number) => {
      nowMs += afterMs;
      await watch.look(io());
      return (await store.reads.participantCauses(io())).find(({ kind }) => isStandstill(kind));
    },
  };
}

test('a synchronizer that is not there for a moment is told as behind, and as gone after a while, also the last one', async () => {
  const { world, found } = await openWatch();
  world.connected = ['S1'];
  expect(await found(0)).toMatchObject({ kind: 'behind' });
  expect(await found(LIMITS.goneMs - 1)).toMatchObject({ kind: 'behind' });
  expect(await found(1)).toMatchObject({ kind: 'gone', detail: expect.stringContaining('S2') });
  world.connected = ['S1', 'S2'];
  expect((await found(60_000))?.kind).not.toBe('gone');
  world.connected = [];
  expect(await found(60_000)).toMatchObject({ kind: 'behind' });
  expect(await found(LIMITS.goneMs)).toMatchObject({
    kind: 'gone',
    detail: expect.stringContaining('S1, S2'),
  });
});

test('requests that are held are told until they go on', async () => {
  const { store, participant, leaseEpoch, found } = await openWatch();
  const begin = (to: bigint) =>
    store.transact(io(), (tx) =>
      tx.beginReplay(completionsStream(participant), { to, ledgerUser: null }, leaseEpoch),
    );
  await begin(3n);
  const held = await found(0);
  expect(held).toMatchObject({ kind: 'replay' });
  expect(await found(60_000)).toMatchObject({ kind: 'replay', since: held?.since });
  await begin(2n);
  expect((await found(60_000))?.kind).not.toBe('replay');
});

test('nothing is made to happen through a participant that is paused, or left alone', async () => {
  const { store, pauses, participant, submitted, found } = await openWatch();
  const by = { byParty: PROVIDER, bySubject: 'olga' };
  const asked = { scope: 'participant', name: participant, mode: 'pause', reason: 'r' } as const;
  const pause = await pauses.put(asked, by, io());
  expect(await found(0)).toMatchObject({
    kind: 'quiet',
    detail: expect.stringContaining('cannot be moved: an operator has paused'),
  });
  await pauses.remove(pause.id, { ...by, reason: 'r' }, io());
  const circuit = { participant, reason: 'traffic', ledgerCode: 'NONE' } as const;
  await save(store, { circuits: [circuit] });
  expect(await found(PROJECTOR_LIMITS.tickMs)).toMatchObject({
    detail: expect.stringContaining('cannot be moved: the participant has no traffic'),
  });
  expect(submitted).toEqual([]);
  await expect.poll(() => store.reads.heldBack(participant, PROVIDER, io())).toBeNull();
  await found(PROJECTOR_LIMITS.tickMs);
  expect(submitted.length).toBeGreaterThan(0);
});

test('the time that every attempt waits for is moved although no circuit closes without an attempt', async () => {
  const { store, pauses, participant, submitted, world, found } = await openWatch();
  await save(store, { circuits: [{ participant, reason: 'traffic', ledgerCode: 'NONE' }] });
  const { submitter, provider } = change();
  const proofAt = new Date(Date.now() - 60_000).toISOString();
  world.lost = { proofAt, submitter, provider, ignoresCircuit: true };
  const asked = { scope: 'participant', name: participant, mode: 'pause', reason: 'r' } as const;
  const by = { byParty: PROVIDER, bySubject: 'olga' };
  const pause = await pauses.put(asked, by, io());
  await found(0);
  expect(submitted).toEqual([]);
  await pauses.remove(pause.id, { ...by, reason: 'r' }, io());
  await found(PROJECTOR_LIMITS.tickMs);
  expect(submitted.length).toBeGreaterThan(0);
});
