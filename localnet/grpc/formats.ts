import { TransactionShape as ShapeMessage } from '../../proto/gen/com/daml/ledger/api/v2/transaction_filter.ts';
import type {
  CumulativeFilter as CumulativeFilterMessage,
  EventFormat as EventFormatMessage,
  Filters,
  TransactionFormat as TransactionFormatMessage,
  UpdateFormat as UpdateFormatMessage,
} from '../../proto/gen/com/daml/ledger/api/v2/transaction_filter.ts';
import { EventFormat } from '../ledger/event-format.ts';
import type { CumulativeFilter, EventFormatRequest } from '../ledger/event-format.ts';
import type { PackageRegistry } from '../ledger/package-registry.ts';
import type { TransactionShape } from '../ledger/projection.ts';
import type { Access } from '../ledger/rights.ts';
import { partyDefect } from '../ledger/identifiers.ts';
import { checkField, invalidArgument, missingField } from '../ledger/submission-checks.ts';
import { typeReference } from '../messages/values.ts';

export interface TransactionFormat {
  readonly events: EventFormat;
  readonly shape: TransactionShape;
}

/**
 * The contents that a reader requests for a stream of updates. Kinds of updates without a format are omitted from the
 * stream.
 */
export interface UpdateFormat {
  readonly transactions: TransactionFormat | undefined;
  /** The parties whose changes of hosting the stream contains; an empty list stands for all parties. */
  readonly topologyParties: readonly string[] | undefined;
}

function readFilters(filters: Filters): readonly CumulativeFilter[] {
  // Filters without content have no effect, even if there are other filters.
  return filters.cumulative.flatMap(readFilter);
}

function readFilter({
  identifierFilter,
}: CumulativeFilterMessage): CumulativeFilter | readonly CumulativeFilter[] {
  if (identifierFilter === undefined) return [];
  const includeBlob = identifierFilter.value.includeCreatedEventBlob;
  switch (identifierFilter.$case) {
    case 'wildcardFilter':
      return { kind: 'wildcard', includeBlob };
    case 'templateFilter': {
      const { templateId } = identifierFilter.value;
      if (templateId === undefined) throw missingField('templateId');
      return { kind: 'template', reference: typeReference(templateId), includeBlob };
    }
    case 'interfaceFilter': {
      const { interfaceId, includeInterfaceView: includeView } = identifierFilter.value;
      if (interfaceId === undefined) throw missingField('interfaceId');
      return { kind: 'interface', reference: typeReference(interfaceId), includeBlob, includeView };
    }
    default:
      throw new TypeError(`no such filter: ${JSON.stringify(identifierFilter satisfies never)}`);
  }
}

function readEventFormatRequest(message: EventFormatMessage): EventFormatRequest {
  return {
    filtersByParty: new Map(
      Object.entries(message.filtersByParty).map(([party, filters]) => [
        party,
        readFilters(filters),
      ]),
    ),
    filtersForAnyParty:
      message.filtersForAnyParty === undefined
        ? undefined
        : readFilters(message.filtersForAnyParty),
    verbose: message.verbose,
  };
}

/** Requires the rights for reading with this format. Throws PERMISSION_DENIED. */
export function requireFormatRights(access: Access, message: EventFormatMessage | undefined): void {
  if (message === undefined) return;
  access.requireReadAs(Object.keys(message.filtersByParty));
  if (message.filtersForAnyParty !== undefined) access.requireReadAsAnyParty();
}

export function requireUpdateFormatRights(
  access: Access,
  format: UpdateFormatMessage | undefined,
): void {
  requireFormatRights(access, format?.includeTransactions?.eventFormat);
  requireFormatRights(access, format?.includeReassignments);
  const topology = format?.includeTopologyEvents?.includeParticipantAuthorizationEvents;
  if (topology === undefined) return;
  if (topology.parties.length === 0) access.requireReadAsAnyParty();
  else access.requireReadAs(topology.parties);
}

export function readEventFormat(
  message: EventFormatMessage | undefined,
  registry: PackageRegistry,
): EventFormat {
  if (message === undefined) throw missingField('event_format');
  return new EventFormat(readEventFormatRequest(message), registry);
}

export function readTransactionFormat(
  message: TransactionFormatMessage,
  registry: PackageRegistry,
): TransactionFormat {
  const shape = readShape(message.transactionShape);
  return { events: readEventFormat(message.eventFormat, registry), shape };
}

function readShape(shape: number): TransactionShape {
  if (shape === ShapeMessage.ACS_DELTA) return 'acsDelta';
  if (shape === ShapeMessage.LEDGER_EFFECTS) return 'ledgerEffects';
  if (shape === ShapeMessage.UNSPECIFIED) throw missingField('transaction_shape');
  throw invalidArgument(`transaction_shape is defined with invalid value ${shape}`);
}

export function readUpdateFormat(
  message: UpdateFormatMessage | undefined,
  registry: PackageRegistry,
): UpdateFormat {
  if (message === undefined) throw missingField('update_format');
  const { includeTransactions, includeReassignments, includeTopologyEvents } = message;
  // The network has one synchronizer, so contracts are never reassigned. The filter for reassignments is checked
  // nevertheless.
  if (includeReassignments !== undefined) readEventFormat(includeReassignments, registry);
  const topology = includeTopologyEvents?.includeParticipantAuthorizationEvents;
  return {
    transactions:
      includeTransactions === undefined
        ? undefined
        : readTransactionFormat(includeTransactions, registry),
    topologyParties: topology === undefined ? undefined : readTopologyParties(topology.parties),
  };
}

function readTopologyParties(parties: readonly string[]): readonly string[] {
  for (const party of parties) checkField('parties', party, partyDefect);
  return parties;
}

/**
 * Returns the default format for a caller that waits for its submission: the changes that the submitting parties see.
 */
export function defaultTransactionFormat(
  parties: readonly string[],
  registry: PackageRegistry,
): TransactionFormat {
  const request: EventFormatRequest = {
    filtersByParty: new Map(parties.map((party) => [party, []])),
    filtersForAnyParty: undefined,
    verbose: true,
  };
  return { events: new EventFormat(request, registry), shape: 'acsDelta' };
}
