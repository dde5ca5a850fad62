import { randomUUID } from 'node:crypto';
import {
  contractIdDefect,
  dottedNameDefect,
  ledgerStringDefect,
  nameDefect,
  packageIdDefect,
  packageReferenceDefect,
  partyDefect,
  uniqueIdentifierDefect,
  userIdDefect,
} from './identifiers.ts';
import { LedgerError } from './ledger-error.ts';
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
  );

export const invalidArgument = (message: string): LedgerError =>
  new LedgerError('INVALID_ARGUMENT', `The submitted request has invalid arguments: ${message}`);

/** @param message says what form the offset must have */
export const negativeOffset = (
  fieldName: string,
  offset: bigint,
  message = `the offset in ${fieldName} field has to be a non-negative integer (>=0)`,
): LedgerError =>
  new LedgerError(
    'NEGATIVE_OFFSET',
    `Offset ${offset} in ${fieldName} is a negative integer: ${message}`,
  );

/** @param message says what form the offset must have */
export const nonPositiveOffset = (
  fieldName: string,
  offset: bigint,
  message = 'the offset has to be a positive integer (>0)',
): LedgerError =>
  new LedgerError(
    'NON_POSITIVE_OFFSET',
    `Offset ${offset} in ${fieldName} is not a positive integer: ${message}`,
  );

type Defect = (text: string) => string | undefined;

/** Throws INVALID_FIELD if `text` is invalid. */
export function checkField(fieldName: string, text: string, defectOf: Defect): void {
  const defect = defectOf(text);
  if (defect !== undefined) throw invalidField(fieldName, defect);
}

/** Like {@link checkField}, but also throws MISSING_FIELD if the text is empty. */
export function requireField(fieldName: string, text: string, defectOf: Defect): void {
  if (text === '') throw missingField(fieldName);
  checkField(fieldName, text, defectOf);
}

/** Throws INVALID_ARGUMENT if `text` is invalid. */
export function checkArgument(text: string, defectOf: Defect): void {
  const defect = defectOf(text);
  if (defect !== undefined) throw invalidArgument(defect);
}

/** @throws LedgerError INVALID_ARGUMENT if a token does not name a valid user */
export const checkUserName = (userId: string): void => checkArgument(userId, userIdDefect);

/** Returns the parties, sorted and without duplicates. */
export function partySet(parties: readonly string[]): readonly string[] {
  for (const party of parties) checkArgument(party, partyDefect);
  return [...new Set(parties)].sort();
}

/** Throws MISSING_FIELD, INVALID_FIELD. */
export const requireContractId = (contractId: string): void =>
  requireField('contract_id', contractId, contractIdDefect);

/** Checks a type whose package is named by ID or by name. Throws INVALID_FIELD. */
export function checkTypeReference({ packageId, module, entity }: TypeReference): void {
  checkField('module_name', module, dottedNameDefect);
  checkField('entity_name', entity, dottedNameDefect);
  checkField('package reference', packageId, packageReferenceDefect);
}

/** Checks a type whose package must be named by ID. Throws INVALID_FIELD, MISSING_FIELD. */
export function checkTypeId({ packageId, module, entity }: TypeReference): void {
  checkField('module_name', module, dottedNameDefect);
  checkField('entity_name', entity, dottedNameDefect);
  requireField('package_id', packageId, packageIdDefect);
}

function checkCommand(command: LedgerCommand): void {
  checkTypeReference(command.templateId);
  if (command.kind === 'create') return;
  if (command.kind === 'exercise') requireContractId(command.contractId);
  requireField('choice', command.choice, nameDefect);
}

function checkDisclosed(disclosed: DisclosedContract): void {
  const { createdEventBlob, templateId, contractId, synchronizerId } = disclosed;
  if (createdEventBlob.length === 0) throw missingField('DisclosedContract.createdEventBlob');
  if (templateId !== undefined) checkTypeId(templateId);
  if (contractId !== '') checkField('DisclosedContract.contract_id', contractId, contractIdDefect);
  if (synchronizerId === '') return;
  checkField('DisclosedContract.synchronizer_id', synchronizerId, uniqueIdentifierDefect);
}

function checkPreference(packageId: string): void {
  const defect = packageIdDefect(packageId);
  if (defect === undefined) return;
  throw invalidArgument(
    `package_id_selection_preference parsing failed with \`${defect}\`. The package_id_selection_preference field must contain non-empty and valid package ids`,
  );
}

function checkTapsMaxPasses(passes: number | undefined): void {
  if (passes === undefined || passes > 0) return;
  throw invalidArgument(`taps_max_passes must be strictly positive, but got ${passes}.`);
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
  return { kind: 'relative', micros: minLedgerTimeRel };
}

function checkDeduplication({ deduplication }: RawSubmission): void {
  if (deduplication?.kind === 'offset' && deduplication.offset < 0n) {
    const { offset } = deduplication;
    const message = `the deduplication offset has to be a non-negative integer and not ${offset}`;
    throw negativeOffset('deduplication_period', offset, message);
  }
  if (deduplication?.kind === 'duration' && deduplication.micros < 0n) {
    throw invalidField('deduplication_period', 'Duration must be positive');
  }
}

/**
 * Checks the fields of a request that need no look-up, in the order in which a participant checks them. Throws
 * MISSING_FIELD, INVALID_FIELD, INVALID_ARGUMENT, NEGATIVE_OFFSET. `userId` is the token's user; callers have checked
 * that the request names no other user.
 */
export function readSubmission(raw: RawSubmission, userId: string): Submission {
  const { commandId = '', workflowId = '', submissionId = '', synchronizerId = '' } = raw;
  if (workflowId !== '') checkArgument(workflowId, ledgerStringDefect);
  requireField('command_id', commandId, ledgerStringDefect);
  if (submissionId !== '') checkField('submission_id', submissionId, ledgerStringDefect);
  const actAs = partySet(raw.actAs ?? []);
  const readAs = partySet(raw.readAs ?? []);
  if (actAs.length === 0) throw missingField('party or act_as');
  if (synchronizerId !== '') checkField('synchronizer_id', synchronizerId, uniqueIdentifierDefect);
  // Reading `commands` decodes them from a protobuf message, so they are read only after the checks above.
  const { commands } = raw;
  if (commands.length === 0) throw missingField('commands');
  for (const command of commands) checkCommand(command);
  const minLedgerTime = readMinLedgerTime(raw);
  checkDeduplication(raw);
  const disclosedContracts = raw.disclosedContracts ?? [];
  for (const disclosed of disclosedContracts) checkDisclosed(disclosed);
  const packageIdSelectionPreference = raw.packageIdSelectionPreference ?? [];
  for (const packageId of packageIdSelectionPreference) checkPreference(packageId);
  const prefetchedKeys = raw.prefetchedKeys ?? [];
  for (const { templateId } of prefetchedKeys) checkTypeReference(templateId);
  checkTapsMaxPasses(raw.tapsMaxPasses);
  return {
    userId,
    commandId,
    submissionId: submissionId === '' ? randomUUID() : submissionId,
    workflowId,
    actAs,
    readAs,
    commands,
    disclosedContracts,
    synchronizerId,
    bytes: raw.bytes ?? 0,
    packageIdSelectionPreference,
    prefetchedKeys,
    ...(raw.deduplication === undefined ? {} : { deduplication: raw.deduplication }),
    ...(minLedgerTime === undefined ? {} : { minLedgerTime }),
    ...(raw.traceContext === undefined ? {} : { traceContext: raw.traceContext }),
  };
}
