import { describe, expect, it } from 'vitest';
import { forFile } from '../kit/for-file.ts';
import { change, completionOf, ledgerEnd } from './kit/commands.ts';
import {
  ACS_DELTA,
  eventsOf,
  eventsOfAnyParty,
  LEDGER_EFFECTS,
  transactions,
} from './kit/formats.ts';
import { USER_ADMIN, USER_READER } from './kit/identities.ts';
import {
  accept,
  archive,
  cancelInstall,
  createRequest,
  expire,
  INSTALL,
  LICENSE,
  LICENSING,
  REQUEST,
  requestArguments,
  templateName,
  createAndExercise,
} from './kit/licensing.ts';
import { openSides } from './kit/network.ts';
import { refusalOf } from './kit/refusal.ts';
import { newInstall, newLicense, newRequest, nowMicros, transact } from './kit/steps.ts';
import { archivedIn, createdIn, exercisedIn } from './kit/streams.ts';
import { readRecord, readValue } from './kit/values.ts';

/* The synchronous command service, modelled on the public conformance suite CommandServiceIT. */

const { network, ledger, sides, asUser, asProvider } = await forFile(openSides());

describe('SubmitAndWait', () => {
  it('answers with the update ID and the offset of the completion', async () => {
    const begin = await ledgerEnd(ledger);
    const commands = asUser(createRequest(sides));
    const { updateId, completionOffset } = await ledger.commands.submitAndWait({ commands });
    expect(updateId).not.toBe('');
    expect(completionOffset).toBeGreaterThan(begin);
    const completion = await completionOf(ledger, commands, begin);
    expect(completion).toMatchObject({ offset: completionOffset, updateId });
  });

  it('takes many commands as one transaction', async () => {
    const commands = asUser(Array.from({ length: 15 }, () => createRequest(sides)));
    const transaction = await transact(ledger, commands);
    const ids = createdIn(transaction).map(({ contractId }) => contractId);
    expect(new Set(ids).size).toBe(15);
    expect(createdIn(transaction).map(({ nodeId }) => nodeId)).toEqual(
      Array.from({ length: 15 }, (_, index) => index),
    );
  });

  it('does all of the commands or none', async () => {
    const { contractId } = await newRequest(ledger, sides);
    const unknown = `${contractId.slice(0, 2)}${'ab'.repeat(32)}${contractId.slice(66)}`;
    const half = asUser([archive(REQUEST, contractId), archive(REQUEST, unknown)]);
    expect((await refusalOf(transact(ledger, half))).reason).toBe('CONTRACT_NOT_FOUND');
    expect(archivedIn(await transact(ledger, asUser(archive(REQUEST, contractId))))).toHaveLength(
      1,
    );
  });
});

describe('SubmitAndWaitForTransaction', () => {
  it('answers, without a format, with the verbose change of the active contracts', async () => {
    const commands = change(createRequest(sides, { note: 'hello' }), {
      actAs: [sides.user],
      workflowId: 'a-workflow',
    });
    const before = await ledgerEnd(ledger);
    const transaction = await transact(ledger, commands);
    expect(transaction).toMatchObject({
      commandId: commands.commandId,
      workflowId: 'a-workflow',
      synchronizerId: network.localnet.synchronizerId,
    });
    expect(transaction.offset).toBeGreaterThan(before);
    const [created, ...others] = createdIn(transaction);
    expect(others).toEqual([]);
    expect(created).toMatchObject({
      offset: transaction.offset,
      nodeId: 0,
      packageName: LICENSING.slice(1),
      signatories: [sides.user],
      observers: [sides.provider],
      witnessParties: [sides.user],
      acsDelta: true,
    });
    expect(created!.templateId).toMatchObject({
      moduleName: REQUEST.moduleName,
      entityName: REQUEST.entityName,
      packageId: expect.stringMatching(/^[\da-f]{64}$/) as string,
    });
    expect(readRecord(created!.createArguments)).toEqual({
      provider: sides.provider,
      user: sides.user,
      meta: { values: { note: 'hello' } },
    });
  });

  it('answers an exercise in shape ACS_DELTA with archives and creates', async () => {
    const { contractId } = await newRequest(ledger, sides);
    const transaction = await transact(ledger, asProvider(accept(contractId)));
    expect(archivedIn(transaction)).toMatchObject([{ contractId }]);
    expect(createdIn(transaction).map(({ templateId }) => templateName(templateId))).toEqual([
      templateName(INSTALL),
    ]);
    expect(exercisedIn(transaction)).toEqual([]);
  });

  it('answers an exercise in shape LEDGER_EFFECTS with the exercise, its argument and its result', async () => {
    const { contractId } = await newRequest(ledger, sides);
    const transaction = await transact(
      ledger,
      asProvider(accept(contractId, { tier: 'gold' })),
      transactions(LEDGER_EFFECTS, eventsOf([sides.provider])),
    );
    const [exercised] = exercisedIn(transaction);
    const [created] = createdIn(transaction);
    expect(transaction.events).toHaveLength(2);
    expect(archivedIn(transaction)).toEqual([]);
    expect(exercised).toMatchObject({
      contractId,
      choice: 'AppInstallRequest_Accept',
      consuming: true,
      actingParties: [sides.provider],
      witnessParties: [sides.provider],
      nodeId: 0,
      lastDescendantNodeId: created!.nodeId,
      packageName: LICENSING.slice(1),
    });
    expect(readValue(exercised!.exerciseResult)).toBe(created!.contractId);
    expect(readValue(exercised!.choiceArgument)).toEqual({
      installMeta: { values: { tier: 'gold' } },
      meta: { values: {} },
    });
  });

  it('shows a created and exercised contract in LEDGER_EFFECTS and hides it in ACS_DELTA', async () => {
    const commands = () =>
      asUser(createAndExercise(requestArguments(sides), 'AppInstallRequest_Cancel'));
    const effects = await transact(
      ledger,
      commands(),
      transactions(LEDGER_EFFECTS, eventsOf([sides.user])),
    );
    const [created] = createdIn(effects);
    const [exercised] = exercisedIn(effects);
    expect(effects.events).toHaveLength(2);
    expect(exercised!.contractId).toBe(created!.contractId);
    expect([created!.nodeId, exercised!.nodeId]).toEqual([0, 1]);
    expect([created!.acsDelta, exercised!.acsDelta]).toEqual([false, false]);

    const delta = await transact(
      ledger,
      commands(),
      transactions(ACS_DELTA, eventsOf([sides.user])),
    );
    expect(delta.events).toEqual([]);
    expect(delta.updateId).not.toBe('');
  });

  it.each([
    { shape: 'ACS_DELTA', transactionShape: ACS_DELTA },
    { shape: 'LEDGER_EFFECTS', transactionShape: LEDGER_EFFECTS },
  ])('in shape $shape shows what its filter selects', async ({ transactionShape }) => {
    const outsider = await network.party('outsider', USER_ADMIN);
    const countWith = async (format: ReturnType<typeof eventsOf>) => {
      const answer = await transact(
        ledger,
        asUser(createRequest(sides)),
        transactions(transactionShape, format),
      );
      return answer.events.length;
    };
    expect(await countWith(eventsOf([sides.user]))).toBe(1);
    expect(await countWith(eventsOf([sides.provider]))).toBe(1);
    expect(await countWith(eventsOf([outsider]))).toBe(0);
    expect(await countWith(eventsOf([outsider, sides.provider]))).toBe(1);
    expect(await countWith(eventsOf([sides.user], { templates: [REQUEST] }))).toBe(1);
    expect(await countWith(eventsOf([sides.user], { templates: [LICENSE] }))).toBe(0);
    expect(await countWith(eventsOf([sides.user], { templates: [LICENSE, REQUEST] }))).toBe(1);
  });

  it('shows everybody’s events to those who may read as any party', async () => {
    const format = transactions(ACS_DELTA, eventsOfAnyParty());
    const commands = () => asUser(createRequest(sides));
    expect(await refusalOf(transact(ledger, commands(), format))).toMatchObject({
      status: 'PERMISSION_DENIED',
    });
    const right = { kind: { $case: 'canReadAsAnyParty', value: {} } } as const;
    const grant = { userId: USER_ADMIN.userId, rights: [right] };
    await ledger.userAdmin.grantUserRights(grant);
    try {
      expect((await transact(ledger, commands(), format)).events).toHaveLength(1);
    } finally {
      await ledger.userAdmin.revokeUserRights(grant);
    }
  });

  it('shows only to those who may read', async () => {
    const reader = network.as(USER_READER);
    const user = await network.party('user', USER_READER);
    const commands = change(createRequest({ ...sides, user }), { actAs: [user] });
    const format = transactions(ACS_DELTA, eventsOf([sides.provider]));
    const refusal = await refusalOf(transact(reader, commands, format));
    expect(refusal.status).toBe('PERMISSION_DENIED');
    // The check comes before the execution, so the refused command had no effect.
    expect((await transact(reader, commands)).events).toHaveLength(1);
  });
});

describe('a minimum of ledger time', () => {
  const microsOf = (time: { seconds: bigint; nanos: number } | undefined) =>
    time!.seconds * 1_000_000n + BigInt(time!.nanos / 1_000);

  it('is kept, as an instant and as a delay', async () => {
    const earliest = nowMicros(300);
    const minLedgerTimeAbs = {
      seconds: earliest / 1_000_000n,
      nanos: Number(earliest % 1_000_000n) * 1_000,
    };
    const byInstant = { ...asUser(createRequest(sides)), minLedgerTimeAbs };
    expect(microsOf((await transact(ledger, byInstant)).effectiveAt)).toBeGreaterThanOrEqual(
      earliest,
    );

    const latest = nowMicros(300);
    const minLedgerTimeRel = { seconds: 0n, nanos: 300_000_000 };
    const byDelay = { ...asUser(createRequest(sides)), minLedgerTimeRel };
    expect(microsOf((await transact(ledger, byDelay)).effectiveAt)).toBeGreaterThanOrEqual(latest);
  });
});

describe('the synchronizer', () => {
  it('may be prescribed and then appears in the transaction', async () => {
    const { synchronizerId } = network.localnet;
    const commands = change(createRequest(sides), { actAs: [sides.user], synchronizerId });
    expect((await transact(ledger, commands)).synchronizerId).toBe(synchronizerId);
  });

  it('must have a well-formed ID', async () => {
    const commands = change(createRequest(sides), {
      actAs: [sides.user],
      synchronizerId: 'no-synchronizer',
    });
    expect(await refusalOf(transact(ledger, commands))).toMatchObject({
      status: 'INVALID_ARGUMENT',
      reason: 'INVALID_FIELD',
    });
  });

  it('must be one that the participant is connected to', async () => {
    const [, namespace] = network.localnet.synchronizerId.split('::');
    const commands = change(createRequest(sides), {
      actAs: [sides.user],
      synchronizerId: `elsewhere::${namespace}`,
    });
    expect(await refusalOf(transact(ledger, commands))).toMatchObject({
      status: 'FAILED_PRECONDITION',
      reason: 'INVALID_PRESCRIBED_SYNCHRONIZER_ID',
    });
  });
});

describe('a contract’s own rule', () => {
  it('that fails is reported with its error ID and the choices that led there', async () => {
    const outsider = await network.party('outsider', USER_ADMIN);
    const install = await newInstall(ledger, sides);
    const commands = change(cancelInstall(install.contractId, outsider), {
      actAs: [outsider],
      readAs: [sides.user],
    });
    const refusal = await refusalOf(transact(ledger, commands));
    expect(refusal).toMatchObject({ status: 'FAILED_PRECONDITION', reason: 'DAML_FAILURE' });
    expect(refusal.metadata).toMatchObject({
      category: '9',
      definite_answer: 'false',
      error_id: 'UNHANDLED_EXCEPTION/DA.Exception.AssertionFailed:AssertionFailed',
    });
    expect(refusal.metadata['exercise_trace']).toContain('AppInstall_Cancel');
    expect(refusal.message).toContain("The requirement 'Actor is a signatory' was not met.");
  });

  it('about time is judged by ledger time', async () => {
    const future = await newLicense(ledger, sides, nowMicros(3_600_000));
    const tooEarly = asUser(expire(future.contractId, sides.user));
    const refusal = await refusalOf(transact(ledger, tooEarly));
    expect(refusal).toMatchObject({ status: 'FAILED_PRECONDITION', reason: 'DAML_FAILURE' });
    expect(refusal.metadata['error_id']).toBe('stdlib.daml.com/deadline-not-exceeded');
    expect(refusal.message).toContain("Ledger time is strictly before deadline 'expiresAt' at ");

    const past = await newLicense(ledger, sides, nowMicros(-1_000));
    const transaction = await transact(ledger, asUser(expire(past.contractId, sides.user)));
    expect(archivedIn(transaction)).toMatchObject([{ contractId: past.contractId }]);
  });
});
