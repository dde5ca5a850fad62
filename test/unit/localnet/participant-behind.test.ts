import { describe, expect, test, vi } from 'vitest';
import { stakeholdersOf } from '../../../localnet/ledger/contract.ts';
import { LedgerError } from '../../../localnet/ledger/ledger-error.ts';
import { memoryJournal } from '../../../localnet/ledger/journal.ts';
import type { ParticipantNode } from '../../../localnet/ledger/participant-node.ts';
import { PATIENCE_MS } from '../../kit/patience.ts';
import { create, exercise } from './interpreting.ts';
import { ShopNetwork } from './network.ts';

/* Participants that do not see recent transactions, because they are behind their synchronizer or stopped. */

const codeOf = (outcome: Promise<unknown>) =>
  outcome.then(
    () => 'accepted',
    (error: unknown) => (error instanceof LedgerError ? error.code : error),
  );
const buyerOffer = (shop: ShopNetwork) =>
  create('Offer', { seller: shop.buyer, readers: [], price: '1' });
const commandsOf = (node: ParticipantNode) =>
  [...node.state.completions].map(({ submitter }) => submitter.commandId);
const everythingOf = ({ state }: ParticipantNode) => ({
  reached: { ...state.reached },
  active: [...state.active.keys()],
  updates: state.updates.length,
  completions: state.completions.length,
  parties: [...state.hosts.keys()],
});

describe('a participant that is held', () => {
  test('stays as it is while the others go on, and catches up in order', async () => {
    await using shop = await ShopNetwork.open();
    const first = await shop.offer();
    const before = everythingOf(shop.user);
    shop.network.hold('app-user');
    const later = [await shop.offer(), await shop.offer()];
    await shop.transact(shop.provider, shop.seller, exercise('Offer', first, 'Archive'));
    shop.provider.parties.allocate('late');
    expect(everythingOf(shop.user)).toEqual(before);
    expect(shop.user.activeContract(shop.buyer, first)).toBeDefined();
    expect(shop.provider.activeContract(shop.seller, first)).toBeUndefined();
    const newest = [...shop.provider.state.updates].findLast(
      ({ update }) => update.kind === 'transaction',
    );
    expect(shop.user.updateById(newest!.update.updateId)).toBeUndefined();

    shop.network.release('app-user');
    expect([...shop.user.state.active.keys()]).toEqual(expect.arrayContaining(later));
    expect(shop.user.activeContract(shop.buyer, first)).toBeUndefined();
    expect(shop.user.updateById(newest!.update.updateId)).toBeDefined();
    const offsets = [...shop.user.state.updates].map(({ offset }) => offset);
    expect(offsets).toEqual(offsets.toSorted((a, b) => Number(a - b)));
    expect(shop.user.ledgerEnd()).toBe(offsets.at(-1));
  });

  test('misses nothing that another forgets meanwhile', async () => {
    await using shop = await ShopNetwork.open({ maxDeduplicationDurationMs: 1 });
    shop.network.hold('app-user');
    await shop.offer();
    const { update, offset } = shop.provider.state.updates.at(-1)!;
    await shop.offer();
    await vi.waitFor(() => shop.provider.prune(offset), PATIENCE_MS);
    expect(shop.provider.updateById(update.updateId)).toBeUndefined();

    shop.network.release('app-user');
    expect(shop.user.updateById(update.updateId)?.update).toBe(update);
  });

  test('wakes its streams when it is let go, and not before', async () => {
    await using shop = await ShopNetwork.open();
    shop.network.hold('app-user');
    const woken: string[] = [];
    const waiting = shop.user.state.published
      .wait(AbortSignal.timeout(60_000), 60_000)
      .then(() => woken.push('yes'));
    const { ledgerEnd } = shop.user.state;
    await shop.offer();
    expect(shop.user.state.ledgerEnd).toBe(ledgerEnd);
    shop.network.release('app-user');
    await waiting;
    expect(shop.user.state.ledgerEnd).toBeGreaterThan(ledgerEnd);
  });

  test('sends what it is given, and hears of it later', async () => {
    await using shop = await ShopNetwork.open();
    shop.network.hold('app-user');
    const same = { commandId: 'held' };
    const outcome = codeOf(shop.transact(shop.user, shop.buyer, buyerOffer(shop), same));
    // The submission has taken effect, because the synchronizer has sequenced it. But the submitting participant does
    // not see this.
    await expect
      .poll(() =>
        [...shop.network.store.state.active.values()].some(({ signatories }) =>
          signatories.includes(shop.buyer),
        ),
      )
      .toBe(true);
    expect(commandsOf(shop.user)).toEqual([]);
    const again = { ...same, submissionId: 'again' };
    expect(await codeOf(shop.transact(shop.user, shop.buyer, buyerOffer(shop), again))).toBe(
      'SUBMISSION_ALREADY_IN_FLIGHT',
    );
    shop.network.release('app-user');
    expect(await outcome).toBe('accepted');
    expect(commandsOf(shop.user)).toEqual(['held']);
    expect(await codeOf(shop.transact(shop.user, shop.buyer, buyerOffer(shop), again))).toBe(
      'DUPLICATE_COMMAND',
    );
  });

  test('interprets what it is given by what it knows', async () => {
    await using shop = await ShopNetwork.open();
    const stale = await shop.offer();
    shop.network.hold('app-user');
    await shop.transact(shop.provider, shop.seller, exercise('Offer', stale, 'Archive'));
    const unknown = await shop.offer();
    const buy = (contractId: string) =>
      shop.transact(
        shop.user,
        shop.buyer,
        exercise('Offer', contractId, 'BuyNow', {
          buyer: shop.buyer,
          dueAt: '9999-01-01T00:00:00Z',
          note: '',
        }),
      );
    expect(await codeOf(buy(unknown))).toBe('CONTRACT_NOT_FOUND');
    const refused = codeOf(buy(stale));
    await expect.poll(() => shop.user.state.received.offset > shop.user.ledgerEnd()).toBe(true);
    shop.network.release('app-user');
    expect(await refused).toBe('LOCAL_VERDICT_INACTIVE_CONTRACTS');
    expect(await codeOf(buy(unknown))).toBe('accepted');
  });

  test('and cut off, sends nothing: what it was given ends when it can no longer be sequenced', async () => {
    const tolerance = { ledgerTimeToleranceMs: 200 };
    await using shop = await ShopNetwork.open(tolerance);
    shop.network.hold('app-user', { sends: false });
    const outcome = codeOf(shop.transact(shop.user, shop.buyer, buyerOffer(shop)));
    await shop.offer();
    expect(shop.network.store.state.unsequenced.size).toBe(1);
    shop.network.release('app-user');
    expect(await outcome).toBe('NOT_SEQUENCED_TIMEOUT');
    expect(shop.user.state.completions.at(-1)!.rejection!.code).toBe('NOT_SEQUENCED_TIMEOUT');
  });

  test('goes on with all that was sequenced after a restart', async () => {
    const journal = { journal: memoryJournal() };
    const first = await ShopNetwork.open(journal);
    first.network.hold('app-user');
    const offers = [await first.offer(), await first.offer()];
    await first.network.close();
    await using second = await ShopNetwork.open(journal);
    expect([...second.user.state.active.keys()]).toEqual(offers);
    expect(second.user.ledgerEnd()).toBe(first.user.state.received.offset);
  });
});

describe('a participant that is stopped', () => {
  test('is behind as well, also when it is told twice', async () => {
    await using shop = await ShopNetwork.open();
    shop.network.stopReading('app-user');
    shop.network.hold('app-user');
    const { ledgerEnd } = shop.user.state;
    await shop.offer();
    shop.network.resumeReading('app-user');
    await new Promise(setImmediate);
    expect(shop.user.ledgerEnd()).toBe(ledgerEnd);
    shop.network.release('app-user');
    expect(shop.user.ledgerEnd()).toBeGreaterThan(ledgerEnd);
  });

  test('reads when it goes on, and only then sees what has happened', async () => {
    await using shop = await ShopNetwork.open();
    const { ledgerEnd } = shop.user.state;
    shop.network.stopReading('app-user');
    const seen = shop.user.untilReading().then(() => shop.user.ledgerEnd());
    await shop.offer();
    shop.network.resumeReading('app-user');
    expect(await seen).toBe(ledgerEnd);
    await expect.poll(() => shop.user.ledgerEnd()).toBeGreaterThan(ledgerEnd);
  });
});

describe('a party on two participants', () => {
  const hosted = async () => {
    const shop = await ShopNetwork.open();
    const offerId = await shop.offer();
    shop.network.hostParty(shop.seller, 'app-user');
    return { shop, offerId };
  };

  test('brings its contracts with it, and is seen from both from then on', async () => {
    await using shop = await ShopNetwork.open();
    const own = create('Offer', { seller: shop.seller, readers: [], price: '3' });
    const { updateId } = await shop.transact(shop.provider, shop.seller, own);
    expect(shop.user.updateById(updateId)).toBeUndefined();
    shop.network.hostParty(shop.seller, 'app-user');
    expect(shop.network.hostsOf(shop.seller)).toEqual(['app-user', 'app-provider']);
    const ofSeller = (node: ParticipantNode) =>
      [...node.state.active.values()]
        .filter(({ contract }) => stakeholdersOf(contract).includes(shop.seller))
        .map(({ contract }) => contract.contractId);
    expect(ofSeller(shop.user)).toEqual(ofSeller(shop.provider));
    const imported = shop.user.state.updates.at(-1)!;
    expect(imported).toMatchObject({
      offset: shop.user.ledgerEnd(),
      update: { kind: 'transaction', submitter: { commandId: '' } },
    });
    await shop.transact(shop.provider, shop.seller, own);
    expect(ofSeller(shop.user)).toEqual(ofSeller(shop.provider));
    expect(ofSeller(shop.user)).toHaveLength(2);
  });

  test('submits through both, and each knows only what it was given itself', async () => {
    const { shop, offerId } = await hosted();
    await using _ = shop;
    const same = { commandId: 'same' };
    const own = create('Offer', { seller: shop.seller, readers: [], price: '3' });
    expect(await codeOf(shop.transact(shop.provider, shop.seller, own, same))).toBe('accepted');
    expect(await codeOf(shop.transact(shop.user, shop.seller, own, same))).toBe('accepted');
    expect(await codeOf(shop.transact(shop.user, shop.seller, own, same))).toBe(
      'DUPLICATE_COMMAND',
    );
    const archive = exercise('Offer', offerId, 'Archive');
    expect(await codeOf(shop.transact(shop.user, shop.seller, archive))).toBe('accepted');
    expect(shop.provider.activeContract(shop.seller, offerId)).toBeUndefined();
    expect(commandsOf(shop.provider)).not.toContain(commandsOf(shop.user).at(-1));
  });

  test('cannot be hosted where it is, nor can one that nobody knows', async () => {
    await using shop = await ShopNetwork.open();
    const refusal = { code: 'INVALID_ARGUMENT' };
    expect(() => shop.network.hostParty(shop.seller, 'app-provider')).toThrow(
      expect.objectContaining(refusal),
    );
    expect(() => shop.network.hostParty('nobody::1220', 'app-user')).toThrow(
      expect.objectContaining(refusal),
    );
    shop.network.hold('app-user');
    expect(() => shop.network.hostParty(shop.seller, 'app-user')).toThrow(
      expect.objectContaining(refusal),
    );
  });
});
