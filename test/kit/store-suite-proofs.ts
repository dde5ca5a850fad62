import { describe, expect, test } from 'vitest';
import type { Tx } from '../../src/app/ports/transaction.ts';
import { PROJECTOR_LEASE } from '../../src/app/ports/leases.ts';
import { UPDATES_STREAM, completionsStream } from '../../src/app/ports/streams.ts';
import type { Change } from '../../src/domain/change.ts';
import type { ParticipantName, Party, SubmissionId } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import { BEGIN_OF_TIME } from '../../src/domain/ledger.ts';
import { change, effectId, io, writes } from './store-rows.ts';
import type { MakeStore } from './store-under-test.ts';
import { arrive, dispatchAll, read, save } from './store-under-test.ts';

const P = trusted<ParticipantName>('app-provider');
const ONE = 'one::1220';
const OTHER = 'other::1220';
const EARLY = '2026-01-01T12:00:00Z';
const LATE = '2026-01-01T13:00:00Z';
const LATER = '2026-01-01T14:00:00Z';

/** How far the streams have been read, and which times attempts wait for: tests for every store. */
export function proofCases(makeStore: MakeStore): void {
  async function following() {
    const under = await makeStore();
    const epoch = (await under.leases.acquire(PROJECTOR_LEASE, 'one', 600_000, io())) ?? 0n;
    const streams = [UPDATES_STREAM, completionsStream(P)];
    const write = <T>(work: (tx: Tx) => Promise<T>) => under.store.transact(io(), work);
    let at = 5n;
    await write(async (tx) => {
      for (const stream of streams)
        await tx.startCursor({ stream, from: 0n, to: at, recordTime: null }, epoch);
    });
    return {
      ...under,
      write,
      /** Advances the streams, which then report these record times by synchronizer. */
      async tell(completions: Record<string, string>, updates: Record<string, string> = {}) {
        const told = [updates, completions];
        const moves = streams.map((stream, n) => ({
          stream,
          from: at,
          to: at + 1n,
          recordTime: null,
          times: new Map(Object.entries(told[n]!)),
        }));
        at += 1n;
        expect(await write((tx) => tx.moveCursors(moves, epoch))).toBe(true);
      },
      provenTime: () => read(under.store, (tx) => tx.provenTime(P)),
      toldTime: () => read(under.store, (tx) => tx.toldTime(P)),
      awaited: () => read(under.store, (tx) => tx.awaitedProofs(P)),
      known: () => read(under.store, (tx) => tx.synchronizersOf(P)),
      know: (...names: string[]) => write((tx) => tx.knowSynchronizers(P, names)),
      giveUp: (name: string, toldAt: string) =>
        write((tx) => tx.giveUpSynchronizer(P, name, toldAt)),
      /** Records the change at the head of its lane, with an attempt that can take effect only until the given time. */
      async attempted(of: Change, overAt: string | null = EARLY): Promise<SubmissionId> {
        await arrive(under.store, of);
        const taken = await dispatchAll(under.outbox);
        const { dispatchNo } = taken.find(({ id }) => id === effectId(of))!;
        const submissionId = trusted<SubmissionId>(`submission-${of.id}`);
        await under.outbox.startAttempt(effectId(of), dispatchNo, submissionId, io());
        const pins = overAt === null ? [] : [{ submissionId, overAt }];
        await save(under.store, { pins });
        return submissionId;
      },
      [Symbol.asyncDispose]: () => under[Symbol.asyncDispose](),
    };
  }

  describe('synchronizers', () => {
    test('all of them have to have told it, and one that a checkpoint does not name keeps its time', async () => {
      await using under = await following();
      expect(await under.provenTime()).toBeNull();
      await under.tell({ [ONE]: EARLY, [OTHER]: LATE });
      expect(await under.provenTime()).toBe(EARLY);
      await under.tell({ [ONE]: LATER });
      expect(await under.provenTime()).toBe(LATE);
      expect(await under.toldTime()).toBe(LATE);
    });

    test('the updates as well, of what they know', async () => {
      await using under = await following();
      await under.tell({ [ONE]: LATER, [OTHER]: LATE }, { [ONE]: EARLY });
      expect(await under.provenTime()).toBe(EARLY);
      expect(await under.toldTime()).toBe(LATE);
      expect(await under.known()).toEqual([
        { synchronizer: ONE, toldAt: LATER, passedAt: EARLY, isGivenUp: false },
        { synchronizer: OTHER, toldAt: LATE, passedAt: LATE, isGivenUp: false },
      ]);
    });

    test('one that is connected and was never told of stands before everything', async () => {
      await using under = await following();
      await under.tell({ [ONE]: LATE });
      await under.know(ONE, OTHER);
      expect(await under.provenTime()).toBe(BEGIN_OF_TIME);
      await under.tell({ [OTHER]: EARLY });
      expect(await under.provenTime()).toBe(EARLY);
    });

    test('one that was given up counts again as soon as it is connected, told of or not', async () => {
      await using under = await following();
      await under.tell({ [ONE]: EARLY, [OTHER]: LATE });
      await under.giveUp(ONE, EARLY);
      expect(await under.provenTime()).toBe(LATE);
      await under.know(OTHER);
      expect(await under.provenTime()).toBe(LATE);
      await under.know(ONE, OTHER);
      expect(await under.provenTime()).toBe(EARLY);
      await under.giveUp(ONE, EARLY);
      await under.tell({ [ONE]: LATER });
      expect(await under.provenTime()).toBe(LATE);
    });

    test('where all are given up our own time stands in for theirs', async () => {
      await using under = await following();
      await under.tell({ [ONE]: EARLY });
      await under.write((tx) => tx.setClocksApart(P, new Map([[ONE, 20_000]])));
      const beforeMs = Date.now() - 60_000;
      await under.giveUp(ONE, EARLY);
      expect(Date.parse((await under.provenTime()) ?? '')).toBeGreaterThan(beforeMs);
      expect(Date.parse((await under.toldTime()) ?? '')).toBeGreaterThan(beforeMs);
    });

    test('while clocks are apart on one, nothing is proved', async () => {
      await using under = await following();
      await under.tell({ [ONE]: EARLY, [OTHER]: LATE });
      const apart = new Map([[OTHER, 20_000]]);
      await under.write((tx) => tx.setClocksApart(P, apart));
      expect(await under.provenTime()).toBeNull();
      expect(await under.toldTime()).toBe(EARLY);
      expect(await read(under.store, (tx) => tx.clocksApart(P))).toEqual(apart);
      await under.write((tx) => tx.setClocksApart(P, new Map()));
      expect(await under.provenTime()).toBe(EARLY);
    });

    test('what has nothing left to prove is found all the same', async () => {
      await using under = await following();
      await under.tell({ [ONE]: EARLY });
      await under.write((tx) => tx.setClocksApart(P, new Map([[ONE, 20_000]])));
      const of = change({ verifyAt: 3n, proofAt: BEGIN_OF_TIME, state: 'retrying' });
      const open = change({ verifyAt: 3n, proofAt: EARLY, state: 'retrying' });
      await arrive(under.store, of);
      await arrive(under.store, open);
      const cursors = new Map([[completionsStream(P), 6n]]);
      expect(await read(under.store, (tx) => tx.lanesWaitingFor(cursors))).toEqual([of.lane]);
      await under.write((tx) => tx.setClocksApart(P, new Map()));
      expect(new Set(await read(under.store, (tx) => tx.lanesWaitingFor(cursors)))).toEqual(
        new Set([of.lane, open.lane]),
      );
    });
  });

  describe('what is waited for', () => {
    test('is what is undecided of what is open, whatever that waits for', async () => {
      await using under = await following();
      const waiting = change({
        state: 'retrying',
        waitingFor: { kind: 'traffic', detail: 'no traffic', since: EARLY },
      });
      await under.attempted(waiting, LATE);
      await under.attempted(change(), null);
      const { submitter, provider } = waiting;
      expect(await under.awaited()).toEqual([{ proofAt: LATE, submitter, provider }]);
      await under.tell({ [ONE]: LATE });
      expect(await under.awaited()).toEqual([]);
    });

    test('the earliest of each submitter, in their order', async () => {
      await using under = await following();
      const submitted = (actAs: string) => {
        const submitter = { ...change().submitter, actAs: trusted<Party>(actAs) };
        return change({ submitter, callerParty: submitter.actAs });
      };
      await under.attempted(submitted('b::1220'), EARLY);
      await under.attempted(submitted('b::1220'), LATE);
      await under.attempted(submitted('a::1220'), LATER);
      const awaited = await under.awaited();
      expect(awaited.map(({ proofAt, submitter }) => [submitter.actAs, proofAt])).toEqual([
        ['a::1220', LATER],
        ['b::1220', EARLY],
      ]);
    });

    test('not what the ledger has accepted', async () => {
      await using under = await following();
      const of = change();
      await under.attempted(of);
      const acceptance = { updateId: trusted<never>('u'), offset: 9n, readBack: false };
      await under.write((tx) => tx.save(writes({ changes: [{ ...of, acceptance }] })));
      expect(await under.awaited()).toEqual([]);
    });
  });
}
