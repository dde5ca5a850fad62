import { describe, expect, it } from 'vitest';
import { forFile } from '../kit/for-file.ts';
import type { LedgerClients } from './kit/clients.ts';
import { again, change, ledgerEnd, SUBMIT_AND_WAIT } from './kit/commands.ts';
import { ACS_DELTA, eventsOf, LEDGER_EFFECTS, updatesOf } from './kit/formats.ts';
import { PROVIDER_ADMIN, USER_ADMIN } from './kit/identities.ts';
import { accept, archive, createRequest, INSTALL, REQUEST } from './kit/licensing.ts';
import { openNetwork } from './kit/network.ts';
import { refusalOf } from './kit/refusal.ts';
import { activeContracts, activeIds, createdOf, newRequest, transact } from './kit/steps.ts';
import {
  archivedIn,
  completionsIn,
  createdIn,
  hasPassed,
  readUntil,
  Tail,
  transactionsIn,
} from './kit/streams.ts';
import { selfSignedToken } from './kit/tokens.ts';

/*
 * Three participants on one synchronizer: the user's, the provider's and the super validator's. Each sees the
 * transactions of its own parties, with its own offsets.
 */

const network = await forFile(openNetwork());
/** Clients of the user's participant. */
const userSide = network.as(USER_ADMIN);
/** Clients of the provider's participant. */
const providerSide = network.as(PROVIDER_ADMIN);
/** Clients of the super validator's participant, which hosts neither party. */
const superSide = network.bearing('sv', () => selfSignedToken());
const sides = await network.sides({ provider: PROVIDER_ADMIN });

const request = () => change(createRequest(sides), { actAs: [sides.user] });

/**
 * Returns the transactions that a party sees on a participant after an offset, up to the one that creates or archives
 * the contract.
 */
async function followUntil(
  clients: LedgerClients,
  party: string,
  beginExclusive: bigint,
  contractId: string,
) {
  const touches = (one: ReturnType<typeof transactionsIn>[number]) =>
    [...createdIn(one), ...archivedIn(one)].some((event) => event.contractId === contractId);
  const responses = await readUntil(
    (options) =>
      clients.updates.getUpdates(
        { beginExclusive, updateFormat: updatesOf(ACS_DELTA, [party]) },
        options,
      ),
    (seen) => transactionsIn(seen).some(touches),
  );
  return transactionsIn(responses).find(touches)!;
}

describe('a transaction on one participant', () => {
  it('appears on the other with the same update ID, at an offset of its own', async () => {
    // Only the user's participant sees these requests, so from then on the offsets of the participants differ.
    for (let index = 0; index < 3; index += 1) {
      await newRequest(userSide, { user: sides.user, provider: sides.user });
    }
    const begin = await ledgerEnd(providerSide);
    const commands = request();
    const here = await transact(userSide, commands);
    const { contractId } = createdIn(here)[0]!;
    const there = await followUntil(providerSide, sides.provider, begin, contractId);

    expect(there.updateId).toBe(here.updateId);
    expect(there.offset).not.toBe(here.offset);
    expect(there).toMatchObject({
      effectiveAt: here.effectiveAt,
      recordTime: here.recordTime,
      synchronizerId: here.synchronizerId,
      commandId: '',
    });
    expect(here.commandId).toBe(commands.commandId);
    expect(createdIn(there)[0]).toMatchObject({
      contractId,
      createArguments: createdIn(here)[0]!.createArguments,
      offset: there.offset,
      witnessParties: [sides.provider],
    });
  });

  it('can be looked up on both by its ID, and by each one’s own offset', async () => {
    const begin = await ledgerEnd(providerSide);
    const here = await transact(userSide, request());
    const { contractId } = createdIn(here)[0]!;
    const there = await followUntil(providerSide, sides.provider, begin, contractId);
    for (const [clients, party, { updateId, offset }] of [
      [userSide, sides.user, here],
      [providerSide, sides.provider, there],
    ] as const) {
      const updateFormat = updatesOf(ACS_DELTA, [party]);
      const found = [
        await clients.updates.getUpdateById({ updateId, updateFormat }),
        await clients.updates.getUpdateByOffset({ offset, updateFormat }),
      ];
      expect(transactionsIn(found)).toMatchObject([
        { updateId, offset },
        { updateId, offset },
      ]);
    }
  });

  it('is never seen by a participant that hosts none of its parties', async () => {
    const begin = await ledgerEnd(superSide);
    const { dso } = network.localnet.parties;
    const { updateId } = await transact(userSide, request());
    const updateFormat = {
      includeTransactions: {
        transactionShape: LEDGER_EFFECTS,
        eventFormat: { filtersForAnyParty: {}, verbose: true },
      },
    };
    expect(
      await refusalOf(superSide.updates.getUpdateById({ updateId, updateFormat })),
    ).toMatchObject({
      reason: 'UPDATE_NOT_FOUND',
    });
    // The participant's own transaction has arrived, so the stream has passed the place where the other one would be.
    const own = await newRequest(superSide, { user: dso, provider: dso });
    await using tail = new Tail((options) =>
      superSide.updates.getUpdates({ beginExclusive: begin, updateFormat }, options),
    );
    await tail.until(hasPassed(own.offset));
    const ids = transactionsIn(tail.seen)
      .flatMap(createdIn)
      .map(({ contractId }) => contractId);
    expect(ids).toEqual([own.contractId]);
    expect(transactionsIn(tail.seen).map((one) => one.updateId)).not.toContain(updateId);
  });

  it('is hidden from a third party on the same participant', async () => {
    const outsider = await network.party('outsider', PROVIDER_ADMIN);
    const begin = await ledgerEnd(providerSide);
    const here = await transact(userSide, request());
    const { contractId } = createdIn(here)[0]!;
    await followUntil(providerSide, sides.provider, begin, contractId);
    expect(await activeIds(providerSide, outsider)).toEqual([]);
    const lookUp = providerSide.events.getEventsByContractId({
      contractId,
      eventFormat: eventsOf([outsider]),
    });
    expect((await refusalOf(lookUp)).reason).toBe('CONTRACT_EVENTS_NOT_FOUND');
  });

  it('has its completion there only', async () => {
    const begin = await ledgerEnd(providerSide);
    const commands = request();
    const here = await transact(userSide, commands);
    const there = await followUntil(
      providerSide,
      sides.provider,
      begin,
      createdIn(here)[0]!.contractId,
    );
    const responses = await readUntil(
      (options) =>
        providerSide.completions.getCompletions(
          { parties: [sides.provider], beginExclusive: begin },
          options,
        ),
      hasPassed(there.offset),
    );
    expect(completionsIn(responses)).toEqual([]);
  });
});

describe('a request and its answer', () => {
  it('go from one participant to the other and back', async () => {
    const begins = { user: await ledgerEnd(userSide), provider: await ledgerEnd(providerSide) };
    const { contractId } = await newRequest(userSide, sides);
    await followUntil(providerSide, sides.provider, begins.provider, contractId);

    const accepting = change(accept(contractId, { tier: 'gold' }), { actAs: [sides.provider] });
    const accepted = await transact(providerSide, accepting);
    const install = createdOf(accepted, INSTALL);
    const seen = await followUntil(userSide, sides.user, begins.user, install.contractId);
    expect(seen.updateId).toBe(accepted.updateId);
    expect(archivedIn(seen).map((event) => event.contractId)).toEqual([contractId]);
    expect(await activeIds(userSide, sides.user)).toContain(install.contractId);
    expect(await activeIds(userSide, sides.user)).not.toContain(contractId);
  });

  it('end in one way when both sides act at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const begin = await ledgerEnd(providerSide);
      const { contractId } = await newRequest(userSide, sides);
      await followUntil(providerSide, sides.provider, begin, contractId);
      const outcomes = await Promise.all([
        SUBMIT_AND_WAIT.submit(
          userSide,
          change(archive(REQUEST, contractId), { actAs: [sides.user] }),
        ),
        SUBMIT_AND_WAIT.submit(
          providerSide,
          change(accept(contractId), { actAs: [sides.provider] }),
        ),
      ]);
      expect(outcomes.filter(({ kind }) => kind === 'accepted')).toHaveLength(1);
    }
  });
});

describe('a command ID', () => {
  it('is the business of one participant', async () => {
    const commandId = crypto.randomUUID();
    const both = await Promise.all(
      (
        [
          [userSide, sides.user],
          [providerSide, sides.provider],
        ] as const
      ).map(([clients, party]) =>
        SUBMIT_AND_WAIT.submit(
          clients,
          change(createRequest({ user: party, provider: party }), { actAs: [party], commandId }),
        ),
      ),
    );
    expect(both.map(({ kind }) => kind)).toEqual(['accepted', 'accepted']);
  });
});

describe('a party hosted elsewhere', () => {
  it('cannot be acted for here, whatever the user’s rights', async () => {
    await userSide.userAdmin.grantUserRights({
      userId: USER_ADMIN.userId,
      rights: [{ kind: { $case: 'canActAs', value: { party: sides.provider } } }],
    });
    const { contractId } = await newRequest(userSide, sides);
    const commands = change(accept(contractId), { actAs: [sides.provider] });
    const refusal = await refusalOf(transact(userSide, commands));
    expect(refusal.status).toBe('NOT_FOUND');
    expect([
      'NO_SYNCHRONIZER_ON_WHICH_ALL_SUBMITTERS_CAN_SUBMIT',
      'UNKNOWN_SUBMITTERS',
      'CONTRACT_NOT_FOUND',
    ]).toContain(refusal.reason);
  });

  it('can be named in a contract here', async () => {
    const commands = request();
    const created = createdIn(await transact(userSide, commands))[0]!;
    expect(created.observers).toEqual([sides.provider]);
    expect(await SUBMIT_AND_WAIT.submit(userSide, again(commands))).toMatchObject({
      kind: 'refused',
    });
  });
});

describe('the active contracts of two participants', () => {
  it('agree about what both parties see', async () => {
    const begin = await ledgerEnd(providerSide);
    const { contractId } = await newRequest(userSide, sides);
    await followUntil(providerSide, sides.provider, begin, contractId);
    const read = async (clients: LedgerClients, party: string) => {
      const contracts = await activeContracts(clients, eventsOf([party], { blobs: true }));
      return contracts.find(({ createdEvent }) => createdEvent?.contractId === contractId)!;
    };
    const here = await read(userSide, sides.user);
    const there = await read(providerSide, sides.provider);
    expect(there.createdEvent).toEqual({
      ...here.createdEvent,
      offset: there.createdEvent!.offset,
      witnessParties: [sides.provider],
    });
  });
});
