import type {
  Command,
  Commands,
  PrefetchContractKey,
} from '../../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import { TransactionShape } from '../../../proto/gen/com/daml/ledger/api/v2/transaction_filter.ts';
import type {
  EventFormat,
  Filters,
  TransactionFormat,
  UpdateFormat,
} from '../../../proto/gen/com/daml/ledger/api/v2/transaction_filter.ts';
import type { GetActiveContractsRequest } from '../../../proto/gen/com/daml/ledger/api/v2/state_service.ts';
import type { GetUpdatesRequest } from '../../../proto/gen/com/daml/ledger/api/v2/update_service.ts';
import { isParty } from '../../ledger/lf-values.ts';
import { invalidArgument, missingField } from '../../ledger/submission-checks.ts';
import type { JsCommand, JsCommands, JsPrefetchKey } from './shapes/commands.ts';
import type { LegacyFilter } from './shapes/formats.ts';
import type { ActiveContractsRequest } from './shapes/state.ts';
import type { PointwiseQuery, UpdatesRequest } from './shapes/updates.ts';
import { LedgerError } from '../../ledger/ledger-error.ts';
import { isNameReference } from './value-codec.ts';
import type { CommandValues, ValueCodec } from './value-codec.ts';

/*
 * Converts requests in the JSON API's own form to requests for the services. Values are decoded here, before a service
 * has checked anything, because a participant's JSON API is a client that sends protobuf.
 */

type GivenCommands = Pick<JsCommands, 'actAs' | 'packageIdSelectionPreference'> & {
  readonly commands: readonly (JsCommand | undefined)[];
};

/** Returns a submission's commands, with values decoded by the types that the commands name. */
export function commandListOf(
  { commands, actAs, packageIdSelectionPreference: preferences }: GivenCommands,
  codec: ValueCodec,
): Command[] {
  const [submitter] = actAs;
  if (submitter === undefined) throw missingField('act_as/actAs');
  if (!isParty(submitter)) {
    throw invalidArgument(
      `Invalid party in actAs/act_as: '${submitter.slice(0, 255)}' is not a party`,
    );
  }
  const given = commands.filter((command) => command !== undefined);
  const values = codec.forCommands(
    given.map(({ value }) => value.templateId),
    { parties: [submitter], preferences },
  );
  return given.map((command) => commandOf(command, values));
}

function commandOf(command: JsCommand, values: CommandValues): Command {
  switch (command.$case) {
    case 'create': {
      const { templateId } = command.value;
      const createArguments = values.payloadOf(templateId, command.value.createArguments);
      return { command: { $case: 'create', value: { templateId, createArguments } } };
    }
    case 'exercise': {
      const { templateId, contractId, choice } = command.value;
      const choiceArgument = values.choiceArgumentOf(
        templateId,
        choice,
        command.value.choiceArgument,
      );
      const value = { templateId, contractId, choice, choiceArgument };
      return { command: { $case: 'exercise', value } };
    }
    case 'createAndExercise': {
      const { templateId, choice } = command.value;
      const createArguments = values.payloadOf(templateId, command.value.createArguments);
      const choiceArgument = values.choiceArgumentOf(
        templateId,
        choice,
        command.value.choiceArgument,
      );
      const value = { templateId, createArguments, choice, choiceArgument };
      return { command: { $case: 'createAndExercise', value } };
    }
    case 'exerciseByKey': {
      const { templateId, choice } = command.value;
      const choiceArgument = values.choiceArgumentOf(
        templateId,
        choice,
        command.value.choiceArgument,
      );
      const contractKey = values.keyOf(templateId, command.value.contractKey);
      const value = { templateId, contractKey, choice, choiceArgument };
      return { command: { $case: 'exerciseByKey', value } };
    }
    default:
      throw new TypeError(`no such command: ${JSON.stringify(command satisfies never)}`);
  }
}

/**
 * Returns contract keys, decoded with the types of their templates. A package name instead of an ID causes an internal
 * error, as at a participant, whose JSON API does not select packages for keys.
 */
export const prefetchKeysOf = (
  keys: readonly JsPrefetchKey[],
  values: ValueCodec,
): PrefetchContractKey[] =>
  keys.map(({ templateId, contractKey, limit }) => {
    const { packageId, moduleName, entityName } = templateId;
    if (!isNameReference(packageId)) {
      return { templateId, contractKey: values.keyOf(templateId, contractKey), limit };
    }
    throw new LedgerError(
      'LEDGER_API_INTERNAL_ERROR',
      `Unexpected package-name format for identifier ${packageId}:${moduleName}:${entityName}, expected package id.`,
    );
  });

export function commandsOf(given: JsCommands, values: ValueCodec): Commands {
  const commands = commandListOf(given, values);
  const prefetchContractKeys = prefetchKeysOf(given.prefetchContractKeys, values);
  return { ...given, commands, prefetchContractKeys };
}

const WILDCARD: Filters['cumulative'][number] = {
  identifierFilter: { $case: 'wildcardFilter', value: { includeCreatedEventBlob: false } },
};

const everythingOf = (parties: readonly string[]): EventFormat => ({
  filtersByParty: Object.fromEntries(parties.map((party) => [party, { cumulative: [WILDCARD] }])),
  filtersForAnyParty: undefined,
  verbose: true,
});

/** Returns the format of a transaction tree: all events that a party of the submission sees. */
export const treeFormatOf = (parties: readonly string[]): TransactionFormat => ({
  eventFormat: everythingOf(parties),
  transactionShape: TransactionShape.LEDGER_EFFECTS,
});

const onlyTransactions = (includeTransactions: TransactionFormat): UpdateFormat => ({
  includeTransactions,
  includeReassignments: undefined,
  includeTopologyEvents: undefined,
});

export const treeUpdateFormatOf = (parties: readonly string[]): UpdateFormat =>
  onlyTransactions(treeFormatOf(parties));

/**
 * Returns the format of a request for one transaction. Throws INVALID_ARGUMENT if both parties and a format are given,
 * or neither.
 */
export function pointwiseFormatOf({
  requestingParties,
  transactionFormat,
}: PointwiseQuery): UpdateFormat {
  if (requestingParties.length > 0 && transactionFormat !== undefined) {
    throw invalidArgument(
      bothAreSet('transaction_format', 'requesting_parties', 'requesting_parties'),
    );
  }
  if (transactionFormat !== undefined) return onlyTransactions(transactionFormat);
  if (requestingParties.length === 0) {
    throw invalidArgument(
      'Either transaction_format or requesting_parties is required. Please use either backwards compatible arguments (requesting_parties) or transaction_format.',
    );
  }
  return onlyTransactions({
    eventFormat: everythingOf(requestingParties),
    transactionShape: TransactionShape.ACS_DELTA,
  });
}

const bothAreSet = (format: string, other: string, old: string): string =>
  `Both ${format} and ${other} are set. Please use either backwards compatible arguments (${old}) or ${format}${old === 'requesting_parties' ? '' : ','} but not both.`;

interface EitherFilter {
  readonly filter: LegacyFilter | undefined;
  readonly verbose: boolean;
}

/**
 * Returns the given format, or the format that corresponds to the old filter. Throws INVALID_ARGUMENT if both or
 * neither are given.
 */
function formatOf<F>(
  name: string,
  format: F | undefined,
  { filter, verbose }: EitherFilter,
  ofFilter: (filter: LegacyFilter) => F,
): F {
  const old = 'filter and verbose';
  if (format === undefined) {
    if (filter !== undefined) return ofFilter(filter);
    throw invalidArgument(
      `Either filter/verbose or ${name} is required. Please use either backwards compatible arguments (${old}) or ${name}.`,
    );
  }
  if (filter !== undefined) throw invalidArgument(bothAreSet(name, 'filter', old));
  if (verbose) throw invalidArgument(bothAreSet(name, 'verbose', old));
  return format;
}

export function activeContractsOf(request: ActiveContractsRequest): GetActiveContractsRequest {
  const { activeAtOffset, streamContinuationToken, verbose } = request;
  const eventFormat = formatOf('event_format', request.eventFormat, request, (filter) => ({
    ...filter,
    verbose,
  }));
  return { activeAtOffset, eventFormat, streamContinuationToken };
}

/**
 * Adds a wildcard filter, because a tree shows every node: filters by type only add details to events, and exclude
 * none.
 */
function withWildcard(filters: Filters): Filters {
  const has = filters.cumulative.some(
    ({ identifierFilter }) => identifierFilter?.$case === 'wildcardFilter',
  );
  return has ? filters : { cumulative: [...filters.cumulative, WILDCARD] };
}

export function updatesOf(request: UpdatesRequest, isForTrees: boolean): GetUpdatesRequest {
  const { beginExclusive, endInclusive, descendingOrder, verbose } = request;
  const shown = (filters: Filters) => (isForTrees ? withWildcard(filters) : filters);
  const updateFormat = formatOf('update_format', request.updateFormat, request, (filter) => {
    const byParty = Object.entries(filter.filtersByParty);
    const forAny = filter.filtersForAnyParty;
    const eventFormat: EventFormat = {
      filtersByParty: Object.fromEntries(byParty.map(([party, of]) => [party, shown(of)])),
      filtersForAnyParty: forAny === undefined ? undefined : shown(forAny),
      verbose,
    };
    const transactionShape = isForTrees
      ? TransactionShape.LEDGER_EFFECTS
      : TransactionShape.ACS_DELTA;
    return {
      includeTransactions: { eventFormat, transactionShape },
      includeReassignments: eventFormat,
      includeTopologyEvents: undefined,
    };
  });
  return { beginExclusive, endInclusive, updateFormat, descendingOrder };
}
