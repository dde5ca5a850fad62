import { NEWEST_MODEL } from '../../src/app/licensing/model.ts';
import { randomUUID } from 'node:crypto';
import { applyLedger } from '../../src/app/engine/follow/apply-ledger.ts';
import { PROJECTOR_LEASE } from '../../src/app/ports/leases.ts';
import { UPDATES_STREAM, completionsStream } from '../../src/app/ports/streams.ts';
import type { UpdateRef } from '../../src/app/ports/ledger.ts';
import { hearParticipant } from '../../src/app/engine/outcomes/hear-participant.ts';
import type { ProofBounds } from '../../src/app/engine/doubts/proof.ts';
import { SENT_WITHIN_MS, createHear } from '../../src/app/engine/doubts/proof.ts';
import { RecordClocks } from '../../src/app/engine/doubts/record-clocks.ts';
import { Ticks } from '../../src/app/engine/doubts/ticks.ts';
import { recordAnswer } from '../../src/app/engine/attempts/record-answer.ts';
import type { LedgerAnswer } from '../../src/domain/answer.ts';
import type { Change } from '../../src/domain/change.ts';
import type { SubmissionId } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import type { LedgerCompletion, LedgerTransaction } from '../../src/domain/ledger.ts';
import { batchOf } from '../../src/projector/batch.ts';
import type { StreamElement } from '../../src/projector/inbox.ts';
import { answer } from '../unit/app/made.ts';
import { queryOnce } from './postgres-query.ts';
import { postgresStore } from './postgres-store.ts';
import * as rows from './store-rows.ts';
import { arrive } from './store-under-test.ts';
import { dispatchAll } from './store-under-test.ts';

/*
 * The history of one change: attempts, answers and completions in any order, applied to a real database the way the
 * projector and the worker apply them.
 */

export const P = trusted<Change['submitter']['participant']>('app-provider');
export const U = trusted<Change['submitter']['participant']>('app-user');
const HOUR_MS = 3_600_000;
export const SYNCHRONIZER = 'global::1220';
export const BOUNDS: ProofBounds = { toleranceMs: 60_000, clockDifferenceMs: 1_000 };
const SYNCHRONIZERS = { synchronizersForParties: () => Promise.resolve([SYNCHRONIZER]) };

/** Returns the newest record time in the elements. */
const newestMs = (elements: readonly StreamElement[]): number =>
  Math.max(
    0,
    ...elements.flatMap(({ element }) =>
      'times' in element ? [...element.times.values()].map((at) => Date.parse(at)) : [],
    ),
  );

/** Opens the store of one change, with streams that deliver what the test decides. */
export async function openHistory() {
  const under = await postgresStore();
  const epoch = (await under.leases.acquire(PROJECTOR_LEASE, 'test', HOUR_MS, rows.io())) ?? 0n;
  const cursors = new Map<string, bigint>(
    [UPDATES_STREAM, completionsStream(P), completionsStream(U)].map((name) => [name, 10n]),
  );
  await under.store.transact(rows.io(), async (tx) => {
    for (const [stream, to] of cursors)
      await tx.startCursor({ stream, from: 0n, to, recordTime: null }, epoch);
  });
  const deps = {
    store: under.store,
    readAs: [rows.PROVIDER],
    projected: P,
    model: NEWEST_MODEL,
    leaseEpoch: epoch,
    clocks: new RecordClocks(BOUNDS),
    ticks: new Ticks(),
    random: () => 0,
  };
  return {
    ...under,
    /** Records the change as requested. */
    async arrived(change = request()): Promise<Change> {
      await arrive(under.store, change);
      return change;
    },
    /**
     * Projects the elements of the streams as one batch, as if the ledger had reported them; `end` is the participants'
     * ledger end.
     */
    async apply(
      elements: readonly StreamElement[],
      {
        at = Math.max(Date.now(), newestMs(elements)),
        end = 1_000n,
        replays = new Map<string, bigint>(),
      } = {},
    ) {
      const batch = batchOf(elements, cursors, replays);
      const times = { now: new Date(at).toISOString(), ledgerNowMs: at, ledgerCertainMs: at };
      const ledgerEnds = new Map([
        [P, end],
        [U, end],
      ]);
      await applyLedger(deps, { ...batch, duplicates: new Map(), ledgerEnds }, times, rows.io());
      for (const [stream, to] of batch.cursors) cursors.set(stream, to);
    },
    /**
     * Makes the change's effect due, dispatches it, and begins an attempt, even if the participant is unreachable.
     * Returns `null` if no attempt may begin now.
     */
    async attempt(change: Change): Promise<SubmissionId | null> {
      await queryOnce(
        under.url,
        `update circuit set until = now() - interval '1 s';
         update effect set due_at = now() - interval '1 s' where change_id = '${change.id}' and done_at is null`,
      );
      const dispatched = (await dispatchAll(under.outbox)).find(
        ({ id }) => id === rows.effectId(change),
      );
      if (dispatched === undefined) return null;
      const submissionId = trusted<SubmissionId>(randomUUID());
      const started = await under.outbox.startAttempt(
        trusted(dispatched.id),
        dispatched.dispatchNo,
        submissionId,
        rows.io(),
        true,
      );
      return started === null ? null : submissionId;
    },
    /**
     * Records that the worker got an answer at once; the participant's ledger end is `end`, or the participant is
     * unreachable.
     */
    async answered(
      change: Change,
      submissionId: SubmissionId | null,
      given: LedgerAnswer,
      end: bigint | null,
      at = Date.now(),
      /** The update that the participant reports at the offset that a duplicate names. */
      accepted: UpdateRef | null = null,
    ) {
      const gateway = {
        submit: () => Promise.reject(new Error('not asked')),
        reach: () => Promise.reject(new Error('not asked')),
        updateAt: () => Promise.resolve(accepted),
        prunedUpTo: () => Promise.resolve(0n),
        offsetOf: () => Promise.resolve(null),
        ledgerEnd: () => (end === null ? Promise.reject(new Error('away')) : Promise.resolve(end)),
        synchronizers: () => Promise.reject(new Error('not asked')),
        synchronizersForParties: () => Promise.reject(new Error('not asked')),
      };
      const clock = {
        nowMs: () => at,
        pastMs: () => at,
        provenMs: () => at,
        certainMs: () => at,
        ask: () => undefined,
        refresh: () => Promise.resolve(),
        observe: () => undefined,
      };
      const how = {
        model: NEWEST_MODEL,
        store: under.store,
        gateway,
        wallClock: clock,
        ledgerClock: clock,
        random: () => 0,
      };
      await recordAnswer(how, change, submissionId ?? trusted(''), given, rows.io());
    },
    async state(change: Change): Promise<Change | undefined> {
      return (await under.store.reads.changesById([change.id], rows.io()))[0];
    },
    attempts: (change: Change) => under.store.reads.attempts(change.id, rows.io()),
    /**
     * Records that the participants answered a call long after all attempts so far. So nothing of these attempts can be
     * sequenced after a time that lies one hour in the past.
     */
    hear: () =>
      queryOnce(
        under.url,
        `update attempt set over_at = now() - interval '1 hour' where over_at is null`,
      ),
    /** Records that the participant answered a call at this time. */
    heardAt: (participant: Change['submitter']['participant'], atMs: number) =>
      hearParticipant(
        {
          model: NEWEST_MODEL,
          store: under.store,
          hear: createHear(SYNCHRONIZERS, { nowMs: () => atMs }, BOUNDS),
        },
        participant,
        new Date(atMs - SENT_WITHIN_MS - BOUNDS.clockDifferenceMs).toISOString(),
        rows.io(),
      ),
    /** Makes the database server look restarted, as after a restore. */
    restarted: () =>
      queryOnce(under.url, `update query_store_offset set followed_on = 'another start'`),
    /** Records that a projector has compared a stream with its ledger, whose end is `to`. */
    replay: (stream: string, to: bigint) =>
      under.store.transact(rows.io(), (tx) =>
        tx.beginReplay(stream, { to, ledgerUser: null }, epoch),
      ),
    /** Returns the time that the streams must still reach to prove that a change had no effect, if any. */
    proofAt: async (change: Change) =>
      (await under.store.reads.changesById([change.id], rows.io()))[0]?.proofAt,
  };
}

export const completed = (
  participant: Change['submitter']['participant'],
  offset: bigint,
  submissionId: SubmissionId | null,
  over: Partial<LedgerCompletion>,
): StreamElement => ({
  stream: 'completions',
  element: {
    kind: 'completion',
    participant,
    offset,
    commandId: 'x',
    submissionId: submissionId ?? trusted(''),
    ledgerUser: 'backend',
    actAs: [],
    updateId: null,
    answer: null,
    times: new Map(),
    ...over,
  },
});
/**
 * Elements with which every stream reports that everything up to a time has been delivered, for the one synchronizer.
 */
export const told = (offset: bigint, at: string = new Date().toISOString()): StreamElement[] => {
  const times = new Map([[SYNCHRONIZER, at]]);
  return [
    ...[P, U].map((participant): StreamElement => ({
      stream: 'completions',
      element: { kind: 'position', participant, offset, times },
    })),
    { stream: 'updates', element: { kind: 'position', offset, recordTime: at, times } },
  ];
};
export const passed = (
  participant: Change['submitter']['participant'],
  offset: bigint,
): StreamElement => ({
  stream: 'completions',
  element: { kind: 'position', participant, offset, times: new Map() },
});
export const position = (offset: bigint): StreamElement => ({
  stream: 'updates',
  element: { kind: 'position', offset, recordTime: null, times: new Map() },
});
export const updated = (element: LedgerTransaction): StreamElement => ({
  stream: 'updates',
  element,
});

/** A user's request to create a contract, through the participant of the users. */
export const request = (): Change => {
  const id = trusted<Change['id']>(randomUUID());
  return rows.change({
    id,
    operation: 'request-install',
    lane: trusted(`change-${id}`),
    body: { provider: rows.PROVIDER, meta: { data: {} } },
    submitter: { participant: U, ledgerUser: 'backend', actAs: rows.USER },
    callerParty: rows.USER,
  });
};

export const stale = answer({ class: 'stale-contract', code: 'CONTRACT_NOT_FOUND' });
