import { expect, test } from 'vitest';
import type { Change } from '../../src/domain/change.ts';
import { trusted } from '../../src/domain/ids.ts';
import * as rows from './store-rows.ts';
import { PROVIDER, change, io } from './store-rows.ts';
import type { MakeStore, StoreUnderTest } from './store-under-test.ts';
import { arrive, dispatchAll, held, isWaiting, read } from './store-under-test.ts';

const TTL_MS = 60_000;
const P = trusted<Change['submitter']['participant']>('app-provider');
const U = trusted<Change['submitter']['participant']>('app-user');
const via = (participant: Change['submitter']['participant']): Change =>
  change({ submitter: { participant, ledgerUser: 'backend', actAs: PROVIDER } });
const idsOf = (changes: readonly Change[]): string[] => changes.map(rows.effectId).sort();
const dispatched = async ({ outbox }: StoreUnderTest): Promise<string[]> =>
  (await dispatchAll(outbox)).map(({ id }) => id).sort();

const UPDATES = { stream: 'updates', participant: P, reason: 'it ends before the store' };
const COMPLETIONS = { ...UPDATES, stream: 'completions:app-provider', reason: 'it has another' };

/** Effects that are not submitted because the participant's ledger is not the store's ledger: tests for every store. */
export function foreignCases(makeStore: MakeStore): void {
  async function projecting() {
    const under = await makeStore();
    const epoch = (await under.leases.acquire('projector', 'one', TTL_MS, io())) ?? 0n;
    const mark = (ledger = UPDATES, as = epoch) =>
      under.store.transact(io(), (tx) => tx.markForeign(ledger, as));
    const clear = (streams: readonly string[], as = epoch) =>
      under.store.transact(io(), (tx) => tx.clearForeign(streams, as));
    const marks = () => under.store.reads.participantCauses(io());
    return {
      ...under,
      mark,
      clear,
      marks,
      [Symbol.asyncDispose]: () => under[Symbol.asyncDispose](),
    };
  }

  test('a mark is made and taken back by the holder of the lease, and keeps since when it is', async () => {
    await using under = await projecting();
    const { store } = under;
    expect(await under.mark(UPDATES, 9n)).toBe(false);
    expect(await under.marks()).toEqual([]);
    expect(await under.mark()).toBe(true);
    const [first] = await under.marks();
    const { reason: detail, ...marked } = UPDATES;
    expect(first).toEqual({ ...marked, kind: 'foreign', detail, since: expect.any(String) });
    expect(await under.mark({ ...UPDATES, reason: 'something else' })).toBe(true);
    expect(await under.mark(COMPLETIONS)).toBe(true);
    const both = await read(store, (tx) => tx.participantCauses());
    expect(both).toHaveLength(2);
    expect(both).toContainEqual({ ...first, detail: 'something else' });
    expect(await under.clear(['updates'], 9n)).toBe(false);
    expect(await under.clear(['updates'])).toBe(true);
    expect(await under.marks()).toMatchObject([{ stream: COMPLETIONS.stream }]);
  });

  test('nothing begins that would go there until both streams are the store’s again', async () => {
    await using under = await projecting();
    const { store, outbox } = under;
    const [early, mine, other] = [via(P), via(P), via(U)];
    await arrive(store, early);
    expect(await dispatched(under)).toEqual(idsOf([early]));
    await under.mark();
    await under.mark(COMPLETIONS);
    for (const one of [mine, other]) await arrive(store, one);
    expect(await dispatched(under)).toEqual(idsOf([other]));
    expect(await outbox.nextDueInMs(io())).toBeGreaterThan(0);
    // No job is executed for the effect: neither one that was already on the queue, nor one that was dispatched later.
    for (const dispatchNo of [1, 2]) {
      const late = outbox.startAttempt(rows.effectId(early), dispatchNo, trusted('late'), io());
      expect(await late).toBeNull();
    }
    expect(await store.reads.attempts(early.id, io())).toEqual([]);
    // In contrast to a paused effect, an effect that waits because its ledger is foreign raises an alarm for operators.
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    const query = { since: tomorrow, acceptedBefore: tomorrow, limit: 9 };
    expect(await store.reads.longestWaiting(query, io())).toHaveLength(3);
    await under.clear(['updates']);
    expect(await dispatched(under)).toEqual([]);
    await under.clear([COMPLETIONS.stream]);
    expect(await dispatched(under)).toEqual(idsOf([early, mine]));
  });

  test('the end of a pause lets nothing go there, and the end of a mark nothing that is paused', async () => {
    await using under = await projecting();
    const { store, pauses } = under;
    const one = via(P);
    const by = { byParty: PROVIDER, bySubject: 'olga' };
    const asked = { scope: 'participant', name: P, mode: 'pause', reason: 'x' } as const;
    await under.mark();
    const pause = await pauses.put(asked, by, io());
    await arrive(store, one);
    expect(await dispatched(under)).toEqual([]);
    await pauses.remove(pause.id, { ...by, reason: 'x' }, io());
    expect(await dispatched(under)).toEqual([]);
    await pauses.put(asked, by, io());
    await under.clear(['updates']);
    expect(await dispatched(under)).toEqual([]);
    expect(await store.reads.pauseOf(one.id, io())).not.toBeNull();
  });

  test('who takes a mark back waits for a relay that has read it', async () => {
    await using under = await projecting();
    const { store, outbox } = under;
    await under.mark();
    const [mine, other] = [via(P), via(U)];
    for (const one of [mine, other]) await arrive(store, one);
    const inHand = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const relaying = outbox.dispatchDue(
      9,
      () => {
        inHand.resolve();
        return go.promise;
      },
      io(),
    );
    await inHand.promise;
    const clearing = under.clear(['updates']);
    expect(await isWaiting(clearing, store)).toBe(true);
    go.resolve();
    await relaying;
    expect(await clearing).toBe(true);
    expect(await dispatched(under)).toEqual(idsOf([mine]));
  });

  test('a mark that is being made is none yet', async () => {
    await using under = await makeStore();
    const epoch = (await under.leases.acquire('projector', 'one', TTL_MS, io())) ?? 0n;
    const marking = held(under.store, async (tx) => tx.markForeign(UPDATES, epoch));
    await marking.worked;
    expect(await under.store.reads.participantCauses(io())).toEqual([]);
    await marking.fail();
    expect(await under.store.reads.participantCauses(io())).toEqual([]);
  });
}
