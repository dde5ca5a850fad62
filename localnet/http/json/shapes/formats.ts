import { TransactionShape } from '../../../../proto/gen/com/daml/ledger/api/v2/transaction_filter.ts';
import type {
  CumulativeFilter,
  EventFormat,
  Filters,
  InterfaceFilter,
  TemplateFilter,
  TopologyFormat,
  TransactionFormat,
  UpdateFormat,
  WildcardFilter,
} from '../../../../proto/gen/com/daml/ledger/api/v2/transaction_filter.ts';
import { enumeration, flag, list, map, message, oneOf, optional, text } from '../shape.ts';
import { identifier } from './well-known.ts';

const wildcardFilter = message<WildcardFilter>('WildcardFilter', { includeCreatedEventBlob: flag });
const interfaceFilter = message<InterfaceFilter>('InterfaceFilter', {
  interfaceId: optional(identifier),
  includeInterfaceView: flag,
  includeCreatedEventBlob: flag,
});
const templateFilter = message<TemplateFilter>('TemplateFilter', {
  templateId: optional(identifier),
  includeCreatedEventBlob: flag,
});

const cumulativeFilter = message<CumulativeFilter>('CumulativeFilter', {
  identifierFilter: oneOf<NonNullable<CumulativeFilter['identifierFilter']>>({
    wildcardFilter,
    interfaceFilter,
    templateFilter,
  }),
});

const filters = message<Filters>('Filters', { cumulative: list(cumulativeFilter) });

export const eventFormat = message<EventFormat>('EventFormat', {
  filtersByParty: map(filters),
  filtersForAnyParty: optional(filters),
  verbose: flag,
});

const transactionShape = enumeration('TRANSACTION_SHAPE', TransactionShape);

export const transactionFormat = message<TransactionFormat>('TransactionFormat', {
  eventFormat: optional(eventFormat),
  transactionShape,
});

export const updateFormat = message<UpdateFormat>('UpdateFormat', {
  includeTransactions: optional(transactionFormat),
  includeReassignments: optional(eventFormat),
  includeTopologyEvents: optional(
    message<TopologyFormat>('TopologyFormat', {
      includeParticipantAuthorizationEvents: optional(
        message('ParticipantAuthorizationTopologyFormat', { parties: list(text) }),
      ),
    }),
  ),
});

/** The filter that older clients send instead of an event format. */
export type LegacyFilter = Pick<EventFormat, 'filtersByParty' | 'filtersForAnyParty'>;

export const legacyFilter = message<LegacyFilter>('TransactionFilter', {
  filtersByParty: map(filters),
  filtersForAnyParty: optional(filters),
});
