import { describe, expect, test } from 'vitest';
import { encodeBlob } from '../../../localnet/ledger/created-event-blob.ts';
import { LedgerError } from '../../../localnet/ledger/ledger-error.ts';
import { PARTICIPANT_NAMES } from '../../../localnet/ports.ts';
import { create, exercise } from './interpreting.ts';
import { ShopNetwork } from './network.ts';

const codeOf = async (refused: Promise<unknown>): Promise<string> => {
  try {
    await refused;
  } catch (error) {
    if (error instanceof LedgerError) return error.code;
    throw error;
  }
  return 'accepted';
};

const count = (codes: readonly string[]) => {
  const counts: Record<string, number> = {};
  for (const code of codes) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
};

describe('contention', () => {
  test('of many archives of one contract: one wins, the others meet a locked contract', async () => {
    await using shop = await ShopNetwork.open();
    const offerId = await shop.offer();
    const archives = Array.from({ length: 10 }, () =>
      codeOf(shop.transact(shop.provider, shop.seller, exercise('Offer', offerId, 'Archive'))),
    );
    expect(count(await Promise.all(archives))).toEqual({
      accepted: 1,
      LOCAL_VERDICT_LOCKED_CONTRACTS: 9,
    });
    expect(
      await codeOf(
        shop.transact(shop.provider, shop.seller, exercise('Offer', offerId, 'Archive')),
      ),
    ).toBe('CONTRACT_NOT_FOUND');
  });

  test('across participants is settled in one order for both', async () => {
    await using shop = await ShopNetwork.open({ latencyMs: 20 });
    const offerId = await shop.offer();
    const buyNow = { buyer: shop.buyer, dueAt: '9999-01-01T00:00:00Z', note: '' };
    const outcomes = await Promise.all([
      codeOf(shop.transact(shop.user, shop.buyer, exercise('Offer', offerId, 'BuyNow', buyNow))),
      codeOf(shop.transact(shop.provider, shop.seller, exercise('Offer', offerId, 'Archive'))),
    ]);
    expect(outcomes.toSorted()).toEqual(['LOCAL_VERDICT_LOCKED_CONTRACTS', 'accepted']);
  });

  test('of readers with an archive: who reads is before it, or learns of it', async () => {
    await using shop = await ShopNetwork.open();
    const offerId = await shop.offer();
    const look = () =>
      shop.transact(
        shop.user,
        shop.buyer,
        exercise('Offer', offerId, 'Look', { actor: shop.buyer }),
      );
    const before = [look(), look()];
    const archive = shop.transact(
      shop.provider,
      shop.seller,
      exercise('Offer', offerId, 'Archive'),
    );
    const after = [codeOf(look()), codeOf(look())];
    const { updateId } = await archive;
    const archivedAt = shop.user.updateById(updateId)!.offset;
    for (const { offset } of await Promise.all(before)) expect(offset).toBeLessThan(archivedAt);
    expect(await Promise.all(after)).toEqual([
      'LOCAL_VERDICT_LOCKED_CONTRACTS',
      'LOCAL_VERDICT_LOCKED_CONTRACTS',
    ]);
  });

  test('over a disclosed contract that is archived ends as inactive, and altered terms do not get that far', async () => {
    await using shop = await ShopNetwork.open();
    const stranger = shop.network.participants.sv.parties.allocate('stranger').party;
    const offerId = await shop.offer();
    const { contract } = shop.provider.state.contracts.get(offerId)!;
    const lookAs = (blob: Uint8Array) =>
      codeOf(
        shop.transact(
          shop.network.participants.sv,
          stranger,
          exercise('Offer', offerId, 'Look', { actor: stranger }),
          {
            disclosedContracts: [
              { contractId: offerId, createdEventBlob: blob, synchronizerId: '' },
            ],
          },
        ),
      );
    const blob = encodeBlob(contract);
    expect(await lookAs(blob)).toBe('accepted');
    const altered = Buffer.from(Buffer.from(blob).toString().replace('"price":"7"', '"price":"1"'));
    expect(await lookAs(altered)).toBe('DISCLOSED_CONTRACT_AUTHENTICATION_FAILED');
    expect(await lookAs(blob.subarray(1))).toBe('INVALID_ARGUMENT');
    await shop.transact(shop.provider, shop.seller, exercise('Offer', offerId, 'Archive'));
    expect(await lookAs(blob)).toBe('LOCAL_VERDICT_INACTIVE_CONTRACTS');
  });
});

describe('one change at a time', () => {
  const offerOf = (shop: ShopNetwork) =>
    create('Offer', { seller: shop.seller, readers: [], price: '1' });

  test('a second submission of a change in flight is refused at once and leaves no completion', async () => {
    await using shop = await ShopNetwork.open({ latencyMs: 20 });
    const submit = (submissionId: string) =>
      shop.provider.submit(
        shop.submission(shop.provider, shop.seller, offerOf(shop), {
          commandId: 'same',
          submissionId,
        }),
      );
    await submit('first');
    const error = await submit('second').then(undefined, (reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'SUBMISSION_ALREADY_IN_FLIGHT',
      metadata: {
        existingSubmissionId: 'Some(first)',
        existingSubmissionSynchronizerId: shop.network.synchronizerId,
      },
    });
    await expect
      .poll(() =>
        [...shop.provider.state.completions].map(({ submitter }) => submitter.submissionId),
      )
      .toEqual(['first']);
  });

  test('an accepted change is refused by a completion of its own offset; a rejected one runs again', async () => {
    await using shop = await ShopNetwork.open();
    const same = { commandId: 'same' };
    const { offset } = await shop.transact(shop.provider, shop.seller, offerOf(shop), same);
    expect(await codeOf(shop.transact(shop.provider, shop.seller, offerOf(shop), same))).toBe(
      'DUPLICATE_COMMAND',
    );
    const [, duplicate] = shop.provider.state.completions;
    expect(duplicate).toMatchObject({
      updateId: '',
      deduplicationOffset: offset,
      rejection: { metadata: { completion_offset: offset.toString() } },
    });
    expect(duplicate!.offset).toBeGreaterThan(offset);
    expect(shop.provider.ledgerEnd()).toBe(duplicate!.offset);

    const offerId = await shop.offer();
    const archive = { commandId: 'archive' };
    const rivals = [
      codeOf(shop.transact(shop.provider, shop.seller, exercise('Offer', offerId, 'Archive'))),
      codeOf(
        shop.transact(shop.provider, shop.seller, exercise('Offer', offerId, 'Archive'), archive),
      ),
    ];
    expect(await Promise.all(rivals)).toEqual(['accepted', 'LOCAL_VERDICT_LOCKED_CONTRACTS']);
    const other = exercise('Offer', await shop.offer(), 'Archive');
    expect(await codeOf(shop.transact(shop.provider, shop.seller, other, archive))).toBe(
      'accepted',
    );
  });

  test('what fails before registration leaves nothing behind', async () => {
    await using shop = await ShopNetwork.open();
    const before = shop.provider.ledgerEnd();
    const bad = exercise('Offer', `00${'ab'.repeat(40)}`, 'Archive');
    const again = { commandId: 'again' };
    expect(await codeOf(shop.transact(shop.provider, shop.seller, bad, again))).toBe(
      'CONTRACT_NOT_FOUND',
    );
    expect(shop.provider.ledgerEnd()).toBe(before);
    expect(shop.provider.state.completions).toHaveLength(0);
    expect(await codeOf(shop.transact(shop.provider, shop.seller, offerOf(shop), again))).toBe(
      'accepted',
    );
  });
});

describe('offsets', () => {
  test('grow with holes, differently on each participant, and only where something was seen', async () => {
    await using shop = await ShopNetwork.open();
    const endOfSv = shop.network.participants.sv.ledgerEnd();
    for (let index = 0; index < 20; index += 1) await shop.offer();
    const [ofProvider, ofUser] = [shop.provider, shop.user].map(({ state }) =>
      [...state.updates].slice(-20).map(({ offset }) => offset),
    );
    const steps = (offsets: readonly bigint[]) =>
      offsets.slice(1).map((offset, index) => Number(offset - offsets[index]!));
    for (const offsets of [ofProvider!, ofUser!]) {
      expect(Math.min(...steps(offsets))).toBeGreaterThanOrEqual(1);
      expect(Math.max(...steps(offsets))).toBeGreaterThan(1);
    }
    expect(ofProvider).not.toEqual(ofUser);
    expect(shop.network.participants.sv.ledgerEnd()).toBe(endOfSv);
  });

  test('of an accepted command are those of its transaction', async () => {
    await using shop = await ShopNetwork.open();
    const payload = { seller: shop.seller, readers: [shop.buyer], price: '1' };
    const { updateId, offset } = await shop.transact(
      shop.provider,
      shop.seller,
      create('Offer', payload),
    );
    expect(shop.provider.updateById(updateId)!.offset).toBe(offset);
    expect(shop.provider.state.completions.at(-1)!.offset).toBe(offset);
    expect(shop.user.updateById(updateId)).toBeDefined();
    expect(shop.user.state.completions).toHaveLength(0);
    expect(shop.network.participants.sv.updateById(updateId)).toBeUndefined();
  });
});

describe('time', () => {
  test('of records rises strictly, also while the ledger’s time stands still', async () => {
    await using shop = await ShopNetwork.open({ staticTime: '2030-01-01T00:00:00Z' });
    await Promise.all([shop.offer(), shop.offer(), shop.offer()]);
    await shop.offer();
    const records = [...shop.provider.state.updates].map(({ update }) => update.recordTime);
    expect(records.every((time, index) => index === 0 || time > records[index - 1]!)).toBe(true);
    const ledgerTimes = [...shop.provider.state.updates].flatMap(({ update }) =>
      update.kind === 'transaction' ? [update.ledgerTime] : [],
    );
    expect(new Set(ledgerTimes)).toEqual(new Set([1_893_456_000_000_000n]));
  });

  test('of the ledger may be asked for: too far ahead of a standing clock it is out of bound', async () => {
    await using shop = await ShopNetwork.open({ staticTime: '2030-01-01T00:00:00Z' });
    const payload = { seller: shop.seller, readers: [], price: '1' };
    const inFuture = (minLedgerTimeRel: bigint) =>
      codeOf(
        shop.transact(shop.provider, shop.seller, create('Offer', payload), { minLedgerTimeRel }),
      );
    expect(await inFuture(59_000_000n)).toBe('accepted');
    expect(await inFuture(61_000_000n)).toBe('LOCAL_VERDICT_LEDGER_TIME_OUT_OF_BOUND');
  });

  test('on a running clock is waited for', async () => {
    await using shop = await ShopNetwork.open();
    const payload = { seller: shop.seller, readers: [], price: '1' };
    const { updateId } = await shop.transact(shop.provider, shop.seller, create('Offer', payload), {
      minLedgerTimeRel: 150_000n,
    });
    const placed = shop.provider.updateById(updateId)!;
    const { update } = placed;
    expect(update.kind === 'transaction' && update.recordTime >= update.ledgerTime).toBe(true);
  });
});

test('a caller that waits longer than its deadline is told that nobody knows, and the command goes on', async () => {
  await using shop = await ShopNetwork.open({ latencyMs: 100 });
  const payload = { seller: shop.seller, readers: [], price: '1' };
  const submission = shop.submission(shop.provider, shop.seller, create('Offer', payload));
  const { signal } = new AbortController();
  expect(await codeOf(shop.provider.submitAndWait(submission, { signal, deadlineMs: 5 }))).toBe(
    'REQUEST_TIME_OUT',
  );
  await expect.poll(() => shop.provider.state.completions.length).toBe(1);
  expect(shop.provider.state.completions.at(0)!.rejection).toBeUndefined();
});

test('a participant waits for no more commands than it was told to', async () => {
  await using shop = await ShopNetwork.open({ latencyMs: 50, maxCommandsInFlight: 2 });
  const outcomes = Array.from({ length: 3 }, () => codeOf(shop.offer()));
  expect(count(await Promise.all(outcomes))).toEqual({ accepted: 2, PARTICIPANT_BACKPRESSURE: 1 });
});

test('every participant starts with a ledger that is not empty, and with users of its own', async () => {
  await using shop = await ShopNetwork.open();
  for (const name of PARTICIPANT_NAMES) {
    expect(shop.network.participants[name].ledgerEnd()).toBeGreaterThan(0n);
  }
  expect(shop.user.users.has('97bb6cef-a7a9-410b-ba8c-ada08451a5c9')).toBe(true);
  expect(shop.provider.users.has('97bb6cef-a7a9-410b-ba8c-ada08451a5c9')).toBe(false);
});
