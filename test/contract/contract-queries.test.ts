import { describe, expect, it } from 'vitest';
import { forFile } from '../kit/for-file.ts';
import { change, SUBMIT_AND_WAIT } from './kit/commands.ts';
import { eventsOf, LEDGER_EFFECTS, transactions } from './kit/formats.ts';
import { USER_ADMIN, USER_READER } from './kit/identities.ts';
import {
  archive,
  cancelInstall,
  INSTALL,
  LICENSE,
  REQUEST,
  createAndCancel,
} from './kit/licensing.ts';
import { openSides } from './kit/network.ts';
import { refusalOf } from './kit/refusal.ts';
import { activeContracts, newInstall, newRequest, transact } from './kit/steps.ts';
import { createdIn } from './kit/streams.ts';
import { readRecord } from './kit/values.ts';

/*
 * Look-ups of one contract by its ID, modelled on the public conformance suites EventQueryServiceIT, ContractServiceIT
 * and ExplicitDisclosureIT.
 */

const { network, ledger, sides, asUser } = await forFile(openSides());

const UNKNOWN = `00${'ab'.repeat(32)}ca11${'cd'.repeat(16)}`;

describe('GetEventsByContractId', () => {
  const eventsById = (contractId: string, eventFormat = eventsOf([sides.user])) =>
    ledger.events.getEventsByContractId({ contractId, eventFormat });

  it('gives the create of an active contract', async () => {
    const created = await newRequest(ledger, sides);
    const { synchronizerId } = network.localnet;
    for (const party of [sides.user, sides.provider]) {
      const events = await eventsById(created.contractId, eventsOf([party]));
      expect(events).toEqual({
        created: { createdEvent: { ...created, witnessParties: [party] }, synchronizerId },
        archived: undefined,
      });
    }
  });

  it('gives create and archive of an archived contract', async () => {
    const { contractId, offset } = await newRequest(ledger, sides);
    const gone = await transact(ledger, asUser(archive(REQUEST, contractId)));
    const { created, archived } = await eventsById(contractId);
    expect(created?.createdEvent).toMatchObject({ contractId, offset });
    expect(archived?.archivedEvent).toMatchObject({
      contractId,
      offset: gone.offset,
      witnessParties: [sides.user],
    });
  });

  it('gives both of a contract that lived in one transaction only', async () => {
    const transaction = await transact(
      ledger,
      asUser(createAndCancel(sides)),
      transactions(LEDGER_EFFECTS, eventsOf([sides.user])),
    );
    const { contractId } = createdIn(transaction)[0]!;
    const { created, archived } = await eventsById(contractId);
    expect(created?.createdEvent?.offset).toBe(transaction.offset);
    expect(archived?.archivedEvent?.offset).toBe(transaction.offset);
  });

  it('finds nothing that is unknown, invisible or filtered out', async () => {
    const { contractId } = await newRequest(ledger, sides);
    const outsider = await network.party('outsider', USER_ADMIN);
    const notFound = { status: 'NOT_FOUND', reason: 'CONTRACT_EVENTS_NOT_FOUND' };
    expect(await refusalOf(eventsById(UNKNOWN))).toMatchObject(notFound);
    expect(await refusalOf(eventsById(contractId, eventsOf([outsider])))).toMatchObject(notFound);
    const otherTemplate = eventsOf([sides.user], { templates: [LICENSE] });
    expect(await refusalOf(eventsById(contractId, otherTemplate))).toMatchObject(notFound);
  });

  it('needs a contract ID and a format', async () => {
    const { contractId } = await newRequest(ledger, sides);
    const missing = { status: 'INVALID_ARGUMENT', reason: 'MISSING_FIELD' };
    expect(await refusalOf(eventsById(''))).toMatchObject(missing);
    expect(await refusalOf(ledger.events.getEventsByContractId({ contractId }))).toMatchObject(
      missing,
    );
    expect((await refusalOf(eventsById('no hex'))).status).toBe('INVALID_ARGUMENT');
  });

  it('is for those who may read', async () => {
    const { contractId } = await newRequest(ledger, sides);
    const call = network.as(USER_READER).events.getEventsByContractId({
      contractId,
      eventFormat: eventsOf([sides.user]),
    });
    expect(await refusalOf(call)).toMatchObject({ status: 'PERMISSION_DENIED' });
  });
});

describe('GetContract', () => {
  it('gives a contract to its stakeholders, active or not', async () => {
    const { contractId } = await newRequest(ledger, sides, { note: 'hello' });
    const read = async () => {
      const { createdEvent } = await ledger.contracts.getContract({
        contractId,
        queryingParties: [sides.provider],
      });
      return createdEvent;
    };
    const active = await read();
    expect(active).toMatchObject({ contractId, signatories: [sides.user] });
    expect(JSON.stringify(readRecord(active!.createArguments))).toContain('hello');
    await transact(ledger, asUser(archive(REQUEST, contractId)));
    expect(await read()).toMatchObject({ contractId });
  });

  it('gives nothing to others, and nothing that is unknown', async () => {
    const { contractId } = await newRequest(ledger, sides);
    const outsider = await network.party('outsider', USER_ADMIN);
    const notFound = { status: 'NOT_FOUND', reason: 'CONTRACT_PAYLOAD_NOT_FOUND' };
    const get = (id: string, party: string) =>
      refusalOf(ledger.contracts.getContract({ contractId: id, queryingParties: [party] }));
    expect(await get(contractId, outsider)).toMatchObject(notFound);
    expect(await get(UNKNOWN, sides.user)).toMatchObject(notFound);
  });

  it('without querying parties asks for any party, which takes the right to', async () => {
    const { contractId } = await newRequest(ledger, sides);
    const get = () => ledger.contracts.getContract({ contractId });
    expect(await refusalOf(get())).toMatchObject({ status: 'PERMISSION_DENIED' });
    const right = { kind: { $case: 'canReadAsAnyParty', value: {} } } as const;
    const grant = { userId: USER_ADMIN.userId, rights: [right] };
    await ledger.userAdmin.grantUserRights(grant);
    try {
      expect((await get()).createdEvent).toMatchObject({ contractId });
    } finally {
      await ledger.userAdmin.revokeUserRights(grant);
    }
  });
});

describe('a disclosed contract', () => {
  /**
   * Creates an install whose stakeholders do not include the outsider. Returns the disclosure that a stakeholder could
   * give to the outsider.
   */
  async function disclosure() {
    const { contractId, templateId } = await newInstall(ledger, sides);
    const contracts = await activeContracts(
      ledger,
      eventsOf([sides.user], { templates: [INSTALL], blobs: true }),
    );
    const { createdEvent, synchronizerId } = contracts.find(
      (contract) => contract.createdEvent?.contractId === contractId,
    )!;
    const { createdEventBlob } = createdEvent!;
    return { contractId, templateId, createdEventBlob, synchronizerId };
  }

  it('can be used by submitters who have no stake in it', async () => {
    const outsider = await network.party('outsider', USER_ADMIN);
    const contract = await disclosure();
    const command = cancelInstall(contract.contractId, outsider);
    const blind = change(command, { actAs: [outsider] });
    expect((await refusalOf(transact(ledger, blind))).reason).toBe('CONTRACT_NOT_FOUND');
    // With the disclosed contract, the command gets as far as the contract's own check, which refuses it.
    const seeing = change(command, { actAs: [outsider], disclosed: [contract] });
    expect((await refusalOf(transact(ledger, seeing))).reason).toBe('DAML_FAILURE');
  });

  it('is taken only as it was given out, to the last bit', async () => {
    const outsider = await network.party('outsider', USER_ADMIN);
    const contract = await disclosure();
    const { length } = contract.createdEventBlob;
    const tampered = Array.from({ length: 60 }, (_, index) => {
      const createdEventBlob = Uint8Array.from(contract.createdEventBlob);
      createdEventBlob[Math.floor((index * length) / 60)]! ^= 1;
      return { ...contract, createdEventBlob };
    });
    const answers = await Promise.all(
      tampered.map(async (one) => {
        const commands = change(cancelInstall(contract.contractId, outsider), {
          actAs: [outsider],
          disclosed: [one],
        });
        const { status } = await refusalOf(transact(ledger, commands));
        return status;
      }),
    );
    // If the participant accepted a forged contract, the contract's own check would fail with FAILED_PRECONDITION.
    expect(new Set(answers)).toEqual(new Set(['INVALID_ARGUMENT']));
  });

  it('is taken under its own names only', async () => {
    const outsider = await network.party('outsider', USER_ADMIN);
    const [contract, other] = [await disclosure(), await disclosure()];
    const misnamed = [
      [
        {
          ...contract,
          templateId: other.templateId && { ...other.templateId, entityName: 'License' },
        },
        'template_id',
      ],
      [{ ...contract, contractId: other.contractId }, 'contract_id'],
    ] as const;
    for (const [disclosed, field] of misnamed) {
      const commands = change(cancelInstall(contract.contractId, outsider), {
        actAs: [outsider],
        disclosed: [disclosed],
      });
      const refusal = await refusalOf(transact(ledger, commands));
      expect(refusal).toMatchObject({ status: 'INVALID_ARGUMENT', reason: 'INVALID_ARGUMENT' });
      expect(refusal.message).toContain(`Mismatch between DisclosedContract.${field}`);
    }
    const unnamed = { ...contract, templateId: undefined, contractId: '' };
    const commands = change(cancelInstall(contract.contractId, outsider), {
      actAs: [outsider],
      disclosed: [unnamed],
    });
    expect((await refusalOf(transact(ledger, commands))).reason).toBe('DAML_FAILURE');
  });

  it('archived by two at once is archived by one of them', async () => {
    const contract = await disclosure();
    const command = cancelInstall(contract.contractId, sides.user);
    const outcomes = await Promise.all(
      [[contract], [], [contract], []].map((disclosed) =>
        SUBMIT_AND_WAIT.submit(ledger, change(command, { actAs: [sides.user], disclosed })),
      ),
    );
    expect(outcomes.filter(({ kind }) => kind === 'accepted')).toHaveLength(1);
  });

  it('that is archived is refused', async () => {
    const contract = await disclosure();
    const command = cancelInstall(contract.contractId, sides.user);
    await transact(ledger, asUser(command));
    const again = change(command, { actAs: [sides.user], disclosed: [contract] });
    const refusal = await refusalOf(transact(ledger, again));
    expect([
      'CONTRACT_NOT_FOUND',
      'LOCAL_VERDICT_INACTIVE_CONTRACTS',
      'UNKNOWN_CONTRACT_SYNCHRONIZERS',
    ]).toContain(refusal.reason);
  });
});
