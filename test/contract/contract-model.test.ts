import { describe, expect, it } from 'vitest';
import type { Command } from '../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import type { CreatedEvent } from '../../proto/gen/com/daml/ledger/api/v2/event.ts';
import type { Identifier, Value } from '../../proto/gen/com/daml/ledger/api/v2/value.ts';
import { forFile } from '../kit/for-file.ts';
import { change, SUBMIT_AND_WAIT } from './kit/commands.ts';
import { ACS_DELTA, eventsOf, LEDGER_EFFECTS, transactions, updatesOf } from './kit/formats.ts';
import { USER_ADMIN } from './kit/identities.ts';
import { archive, create, exercise, templateName } from './kit/licensing.ts';
import { modelPackage } from './kit/model-package.ts';
import { openNetwork } from './kit/network.ts';
import { refusalOf } from './kit/refusal.ts';
import { activeContracts, activeIds, transact } from './kit/steps.ts';
import { createdIn, exercisedIn, transactionsIn } from './kit/streams.ts';
import {
  contractId,
  party,
  readRecord,
  readValue,
  record,
  recordValue,
  text,
} from './kit/values.ts';

/*
 * Features that the licensing package does not use, on contracts made for this test: nonconsuming choices, several
 * controllers, interfaces, and contracts that are seen by parties that are not their stakeholders. Modelled on the
 * public conformance suites RaceConditionIT, DivulgenceIT, WitnessesIT, InterfaceIT, InterfaceSubscriptionsIT and
 * TransactionServiceFiltersIT.
 */

const network = await forFile(openNetwork({ latencyMs: 20, extraPackages: [modelPackage] }));
const ledger = network.as(USER_ADMIN);
const owner = await network.party('owner', USER_ADMIN);
const reader = await network.party('reader', USER_ADMIN);

const inModel = (entityName: string): Identifier => ({
  packageId: '#tenure-model-tests',
  moduleName: 'Model',
  entityName,
});
const NOTE = inModel('Note');
const DELEGATION = inModel('Delegation');
const NAMED = inModel('Named');

const parties = (...names: string[]): Value => ({
  sum: { $case: 'list', value: { elements: names.map(party) } },
});

async function createOne(command: Command, actAs: string[]): Promise<CreatedEvent> {
  const [created] = createdIn(await transact(ledger, change(command, { actAs })));
  return created!;
}

const newNote = (of: { owner: string; readers?: string[]; title?: string }) =>
  createOne(
    create(
      NOTE,
      record({
        owner: party(of.owner),
        readers: parties(...(of.readers ?? [])),
        title: text(of.title ?? 'a note'),
      }),
    ),
    [of.owner],
  );

const touch = (cid: string, actor: string) =>
  exercise(NOTE, cid, 'Touch', recordValue({ actor: party(actor) }));

const effectsOf = (...readers: string[]) => transactions(LEDGER_EFFECTS, eventsOf(readers));

describe('a choice that consumes nothing', () => {
  it('leaves the contract active', async () => {
    const { contractId: cid } = await newNote({ owner });
    for (let round = 0; round < 3; round += 1) {
      await transact(ledger, change(touch(cid, owner), { actAs: [owner] }));
    }
    expect(await activeIds(ledger, owner)).toContain(cid);
  });

  it('is shown in LEDGER_EFFECTS, with its result', async () => {
    const { contractId: cid } = await newNote({ owner, readers: [reader], title: 'hello' });
    const transaction = await transact(
      ledger,
      change(touch(cid, reader), { actAs: [reader] }),
      effectsOf(reader),
    );
    expect(exercisedIn(transaction)).toMatchObject([
      { contractId: cid, choice: 'Touch', consuming: false, acsDelta: false },
    ]);
    expect(readValue(exercisedIn(transaction)[0]!.exerciseResult)).toBe('hello');
  });

  it('by an observer is not the business of other observers', async () => {
    const other = await network.party('other', USER_ADMIN);
    const { contractId: cid } = await newNote({ owner, readers: [reader, other] });
    const commands = change(touch(cid, reader), { actAs: [reader] });
    const { updateId } = await transact(ledger, commands);
    const seenBy = (name: string) =>
      ledger.updates.getUpdateById({ updateId, updateFormat: updatesOf(LEDGER_EFFECTS, [name]) });
    expect(transactionsIn([await seenBy(owner)])).toHaveLength(1);
    expect((await refusalOf(seenBy(other))).reason).toBe('UPDATE_NOT_FOUND');
  });

  it('makes a transaction that ACS_DELTA shows empty, or not at all', async () => {
    const { contractId: cid } = await newNote({ owner });
    const commands = change(touch(cid, owner), { actAs: [owner] });
    const transaction = await transact(ledger, commands);
    expect(transaction.events).toEqual([]);
    expect(transaction.updateId).not.toBe('');
    const lookUps = [
      ledger.updates.getUpdateById({
        updateId: transaction.updateId,
        updateFormat: updatesOf(ACS_DELTA, [owner]),
      }),
      ledger.updates.getUpdateByOffset({
        offset: transaction.offset,
        updateFormat: updatesOf(ACS_DELTA, [owner]),
      }),
    ];
    for (const lookUp of lookUps) {
      expect((await refusalOf(lookUp)).reason).toBe('UPDATE_NOT_FOUND');
    }
  });

  it('can run in many transactions at once', async () => {
    const { contractId: cid } = await newNote({ owner });
    const outcomes = await Promise.all(
      Array.from({ length: 5 }, () =>
        SUBMIT_AND_WAIT.submit(ledger, change(touch(cid, owner), { actAs: [owner] })),
      ),
    );
    expect(outcomes.map(({ kind }) => kind)).toEqual(Array.from({ length: 5 }, () => 'accepted'));
  });
});

describe('a race between an archive and', () => {
  const LOST_RACE = [
    'CONTRACT_NOT_FOUND',
    'LOCAL_VERDICT_LOCKED_CONTRACTS',
    'LOCAL_VERDICT_INACTIVE_CONTRACTS',
    'UNKNOWN_CONTRACT_SYNCHRONIZERS',
  ];

  const readers = [
    {
      what: 'choices that consume nothing',
      read: async (note: string) => change(touch(note, owner), { actAs: [owner] }),
    },
    {
      what: 'fetches',
      read: async (note: string) => {
        const delegation = await newDelegation();
        return change(
          exercise(
            DELEGATION,
            delegation.contractId,
            'ReadNote',
            recordValue({ note: contractId(note) }),
          ),
          { actAs: [reader], readAs: [owner] },
        );
      },
    },
  ];

  it.each(readers)('$what: whatever succeeds comes before the archive', async ({ read }) => {
    const { contractId: note } = await newNote({ owner });
    const reads = (count: number) => Promise.all(Array.from({ length: count }, () => read(note)));
    const submitAll = async (count: number) => {
      const commands = await reads(count);
      return Promise.all(commands.map((one) => SUBMIT_AND_WAIT.submit(ledger, one)));
    };
    const early = await submitAll(2);
    const prepared = await reads(5);
    const [archived, ...around] = await Promise.all([
      SUBMIT_AND_WAIT.submit(ledger, change(archive(NOTE, note), { actAs: [owner] })),
      ...prepared.map((one) => SUBMIT_AND_WAIT.submit(ledger, one)),
    ]);
    const late = await submitAll(2);

    // Reads take no locks, so only the archive makes the contract unusable for other transactions.
    if (archived.kind === 'refused') throw archived.refusal;
    expect(early.map(({ kind }) => kind)).toEqual(['accepted', 'accepted']);
    const offsets = [...early, ...around].flatMap((outcome) =>
      outcome.kind === 'accepted' ? [outcome.offset] : [],
    );
    expect(offsets.every((offset) => offset < archived.offset)).toBe(true);
    const reasons = [...around, ...late].flatMap((outcome) =>
      outcome.kind === 'refused' ? [outcome.refusal.reason!] : [],
    );
    expect(reasons.filter((reason) => !LOST_RACE.includes(reason))).toEqual([]);
    expect(late.map(({ kind }) => kind)).toEqual(['refused', 'refused']);
  });
});

const newDelegation = () =>
  createOne(create(DELEGATION, record({ owner: party(owner), delegate: party(reader) })), [owner]);

describe('a choice with several controllers', () => {
  const agree = (cid: string, ...actors: string[]) =>
    exercise(NOTE, cid, 'Agree', recordValue({ actors: parties(...actors) }));

  it('needs all of them', async () => {
    const { contractId: cid } = await newNote({ owner, readers: [reader] });
    for (const actAs of [[owner], [reader]]) {
      const commands = change(agree(cid, owner, reader), { actAs, readAs: [owner] });
      expect(await refusalOf(transact(ledger, commands))).toMatchObject({
        status: 'INVALID_ARGUMENT',
        reason: 'DAML_AUTHORIZATION_ERROR',
      });
    }
    const both = change(agree(cid, owner, reader), { actAs: [owner, reader] });
    const transaction = await transact(ledger, both, effectsOf(owner));
    expect(exercisedIn(transaction)[0]!.actingParties.toSorted()).toEqual(
      [owner, reader].toSorted(),
    );
  });

  it('needs at least one', async () => {
    const { contractId: cid } = await newNote({ owner });
    const commands = change(agree(cid), { actAs: [owner] });
    expect((await refusalOf(transact(ledger, commands))).reason).toBe('DAML_AUTHORIZATION_ERROR');
  });
});

describe('a contract that is witnessed without a stake in it', () => {
  it('is shown to the witness in LEDGER_EFFECTS and is never active for it', async () => {
    const delegation = await newDelegation();
    const commands = change(
      exercise(
        DELEGATION,
        delegation.contractId,
        'WriteNote',
        recordValue({ title: text('seen in passing') }),
      ),
      { actAs: [reader] },
    );
    const transaction = await transact(ledger, commands, effectsOf(reader));
    const [note] = createdIn(transaction);
    expect(note).toMatchObject({
      signatories: [owner],
      observers: [],
      witnessParties: [reader],
      acsDelta: false,
    });
    expect(await activeIds(ledger, reader)).not.toContain(note!.contractId);
    expect(await activeIds(ledger, owner)).toContain(note!.contractId);

    const delta = ledger.updates.getUpdateById({
      updateId: transaction.updateId,
      updateFormat: updatesOf(ACS_DELTA, [reader]),
    });
    expect((await refusalOf(delta)).reason).toBe('UPDATE_NOT_FOUND');
    const forOwner = await ledger.updates.getUpdateById({
      updateId: transaction.updateId,
      updateFormat: updatesOf(ACS_DELTA, [owner]),
    });
    expect(transactionsIn([forOwner])[0]!.events).toHaveLength(1);
    const lookUp = ledger.events.getEventsByContractId({
      contractId: note!.contractId,
      eventFormat: eventsOf([reader]),
    });
    expect((await refusalOf(lookUp)).reason).toBe('CONTRACT_EVENTS_NOT_FOUND');
  });

  it('cannot be fetched by a submitter who does not see it', async () => {
    const delegation = await newDelegation();
    const { contractId: note } = await newNote({ owner, title: 'private' });
    const read = exercise(
      DELEGATION,
      delegation.contractId,
      'ReadNote',
      recordValue({ note: contractId(note) }),
    );
    const blind = change(read, { actAs: [reader] });
    const refusal = await refusalOf(transact(ledger, blind));
    expect(refusal).toMatchObject({ status: 'NOT_FOUND', reason: 'CONTRACT_NOT_FOUND' });
    expect(refusal.resourceNames('CONTRACT_ID')).toEqual([note]);

    const [active] = (await activeContracts(ledger, eventsOf([owner], { blobs: true }))).filter(
      ({ createdEvent }) => createdEvent?.contractId === note,
    );
    const { templateId, createdEventBlob } = active!.createdEvent!;
    const disclosed = [
      {
        templateId,
        contractId: note,
        createdEventBlob,
        synchronizerId: active!.synchronizerId,
      },
    ];
    const seeing = change(read, { actAs: [reader], disclosed });
    const transaction = await transact(ledger, seeing, effectsOf(reader));
    expect(readValue(exercisedIn(transaction)[0]!.exerciseResult)).toBe('private');
  });
});

describe('an interface', () => {
  it('selects the contracts that implement it, with their views', async () => {
    const name = await network.party('owner', USER_ADMIN);
    const { contractId: cid } = await newNote({ owner: name, readers: [reader], title: 'titled' });
    await createOne(create(DELEGATION, record({ owner: party(name), delegate: party(reader) })), [
      name,
    ]);
    const contracts = await activeContracts(ledger, eventsOf([name], { interfaces: [NAMED] }));
    expect(contracts.map(({ createdEvent }) => createdEvent?.contractId)).toEqual([cid]);
    const [view] = contracts[0]!.createdEvent!.interfaceViews;
    expect(templateName(view?.interfaceId)).toBe('Model:Named');
    expect(view?.viewStatus?.code).toBe(0);
    expect(readRecord(view?.viewValue)).toEqual({ title: 'titled', readerCount: 1n });

    const plain = await activeContracts(ledger, eventsOf([name], { templates: [NOTE] }));
    expect(plain[0]!.createdEvent!.interfaceViews).toEqual([]);
    const both = await activeContracts(
      ledger,
      eventsOf([name], { templates: [DELEGATION], interfaces: [NAMED] }),
    );
    expect(both).toHaveLength(2);
  });

  it('has choices that are exercised through it and say so', async () => {
    const { contractId: cid } = await newNote({ owner, title: 'through' });
    const commands = change(
      exercise(NAMED, cid, 'Named_Title', { sum: { $case: 'unit', value: {} } }),
      {
        actAs: [owner],
      },
    );
    const transaction = await transact(ledger, commands, effectsOf(owner));
    const [exercised] = exercisedIn(transaction);
    expect(templateName(exercised!.interfaceId)).toBe('Model:Named');
    expect(templateName(exercised!.templateId)).toBe('Model:Note');
    expect(readValue(exercised!.exerciseResult)).toBe('through');
  });

  it('is refused on a contract that does not implement it', async () => {
    const delegation = await newDelegation();
    const commands = change(
      exercise(NAMED, delegation.contractId, 'Named_Title', { sum: { $case: 'unit', value: {} } }),
      { actAs: [owner] },
    );
    expect(await refusalOf(transact(ledger, commands))).toMatchObject({
      status: 'INVALID_ARGUMENT',
      reason: 'CONTRACT_DOES_NOT_IMPLEMENT_INTERFACE',
    });
  });
});
