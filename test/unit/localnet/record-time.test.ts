import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { tail } from '../../../localnet/grpc/tail.ts';
import { LedgerError } from '../../../localnet/ledger/ledger-error.ts';
import type { LedgerNetworkOptions } from '../../../localnet/ledger/ledger-network.ts';
import { memoryJournal } from '../../../localnet/ledger/journal.ts';
import type { Reached } from '../../../localnet/ledger/participant-state.ts';
import type { Misfortune } from '../../../localnet/ledger/participant-node.ts';
import { create, exercise } from './interpreting.ts';
import { ShopNetwork } from './network.ts';

/*
 * Events after which a participant sees a later time of its synchronizer, and events after which it does not. The test
 * controls the time.
 */

const START = Date.parse('2030-01-01T00:00:00Z');
const HOUR_MS = 3_600_000;

beforeEach(() => {
  vi.useFakeTimers({ now: START, toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
});
afterEach(() => vi.useRealTimers());

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const reachedOf = ({ network }: ShopNetwork) =>
  network.participantNames.map((name) => ({ ...network.participants[name].state.reached }));
const offerOf = (shop: ShopNetwork) =>
  create('Offer', { seller: shop.seller, readers: [], price: '1' });
const msOf = (micros: bigint) => Number(micros / 1000n) - START;
const codeOf = (outcome: Promise<unknown>) =>
  outcome.then(
    () => 'accepted',
    (error: unknown) => (error instanceof LedgerError ? error.code : error),
  );

const losing = (more: LedgerNetworkOptions = {}) => {
  const fate: { next: Misfortune | undefined } = { next: { kind: 'lost' } };
  return { fate, open: () => ShopNetwork.open({ ...more, refuse: () => fate.next }) };
};

describe('a quiet synchronizer', () => {
  test('moves nobody for hours', async () => {
    await using shop = await ShopNetwork.open();
    const before = reachedOf(shop);
    await pass(23 * HOUR_MS);
    expect(reachedOf(shop)).toEqual(before);
  });

  test('tells each participant its time once a day', async () => {
    await using shop = await ShopNetwork.open();
    const before = reachedOf(shop);
    await pass(24 * HOUR_MS + 1000);
    const after = reachedOf(shop);
    for (const [index, { offset, recordTime }] of after.entries()) {
      expect(offset).toBeGreaterThan(before[index]!.offset);
      expect(msOf(recordTime)).toBeGreaterThanOrEqual(24 * HOUR_MS);
    }
    await pass(22 * HOUR_MS);
    expect(reachedOf(shop)).toEqual(after);
  });

  test('is moved by who asks, and only where it is asked', async () => {
    await using shop = await ShopNetwork.open({ timeProofMs: 0 });
    await pass(30 * HOUR_MS);
    const [, , sv] = reachedOf(shop);
    shop.network.tick('app-provider');
    expect(msOf(shop.provider.state.recordTime)).toBe(30 * HOUR_MS);
    expect(reachedOf(shop)[2]).toEqual(sv);
    shop.network.tick();
    expect(reachedOf(shop).map(({ recordTime }) => msOf(recordTime))).toEqual(
      Array.from({ length: 3 }, () => 30 * HOUR_MS),
    );
  });

  test('moves those who take part in a transaction, and nobody else', async () => {
    await using shop = await ShopNetwork.open();
    await pass(HOUR_MS);
    const [user, , sv] = reachedOf(shop);
    await shop.transact(shop.provider, shop.seller, offerOf(shop));
    expect(msOf(shop.provider.state.recordTime)).toBe(HOUR_MS);
    expect(reachedOf(shop)[0]).toEqual(user);
    expect(reachedOf(shop)[2]).toEqual(sv);
  });
});

describe('a stream', () => {
  const follow = ({ provider: { state } }: ShopNetwork, beginExclusive: bigint) =>
    tail<{ readonly offset: bigint }, Reached>({
      state,
      range: { beginExclusive, endInclusive: undefined },
      items: state.updates,
      project: ({ offset }) => ({ offset, recordTime: 0n }),
      checkpoint: (reached) => reached,
      checkpointIntervalMs: 1000,
      stop: new AbortController().signal,
      endOfStream: () => new Error('over'),
    });

  test('says how far it is at once, and again when the participant has gone on, but not sooner than it may', async () => {
    await using shop = await ShopNetwork.open({ timeProofMs: 0 });
    const stream = follow(shop, shop.provider.ledgerEnd());
    expect((await stream.next()).value).toEqual(shop.provider.state.reached);
    const said: unknown[] = [];
    const next = stream.next().then(({ value }) => said.push(value));
    await pass(HOUR_MS);
    // The time of another participant advances, which wakes all streams.
    shop.network.tick('sv');
    await pass(1);
    expect(said).toEqual([]);
    shop.network.tick('app-provider');
    await next;
    expect(said).toEqual([shop.provider.state.reached]);

    const after = stream.next().then(({ value }) => said.push(value));
    shop.network.tick('app-provider');
    await pass(999);
    expect(said).toHaveLength(1);
    await pass(2);
    await after;
    expect(said.at(-1)).toEqual(shop.provider.state.reached);
  });

  test('tells no time that has come while it was being read', async () => {
    await using shop = await ShopNetwork.open({ timeProofMs: 0 });
    const begin = shop.provider.ledgerEnd();
    await shop.transact(shop.provider, shop.seller, offerOf(shop));
    const { reached } = shop.provider.state;
    const stream = follow(shop, begin);
    expect((await stream.next()).value).toEqual({ offset: reached.offset, recordTime: 0n });
    await pass(HOUR_MS);
    shop.network.tick('app-provider');
    expect((await stream.next()).value).toEqual(reached);
  });
});

describe('a rejection', () => {
  const rejected = (isSequenced: boolean): Misfortune => ({
    kind: 'rejected',
    isSequenced,
    rejection: {
      code: 'INCONSISTENT',
      text: 'as a test says',
      metadata: {},
      resources: [],
      definiteAnswer: false,
    },
  });

  test('of what was sequenced moves the time; of what was not, it does not', async () => {
    const { fate, open } = losing();
    fate.next = undefined;
    await using shop = await open();
    await shop.transact(shop.provider, shop.seller, offerOf(shop));
    await pass(HOUR_MS);
    const { recordTime, offset } = shop.provider.state.reached;

    fate.next = rejected(false);
    expect(await codeOf(shop.transact(shop.provider, shop.seller, offerOf(shop)))).toBe(
      'INCONSISTENT',
    );
    expect(shop.provider.state.recordTime).toBe(recordTime);
    expect(shop.provider.ledgerEnd()).toBeGreaterThan(offset);
    expect(shop.provider.state.completions.at(-1)!.recordTime).toBe(recordTime);

    fate.next = rejected(true);
    expect(await codeOf(shop.transact(shop.provider, shop.seller, offerOf(shop)))).toBe(
      'INCONSISTENT',
    );
    expect(msOf(shop.provider.state.recordTime)).toBe(HOUR_MS);
  });

  test('of a duplicate is as old as what was published last', async () => {
    await using shop = await ShopNetwork.open();
    const same = { commandId: 'same' };
    await shop.transact(shop.provider, shop.seller, offerOf(shop), same);
    const { recordTime } = shop.provider.state;
    await pass(HOUR_MS);
    expect(await codeOf(shop.transact(shop.provider, shop.seller, offerOf(shop), same))).toBe(
      'DUPLICATE_COMMAND',
    );
    expect(shop.provider.state.recordTime).toBe(recordTime);
  });
});

describe('a submission that is never sequenced', () => {
  test('is rejected at its max sequencing time, once the participant has asked for the time', async () => {
    const { open } = losing();
    await using shop = await open();
    const outcome = codeOf(shop.transact(shop.provider, shop.seller, offerOf(shop)));
    await pass(60_000);
    expect([...shop.provider.state.completions]).toEqual([]);
    await pass(300);
    expect(await outcome).toBe('NOT_SEQUENCED_TIMEOUT');
    const [completion] = shop.provider.state.completions;
    expect(msOf(completion!.recordTime)).toBe(60_000);
    expect(completion!.paidTrafficCost).toBe(0n);
    // The event that proves the time comes after the completion.
    expect(shop.provider.ledgerEnd()).toBeGreaterThan(completion!.offset);
    expect(shop.provider.state.recordTime).toBeGreaterThan(completion!.recordTime);
  });

  test('is in flight until then', async () => {
    const { fate, open } = losing();
    await using shop = await open();
    const same = { commandId: 'same' };
    void codeOf(shop.transact(shop.provider, shop.seller, offerOf(shop), same));
    await pass(1000);
    fate.next = undefined;
    const again = () =>
      codeOf(
        shop.transact(shop.provider, shop.seller, offerOf(shop), { ...same, submissionId: 'two' }),
      );
    expect(await again()).toBe('SUBMISSION_ALREADY_IN_FLIGHT');
    await pass(60_000);
    expect(await again()).toBe('accepted');
  });

  test('comes before everything later, and after everything earlier', async () => {
    const { fate, open } = losing();
    await using shop = await open();
    void codeOf(shop.transact(shop.provider, shop.seller, offerOf(shop), { commandId: 'lost' }));
    await pass(59_000);
    fate.next = undefined;
    await shop.transact(shop.provider, shop.seller, offerOf(shop), { commandId: 'before' });
    // The participant has not asked for a time proof yet, because the transaction itself proves the time.
    await pass(1_100);
    await shop.transact(shop.provider, shop.seller, offerOf(shop), { commandId: 'after' });
    const completions = [...shop.provider.state.completions];
    expect(completions.map(({ submitter }) => submitter.commandId)).toEqual([
      'before',
      'lost',
      'after',
    ]);
    const times = completions.map(({ recordTime }) => recordTime);
    expect(times).toEqual(times.toSorted((a, b) => Number(a - b)));
  });

  test('is rejected also by a network that was started again meanwhile', async () => {
    const journal = memoryJournal();
    const { open } = losing({ journal });
    const first = await open();
    const lost = { commandId: 'c' };
    await first.provider.submit(
      first.submission(first.provider, first.seller, offerOf(first), lost),
    );
    await first.network.close();
    await pass(HOUR_MS);
    await using second = await open();
    const again = () =>
      codeOf(second.transact(second.provider, second.seller, offerOf(second), { commandId: 'c' }));
    expect(await again()).toBe('SUBMISSION_ALREADY_IN_FLIGHT');
    await pass(1);
    expect([...second.provider.state.completions]).toMatchObject([
      { rejection: { code: 'NOT_SEQUENCED_TIMEOUT' }, submitter: { commandId: 'c' } },
    ]);
    expect(msOf(second.provider.state.completions.at(0)!.recordTime)).toBe(60_000);
  });

  test('is rejected where time is static once somebody has moved it so far', async () => {
    const { open } = losing({ staticTime: '2030-01-01T00:00:00Z' });
    await using shop = await open();
    void codeOf(shop.transact(shop.provider, shop.seller, offerOf(shop)));
    await pass(HOUR_MS);
    shop.network.setTime(shop.network.nowMicros() + 59_999_999n);
    expect([...shop.provider.state.completions]).toEqual([]);
    shop.network.setTime(shop.network.nowMicros() + 1n);
    expect([...shop.provider.state.completions]).toMatchObject([
      { rejection: { code: 'NOT_SEQUENCED_TIMEOUT' } },
    ]);
  });
});

test('nothing is sequenced later than its ledger time and the tolerance', async () => {
  await using shop = await ShopNetwork.open({
    ledgerTimeToleranceMs: 1000,
    conditions: {
      skewMicros: (name) => (name === 'app-provider' ? -2_000_000n : 0n),
      clockMicros: () => 0n,
      deduplicationMs: () => undefined,
      latencyMs: () => undefined,
    },
  });
  await pass(HOUR_MS);
  expect(await codeOf(shop.transact(shop.provider, shop.seller, offerOf(shop)))).toBe(
    'NOT_SEQUENCED_TIMEOUT',
  );
  expect(shop.provider.state.updates.at(-1)!.update.kind).toBe('partyAdded');
});

test('a contract of somebody whose clock is ahead is used at the time at which it came to be', async () => {
  await using shop = await ShopNetwork.open({
    conditions: {
      skewMicros: (name) => (name === 'app-provider' ? 20_000_000n : 0n),
      clockMicros: () => 0n,
      deduplicationMs: () => undefined,
      latencyMs: () => undefined,
    },
  });
  const offerId = await shop.offer();
  const command = { buyer: shop.buyer, dueAt: '9999-01-01T00:00:00Z', note: '' };
  const bought = shop.transact(
    shop.user,
    shop.buyer,
    exercise('Offer', offerId, 'BuyNow', command),
  );
  await pass(20_000);
  const { updateId } = await bought;
  const { update } = shop.user.updateById(updateId)!;
  expect(update.kind === 'transaction' && msOf(update.ledgerTime)).toBe(20_000);
});
