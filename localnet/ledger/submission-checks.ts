import { randomUUID } from 'node:crypto';
import { LedgerError } from './ledger-error.ts';
import { isContractId, isLedgerString, isParty } from './lf-values.ts';
import { typeReferenceDefect } from './package-registry.ts';
import type {
  DisclosedContract,
  LedgerCommand,
  RawSubmission,
  Submission,
  TypeReference,
} from './submission.ts';

export const missingField = (fieldName: string): LedgerError =>
  new LedgerError(
    'MISSING_FIELD',
    `The submitted command is missing a mandatory field: ${fieldName}`,
    { metadata: { field_name: fieldName } },
  );

export const invalidField = (fieldName: string, message: string): LedgerError =>
  new LedgerError(
    'INVALID_FIELD',
    `The submitted command has a field with invalid value: Invalid field ${fieldName}: ${message}`,
    { metadata: { field_name: fieldName } },
  );

export const invalidArgument = (message: string): LedgerError =>
  new LedgerError('INVALID_ARGUMENT', `The submitted request has invalid arguments: ${message}`);

export const negativeOffset = (fieldName: string, offset: bigint): LedgerError =>
  new LedgerError(
    'NEGATIVE_OFFSET',
    `Offset ${offset} in ${fieldName} is a negative integer: expected a non-negative offset`,
    { metadata: { field_name: fieldName } },
  );

export const nonPositiveOffset = (fieldName: string, offset: bigint): LedgerError =>
  new LedgerError(
    'NON_POSITIVE_OFFSET',
    `Offset ${offset} in ${fieldName} is not a positive integer: expected a positive offset`,
    { metadata: { field_name: fieldName } },
  );

function ledgerString(fieldName: string, text: string): string {
  if (isLedgerString(text)) return text;
  const reason =
    text.length > 255
      ? `string too long (${text.length} characters, maximum 255)`
      : 'non expected character in a ledger string';
  throw invalidField(fieldName, reason);
}

const optionalLedgerString = (fieldName: string, text: string): string =>
  text === '' ? '' : ledgerString(fieldName, text);

export function partySet(fieldName: string, parties: readonly string[]): readonly string[] {
  for (const party of parties) {
    if (!isParty(party))
      throw invalidArgument(`${fieldName}: '${party.slice(0, 100)}' is not a party`);
  }
  return [...new Set(parties)].sort();
}

/** `alias::fingerprint`. */
const SYNCHRONIZER_ID = /^[A-Za-z0-9\-_ ]{1,185}::[A-Za-z0-9\-_ ]{1,68}$/;

function checkTypeReference(fieldName: string, reference: TypeReference): void {
  const { packageId, module, entity } = reference;
  if (packageId === '' && module === '' && entity === '') throw missingField(fieldName);
  if (packageId === '') throw missingField('package_id');
  if (module === '') throw missingField('module_name');
  if (entity === '') throw missingField('entity_name');
  const defect = typeReferenceDefect(reference);
  if (defect !== undefined) throw invalidField(fieldName, defect);
}

function checkCommand(command: LedgerCommand): void {
  checkTypeReference('template_id', command.templateId);
  if (command.kind === 'create') return;
  if (command.choice === '') throw missingField('choice');
  if (command.choice.length > 1000 || !/^[A-Za-z$_][\w$]*$/.test(command.choice)) {
    throw invalidField('choice', `'${command.choice.slice(0, 100)}' is not a choice name`);
  }
  if (command.kind !== 'exercise') return;
  if (command.contractId === '') throw missingField('contract_id');
  if (!isContractId(command.contractId)) {
    throw invalidField(
      'contract_id',
      `cannot parse ContractId "${command.contractId.slice(0, 200)}"`,
    );
  }
}

function checkDisclosed(disclosed: DisclosedContract): void {
  if (disclosed.createdEventBlob.length === 0)
    throw missingField('DisclosedContract.createdEventBlob');
  if (disclosed.contractId !== '' && !isContractId(disclosed.contractId)) {
    throw invalidField('DisclosedContract.contract_id', 'cannot parse ContractId');
  }
  const { synchronizerId } = disclosed;
  if (synchronizerId !== '' && !SYNCHRONIZER_ID.test(synchronizerId)) {
    throw invalidField('DisclosedContract.synchronizer_id', `'${synchronizerId.slice(0, 100)}'`);
  }
}

function readMinLedgerTime(raw: RawSubmission): Submission['minLedgerTime'] {
  const { minLedgerTimeAbs, minLedgerTimeRel } = raw;
  if (minLedgerTimeAbs !== undefined && minLedgerTimeRel !== undefined) {
    throw invalidArgument(
      'min_ledger_time_abs cannot be specified at the same time as min_ledger_time_rel',
    );
  }
  if (minLedgerTimeAbs !== undefined) return { kind: 'absolute', micros: minLedgerTimeAbs };
  if (minLedgerTimeRel === undefined) return undefined;
  if (minLedgerTimeRel < 0n) throw invalidField('min_ledger_time_rel', 'Duration must be positive');
  return { kind: 'relative', micros: minLedgerTimeRel };
}

function checkDeduplication({ deduplication }: RawSubmission): void {
  if (deduplication?.kind === 'offset' && deduplication.offset < 0n) {
    throw negativeOffset('deduplication_period', deduplication.offset);
  }
  if (deduplication?.kind === 'duration' && deduplication.micros < 0n) {
    throw invalidField('deduplication_period', 'Duration must be positive');
  }
}

/**
 * Checks the fields of a request that need no look-up, in the order of a participant. MISSING_FIELD, INVALID_FIELD,
 * INVALID_ARGUMENT, NEGATIVE_OFFSET. `userId` is the token's; that the request names no other is checked before.
 */
export function readSubmission(raw: RawSubmission, userId: string): Submission {
  const commandId = raw.commandId ?? '';
  if (commandId === '') throw missingField('command_id');
  ledgerString('command_id', commandId);
  const workflowId = optionalLedgerString('workflow_id', raw.workflowId ?? '');
  const submissionId = optionalLedgerString('submission_id', raw.submissionId ?? '');
  const actAs = partySet('act_as', raw.actAs ?? []);
  if (actAs.length === 0) throw missingField('act_as');
  const readAs = partySet('read_as', raw.readAs ?? []);
  const synchronizerId = raw.synchronizerId ?? '';
  if (synchronizerId !== '' && !SYNCHRONIZER_ID.test(synchronizerId)) {
    throw invalidField(
      'synchronizer_id',
      `'${synchronizerId.slice(0, 100)}' is not a synchronizer id`,
    );
  }
  const minLedgerTime = readMinLedgerTime(raw);
  if (raw.commands.length === 0) throw missingField('commands');
  for (const command of raw.commands) checkCommand(command);
  checkDeduplication(raw);
  const disclosedContracts = raw.disclosedContracts ?? [];
  for (const disclosed of disclosedContracts) checkDisclosed(disclosed);
  return {
    userId,
    commandId,
    submissionId: submissionId === '' ? randomUUID() : submissionId,
    workflowId,
    actAs,
    readAs,
    commands: raw.commands,
    disclosedContracts,
    synchronizerId,
    bytes: raw.bytes ?? 0,
    packageIdSelectionPreference: raw.packageIdSelectionPreference ?? [],
    ...(raw.deduplication === undefined ? {} : { deduplication: raw.deduplication }),
    ...(minLedgerTime === undefined ? {} : { minLedgerTime }),
    ...(raw.traceContext === undefined ? {} : { traceContext: raw.traceContext }),
  };
}
