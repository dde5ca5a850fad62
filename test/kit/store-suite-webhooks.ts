import { expect, test } from 'vitest';
import { EVENTS_LEASE } from '../../src/app/ports/leases.ts';
import type { NewEvent } from '../../src/domain/event.ts';
import { trusted } from '../../src/domain/ids.ts';
import type { AfterAttempt, ClaimedDelivery } from '../../src/domain/webhook.ts';
import { PROVIDER, USER, io } from './store-rows.ts';
import type { MakeStore, StoreUnderTest } from './store-under-test.ts';
import { save } from './store-under-test.ts';

const BY = { party: USER, subject: 'uwe' };
const NOBODY = new Map<string, never>();
const FINE = { ms: 3, status: 204, error: null };
const BROKEN = { ms: 3, status: 500, error: null };
const LATER: AfterAttempt = { kind: 'again', delayMs: 60_000, isGone: false };

const event = (subject: string, over: Partial<NewEvent> = {}): NewEvent => ({
  type: 'tenure.operation.succeeded',
  subject,
  lifecycleId: trusted(subject),
  parties: [PROVIDER, USER],
  data: {},
  ...over,
});

const webhook = ({ webhooks }: StoreUnderTest, id: string, types: readonly string[] = []) => {
  const { party, subject: createdBy } = BY;
  const url = `https://${id}.example.org/in`;
  return webhooks.add(
    { id, party, createdBy, url, types, secret: `whsec_${id}`, tenantId: null },
    io(),
  );
};

/** Numbers the events and creates their deliveries. */
async function tell(under: StoreUnderTest, ...events: readonly NewEvent[]): Promise<bigint> {
  await save(under.store, { events });
  const epoch = (await under.leases.acquire(EVENTS_LEASE, 'a sequencer', 60_000, io())) ?? 0n;
  await under.events.number(100, epoch, io());
  expect(await under.deliveries.fanOut('https://tenure', epoch, io())).toBe(false);
  return epoch;
}

const claim = ({ deliveries }: StoreUnderTest, limit = 10): Promise<readonly ClaimedDelivery[]> =>
  deliveries.claim(limit, NOBODY, io());

/** Which webhooks receive an event, and how often a delivery is tried: tests for every store. */
export function webhookCases(makeStore: MakeStore): void {
  test('a webhook is its party’s alone', async () => {
    await using under = await makeStore();
    const { webhooks } = under;
    expect(await webhook(under, 'a', ['tenure.operation.*'])).toMatchObject({
      id: 'a',
      party: USER,
    });
    expect((await webhooks.list(USER, io())).map(({ id }) => id)).toEqual(['a']);
    expect(await webhooks.list(PROVIDER, io())).toEqual([]);
    expect(await webhooks.byId('a', PROVIDER, io())).toBeNull();
    const other = { party: PROVIDER, subject: 'olga' };
    expect(await webhooks.patch('a', other, { isEnabled: false }, io())).toBeNull();
    expect(await webhooks.remove('a', other, io())).toBe(false);
    const off = await webhooks.patch('a', BY, { isEnabled: false }, io());
    expect(off).toMatchObject({ disabledReason: 'by its party', types: ['tenure.operation.*'] });
    expect(await webhooks.patch('a', BY, { isEnabled: true }, io())).toMatchObject({
      disabledReason: null,
    });
    expect(await webhooks.remove('a', BY, io())).toBe(true);
    expect(await webhooks.byId('a', USER, io())).toBeNull();
  });

  test('it is told of what it wants and its party may see, from its beginning on, once', async () => {
    await using under = await makeStore();
    await tell(under, event('before'));
    await webhook(under, 'a', ['tenure.operation.*']);
    const epoch = await tell(
      under,
      event('wanted'),
      event('unwanted', { type: 'tenure.lifecycle.changed' }),
      event('of another', { parties: [PROVIDER] }),
    );
    expect(await under.deliveries.fanOut('https://tenure', epoch, io())).toBe(false);
    const log = await under.webhooks.deliveries('a', { limit: 10 }, io());
    expect(log.map(({ messageId, state }) => `${messageId} ${state}`)).toEqual(['evt_3 pending']);
    expect(await under.deliveries.fanOut('https://tenure', epoch - 1n, io())).toBe(false);
    await save(under.store, { events: [event('more')] });
    const more = await under.events.number(100, epoch, io());
    expect(more).toEqual({ count: 1, isForWebhooks: true });
    expect(await under.deliveries.fanOut('https://tenure', epoch - 1n, io())).toBeNull();
  });

  test('while nobody wants to be told, what is numbered is passed, and what came before it is not', async () => {
    await using under = await makeStore();
    const number = async (epoch: bigint, subject: string) => {
      await save(under.store, { events: [event(subject)] });
      return (await under.events.number(100, epoch, io()))?.isForWebhooks;
    };
    await webhook(under, 'a');
    const epoch = await tell(under, event('told'));
    expect(await number(epoch, 'wanted')).toBe(true);
    await under.webhooks.patch('a', BY, { isEnabled: false }, io());
    // The previous event has not been passed to the webhooks yet.
    expect(await number(epoch, 'behind')).toBe(true);
    expect(await under.deliveries.fanOut('https://tenure', epoch, io())).toBe(false);
    expect(await number(epoch, 'passed')).toBe(false);
    await under.webhooks.patch('a', BY, { isEnabled: true }, io());
    expect(await under.deliveries.fanOut('https://tenure', epoch, io())).toBe(false);
    expect(await number(epoch, 'wanted again')).toBe(true);
    expect(await under.deliveries.fanOut('https://tenure', epoch, io())).toBe(false);
    const log = await under.webhooks.deliveries('a', { limit: 10 }, io());
    expect(log.map(({ messageId }) => messageId).toSorted()).toHaveLength(2);
    const oldestFirst = { limit: 1, order: 'ascending' } as const;
    const [oldest] = await under.webhooks.deliveries('a', oldestFirst, io());
    expect(oldest).toEqual(log[1]);
    const after = { createdAt: oldest!.createdAt, id: oldest!.id };
    const others = await under.webhooks.deliveries('a', { ...oldestFirst, after }, io());
    expect(others).toEqual([log[0]]);
  });

  test('what is claimed is another’s no more, and is reported by the try that has it', async () => {
    await using under = await makeStore();
    await webhook(under, 'a');
    await tell(under, event('x'));
    const [mine] = await claim(under);
    expect(mine).toMatchObject({ messageId: 'evt_2', attempt: 1, secrets: ['whsec_a'] });
    expect(await claim(under)).toEqual([]);
    await under.deliveries.report({ ...mine!, attempt: 2 }, FINE, { kind: 'delivered' }, io());
    const state = async () => (await under.webhooks.deliveries('a', { limit: 1 }, io()))[0]?.state;
    expect(await state()).toBe('pending');
    await under.deliveries.report(mine!, FINE, { kind: 'delivered' }, io());
    expect(await state()).toBe('delivered');
    const again = (await under.webhooks.deliveries('a', { limit: 1 }, io()))[0]!;
    await under.webhooks.redeliver('a', again.id, BY, io());
    expect((await claim(under)).map(({ attempt }) => attempt)).toEqual([1]);
  });

  test('one that fails is left alone for a while, and tried with one at a time', async () => {
    await using under = await makeStore();
    await webhook(under, 'a');
    await tell(under, event('x'), event('y'), event('z'));
    const [first, ...others] = await claim(under);
    expect(others).toHaveLength(2);
    expect(await under.deliveries.report(first!, BROKEN, LATER, io())).toBeNull();
    expect(await under.webhooks.byId('a', USER, io())).toMatchObject({ failures: 1 });
    // A delivery that began before the failure of the webhook counts as part of that failure.
    await under.deliveries.report(others[0]!, BROKEN, LATER, io());
    expect(await under.webhooks.byId('a', USER, io())).toMatchObject({ failures: 1 });
    await under.deliveries.report(others[1]!, FINE, { kind: 'delivered' }, io());
    expect(await under.webhooks.byId('a', USER, io())).toMatchObject({ failures: 0 });
  });

  test('one that wants nothing any more is disabled', async () => {
    await using under = await makeStore();
    await webhook(under, 'a');
    await tell(under, event('x'));
    const [mine] = await claim(under);
    const gone: AfterAttempt = { kind: 'given-up', delayMs: 0, isGone: true };
    const why = 'its target answered 410: it wants nothing any more';
    expect(await under.deliveries.report(mine!, { ...BROKEN, status: 410 }, gone, io())).toBe(why);
    expect(await under.webhooks.byId('a', USER, io())).toMatchObject({ disabledReason: why });
    await tell(under, event('y'));
    expect(await claim(under)).toEqual([]);
  });

  test('what could not be tried counts for nothing', async () => {
    await using under = await makeStore();
    await webhook(under, 'a');
    await tell(under, event('x'));
    const [mine] = await claim(under);
    await under.deliveries.putOff(mine!, io());
    const [row] = await under.webhooks.deliveries('a', { limit: 1 }, io());
    expect(row).toMatchObject({ state: 'pending', attempts: 0 });
    expect(await claim(under)).toEqual([]);
  });
}
