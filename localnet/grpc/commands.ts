import { Commands } from '../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import type {
  Command,
  PrefetchContractKey,
} from '../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import type { Identifier } from '../../proto/gen/com/daml/ledger/api/v2/value.ts';
import { invalidArgument, missingField } from '../ledger/submission-checks.ts';
import type {
  DeduplicationPeriod,
  LedgerCommand,
  PrefetchedKey,
  RawSubmission,
  TraceContext,
  TypeReference,
} from '../ledger/submission.ts';
import { microsOf } from '../messages/times.ts';
import { recordSource, typeReference, valueSource } from '../messages/values.ts';

function readCommand({ command }: Command): LedgerCommand {
  switch (command?.$case) {
    case undefined:
      throw missingField('command');
    case 'create': {
      const templateId = presentType(command.value.templateId);
      const argument = recordSource(command.value.createArguments, 'create_arguments');
      return { kind: 'create', templateId, argument };
    }
    case 'exercise': {
      const { contractId, choice } = command.value;
      const templateId = presentType(command.value.templateId);
      const argument = valueSource(command.value.choiceArgument, 'value');
      return { kind: 'exercise', templateId, contractId, choice, argument };
    }
    case 'createAndExercise': {
      const { choice } = command.value;
      const templateId = presentType(command.value.templateId);
      const createArgument = recordSource(command.value.createArguments, 'create_arguments');
      const argument = valueSource(command.value.choiceArgument, 'value');
      return { kind: 'createAndExercise', templateId, createArgument, choice, argument };
    }
    case 'exerciseByKey': {
      const { choice } = command.value;
      const templateId = presentType(command.value.templateId);
      const key = valueSource(command.value.contractKey, 'contract_key');
      const argument = valueSource(command.value.choiceArgument, 'value');
      return { kind: 'exerciseByKey', templateId, key, choice, argument };
    }
    default:
      throw new TypeError(`no such command: ${JSON.stringify(command satisfies never)}`);
  }
}

function presentType(id: Identifier | undefined): TypeReference {
  if (id === undefined) throw missingField('template_id');
  return typeReference(id);
}

function readPrefetch({ templateId, contractKey, limit }: PrefetchContractKey): PrefetchedKey {
  const type = presentType(templateId);
  const key = valueSource(contractKey, 'contract_key');
  if (limit === 0) throw invalidArgument('limit must be a positive integer, but got 0');
  return { templateId: type, key };
}

function readDeduplication(commands: Commands): DeduplicationPeriod | undefined {
  const period = commands.deduplicationPeriod;
  if (period === undefined) return undefined;
  return period.$case === 'deduplicationOffset'
    ? { kind: 'offset', offset: period.value }
    : { kind: 'duration', micros: microsOf(period.value) };
}

/** Converts `Commands` to the ledger's form. Only the structure of values is checked. */
export function readCommands(
  commands: Commands | undefined,
  traceContext: TraceContext | undefined,
): RawSubmission {
  if (commands === undefined) throw missingField('commands');
  const deduplication = readDeduplication(commands);
  const { minLedgerTimeAbs, minLedgerTimeRel } = commands;
  return {
    userId: commands.userId,
    commandId: commands.commandId,
    submissionId: commands.submissionId,
    workflowId: commands.workflowId,
    actAs: commands.actAs,
    readAs: commands.readAs,
    // Commands are decoded only when they are read, after the checks of the earlier fields, so that errors in those
    // fields are reported first.
    get commands() {
      return commands.commands.map(readCommand);
    },
    disclosedContracts: commands.disclosedContracts.map((disclosed) => ({
      ...(disclosed.templateId === undefined
        ? {}
        : { templateId: typeReference(disclosed.templateId) }),
      contractId: disclosed.contractId,
      createdEventBlob: disclosed.createdEventBlob,
      synchronizerId: disclosed.synchronizerId,
    })),
    synchronizerId: commands.synchronizerId,
    bytes: Commands.encode(commands).finish().length,
    packageIdSelectionPreference: commands.packageIdSelectionPreference,
    prefetchedKeys: commands.prefetchContractKeys.map(readPrefetch),
    ...(commands.tapsMaxPasses === undefined ? {} : { tapsMaxPasses: commands.tapsMaxPasses }),
    ...(deduplication === undefined ? {} : { deduplication }),
    ...(minLedgerTimeAbs === undefined ? {} : { minLedgerTimeAbs: microsOf(minLedgerTimeAbs) }),
    ...(minLedgerTimeRel === undefined ? {} : { minLedgerTimeRel: microsOf(minLedgerTimeRel) }),
    ...(traceContext === undefined ? {} : { traceContext }),
  };
}
