import { describe, expect, it } from 'vitest';
import type { Commands } from '../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import type { Record as LfRecord } from '../../proto/gen/com/daml/ledger/api/v2/value.ts';
import { forFile } from '../kit/for-file.ts';
import {
  archive,
  create,
  createRequest,
  exercise,
  expire,
  meta,
  REQUEST,
  requestArguments,
  createAndExercise,
} from './kit/licensing.ts';
import { openSides } from './kit/network.ts';
import { refusalOf } from './kit/refusal.ts';
import { newRequest, transact } from './kit/steps.ts';
import { createdIn } from './kit/streams.ts';
import {
  int64,
  none,
  party,
  readRecord,
  record,
  recordValue,
  text,
  unlabelled,
} from './kit/values.ts';

/*
 * Commands that a participant refuses, modelled on the public conformance suites CommandServiceIT,
 * WronglyTypedContractIdIT and ContractIdIT. Numeric values are omitted, because these templates have no numeric field.
 */

const { ledger, sides, asUser, asProvider } = await forFile(openSides());

describe('a refused request', () => {
  const withField = (fields: Partial<Commands>): Commands => ({
    ...asUser(createRequest(sides)),
    ...fields,
  });

  it.each([
    { field: 'commands', fields: { commands: [] } },
    { field: 'command_id', fields: { commandId: '' } },
    { field: 'act_as', fields: { actAs: [] } },
  ])('names the missing field $field', async ({ field, fields }) => {
    const refusal = await refusalOf(transact(ledger, withField(fields)));
    expect(refusal).toMatchObject({ status: 'INVALID_ARGUMENT', reason: 'MISSING_FIELD' });
    expect(refusal.metadata['field_name']).toContain(field);
    expect(refusal.metadata['category']).toBe('8');
  });

  it('says that commands are missing altogether', async () => {
    const refusal = await refusalOf(ledger.commands.submitAndWait({}));
    expect(refusal).toMatchObject({ status: 'INVALID_ARGUMENT', reason: 'MISSING_FIELD' });
  });

  it.each([
    { field: 'command_id', fields: { commandId: 'x'.repeat(256) } },
    { field: 'command_id', fields: { commandId: 'question?' } },
    { field: 'workflow_id', fields: { workflowId: 'ümlaut' } },
    { field: 'submission_id', fields: { submissionId: 'tab\t' } },
  ])('does not take $fields as $field', async ({ fields }) => {
    const refusal = await refusalOf(transact(ledger, withField(fields)));
    expect(refusal.status).toBe('INVALID_ARGUMENT');
    expect(['INVALID_FIELD', 'INVALID_ARGUMENT']).toContain(refusal.reason);
  });

  it('is about parties that the user may act for and read as, before anything else', async () => {
    for (const fields of [{ actAs: ['no party!'] }, { readAs: ['no party!'] }]) {
      const refusal = await refusalOf(transact(ledger, withField({ ...fields, commandId: '' })));
      expect(refusal.status).toBe('PERMISSION_DENIED');
    }
  });

  it('takes a command ID of 255 characters of every allowed kind', async () => {
    const commandId = `${crypto.randomUUID()} aZ09#:-_/`.padEnd(255, 'x');
    expect((await transact(ledger, withField({ commandId }))).commandId).toBe(commandId);
  });

  it('cannot have both an absolute and a relative minimum of ledger time', async () => {
    const refusal = await refusalOf(
      transact(
        ledger,
        withField({
          minLedgerTimeAbs: { seconds: 1n, nanos: 0 },
          minLedgerTimeRel: { seconds: 1n, nanos: 0 },
        }),
      ),
    );
    expect(refusal.status).toBe('INVALID_ARGUMENT');
  });

  it('has a status text that starts with the error’s name and category', async () => {
    const refusal = await refusalOf(transact(ledger, withField({ commandId: '' })));
    expect(refusal.message).toMatch(/^MISSING_FIELD\(8,[\da-f]{1,8}\): /);
    expect(refusal.detailTypes).toContain('google.rpc.ErrorInfo');
    expect(refusal.detailTypes).toContain('google.rpc.RequestInfo');
    expect(refusal.retryDelayMs).toBeUndefined();
  });
});

describe('arguments', () => {
  const raw = (argument: LfRecord) => asUser(create(REQUEST, argument));
  const fields = () => requestArguments(sides).fields;

  it('may carry labels in any order', async () => {
    const reversed = { recordId: undefined, fields: fields().toReversed() };
    const [created] = createdIn(await transact(ledger, raw(reversed)));
    expect(readRecord(created!.createArguments)).toMatchObject(sides);
  });

  it('may come without labels, in the order of the declaration', async () => {
    const [created] = createdIn(await transact(ledger, raw(unlabelled(requestArguments(sides)))));
    expect(readRecord(created!.createArguments)).toMatchObject(sides);
  });

  it('may name their type, by the ID of its package', async () => {
    const [first] = createdIn(await transact(ledger, raw(requestArguments(sides))));
    const named = (recordId: LfRecord['recordId']) =>
      transact(ledger, raw({ ...requestArguments(sides), recordId }));
    const [created] = createdIn(await named(first!.templateId));
    expect(readRecord(created!.createArguments)).toMatchObject(sides);
    expect(await refusalOf(named(REQUEST))).toMatchObject({
      reason: 'INVALID_FIELD',
      message: expect.stringContaining('Invalid field package_id'),
    });
  });

  it('may carry labels on some fields, where they belong', async () => {
    const some = fields().map((field, index) => (index === 0 ? { ...field, label: '' } : field));
    const [created] = createdIn(await transact(ledger, raw({ recordId: undefined, fields: some })));
    expect(readRecord(created!.createArguments)).toMatchObject(sides);
  });

  it('may have more fields at the end, if they are None', async () => {
    const none = { sum: { $case: 'optional', value: { value: undefined } } } as const;
    const { fields: inOrder } = unlabelled(requestArguments(sides));
    for (const more of [
      [...inOrder, { label: '', value: none }],
      [...fields(), { label: 'added', value: none }],
    ]) {
      const [created] = createdIn(
        await transact(ledger, raw({ recordId: undefined, fields: more })),
      );
      expect(readRecord(created!.createArguments)).toMatchObject(sides);
    }
  });

  it.each([
    [
      'with labels on some fields, where the others are in order',
      () => ({
        recordId: undefined,
        fields: fields().map((field, index) => (index === 0 ? { ...field, label: '' } : field)),
      }),
    ],
    [
      'with a field of a later version that is None',
      () => record({ ...fieldsByLabel(), later: none }),
    ],
    [
      'with such a field by position',
      () => ({
        recordId: undefined,
        fields: [...unlabelled(requestArguments(sides)).fields, { label: '', value: none }],
      }),
    ],
  ])('are taken %s', async (_what, argument) => {
    const [created] = createdIn(await transact(ledger, raw(argument())));
    expect(readRecord(created!.createArguments)).toMatchObject(sides);
  });

  it.each([
    ['a missing field', () => record({ provider: party(sides.provider), user: party(sides.user) })],
    ['an unknown label', () => record({ ...fieldsByLabel(), extra: text('x') })],
    [
      'a wrong label',
      () => record({ provider: party(sides.provider), usr: party(sides.user), meta: meta() }),
    ],
    [
      'labels on some fields, in other places',
      () => ({
        recordId: undefined,
        fields: fields()
          .toReversed()
          .map((field, index) => (index === 0 ? { ...field, label: '' } : field)),
      }),
    ],
    ['a value of another type', () => record({ ...fieldsByLabel(), user: int64(1n) })],
    ['a text where a party is due', () => record({ ...fieldsByLabel(), user: text(sides.user) })],
    [
      'a field without a value',
      () => ({
        recordId: undefined,
        fields: fields().map((field) => ({ ...field, value: undefined })),
      }),
    ],
    [
      'too many fields by position',
      () => ({
        recordId: undefined,
        fields: [...unlabelled(requestArguments(sides)).fields, { label: '', value: text('x') }],
      }),
    ],
  ])('with %s are refused', async (_what, argument) => {
    const refusal = await refusalOf(transact(ledger, raw(argument())));
    expect(refusal.status).toBe('INVALID_ARGUMENT');
    expect(['COMMAND_PREPROCESSING_FAILED', 'MISSING_FIELD']).toContain(refusal.reason);
  });

  const fieldsByLabel = () => ({
    provider: party(sides.provider),
    user: party(sides.user),
    meta: meta(),
  });

  it('of a choice are checked like those of a create', async () => {
    const { contractId } = await newRequest(ledger, sides);
    const bad = exercise(
      REQUEST,
      contractId,
      'AppInstallRequest_Accept',
      recordValue({ meta: meta() }),
    );
    expect(await refusalOf(transact(ledger, asProvider(bad)))).toMatchObject({
      status: 'INVALID_ARGUMENT',
      reason: 'COMMAND_PREPROCESSING_FAILED',
    });
  });

  it('of create and exercise in one are both checked, and so is the choice’s name', async () => {
    const good = requestArguments(sides);
    const commands = [
      createAndExercise(record({ user: text('nobody') }), 'AppInstallRequest_Cancel'),
      createAndExercise(good, 'AppInstallRequest_Cancel', recordValue({ wrong: text('x') })),
      createAndExercise(good, 'AppInstallRequest_NoSuchChoice'),
    ];
    for (const command of commands) {
      expect(await refusalOf(transact(ledger, asUser(command)))).toMatchObject({
        status: 'INVALID_ARGUMENT',
        reason: 'COMMAND_PREPROCESSING_FAILED',
      });
    }
  });
});

describe('a command', () => {
  it('on a package name nobody knows is refused with the name', async () => {
    const command = create({ ...REQUEST, packageId: '#no-such-package' }, requestArguments(sides));
    const refusal = await refusalOf(transact(ledger, asUser(command)));
    expect(refusal).toMatchObject({
      status: 'FAILED_PRECONDITION',
      reason: 'PACKAGE_SELECTION_FAILED',
      message: expect.stringContaining('no-such-package'),
    });
  });

  it('on an unknown package ID is refused with the ID', async () => {
    const packageId = 'ab'.repeat(32);
    const command = create({ ...REQUEST, packageId }, requestArguments(sides));
    const refusal = await refusalOf(transact(ledger, asUser(command)));
    expect(refusal).toMatchObject({
      status: 'NOT_FOUND',
      reason: 'PACKAGE_NOT_FOUND',
      message: expect.stringContaining(`Couldn't find package ${packageId}`),
    });
  });

  it('may name the package by ID too', async () => {
    const [first] = createdIn(await transact(ledger, asUser(createRequest(sides))));
    const byId = create(first!.templateId!, requestArguments(sides));
    expect(createdIn(await transact(ledger, asUser(byId)))).toHaveLength(1);
  });

  it('with an unknown choice is refused', async () => {
    const { contractId } = await newRequest(ledger, sides);
    const command = exercise(REQUEST, contractId, 'NoSuchChoice', recordValue({}));
    expect(await refusalOf(transact(ledger, asUser(command)))).toMatchObject({
      status: 'INVALID_ARGUMENT',
      reason: 'COMMAND_PREPROCESSING_FAILED',
    });
  });

  it('on a contract of another template is refused', async () => {
    const { contractId } = await newRequest(ledger, sides);
    const command = expire(contractId, sides.user);
    expect(await refusalOf(transact(ledger, asUser(command)))).toMatchObject({
      status: 'FAILED_PRECONDITION',
      reason: 'WRONGLY_TYPED_CONTRACT',
    });
  });

  it('on something that is no contract ID is refused', async () => {
    for (const id of ['no hex', '00', `00${'zz'.repeat(32)}`]) {
      const refusal = await refusalOf(transact(ledger, asUser(archive(REQUEST, id))));
      expect(refusal.status).toBe('INVALID_ARGUMENT');
    }
  });

  it('on a contract ID without suffix is refused', async () => {
    const id = `00${'ab'.repeat(32)}`;
    expect(await refusalOf(transact(ledger, asUser(archive(REQUEST, id))))).toMatchObject({
      status: 'INVALID_ARGUMENT',
      reason: 'COMMAND_PREPROCESSING_FAILED',
    });
  });

  it('on a contract that never was is refused as not found', async () => {
    const { contractId } = await newRequest(ledger, sides);
    const unknown = `00${'ab'.repeat(32)}${contractId.slice(66)}`;
    const refusal = await refusalOf(transact(ledger, asUser(archive(REQUEST, unknown))));
    expect(refusal).toMatchObject({ status: 'NOT_FOUND', reason: 'CONTRACT_NOT_FOUND' });
    expect(refusal.resourceNames('CONTRACT_ID')).toEqual([unknown]);
  });

  it('that involves a party nobody hosts is refused', async () => {
    const [, namespace] = sides.user.split('::');
    const command = createRequest({ ...sides, provider: `ghost::${namespace}` });
    const refusal = await refusalOf(transact(ledger, asUser(command)));
    expect(refusal.status).toBe('NOT_FOUND');
    expect(['UNKNOWN_INFORMEES', 'NO_SYNCHRONIZER_ON_WHICH_ALL_SUBMITTERS_CAN_SUBMIT']).toContain(
      refusal.reason,
    );
  });
});
