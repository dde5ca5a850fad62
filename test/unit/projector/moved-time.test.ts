import { NEWEST_MODEL } from '../../../src/app/licensing/model.ts';
import { isStandstill } from '../../../src/domain/participant-health.ts';
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { applyLedger } from '../../../src/app/engine/follow/apply-ledger.ts';
import type { SubmitRequest } from '../../../src/app/ports/ledger.ts';
import { PROJECTOR_LEASE } from '../../../src/app/ports/leases.ts';
import { UPDATES_STREAM, completionsStream } from '../../../src/app/ports/streams.ts';
import { createHear } from '../../../src/app/engine/doubts/proof.ts';
import { RecordClocks } from '../../../src/app/engine/doubts/record-clocks.ts';
import { Ticks } from '../../../src/app/engine/doubts/ticks.ts';
import type { LedgerAnswer } from '../../../src/domain/answer.ts';
import type { Change } from '../../../src/domain/change.ts';
import type { ParticipantName, Party, SubmissionId } from '../../../src/domain/ids.ts';
import { trusted } from '../../../src/domain/ids.ts';
import type { LedgerCompletion } from '../../../src/domain/ledger.ts';
import { BEGIN_OF_TIME } from '../../../src/domain/ledger.ts';
import { PROJECTOR_LIMITS } from '../../../src/projector/limits.ts';
import { batchOf } from '../../../src/projector/batch.ts';
import { TimeWatch } from '../../../src/projector/time-watch.ts';
import { arrival, change, effectId, io, rejected } from '../../kit/store-rows.ts';
import { arrive, dispatchAll, read, save } from '../../kit/store-under-test.ts';
import { createMemoryDatabase } from '../../sim/memory/database.ts';
import { instantOf } from '../../sim/memory/instants.ts';
import { answer } from '../app/made.ts';

/*
 * A ledger without activity: which synchronizers' time is advanced, through which participant, and what the status is
 * if it cannot be advanced.
 */

const P = trusted<ParticipantName>('app-provider');
const ONE = 'one::1220';
const OTHER = 'other::1220';
const BOUNDS = { toleranceMs: 60_000, clockDifferenceMs: 10_000 };
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START_MS = Date.parse('2026-01-01T12:00:00Z');

const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };

/** The answer of a participant that accepts the submission: none in the call. */
const NO_ANSWER: (request: SubmitRequest) => LedgerAnswer | null = () => null;

/** Opens the watch for one participant, with a clock that the test sets. */
async function watching() {
  const clock = { nowMs: START_MS };
  const wallClock = { nowMs: () => clock.nowMs };
  const database = createMemoryDatabase({ now: wallClock.nowMs });
  const { store, leases, outbox } = database.connect('projector');
  const leaseEpoch = (await leases.acquire(PROJECTOR_LEASE, 'test', DAY_MS, io())) ?? 0n;
  const submitted: SubmitRequest[] = [];
  const ledger = {
    connected: [ONE] as readonly string[],
    answer: NO_ANSWER,
  };
  const gateway = {
    submit: async (request: SubmitRequest) => {
      submitted.push(request);
      return ledger.answer(request);
    },
    synchronizers: async () => ledger.connected,
    synchronizersForParties: async () => ledger.connected,
  };
  const hear = createHear(gateway, wallClock, BOUNDS);
  const streams = [UPDATES_STREAM, completionsStream(P)];
  let cursors: ReadonlyMap<string, bigint> = new Map(streams.map((stream) => [stream, 5n]));
  await store.transact(io(), async (tx) => {
    for (const stream of streams)
      await tx.startCursor({ stream, from: 0n, to: 5n, recordTime: null }, leaseEpoch);
  });
  const terms = { clocks: new RecordClocks(BOUNDS), ticks: new Ticks() };
  const begin = () =>
    new TimeWatch(
      {
        model: NEWEST_MODEL,
        store,
        gateway,
        hear,
        bounds: BOUNDS,
        wallClock,
        log,
        leaseEpoch,
        arrivalOf: () => null,
        ...terms,
      },
      P,
    );
  let watch = begin();
  async function apply(elements: Parameters<typeof batchOf>[0]): Promise<void> {
    const batch = batchOf(elements, cursors);
    const times = {
      now: instantOf(clock.nowMs),
      ledgerNowMs: clock.nowMs,
      ledgerCertainMs: clock.nowMs,
    };
    const deps = {
      model: NEWEST_MODEL,
      store,
      readAs: [],
      projected: P,
      leaseEpoch,
      random: () => 0,
      ...terms,
    };
    const whole = { ...batch, duplicates: new Map(), ledgerEnds: new Map() };
    await applyLedger(deps, whole, times, io());
    cursors = batch.cursors;
  }
  const nextOffset = (stream: string) => (cursors.get(stream) ?? 0n) + 1n;
  return {
    clock,
    ledger,
    store,
    submitted,
    look: () => watch.look(io()),
    /** Replaces the process that follows the ledger's streams by a new one. */
    replace() {
      terms.clocks = new RecordClocks(BOUNDS);
      terms.ticks = new Ticks();
      watch = begin();
    },
    tellCompletions: (times: Record<string, number>) =>
      apply([
        {
          stream: 'completions',
          element: {
            kind: 'position',
            participant: P,
            offset: nextOffset(completionsStream(P)),
            times: new Map(Object.entries(times).map(([id, ms]) => [id, instantOf(ms)])),
          },
        },
      ]),
    tellUpdates: (times: Record<string, number>) =>
      apply([
        {
          stream: 'updates',
          element: {
            kind: 'position',
            offset: nextOffset(UPDATES_STREAM),
            recordTime: null,
            times: new Map(Object.entries(times).map(([id, ms]) => [id, instantOf(ms)])),
          },
        },
      ]),
    complete: (submissionId: SubmissionId, over: Partial<LedgerCompletion>) =>
      apply([
        {
          stream: 'completions',
          element: {
            kind: 'completion',
            participant: P,
            offset: nextOffset(completionsStream(P)),
            commandId: 'c',
            submissionId,
            ledgerUser: 'backend',
            actAs: [],
            updateId: trusted(`u-${submissionId}`),
            answer: null,
            times: new Map(),
            ...over,
          },
        },
      ]),
    /**
     * Records a change whose only attempt was lost and can take effect only until the given time; with `null`, this
     * time is known only after the participant's next answer.
     */
    async lost(of: Change, overMs: number | null): Promise<void> {
      await arrive(store, of);
      const taken = await dispatchAll(outbox);
      const { dispatchNo } = taken.find(({ id }) => id === effectId(of))!;
      const submissionId = trusted<SubmissionId>(randomUUID());
      await outbox.startAttempt(effectId(of), dispatchNo, submissionId, io());
      if (overMs === null) return;
      await save(store, { pins: [{ submissionId, overAt: instantOf(overMs) }] });
    },
    end: (of: Change) =>
      save(store, {
        changes: [rejected(of)],
        mailboxes: arrival(of).mailboxes!.map((box) => ({ ...box, head: null })),
        effectsDone: [of.id],
      }),
    provenTime: () => read(store, (tx) => tx.provenTime(P)),
    apart: () => read(store, (tx) => tx.clocksApart(P)),
    standstill: async () => {
      const causes = await store.reads.participantCauses(io());
      return causes.find(({ kind, participant }) => participant === P && isStandstill(kind));
    },
  };
}

const submittedBy = (party: string): Change => {
  const submitter = { ...change().submitter, actAs: trusted<Party>(party) };
  return change({ submitter, callerParty: submitter.actAs });
};

test('time is moved for what is undecided, whatever its operation waits for', async () => {
  const system = await watching();
  await system.tellCompletions({ [ONE]: START_MS });
  const waitingFor = { kind: 'traffic' as const, detail: 'no traffic', since: instantOf(START_MS) };
  const of = change({ state: 'retrying', waitingFor });
  await system.lost(of, START_MS + HOUR_MS);
  await system.look();
  expect(system.submitted).toEqual([]);
  system.clock.nowMs += HOUR_MS;
  await system.look();
  expect(system.submitted).toMatchObject([
    { submitter: of.submitter, workflowId: 'tenure:tick', synchronizerId: '' },
  ]);
  await system.look();
  expect(system.submitted, 'one is on its way').toHaveLength(1);
});

test('what has ended without a verdict takes turns with what is open', async () => {
  const system = await watching();
  await system.tellCompletions({ [ONE]: START_MS });
  const ended = submittedBy('a::1220');
  await system.lost(ended, START_MS + 1);
  await system.end(ended);
  await system.lost(submittedBy('b::1220'), START_MS + 2);
  for (let look = 0; look < 4; look += 1) {
    system.clock.nowMs += PROJECTOR_LIMITS.tickMs;
    await system.look();
  }
  expect(system.submitted.map(({ submitter }) => submitter.actAs)).toEqual([
    'a::1220',
    'b::1220',
    'a::1220',
    'b::1220',
  ]);
});

test('time is moved where the updates are behind, by the name of the synchronizer', async () => {
  const system = await watching();
  const lateMs = START_MS + 10_000;
  await system.lost(change(), START_MS + 5_000);
  system.clock.nowMs = lateMs;
  await system.tellCompletions({ [ONE]: lateMs, [OTHER]: lateMs });
  await system.tellUpdates({ [ONE]: lateMs, [OTHER]: START_MS });
  await system.look();
  expect(system.submitted.map(({ synchronizerId }) => synchronizerId)).toEqual([OTHER]);
});

test('those who wait take turns: one without a right to it holds up nobody else', async () => {
  const system = await watching();
  await system.tellCompletions({ [ONE]: START_MS });
  for (const party of ['a::1220', 'b::1220', 'c::1220']) {
    await system.lost(submittedBy(party), START_MS + 1);
  }
  system.ledger.answer = ({ submitter }) =>
    submitter.actAs === 'a::1220' ? answer({ code: 'PERMISSION_DENIED' }) : null;
  for (let look = 0; look < 4; look += 1) {
    system.clock.nowMs += PROJECTOR_LIMITS.tickMs;
    await system.look();
  }
  expect(system.submitted.map(({ submitter }) => submitter.actAs)).toEqual([
    'a::1220',
    'b::1220',
    'c::1220',
    'a::1220',
  ]);
});

test('clocks that are apart are compared by what moves the time, and believed again', async () => {
  const system = await watching();
  await system.lost(change(), START_MS + 1);
  await system.tellCompletions({ [ONE]: START_MS + HOUR_MS, [OTHER]: START_MS });
  await system.look();
  expect(await system.apart()).toEqual(new Map([[ONE, HOUR_MS]]));
  expect(await system.standstill()).toMatchObject({ kind: 'clock' });
  expect(await system.provenTime()).toBeNull();
  // The next process that follows the ledger must find out the difference itself, and a submission that is refused
  // proves nothing about it.
  system.replace();
  system.clock.nowMs += 5_000;
  await system.tellCompletions({ [OTHER]: system.clock.nowMs });
  await system.look();
  expect(await system.provenTime()).toBeNull();
  const [first] = system.submitted.slice(-1);
  expect(first).toMatchObject({ synchronizerId: ONE });
  const at = () => ({ times: new Map([[ONE, instantOf(system.clock.nowMs)]]) });
  await system.complete(first!.submissionId, { updateId: null, answer: answer(), ...at() });
  await system.look();
  expect(await system.provenTime()).toBeNull();
  system.clock.nowMs += PROJECTOR_LIMITS.tickMs;
  await system.look();
  await system.complete(system.submitted.at(-1)!.submissionId, at());
  await system.look();
  expect(await system.apart()).toEqual(new Map());
  expect((await system.standstill())?.kind).not.toBe('clock');
  expect(await system.provenTime()).toBe(instantOf(START_MS + 5_000));
});

test('what was moved and never sequenced is no news: it says why time cannot be moved', async () => {
  const system = await watching();
  await system.tellCompletions({ [ONE]: START_MS });
  await system.lost(change(), START_MS + 1);
  system.clock.nowMs += HOUR_MS;
  await system.look();
  const refusal = answer({ code: 'NO_TRAFFIC', explanation: 'there is no traffic' });
  await system.complete(system.submitted[0]!.submissionId, { updateId: null, answer: refusal });
  system.clock.nowMs += 15_000;
  await system.look();
  expect(await system.standstill()).toMatchObject({
    kind: 'quiet',
    detail: expect.stringContaining('it cannot be moved: there is no traffic'),
  });
  // The next time advance was submitted, but its outcome is unknown.
  system.clock.nowMs += PROJECTOR_LIMITS.tickMs;
  await system.look();
  await system.look();
  expect(await system.standstill()).toMatchObject({ kind: 'quiet' });
  await system.complete(system.submitted[1]!.submissionId, {});
  system.clock.nowMs += 15_000;
  await system.look();
  expect(await system.standstill()).toMatchObject({ kind: 'behind' });
});

test('a synchronizer that was given up counts again as soon as its participant names it', async () => {
  const system = await watching();
  await system.tellCompletions({ [ONE]: START_MS, [OTHER]: START_MS - HOUR_MS });
  await system.store.transact(io(), (tx) =>
    tx.giveUpSynchronizer(P, OTHER, instantOf(START_MS - HOUR_MS)),
  );
  await system.look();
  expect(await system.provenTime()).toBe(instantOf(START_MS));
  system.ledger.connected = [ONE, OTHER];
  await system.look();
  expect(await system.provenTime()).toBe(instantOf(START_MS - HOUR_MS));
});

test('one that its participant is connected to and has told nothing of holds up what it is heard about', async () => {
  const system = await watching();
  await system.tellCompletions({ [ONE]: START_MS });
  await system.lost(change(), null);
  system.ledger.connected = [ONE, OTHER];
  system.clock.nowMs += HOUR_MS;
  await system.look();
  await system.tellCompletions({ [ONE]: system.clock.nowMs });
  expect(await system.provenTime()).toBe(BEGIN_OF_TIME);
  system.clock.nowMs += HOUR_MS;
  await system.look();
  expect(system.submitted.map(({ synchronizerId }) => synchronizerId)).toContain(OTHER);
  // A checkpoint names only synchronizers with activity, so the time of the other synchronizer stays as it was.
  await system.tellCompletions({ [OTHER]: system.clock.nowMs });
  expect(await system.provenTime()).toBe(instantOf(START_MS + HOUR_MS));
});
