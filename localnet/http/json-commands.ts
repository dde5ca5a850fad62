import { jsonSource } from '../ledger/lf-json.ts';
import type { Json } from '../ledger/lf-json.ts';
import { parseTimestamp } from '../ledger/lf-values.ts';
import type {
  DeduplicationPeriod,
  DisclosedContract,
  LedgerCommand,
  RawSubmission,
  TypeReference,
} from '../ledger/submission.ts';
import {
  Unreadable,
  integerOf,
  listOf,
  objectOf,
  optional,
  required,
  stringOf,
  textsOf,
  withoutUndefined,
} from './json-fields.ts';
import type { JsonObject } from './json-fields.ts';

/**
 * Reads the body of `submit-and-wait`. Keys that the API does not know are ignored, so clients of older versions, which
 * still send `applicationId` or `domainId`, work. Contents are left to the ledger's own checks.
 *
 * @throws Unreadable if a required key is missing or something has the wrong shape
 */
export function readCommands(body: Json | undefined): RawSubmission {
  const fields = objectOf(body, '.');
  return withoutUndefined<RawSubmission>({
    commands: listOf(required(fields, 'commands'), 'commands').map((command, index) =>
      readCommand(objectOf(command, `commands[${index}]`)),
    ),
    commandId: stringOf(required(fields, 'commandId'), 'commandId'),
    actAs: textsOf(required(fields, 'actAs'), 'actAs'),
    readAs: optional(fields, 'readAs', textsOf),
    userId: optional(fields, 'userId', stringOf),
    workflowId: optional(fields, 'workflowId', stringOf),
    submissionId: optional(fields, 'submissionId', stringOf),
    deduplication: optional(fields, 'deduplicationPeriod', readDeduplication),
    minLedgerTimeAbs: optional(fields, 'minLedgerTimeAbs', timestampOf),
    minLedgerTimeRel: optional(fields, 'minLedgerTimeRel', durationOf),
    disclosedContracts: optional(fields, 'disclosedContracts', readDisclosedContracts),
    synchronizerId: optional(fields, 'synchronizerId', stringOf),
    packageIdSelectionPreference: optional(fields, 'packageIdSelectionPreference', textsOf),
  });
}

/** One command is an object with one key, which says what kind it is. */
function readCommand(command: JsonObject): LedgerCommand {
  const [kind, ...others] = Object.keys(command);
  if (kind === undefined || others.length > 0) throw new Unreadable('Expected one command kind');
  const fields = objectOf(command[kind], kind);
  const templateId = () =>
    readTypeReference(stringOf(required(fields, 'templateId'), 'templateId'));
  const text = (key: string) => stringOf(required(fields, key), key);
  const value = (key: string) => jsonSource(required(fields, key));
  switch (kind) {
    case 'CreateCommand':
      return { kind: 'create', templateId: templateId(), argument: value('createArguments') };
    case 'ExerciseCommand':
      return {
        kind: 'exercise',
        templateId: templateId(),
        contractId: text('contractId'),
        choice: text('choice'),
        argument: value('choiceArgument'),
      };
    case 'CreateAndExerciseCommand':
      return {
        kind: 'createAndExercise',
        templateId: templateId(),
        createArgument: value('createArguments'),
        choice: text('choice'),
        argument: value('choiceArgument'),
      };
    default:
      throw new Unreadable(`Unknown command kind at '${kind}'`);
  }
}

/** `<package>:<module>:<entity>`, the package being its id or `#` and its name. */
function readTypeReference(text: string): TypeReference {
  const [packageId = '', module = '', entity = '', ...rest] = text.split(':');
  if (packageId === '' || module === '' || entity === '' || rest.length > 0) {
    throw new Unreadable(`Not an identifier at 'templateId'`);
  }
  return { packageId, module, entity };
}

/** `{Empty: {}}`, `{DeduplicationDuration: {value: {seconds, nanos}}}` or `{DeduplicationOffset: {value}}`. */
function readDeduplication(json: Json): DeduplicationPeriod | undefined {
  const period = objectOf(json, 'deduplicationPeriod');
  const [kind, ...others] = Object.keys(period);
  if (kind === undefined || others.length > 0) {
    throw new Unreadable(`Expected one kind at 'deduplicationPeriod'`);
  }
  const value = () => required(objectOf(period[kind], kind), 'value');
  switch (kind) {
    case 'Empty':
      return undefined;
    case 'DeduplicationDuration':
      return { kind: 'duration', micros: durationOf(value(), kind) };
    case 'DeduplicationOffset':
      return { kind: 'offset', offset: integerOf(value(), kind) };
    default:
      throw new Unreadable(`Unknown kind at 'deduplicationPeriod'`);
  }
}

function readDisclosedContracts(json: Json): readonly DisclosedContract[] {
  return listOf(json, 'disclosedContracts').map((item, index) => {
    const fields = objectOf(item, `disclosedContracts[${index}]`);
    const templateId = optional(fields, 'templateId', stringOf);
    return {
      ...(templateId === undefined || templateId === ''
        ? {}
        : { templateId: readTypeReference(templateId) }),
      contractId: optional(fields, 'contractId', stringOf) ?? '',
      createdEventBlob: base64Of(required(fields, 'createdEventBlob'), 'createdEventBlob'),
      synchronizerId: optional(fields, 'synchronizerId', stringOf) ?? '',
    };
  });
}

/** Microseconds of `{seconds, nanos}`; what is finer is cut. */
function durationOf(json: Json, path: string): bigint {
  const fields = objectOf(json, path);
  const seconds = integerOf(required(fields, 'seconds'), `${path}.seconds`);
  const nanos = optional(fields, 'nanos', integerOf) ?? 0n;
  return seconds * 1_000_000n + nanos / 1_000n;
}

function timestampOf(json: Json, path: string): bigint {
  const micros = parseTimestamp(stringOf(json, path));
  if (micros === undefined) throw new Unreadable(`Expected an ISO-8601 instant at '${path}'`);
  return micros;
}

function base64Of(json: Json, path: string): Uint8Array {
  const text = stringOf(json, path);
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) throw new Unreadable(`Expected base64 at '${path}'`);
  return Buffer.from(text, 'base64');
}
