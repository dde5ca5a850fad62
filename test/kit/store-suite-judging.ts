import { expect, test } from 'vitest';
import type { BulkRequest } from '../../src/app/desk/bulk-acts.ts';
import type { DoubtDecision } from '../../src/app/desk/decide-doubt.ts';
import { UPDATES_STREAM } from '../../src/app/ports/streams.ts';
import type { Change } from '../../src/domain/change.ts';
import type { ParticipantName, SubmissionId, UpdateId } from '../../src/domain/ids.ts';
import { trusted, workflowIdOf } from '../../src/domain/ids.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { retryCommandId } from '../../src/domain/retries.ts';
import {
  PROVIDER,
  answer,
  arrival,
  birth,
  change,
  effectId,
  io,
  lifecycle,
  rejected,
  succeeded,
  transaction,
} from './store-rows.ts';
import type { MakeStore, StoreUnderTest } from './store-under-test.ts';
import { arrive, dispatchAll, read, save } from './store-under-test.ts';

/*
 * The data on which previews of bulk acts and the search for verdicts depend: attempts, and the positions of the
 * streams. Tests for every store.
 */

const PARTICIPANT = trusted<ParticipantName>('app-provider');
const STREAMS = [UPDATES_STREAM, 'completions:app-provider'];
/** The time up to which every stream has been read. */
const TOLD = '2026-01-01T01:00:00Z';
const BEFORE = '2026-01-01T00:30:00Z';
const AFTER = '2026-01-01T01:30:00Z';

/** Makes a store that has followed a ledger up to `TOLD`. */
async function following(makeStore: MakeStore): Promise<StoreUnderTest> {
  const under = await makeStore();
  const epoch = (await under.leases.acquire('projector', 'one', 60_000, io())) ?? 0n;
  await under.store.transact(io(), async (tx) => {
    const at = (from: bigint, to: bigint, stream: string) => ({
      stream,
      from,
      to,
      recordTime: TOLD,
      times: new Map([['global::1220', TOLD]]),
    });
    for (const stream of STREAMS) await tx.startCursor(at(0n, 10n, stream), epoch);
    await tx.moveCursors(
      STREAMS.map((stream) => at(10n, 11n, stream)),
      epoch,
    );
  });
  return under;
}

interface Tried {
  readonly verdict?: 'accepted' | 'refused';
  /** The record time after which an attempt without an answer can no longer take effect. */
  readonly overAt?: string;
}

/** Creates a change that was tried once, with the given outcome. */
async function tried(
  under: StoreUnderTest,
  before: Change,
  { verdict, overAt }: Tried,
  end: (before: Change) => Change = (same) => same,
): Promise<Change> {
  await arrive(under.store, before);
  await dispatchAll(under.outbox);
  const submissionId = trusted<SubmissionId>(`try-${before.id}`);
  await under.outbox.startAttempt(effectId(before), 1, submissionId, io());
  const after = end(before);
  await save(under.store, {
    changes: [after],
    effectsDone: [after.id],
    attempts: verdict === undefined ? [] : [{ submissionId, answer: answer(verdict) }],
    pins: overAt === undefined ? [] : [{ submissionId, overAt }],
  });
  return after;
}

const doubtful = (before: Change): Change => ({
  ...before,
  state: 'in-doubt',
  waitingFor: { kind: 'person', detail: 'nobody knows', since: '2026-01-01T00:00:00.001Z' },
});

const retryOf = (root: Change, n: number): Change =>
  change({ lane: root.lane, mailboxNo: n + 1, commandId: retryCommandId(root.id, n) });

async function judged(
  { bulkActs }: StoreUnderTest,
  action: BulkRequest['action'],
  decision: DoubtDecision | null = null,
) {
  const request = { action, decision, filter: {}, reason: 'because' };
  const scope = { of: 'provider', party: PROVIDER } as const;
  const { count, refused } = await bulkActs.judge({ ...request, scope }, io());
  return { count, refused: Object.fromEntries(refused.map((one) => [one.reason, one.count])) };
}

export function judgingCases(makeStore: MakeStore): void {
  test('a retry is for what nothing can come of any more, of itself or of what was made of it', async () => {
    await using under = await following(makeStore);
    const failed = (how: Tried) => tried(under, change(), how, rejected);
    await failed({ overAt: BEFORE });
    await failed({ overAt: AFTER });
    await failed({});
    await failed({ verdict: 'accepted' });
    expect(await judged(under, 'retry')).toEqual({
      count: 1,
      refused: {
        'an attempt of the operation may take effect': 2,
        'the ledger has accepted the operation': 1,
      },
    });
    for (const how of [
      { overAt: AFTER },
      { verdict: 'accepted' },
      { verdict: 'refused' },
    ] as const) {
      const root = await failed({ verdict: 'refused' });
      await tried(under, retryOf(root, 1), how, rejected);
      // The outcome of the later attempt does not change that of the earlier one.
      await tried(under, retryOf(root, 2), { verdict: 'refused' }, rejected);
    }
    expect(await judged(under, 'retry')).toEqual({
      count: 2,
      refused: {
        'an attempt of the operation may take effect': 2,
        'the ledger has accepted the operation': 1,
        'an attempt of a retry may take effect': 1,
        'the ledger has accepted a retry of the operation': 1,
      },
    });
  });

  test('what has been retried as often as it may be is not retried once more', async () => {
    await using under = await following(makeStore);
    const root = rejected(change());
    const retries = Array.from({ length: LIMITS.retriesMax }, (_, n) => retryOf(root, n + 1));
    for (const one of [root, ...retries.slice(1)]) {
      await save(under.store, { ...arrival(one), changes: [rejected(one)] });
    }
    const [first] = retries;
    await save(under.store, { ...arrival(first!), changes: [succeeded(first!)] });
    // The outcome of the retry with the highest number decides.
    expect(await judged(under, 'retry')).toEqual({
      count: 0,
      refused: { 'the operation has reached its limit of retries': 1 },
    });
  });

  test('a cancel is for what nothing can come of any more', async () => {
    await using under = await following(makeStore);
    await tried(under, change(), { overAt: BEFORE });
    await tried(under, change(), { overAt: AFTER });
    await tried(under, change(), {});
    expect(await judged(under, 'cancel')).toEqual({
      count: 1,
      refused: { 'an attempt of the operation may take effect': 2 },
    });
  });

  test.each(['no-effect', 'submit-again'] as const)(
    'decided as %s is what has no effect that is known, and can have none',
    async (decision) => {
      await using under = await following(makeStore);
      const inDoubt = (how: Tried, over: Partial<Change> = {}) =>
        tried(under, change(), how, (before) => ({ ...doubtful(before), ...over }));
      await inDoubt({ overAt: BEFORE });
      await inDoubt({ overAt: AFTER });
      await inDoubt({});
      const accepted = { updateId: trusted<UpdateId>('u-1'), offset: 9n };
      await inDoubt({ overAt: BEFORE }, { acceptance: { ...accepted, readBack: false } });
      // If the update of an acceptance was only found by a later read, it may belong to another submission.
      await inDoubt({ overAt: BEFORE }, { acceptance: { ...accepted, readBack: true } });
      const { id } = await inDoubt({ overAt: BEFORE });
      const carrying = transaction(9n, [], { workflowId: workflowIdOf(id) });
      await under.store.transact(io(), (tx) => tx.insertUpdates([carrying], [PROVIDER]));
      expect(await judged(under, 'decide', decision)).toEqual({
        count: 2,
        refused: {
          'an attempt of the operation may take effect': 2,
          'the ledger has accepted the operation': 1,
          'an update has the workflow ID of the operation': 1,
        },
      });
    },
  );

  test('that it took effect is not decided of what would have ended a contract that is there', async () => {
    await using under = await following(makeStore);
    const of = async (how: Tried, over: Partial<Change> = {}) => {
      const install = lifecycle({ state: 'creatingLicense' });
      await save(under.store, birth(install));
      const { id: lifecycleId, lane } = install;
      const before = change({ lifecycleId, lane, ...over });
      await tried(under, before, how, doubtful);
      return install;
    };
    await of({ overAt: BEFORE });
    await of({ verdict: 'refused' });
    await of({ overAt: AFTER });
    await of({});
    // A renewal ends no contract, and a change without a contract names nothing whose state could be checked.
    await of({ overAt: BEFORE }, { operation: 'comment-license' });
    await of({ overAt: BEFORE }, { lifecycleId: null });
    const gone = await of({ overAt: BEFORE });
    await save(under.store, {
      lifecycles: [{ ...gone, version: 2, endedAt: '2026-01-01T00:40:00Z' }],
    });
    expect(await judged(under, 'decide', 'took-effect')).toEqual({
      count: 5,
      refused: { 'the contract of the operation is still active': 2 },
    });
  });

  test('what has ended without an effect is gone through in parts, and with it who has no verdict', async () => {
    await using under = await following(makeStore);
    const ended = [
      await tried(under, change(), { overAt: AFTER }, rejected),
      await tried(under, change(), { verdict: 'refused' }, rejected),
      await tried(under, change(), {}, rejected),
    ].toSorted((a, b) => (a.id < b.id ? -1 : 1));
    await tried(under, change(), {}, succeeded);
    await tried(under, change(), {});
    const submitter = { ...change().submitter, participant: trusted<ParticipantName>('app-user') };
    await tried(under, change({ submitter }), {}, rejected);
    const walk = (after: Change | undefined, limit: number) =>
      read(under.store, (tx) => tx.endedWithoutEffect(PARTICIPANT, after?.id ?? null, limit));
    const all = await walk(undefined, 9);
    expect(all.map(({ id, lane }) => ({ id, lane }))).toEqual(
      ended.map(({ id, lane }) => ({ id, lane })),
    );
    expect(all.filter(({ isUndecided }) => isUndecided)).toHaveLength(2);
    expect(await walk(undefined, 2)).toEqual(all.slice(0, 2));
    expect(await walk(ended[1], 2)).toEqual(all.slice(2));
    expect(await walk(ended[2], 2)).toEqual([]);
  });

  test('a participant’s completions were read from where its stream began', async () => {
    await using under = await following(makeStore);
    const from = (name: ParticipantName) => read(under.store, (tx) => tx.followedFrom(name));
    expect(await from(PARTICIPANT)).toBe(10n);
    expect(await from(trusted<ParticipantName>('app-user'))).toBeNull();
  });
}
