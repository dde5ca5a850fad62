import { expect, test, vi } from 'vitest';
import { PATIENCE_MS } from '../../kit/patience.ts';
import { ledgerEnd } from '../kit/commands.ts';
import { expectRefused, openSuite } from '../kit/conformance.ts';
import { ACS_DELTA, LEDGER_EFFECTS, eventsOf, updatesOf } from '../kit/formats.ts';
import { PROVIDER_ADMIN, USER_READER } from '../kit/identities.ts';
import { refusalOf } from '../kit/refusal.ts';
import { activeIds, newRequest } from '../kit/steps.ts';
import { readAll, transactionsIn } from '../kit/streams.ts';

/* Modelled on the public conformance suite ParticipantPruningIT, with a short deduplication window. */

const { network, ledger, party } = await openSuite({ maxDeduplicationDurationMs: 20 });
const user = await party();
const { pruning, state, updates } = ledger;

/**
 * Prunes a participant. The participant refuses to prune data that deduplication may still need, so this waits until
 * the deduplication window has passed.
 */
const prune = (pruneUpTo: bigint) =>
  vi.waitFor(() => pruning.prune({ pruneUpTo }), { timeout: PATIENCE_MS, interval: 20 });

/** Makes four transactions, and returns their offsets. The last offset cannot be pruned. */
async function populated(): Promise<readonly bigint[]> {
  const offsets: bigint[] = [];
  for (let count = 0; count < 4; count += 1) {
    await newRequest(ledger, { user, provider: user });
    offsets.push(await ledgerEnd(ledger));
  }
  return offsets;
}

test('ParticipantPruningIT PRFailPruneByNoOffset: no offset', async () => {
  await expectRefused(pruning.prune({}), 'INVALID_ARGUMENT', 'prune_up_to not specified or zero');
});

test('ParticipantPruningIT PRFailPruneByNegativeOffset: a negative offset', async () => {
  await expectRefused(
    pruning.prune({ pruneUpTo: -134_134_134n }),
    'NON_POSITIVE_OFFSET',
    'Offset -134134134 in prune_up_to is not a positive integer',
  );
});

test('ParticipantPruningIT PRFailPruneByOutOfBoundsOffset: the ledger end', async () => {
  await expectRefused(
    pruning.prune({ pruneUpTo: await ledgerEnd(ledger) }),
    'OFFSET_OUT_OF_RANGE',
    'prune_up_to needs to be before ledger end',
  );
});

test('ParticipantPruningIT PRQueryLatestPrunedOffsets: how far it has been pruned', async () => {
  const [first, second] = await populated();
  for (const offset of [first!, second!]) {
    await prune(offset);
    expect(await state.getLatestPrunedOffsets({})).toMatchObject({
      participantPrunedUpToInclusive: offset,
      allDivulgedContractsPrunedUpToInclusive: offset,
    });
  }
});

test.each([
  ['PRPruneTxLedgerEffects', LEDGER_EFFECTS],
  ['PRPruneTxAcsDelta', ACS_DELTA],
])('ParticipantPruningIT %s: what is pruned is not read', async (_case, shape) => {
  const [before, at, after] = await populated();
  await prune(at!);
  const read = (beginExclusive: bigint) =>
    readAll(
      updates.getUpdates({
        beginExclusive,
        endInclusive: after!,
        updateFormat: updatesOf(shape, [user]),
      }),
    );
  expect(transactionsIn(await read(at!)).map(({ offset }) => offset)).toEqual([after]);
  for (const begin of [before! - 1n, 0n]) {
    await expectRefused(read(begin), 'PARTICIPANT_PRUNED_DATA_ACCESSED', `pruned offset ${at}`);
  }
});

test('ParticipantPruningIT PRPruneQueryEmptyRangeOk: an empty range has nothing that was pruned', async () => {
  const [before, at] = await populated();
  await prune(at!);
  const end = await ledgerEnd(ledger);
  for (const offset of [before!, at!, end]) {
    for (const shape of [LEDGER_EFFECTS, ACS_DELTA]) {
      const request = { beginExclusive: offset, endInclusive: offset };
      const updateFormat = updatesOf(shape, [user]);
      expect(await readAll(updates.getUpdates({ ...request, updateFormat }))).toEqual([]);
    }
  }
});

test('ParticipantPruningIT PRPruneCompletions: nor are completions', async () => {
  const [before, at] = await populated();
  await prune(at!);
  await expectRefused(
    readAll(ledger.completions.getCompletions({ parties: [user], beginExclusive: before! - 1n })),
    'PARTICIPANT_PRUNED_DATA_ACCESSED',
  );
});

test('ParticipantPruningIT PRPruneACS: active contracts stay', async () => {
  const [, at] = await populated();
  const before = await activeIds(ledger, user);
  await prune(at!);
  expect(await activeIds(ledger, user)).toEqual(before);
});

test('ParticipantPruningIT PRPruneByOffset: nor single updates', async () => {
  const [, at, after] = await populated();
  const updateFormat = updatesOf(ACS_DELTA, [user]);
  await prune(at!);
  const { update } = await updates.getUpdateByOffset({ offset: after!, updateFormat });
  expect(update?.$case).toBe('transaction');
  await expectRefused(updates.getUpdateByOffset({ offset: at!, updateFormat }), 'UPDATE_NOT_FOUND');
});

test('ParticipantPruningIT PRPruneRepeated: again, and not so far', async () => {
  const [first, second] = await populated();
  await prune(second!);
  for (const offset of [first!, second!]) expect(await prune(offset)).toEqual({});
  expect(await state.getLatestPrunedOffsets({})).toMatchObject({
    participantPrunedUpToInclusive: second,
  });
});

test('ParticipantPruningIT PREventsByContractIdPruned: an active contract is still there', async () => {
  const { contractId } = await newRequest(ledger, { user, provider: user });
  const at = await ledgerEnd(ledger);
  await populated();
  await prune(at);
  const { created } = await ledger.events.getEventsByContractId({
    contractId,
    eventFormat: eventsOf([user]),
  });
  expect(created!.createdEvent!.contractId).toBe(contractId);
});

test('ParticipantPruningAuthIT deny calls with a token of a user who is no participant admin', async () => {
  expect((await refusalOf(network.as(USER_READER).pruning.prune({ pruneUpTo: 1n }))).status).toBe(
    'PERMISSION_DENIED',
  );
});

test('what deduplication still needs is not pruned', async () => {
  const slow = network.localnet.ledger.participants['app-provider'];
  const provider = network.as(PROVIDER_ADMIN);
  const who = await network.party('slow', PROVIDER_ADMIN);
  await vi.waitFor(async () => {
    await newRequest(provider, { user: who, provider: who });
    const at = slow.ledgerEnd();
    await newRequest(provider, { user: who, provider: who });
    const refusal = await refusalOf(provider.pruning.prune({ pruneUpTo: at }));
    expect(refusal).toMatchObject({ status: 'FAILED_PRECONDITION', reason: 'UNSAFE_TO_PRUNE' });
    expect(BigInt(refusal.metadata['safe_offset']!)).toBeLessThan(at);
  }, PATIENCE_MS);
});
