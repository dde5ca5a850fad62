import {
  EventFormat,
  TransactionShape,
  UpdateFormat,
} from '../../../proto/gen/com/daml/ledger/api/v2/transaction_filter.ts';
import type {
  CumulativeFilter,
  TransactionFormat,
} from '../../../proto/gen/com/daml/ledger/api/v2/transaction_filter.ts';
import type { Identifier } from '../../../proto/gen/com/daml/ledger/api/v2/value.ts';

export const { ACS_DELTA, LEDGER_EFFECTS } = TransactionShape;

export interface EventOptions {
  /** The templates whose contracts to include. @default all templates */
  readonly templates?: readonly Identifier[];
  readonly interfaces?: readonly Identifier[];
  /** Whether to include the views of the interfaces. @default true */
  readonly views?: boolean;
  readonly blobs?: boolean;
  /** Whether values have labels. @default true */
  readonly verbose?: boolean;
}

function cumulativeFilters(options: EventOptions): CumulativeFilter[] {
  const includeCreatedEventBlob = options.blobs ?? false;
  const templates = (options.templates ?? []).map((templateId): CumulativeFilter => ({
    identifierFilter: { $case: 'templateFilter', value: { templateId, includeCreatedEventBlob } },
  }));
  const interfaces = (options.interfaces ?? []).map((interfaceId): CumulativeFilter => ({
    identifierFilter: {
      $case: 'interfaceFilter',
      value: {
        interfaceId,
        includeInterfaceView: options.views ?? true,
        includeCreatedEventBlob,
      },
    },
  }));
  const filters = [...templates, ...interfaces];
  if (filters.length > 0) return filters;
  return [{ identifierFilter: { $case: 'wildcardFilter', value: { includeCreatedEventBlob } } }];
}

/** Returns a format that selects the events that these parties see. */
export function eventsOf(parties: readonly string[], options: EventOptions = {}): EventFormat {
  const filters = { cumulative: cumulativeFilters(options) };
  return EventFormat.fromPartial({
    filtersByParty: Object.fromEntries(parties.map((party) => [party, filters])),
    verbose: options.verbose ?? true,
  });
}

/**
 * Returns a format that selects the events that any party of the participant sees. It needs the right to read as any
 * party.
 */
export function eventsOfAnyParty(options: EventOptions = {}): EventFormat {
  return EventFormat.fromPartial({
    filtersForAnyParty: { cumulative: cumulativeFilters(options) },
    verbose: options.verbose ?? true,
  });
}

export function transactions(
  transactionShape: TransactionShape,
  eventFormat: EventFormat,
): TransactionFormat {
  return { transactionShape, eventFormat };
}

/** Returns a format that selects only transactions. */
export function updatesOf(
  transactionShape: TransactionShape,
  parties: readonly string[],
  options: EventOptions = {},
): UpdateFormat {
  return UpdateFormat.fromPartial({
    includeTransactions: transactions(transactionShape, eventsOf(parties, options)),
  });
}
