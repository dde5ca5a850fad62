import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type {
  ListKnownPartiesRequest,
  PartyDetails,
} from '../../../proto/gen/com/daml/ledger/api/v2/admin/party_management_service.ts';
import { expectRefused, openSuite, unique } from '../kit/conformance.ts';
import { PROVIDER_ADMIN } from '../kit/identities.ts';

/*
 * Modelled on the public conformance suites PartyManagementServiceIT and PartyManagementServiceUpdateRpcIT; identity
 * providers and external parties are tested in other files.
 */

const { network, ledger } = await openSuite();
const { partyAdmin } = ledger;

const SUITE = 'PartyManagementServiceIT';
const UPDATES = 'PartyManagementServiceUpdateRpcIT';

type Annotations = Record<string, string>;

const annotated = (annotations: Annotations) => ({ resourceVersion: '', annotations });

async function allocate(partyIdHint = '', annotations: Annotations = {}): Promise<PartyDetails> {
  const request = { partyIdHint, localMetadata: annotated(annotations) };
  return (await partyAdmin.allocateParty(request)).partyDetails!;
}

const list = (request: Partial<ListKnownPartiesRequest> = {}) =>
  partyAdmin.listKnownParties(request);

const get = async (...parties: string[]): Promise<PartyDetails[]> =>
  (await partyAdmin.getParties({ parties })).partyDetails;

const nameOf = ({ party }: PartyDetails): string => party.split('::')[0]!;

test(`${SUITE} PMNonEmptyParticipantID: the participant has an ID`, async () => {
  expect((await partyAdmin.getParticipantId({})).participantId).not.toBe('');
});

test(`${SUITE} PMAllocateWithHint: a party begins with its hint`, async () => {
  const hint = unique('PMAllocateWithHint');
  expect(nameOf(await allocate(hint))).toBe(hint);
});

test(`${SUITE} PMAllocateWithoutHint: a party needs no hint`, async () => {
  expect((await allocate()).party).not.toBe('');
});

test(`${SUITE} PMAllocateWithLocalMetadataAnnotations: annotations are kept`, async () => {
  const details = await allocate('', { key1: 'val1', key2: 'val2' });
  expect(details).toMatchObject({
    isLocal: true,
    localMetadata: { annotations: { key1: 'val1', key2: 'val2' } },
    identityProviderId: '',
  });
  expect(await get(details.party)).toEqual([details]);
});

test(`${SUITE} PMFailToAllocateWhenAnnotationsHaveEmptyValues: there is nothing to remove yet`, async () => {
  await expectRefused(allocate('', { key1: 'val1', key2: '' }), 'INVALID_ARGUMENT');
});

test(`${SUITE} PMRejectionDuplicateHint: a hint is used once`, async () => {
  const hint = unique('party_hint');
  await allocate(hint);
  await expectRefused(allocate(hint), 'INVALID_ARGUMENT', 'Party already exists');
});

test(`${SUITE} PMRejectLongPartyHints: 256 characters are too many`, async () => {
  await expectRefused(allocate('a'.repeat(256)), 'INVALID_ARGUMENT', 'Party is too long');
});

test(`${SUITE} PMRejectInvalidPartyHints: a face is no character of a party`, async () => {
  await expectRefused(allocate('\u{1F600}'), 'INVALID_ARGUMENT', 'non expected character');
});

test(`${SUITE} PMAllocateOneHundred: a hundred parties have a hundred names`, async () => {
  const all = await Promise.all(Array.from({ length: 100 }, () => allocate()));
  expect(new Set(all.map(({ party }) => party)).size).toBe(100);
});

test(`${SUITE} PMGetPartiesDetails: those that there are`, async () => {
  const one = await allocate(unique('PMGetPartiesDetails'), { k1: 'v1' });
  const two = await allocate(unique('PMGetPartiesDetails'), { k2: 'v2' });
  const found = await get(one.party, two.party, 'non-existent');
  expect(new Map(found.map((it) => [it.party, it]))).toEqual(
    new Map([one, two].map((it) => [it.party, it])),
  );
  expect(await get('non-existent')).toEqual([]);
  expect(await get()).toEqual([]);
});

test(`${SUITE} PMListKnownParties: all that were allocated`, async () => {
  const made = [
    await allocate(unique('PMListKnownParties'), { k1: 'v1' }),
    await allocate(unique('PMListKnownParties')),
  ];
  expect((await list()).partyDetails).toEqual(expect.arrayContaining(made));
});

test(`${SUITE} PMGetPartiesBoundaryConditions: an unknown party is left out`, async () => {
  const known = await allocate();
  expect(await get(known.party)).toEqual([known]);
  expect(await get(known.party, unique('party'))).toEqual([known]);
});

test(`${SUITE} PMGetPartiesIsLocal: each participant knows which are its own`, async () => {
  const alice = await network.party('alice', PROVIDER_ADMIN);
  const bob = await allocate();
  const isLocal = (details: PartyDetails[]) =>
    Object.fromEntries(details.map((it) => [it.party, it.isLocal]));
  expect(isLocal(await get(alice, bob.party))).toEqual({ [alice]: false, [bob.party]: true });
  const { partyDetails } = await network
    .as(PROVIDER_ADMIN)
    .partyAdmin.getParties({ parties: [alice, bob.party] });
  expect(isLocal(partyDetails)).toEqual({ [alice]: true, [bob.party]: false });
});

test(`${SUITE} PMPagedListKnownPartiesNewPartyVisibleOnPage: a new party comes where it belongs`, async () => {
  const isThere = async (hint: string) =>
    (await list({ pageSize: 10 })).partyDetails.some((it) => nameOf(it) === hint);
  const hint = unique('!'.replace('!', '-'));
  expect(await isThere(hint)).toBe(false);
  await allocate(hint);
  expect(await isThere(hint)).toBe(true);
});

test(`${SUITE} PMPagedListKnownPartiesNewPartyInvisibleOnNextPage: the next page stays as it is`, async () => {
  for (let count = 0; count < 4; count += 1) await allocate();
  const { nextPageToken: pageToken } = await list({ pageSize: 2 });
  const second = async () => (await list({ pageSize: 2, pageToken })).partyDetails;
  const before = await second();
  await allocate(unique('-0'));
  expect(await second()).toEqual(before);
});

test(`${SUITE} PMPagedListKnownPartiesReachingTheLastPage: pages come to an end`, async () => {
  const seen: string[] = [];
  let pageToken = '';
  do {
    const page = await list({ pageSize: 7, pageToken });
    seen.push(...page.partyDetails.map(({ party }) => party));
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen).toContain(network.localnet.parties.appUser);
});

test(`${SUITE} PMPagedListKnownPartiesWithInvalidRequest: a token or a size that is none`, async () => {
  await expectRefused(list({ pageToken: randomUUID() }), 'INVALID_ARGUMENT');
  await expectRefused(list({ pageSize: -100 }), 'INVALID_ARGUMENT');
});

test(`${SUITE} PMPagedListKnownPartiesZeroPageSize: size zero is the participant's own`, async () => {
  const [of0, of1] = [await list({ pageSize: 0 }), await list({ pageSize: 1 })];
  expect(of1.partyDetails).toEqual([of0.partyDetails[0]]);
});

test(`${SUITE} PMListFilteredKnownParties: by the beginning of the name`, async () => {
  const [one, two] = [await allocate(randomUUID()), await allocate(randomUUID())];
  const found = async (filterParty: string) => (await list({ filterParty })).partyDetails;
  expect(await found(one.party)).toEqual([one]);
  expect(await found(nameOf(two))).toEqual([two]);
});

test(`${SUITE} PMPagedListKnownPartiesMaxPageSize: no page is larger than the participant says`, async () => {
  const { features } = await ledger.version.getLedgerApiVersion({});
  const pageSize = features!.partyManagement!.maxPartiesPageSize + 1;
  const text = "Page size must not exceed the server's maximum";
  await expectRefused(list({ pageSize }), 'INVALID_ARGUMENT', text);
});

const update = async (details: Partial<PartyDetails>, ...updateMask: string[]) =>
  (await partyAdmin.updatePartyDetails({ partyDetails: details, updateMask })).partyDetails!;

test(`${UPDATES} PMUpdateAllUpdatableFields: annotations, one by one`, async () => {
  const { party } = await allocate('', { k1: 'v1', k2: 'v2', k3: 'v3' });
  const localMetadata = annotated({ k1: 'v1a', k3: '', k4: 'v4', k5: '' });
  const updated = await update({ party, localMetadata }, 'local_metadata.annotations');
  expect(updated).toMatchObject({ party, isLocal: true });
  expect(updated.localMetadata!.annotations).toEqual({ k1: 'v1a', k2: 'v2', k4: 'v4' });
});

test(`${UPDATES} PMFailAttemptingToUpdateIsLocal: where a party is, is no matter of opinion`, async () => {
  const { party, isLocal } = await allocate();
  const changed = update({ party, isLocal: !isLocal }, 'is_local');
  await expectRefused(changed, 'INVALID_PARTY_DETAILS_UPDATE_REQUEST');
});

test(`${UPDATES} PMAllowSpecifyingIsLocalAndDisplayNameIfMatchingTheRealValues: the truth may be repeated`, async () => {
  const { party, isLocal } = await allocate();
  expect(await update({ party, isLocal }, 'is_local')).toMatchObject({ party, isLocal });
});

test(`${UPDATES} UpdatePartyDetailsEvenIfMetadataIsNotSetInUpdateRequest: what is left out stays`, async () => {
  const { party } = await allocate('', { k1: 'v1' });
  const updated = await update({ party, isLocal: false }, 'party');
  expect(updated).toMatchObject({ party, isLocal: true });
  expect(updated.localMetadata!.annotations).toEqual({ k1: 'v1' });
});

test(`${UPDATES} FailingUpdateRequestsWhenPartyDetailsFieldIsUnset: a party is named`, async () => {
  const updated = partyAdmin.updatePartyDetails({ updateMask: ['local_metadata'] });
  await expectRefused(updated, 'MISSING_FIELD');
});

test(`${UPDATES} FailUpdateNonExistentParty: an unknown party is not found`, async () => {
  const details = { party: unique('party'), localMetadata: annotated({ k1: 'v1' }) };
  await expectRefused(update(details, 'local_metadata.annotations'), 'PARTY_NOT_FOUND');
});
