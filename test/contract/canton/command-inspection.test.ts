import { expect, test } from 'vitest';
import { CommandState } from '../../../proto/gen/com/daml/ledger/api/v2/admin/command_inspection_service.ts';
import { change } from '../kit/commands.ts';
import { expectRefused, openSuite, unique } from '../kit/conformance.ts';
import { eventsOf } from '../kit/formats.ts';
import { USER_READER } from '../kit/identities.ts';
import { createAndCancel, createRequest, exercise, meta, REQUEST } from '../kit/licensing.ts';
import { refusalOf } from '../kit/refusal.ts';
import { recordValue } from '../kit/values.ts';

/*
 * Modelled on Canton's LedgerApiCommandInspectionIntegrationTest; and, in addition, the answers to requests for
 * reassignments of a participant that has one synchronizer.
 */

const { network, ledger, party } = await openSuite();
const { inspection, commands: service, submission } = ledger;
const { synchronizerId } = network.localnet;

const statusesOf = async (commandIdPrefix: string, state?: CommandState) => {
  const asked = { commandIdPrefix, limit: 10, ...(state === undefined ? {} : { state }) };
  return (await inspection.getCommandStatus(asked)).commandStatus;
};

test('LedgerApiCommandInspectionIntegrationTest succeed with empty results', async () => {
  const { features } = await ledger.version.getLedgerApiVersion({});
  expect(features?.experimental?.commandInspectionService).toEqual({ supported: true });
  expect(await statusesOf(unique('none'))).toEqual([]);
});

test('LedgerApiCommandInspectionIntegrationTest fail when invalid command id is used', async () => {
  await expectRefused(statusesOf('!!!'), 'INVALID_FIELD', 'command_id_prefix');
});

test('a command that succeeded', async () => {
  const who = await party();
  const commandId = unique('inspected');
  const sides = { user: who, provider: who };
  const { updateId } = await service.submitAndWait({
    commands: change(createAndCancel(sides), { actAs: [who], commandId }),
  });
  const [status, ...others] = await statusesOf(commandId);
  expect(others).toEqual([]);
  expect(status).toMatchObject({
    state: CommandState.SUCCEEDED,
    completion: { commandId, updateId, actAs: [who] },
    updates: { created: [{}], archived: [{}], exercised: 1 },
    synchronizerId,
  });
  expect(status!.commands).toHaveLength(1);
  expect(await statusesOf(commandId, CommandState.FAILED)).toEqual([]);
  expect(await statusesOf(commandId, CommandState.SUCCEEDED)).toHaveLength(1);
});

test('a long submission is known, but what it commanded is not kept', async () => {
  const who = await party();
  const commandId = unique('inspected');
  const command = createRequest({ user: who, provider: who }, { note: 'n'.repeat(100_000) });
  await service.submitAndWait({ commands: change(command, { actAs: [who], commandId }) });
  expect(await statusesOf(commandId)).toMatchObject([{ completion: { commandId }, commands: [] }]);
});

test('LedgerApiCommandInspectionIntegrationTest failing on interpretation error', async () => {
  const who = await party();
  const commandId = unique('inspected');
  const gone = exercise(
    REQUEST,
    `00${'ab'.repeat(32)}ca1212${'20'.repeat(33)}`,
    'AppInstallRequest_Cancel',
    recordValue({ meta: meta() }),
  );
  await expectRefused(
    service.submitAndWait({ commands: change(gone, { actAs: [who], commandId }) }),
    'CONTRACT_NOT_FOUND',
  );
  expect(await statusesOf(commandId)).toMatchObject([
    { state: CommandState.FAILED, completion: { commandId, status: { code: 5 } } },
  ]);
});

test('failing on a duplicate', async () => {
  const who = await party();
  const commandId = unique('inspected');
  const commands = () =>
    change(createRequest({ user: who, provider: who }), { actAs: [who], commandId });
  await service.submitAndWait({ commands: commands() });
  await expectRefused(service.submitAndWait({ commands: commands() }), 'DUPLICATE_COMMAND');
  const states = (await statusesOf(commandId)).map(({ state }) => state);
  expect(states).toEqual([CommandState.FAILED, CommandState.SUCCEEDED]);
  expect(await inspection.getCommandStatus({ commandIdPrefix: commandId })).toEqual({
    commandStatus: [],
  });
});

test('GetCommandStatusAuthIT deny calls with a token of a user who is no participant admin', async () => {
  const call = network.as(USER_READER).inspection.getCommandStatus({});
  expect((await refusalOf(call)).status).toBe('PERMISSION_DENIED');
});

const CID = `00${'ab'.repeat(32)}`;
const unassign = (source: string, target: string) => ({
  command: { $case: 'unassignCommand', value: { contractId: CID, source, target } } as const,
});
const assign = (target: string) => ({
  command: {
    $case: 'assignCommand',
    value: { reassignmentId: '00ab', source: synchronizerId, target },
  } as const,
});
type Reassignment = ReturnType<typeof unassign> | ReturnType<typeof assign>;

test.each<[string, readonly Reassignment[], string]>([
  ['no commands', [], 'no commands'],
  [
    'another synchronizer',
    [unassign(synchronizerId, 'other::none')],
    'Unable to resolve other::none',
  ],
  ['the same synchronizer', [unassign(synchronizerId, synchronizerId)], 'are the same'],
  ['an unknown reassignment', [assign(synchronizerId)], 'unknown reassignment id'],
  ['one of each kind', [assign(synchronizerId), unassign('a::b', 'c::d')], 'mixed assign'],
  ['several synchronizers', [unassign('a::b', 'c::d'), unassign('a::b', 'c::e')], 'differing'],
])('a reassignment with %s is refused', async (_what, commands, text) => {
  const submitter = await party();
  const reassignmentCommands = {
    submitter,
    commandId: unique('reassign'),
    submissionId: unique('reassign'),
    commands: [...commands],
  };
  const eventFormat = eventsOf([submitter]);
  for (const call of [
    submission.submitReassignment({ reassignmentCommands }),
    service.submitAndWaitForReassignment({ reassignmentCommands, eventFormat }),
  ]) {
    await expectRefused(call, 'INVALID_ARGUMENT', text);
  }
});
