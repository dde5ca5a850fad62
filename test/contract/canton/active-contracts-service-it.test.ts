import { expect, test } from 'vitest';
import type { Command } from '../../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import type { CreatedEvent } from '../../../proto/gen/com/daml/ledger/api/v2/event.ts';
import type { EventFormat } from '../../../proto/gen/com/daml/ledger/api/v2/transaction_filter.ts';
import type { GetActiveContractsPageRequest } from '../../../proto/gen/com/daml/ledger/api/v2/state_service.ts';
import { change, ledgerEnd } from '../kit/commands.ts';
import { expectRefused, openSuite } from '../kit/conformance.ts';
import {
  ACS_DELTA,
  LEDGER_EFFECTS,
  eventsOf,
  eventsOfAnyParty,
  updatesOf,
} from '../kit/formats.ts';
import {
  INSTALL,
  LICENSE,
  REQUEST,
  accept,
  archive,
  createInstall,
  createLicenseContract,
  createRequest,
  templateName,
} from '../kit/licensing.ts';
import { activeContracts, activeIds, newRequest, nowMicros, transact } from '../kit/steps.ts';
import { between, createdIn, readAll } from '../kit/streams.ts';

/* Modelled on the public conformance suite ActiveContractsServiceIT. */

const { ledger, party } = await openSuite();

const SUITE = 'ActiveContractsServiceIT';
const by = (name: string, command: Command | Command[]) => change(command, { actAs: [name] });
const own = (name: string) => ({ user: name, provider: name });

/** Creates three contracts of a new party, each of another template. */
async function threeContracts(name: string): Promise<readonly [string, string, string]> {
  const ids: string[] = [];
  for (const command of [
    createRequest(own(name)),
    createInstall(own(name)),
    createLicenseContract(own(name), 1n, nowMicros(60_000)),
  ]) {
    const [created] = createdIn(await transact(ledger, by(name, command)));
    ids.push(created!.contractId);
  }
  return [ids[0]!, ids[1]!, ids[2]!];
}

const activeEvents = async (format: EventFormat): Promise<CreatedEvent[]> =>
  (await activeContracts(ledger, format)).map(({ createdEvent }) => createdEvent!);

/** Returns only the events after an offset, because a stream for any party includes contracts of other cases. */
const since = (begin: bigint, events: readonly CreatedEvent[]) =>
  events.filter(({ offset }) => offset > begin);

test(`${SUITE} ACSemptyResponse: a party without contracts has none`, async () => {
  expect(await activeIds(ledger, await party())).toEqual([]);
});

test(`${SUITE} ACSallContracts: all of a party, in order, by any filter`, async () => {
  const name = await party();
  const begin = await ledgerEnd(ledger);
  const ids = await threeContracts(name);
  const events = await activeEvents(eventsOf([name]));
  expect(events.map(({ contractId }) => contractId)).toEqual(ids);
  for (const { acsDelta, signatories, observers } of events) {
    expect([acsDelta, signatories, observers]).toEqual([true, [name], []]);
  }
  expect(since(begin, await activeEvents(eventsOfAnyParty()))).toEqual(events);
  const both = { ...eventsOf([name]), filtersForAnyParty: { cumulative: [] } };
  expect(since(begin, await activeEvents(both))).toEqual(events);
});

test(`${SUITE} ACSfilterContracts: of one template`, async () => {
  const name = await party();
  const begin = await ledgerEnd(ledger);
  const [, installCid] = await threeContracts(name);
  const templates = [INSTALL];
  const events = await activeEvents(eventsOf([name], { templates }));
  expect(events.map(({ contractId }) => contractId)).toEqual([installCid]);
  expect(templateName(events[0]!.templateId)).toBe(templateName(INSTALL));
  expect(since(begin, await activeEvents(eventsOfAnyParty({ templates })))).toEqual(events);
});

test(`${SUITE} ACSarchivedContracts: what is archived is not active`, async () => {
  const name = await party();
  const [first, ...others] = await threeContracts(name);
  await transact(ledger, by(name, archive(REQUEST, first)));
  expect(await activeIds(ledger, name)).toEqual(others);
});

test(`${SUITE} ACSusableOffset: updates go on where the active contracts were read`, async () => {
  const name = await party();
  const { contractId } = await newRequest(ledger, own(name));
  const offset = await ledgerEnd(ledger);
  const events = await activeContracts(ledger, eventsOf([name]), offset);
  expect(events.map(({ createdEvent }) => createdEvent!.contractId)).toEqual([contractId]);
  const later = await newRequest(ledger, own(name));
  const end = await ledgerEnd(ledger);
  const seen = await between(ledger, offset, end, updatesOf(ACS_DELTA, [name]));
  expect(seen.flatMap(createdIn).map((it) => it.contractId)).toEqual([later.contractId]);
});

test(`${SUITE} ACSverbosity: labels come only where they are asked for`, async () => {
  const name = await party();
  await newRequest(ledger, own(name));
  const labels = async (verbose: boolean) =>
    (await activeEvents(eventsOf([name], { verbose }))).flatMap((it) =>
      it.createArguments!.fields.map(({ label }) => label),
    );
  expect(await labels(true)).toEqual(['provider', 'user', 'meta']);
  expect(await labels(false)).toEqual(['', '', '']);
});

test(`${SUITE} ACSmultiParty: of several parties, each contract once`, async () => {
  const [alice, bob] = [await party(), await party()];
  const begin = await ledgerEnd(ledger);
  const ofAlice = await threeContracts(alice);
  const ofBob = await threeContracts(bob);
  expect(await activeIds(ledger, alice)).toEqual(ofAlice);
  expect(await activeIds(ledger, bob)).toEqual(ofBob);
  const both = await activeEvents(eventsOf([alice, bob]));
  expect(both.map(({ contractId }) => contractId)).toEqual([...ofAlice, ...ofBob]);
  expect(since(begin, await activeEvents(eventsOfAnyParty()))).toEqual(both);
  const templates = [LICENSE];
  const licenses = await activeEvents(eventsOf([alice, bob], { templates }));
  expect(licenses.map(({ contractId }) => contractId)).toEqual([ofAlice[2], ofBob[2]]);
});

test(`${SUITE} ACSEventOffset: an event is where its transaction is`, async () => {
  const name = await party();
  await newRequest(ledger, own(name));
  const [event] = await activeEvents(eventsOf([name]));
  for (const shape of [ACS_DELTA, LEDGER_EFFECTS]) {
    const updateFormat = updatesOf(shape, [name]);
    const { update } = await ledger.updates.getUpdateByOffset({
      offset: event!.offset,
      updateFormat,
    });
    const transaction = update!.$case === 'transaction' ? update!.value : undefined;
    expect(transaction!.offset).toBe(event!.offset);
    expect(createdIn(transaction!)).toMatchObject([
      { offset: event!.offset, nodeId: event!.nodeId, contractId: event!.contractId },
    ]);
  }
});

test(`${SUITE} ACSnoWitnessedContracts: who only saw it made does not have it`, async () => {
  // The stakeholders of the install are the user and the provider. A bystander, who sees the request, does not see the
  // install.
  const [user, provider, bystander] = [await party(), await party(), await party()];
  const { contractId } = await newRequest(ledger, { user, provider });
  await transact(ledger, by(provider, accept(contractId)));
  expect(await activeIds(ledger, bystander)).toEqual([]);
  expect(await activeIds(ledger, user)).toEqual(await activeIds(ledger, provider));
});

test(`${SUITE} ACSnoSignatoryObservers: who signs does not also observe`, async () => {
  const [name, other] = [await party(), await party()];
  await newRequest(ledger, own(name));
  await newRequest(ledger, { user: name, provider: other });
  const observers = (await activeEvents(eventsOf([name]))).map((it) => it.observers);
  expect(observers).toEqual([[], [other]]);
});

test(`${SUITE} ACFilterWitnesses: witnesses are those that were asked about`, async () => {
  const [user, provider, other] = [await party(), await party(), await party()];
  const begin = await ledgerEnd(ledger);
  await newRequest(ledger, { user, provider });
  const witnesses = async (format: EventFormat) =>
    since(begin, await activeEvents(format)).map((it) => it.witnessParties.toSorted());
  expect(await witnesses(eventsOf([user]))).toEqual([[user]]);
  expect(await witnesses(eventsOf([user, other]))).toEqual([[user]]);
  expect(await witnesses(eventsOf([user, provider]))).toEqual([[user, provider].toSorted()]);
  expect(await witnesses(eventsOfAnyParty())).toEqual([[user, provider].toSorted()]);
});

test(`${SUITE} ACSFilterCombinations: each party by its own filter`, async () => {
  const [alice, bob] = [await party(), await party()];
  const [aliceRequest, aliceInstall] = await threeContracts(alice);
  const [, , bobLicense] = await threeContracts(bob);
  const format = {
    ...eventsOf([alice], { templates: [REQUEST, INSTALL] }),
    filtersByParty: {
      ...eventsOf([alice], { templates: [REQUEST, INSTALL] }).filtersByParty,
      ...eventsOf([bob], { templates: [LICENSE] }).filtersByParty,
    },
  };
  const ids = (await activeEvents(format)).map(({ contractId }) => contractId);
  expect(ids).toEqual([aliceRequest, aliceInstall, bobLicense]);
});

test(`${SUITE} ActiveAtOffsetInfluencesAcs: the past is as it was`, async () => {
  const name = await party();
  const at: bigint[] = [await ledgerEnd(ledger)];
  const { contractId } = await newRequest(ledger, own(name));
  at.push(await ledgerEnd(ledger));
  await transact(ledger, by(name, archive(REQUEST, contractId)));
  at.push(await ledgerEnd(ledger));
  const counts = await Promise.all(
    at.map(async (offset) => (await activeContracts(ledger, eventsOf([name]), offset)).length),
  );
  expect(counts).toEqual([0, 1, 0]);
});

test(`${SUITE} ActiveAtOffsetInvalidInput: no offset is below none`, async () => {
  const call = activeContracts(ledger, eventsOf([await party()]), -1n);
  await expectRefused(call, 'NEGATIVE_OFFSET', 'has to be a non-negative integer (>=0)');
});

test(`${SUITE} ActiveAtOffsetAfterLedgerEnd: nor past the end`, async () => {
  const beyond = (await ledgerEnd(ledger)) + 1_000_000n;
  const call = activeContracts(ledger, eventsOf([await party()]), beyond);
  await expectRefused(call, 'OFFSET_AFTER_LEDGER_END');
});

/** Creates three contracts, and returns the stream with them and one offset. */
async function threeInStream() {
  const name = await party();
  await threeContracts(name);
  const request = { activeAtOffset: await ledgerEnd(ledger), eventFormat: eventsOf([name]) };
  return { request, whole: await readAll(ledger.state.getActiveContracts(request)) };
}

test(`${SUITE} AcsContinuation: goes on after any element`, async () => {
  const { request, whole } = await threeInStream();
  expect(whole).toHaveLength(3);
  for (const [index, { streamContinuationToken }] of whole.entries()) {
    const call = ledger.state.getActiveContracts({ ...request, streamContinuationToken });
    expect(await readAll(call)).toEqual(whole.slice(index + 1));
  }
});

test(`${SUITE} AcsInvalidContinuationToken: half a token is none`, async () => {
  const { request, whole } = await threeInStream();
  const streamContinuationToken = whole[0]!.streamContinuationToken.subarray(1);
  const call = readAll(ledger.state.getActiveContracts({ ...request, streamContinuationToken }));
  await expectRefused(call, 'INVALID_FIELD');
});

test(`${SUITE} ACSMultipleContracts: as many as were made`, async () => {
  const name = await party();
  const commands = Array.from({ length: 50 }, () => createRequest(own(name)));
  await transact(ledger, by(name, commands));
  expect(await activeIds(ledger, name)).toHaveLength(50);
});

const page = (request: Partial<GetActiveContractsPageRequest>) =>
  ledger.state.getActiveContractsPage(request);

test(`${SUITE} AcsPagination: page by page`, async () => {
  const name = await party();
  const eventFormat = eventsOf([name]);
  expect((await page({ eventFormat, maxPageSize: 2 })).activeContracts).toEqual([]);
  const ids = await threeContracts(name);
  for (const activeAtOffset of [undefined, await ledgerEnd(ledger)]) {
    const request = { eventFormat, maxPageSize: 2, ...(activeAtOffset && { activeAtOffset }) };
    const first = await page(request);
    const second = await page({ ...request, pageToken: first.nextPageToken! });
    expect([first.activeContracts.length, second.activeContracts.length]).toEqual([2, 1]);
    expect(second.nextPageToken).toBeUndefined();
    const entries = [...first.activeContracts, ...second.activeContracts];
    expect(entries.map((it) => it.streamContinuationToken.length)).toEqual([0, 0, 0]);
    const seen = entries.flatMap(({ contractEntry: entry }) =>
      entry?.$case === 'activeContract' ? [entry.value.createdEvent!.contractId] : [],
    );
    expect(seen).toEqual(ids);
  }
  const whole = await page({ eventFormat, maxPageSize: 3 });
  expect([whole.activeContracts.length, whole.nextPageToken]).toEqual([3, undefined]);
});

const INVALID = 'The submitted request has invalid arguments:';

test(`${SUITE} AcsInvalidPageToken: zeros are no token`, async () => {
  const eventFormat = eventsOf([await party()]);
  const call = page({ eventFormat, maxPageSize: 2, pageToken: new Uint8Array(55) });
  const text =
    'The submitted command has a field with invalid value: Invalid field page_token: Invalid page token for GetActiveContractsPageRequest';
  await expectRefused(call, 'INVALID_FIELD', text);
});

for (const [id, maxPageSize, why] of [
  ['AcsInvalidMaxPageSize', 0, 'must be positive, but got 0'],
  ['AcsTooBigMaxPageSize', 10_000_000, 'must not exceed 10000, but got 10000000'],
] as const) {
  test(`${SUITE} ${id}: a page of ${maxPageSize} is refused`, async () => {
    const call = page({ eventFormat: eventsOf([await party()]), maxPageSize });
    await expectRefused(call, 'INVALID_ARGUMENT', `${INVALID} Requested page size ${why}`);
  });
}
