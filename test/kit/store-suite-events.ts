import { expect, test } from 'vitest';
import { EVENTS_LEASE } from '../../src/app/ports/leases.ts';
import type { NewEvent } from '../../src/domain/event.ts';
import { trusted } from '../../src/domain/ids.ts';
import { OTHER_USER, PROVIDER, USER, change, io, writes } from './store-rows.ts';
import type { MakeStore, StoreUnderTest } from './store-under-test.ts';
import { arrive, dispatchAll, held, save } from './store-under-test.ts';

const event = (subject: string, over: Partial<NewEvent> = {}): NewEvent => ({
  type: 'tenure.lifecycle.changed',
  subject,
  lifecycleId: trusted(subject),
  parties: [PROVIDER, USER],
  data: { lifecycleId: subject, state: 'active' },
  ...over,
});

const sequencer = async ({ leases }: StoreUnderTest, holder: string): Promise<bigint> =>
  (await leases.acquire(EVENTS_LEASE, holder, 60_000, io())) ?? 0n;

const told = async ({ events }: StoreUnderTest, after = 0n) => {
  const found = await events.read({ after, upTo: 1_000n, party: null }, io());
  return found.map(({ seq, subject }) => `${seq} ${subject}`);
};

export function eventCases(makeStore: MakeStore): void {
  test('events are numbered once they are committed: who commits late is numbered late, and nothing twice', async () => {
    await using under = await makeStore();
    const { store, events } = under;
    expect(await events.span(io())).toEqual({ oldest: 1n, last: 0n });
    const late = held(store, async (tx) => {
      await tx.save(writes({ events: [event('late')] }));
      // Saves are sent without waiting for their results. When this read is answered, they have been executed.
      await tx.change(change().id);
    });
    await late.worked;
    await save(store, { events: [event('a'), event('b')] });
    await save(store, { events: [event('c')] });
    const undone = held(store, (tx) => tx.save(writes({ events: [event('undone')] })));
    await undone.worked;
    await undone.fail();
    expect(await events.number(10, 1n, io())).toBeNull();
    const first = await sequencer(under, 'first');
    const noneOf = (count: number) => ({ count, isForWebhooks: false });
    expect(await events.number(2, first, io())).toEqual(noneOf(2));
    expect(await told(under)).toEqual(['1 a', '2 b']);
    await late.commit();
    await under.leases.release(EVENTS_LEASE, 'first', first, io());
    const second = await sequencer(under, 'second');
    expect(await events.number(10, first, io())).toBeNull();
    expect(await events.number(10, second, io())).toEqual(noneOf(2));
    expect(await events.number(10, second, io())).toEqual(noneOf(0));
    // The event `late` was written first but committed last. It is numbered after the events that were visible before
    // it.
    expect(await told(under)).toEqual(['1 a', '2 b', '3 late', '4 c']);
    expect(await told(under, 3n)).toEqual(['4 c']);
    expect(await events.span(io())).toEqual({ oldest: 1n, last: 4n });
  });

  test('events come back as they were written, to those who may see them', async () => {
    await using under = await makeStore();
    const asked = event('x', {
      type: 'tenure.operation.accepted',
      lifecycleId: null,
      parties: [USER],
    });
    await save(under.store, { events: [asked, event('y')] });
    await under.events.number(10, await sequencer(under, 'one'), io());
    const seen = (party: typeof USER) => under.events.read({ after: 0n, upTo: 9n, party }, io());
    expect(await seen(USER)).toEqual([
      { ...asked, seq: 1n, at: expect.stringMatching(/^20.*Z$/u) },
      { ...event('y'), seq: 2n, at: expect.any(String) },
    ]);
    expect((await seen(PROVIDER)).map(({ subject }) => subject)).toEqual(['y']);
    expect(await seen(OTHER_USER)).toEqual([]);
  });

  test('to be tried, for the first time or again, is no event', async () => {
    await using under = await makeStore();
    const { store, outbox, events } = under;
    const one = change({ lifecycleId: null });
    await arrive(store, one);
    const attempt = async () => {
      const [effect] = await dispatchAll(outbox);
      return outbox.startAttempt(
        trusted(effect?.id ?? ''),
        effect?.dispatchNo ?? 0,
        trusted(`s-${effect?.dispatchNo}`),
        io(),
      );
    };
    expect(await attempt()).not.toBeNull();
    await save(store, {
      changes: [{ ...one, state: 'retrying', retryingFor: 'backoff' }],
      effectsDue: [{ changeId: one.id, inMs: -60_000 }],
    });
    expect((await attempt())?.change).toMatchObject({
      state: 'submitting',
      retryingFor: 'backoff',
    });
    const numbered = await events.number(10, await sequencer(under, 'one'), io());
    expect(numbered?.count).toBe(0);
  });
}
