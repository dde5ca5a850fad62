import type {
  ReassignmentCommand,
  ReassignmentCommands,
} from '../../../proto/gen/com/daml/ledger/api/v2/reassignment_commands.ts';
import { isUniqueIdentifier } from '../../ledger/identifiers.ts';
import type { LedgerError } from '../../ledger/ledger-error.ts';
import { isContractId, isLedgerString, isParty } from '../../ledger/lf-values.ts';
import type { ParticipantNode } from '../../ledger/participant-node.ts';
import { invalidArgument, invalidField, missingField } from '../../ledger/submission-checks.ts';
import type { Call } from '../call.ts';

const REASSIGNMENT_ID = /^00[0-9a-f]{2,}$/;

/**
 * Refuses to reassign contracts, as any participant with only one synchronizer does: no other synchronizer could be the
 * source or the target.
 */
export function refuseReassignment(
  { synchronizerId }: ParticipantNode,
  commands: ReassignmentCommands | undefined,
  call: Call,
): LedgerError {
  const { access } = call;
  access.requireUser(commands?.userId ?? '');
  access.requireActAs(commands === undefined ? [] : [commands.submitter]);
  if (commands === undefined) throw missingField('reassignment_commands');
  const { submitter, commandId, submissionId, workflowId } = commands;
  if (submitter === '') throw missingField('submitter');
  if (!isParty(submitter)) throw invalidField('submitter', 'non expected character');
  requireLedgerString('command_id', commandId);
  requireLedgerString('submission_id', submissionId);
  if (workflowId !== '') requireLedgerString('workflow_id', workflowId);
  const batch = commands.commands.map(readCommand);
  return invalidArgument(defectOf(batch, synchronizerId));
}

function requireLedgerString(fieldName: string, text: string): void {
  if (text === '') throw missingField(fieldName);
  if (!isLedgerString(text)) throw invalidField(fieldName, 'non expected character');
}

type Command = NonNullable<ReassignmentCommand['command']>;

function readCommand({ command }: ReassignmentCommand): Command {
  if (command === undefined) throw missingField('command');
  const { source, target } = command.value;
  for (const [fieldName, id] of [
    ['source', source],
    ['target', target],
  ] as const) {
    if (id === '') throw missingField(fieldName);
    if (!isUniqueIdentifier(id)) {
      throw invalidField(fieldName, `Invalid unique identifier \`${id.slice(0, 300)}\``);
    }
  }
  if (command.$case === 'assignCommand') {
    if (!REASSIGNMENT_ID.test(command.value.reassignmentId)) {
      throw invalidField('reassignment_id', 'Invalid reassignment ID');
    }
    return command;
  }
  const { contractId } = command.value;
  if (contractId === '') throw missingField('contract_id');
  if (!isContractId(contractId)) {
    throw invalidField('contract_id', `cannot parse ContractId "${contractId.slice(0, 200)}"`);
  }
  return command;
}

function defectOf(commands: readonly Command[], connected: string): string {
  const invalid = (reason: string) => `The batch of reassignment commands was invalid: ${reason}`;
  const [first, ...others] = commands;
  if (first === undefined) return invalid('no commands');
  if (first.$case === 'assignCommand') {
    if (others.length > 0) return invalid('mixed assign with other commands');
    return (
      unresolved([first.value.target], connected) ??
      `Cannot assign \`${first.value.reassignmentId}\`: unknown reassignment id`
    );
  }
  if (others.some(({ $case }) => $case === 'assignCommand')) {
    return invalid('mixed assign with other commands');
  }
  const { source, target } = first.value;
  if (others.some(({ value }) => value.source !== source || value.target !== target)) {
    return invalid('differing synchronizers');
  }
  const contractIds = commands.map(({ value }) => ('contractId' in value ? value.contractId : ''));
  return (
    unresolved([source, target], connected) ??
    `Cannot unassign contracts \`${contractIds.join(', ')}\`: source and target synchronizers are the same`
  );
}

function unresolved(ids: readonly string[], connected: string): string | undefined {
  const unknown = ids.find((id) => id !== connected);
  if (unknown === undefined) return undefined;
  return `Unable to resolve ${unknown} to a connected physical synchronizer id`;
}
