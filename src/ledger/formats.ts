import type { Party } from '../domain/ids.ts';
import type { TemplateName } from '../domain/ledger.ts';
import { assert } from '../domain/unreachable.ts';
import type {
  CumulativeFilter,
  EventFormat,
  UpdateFormat,
} from '../../proto/gen/com/daml/ledger/api/v2/transaction_filter.ts';
import { TransactionShape } from '../../proto/gen/com/daml/ledger/api/v2/transaction_filter.ts';
import { templateIdentifier } from './commands.ts';

/** The contracts to request: by template, with arguments, and by interface, with the interface's view of each. */
export interface Wanted {
  readonly templates: readonly TemplateName[];
  readonly interfaces: readonly TemplateName[];
}

/**
 * Requests contracts of these templates and interfaces in which one of the parties has a stake or which it witnesses,
 * with labels.
 */
export function eventFormat(parties: readonly Party[], wanted: Wanted): EventFormat {
  // The ledger treats an empty filter as "everything".
  assert(
    wanted.templates.length + wanted.interfaces.length > 0,
    'a filter names a template or an interface',
  );
  const byTemplate = wanted.templates.map((template): CumulativeFilter => ({
    identifierFilter: {
      $case: 'templateFilter',
      value: { templateId: templateIdentifier(template), includeCreatedEventBlob: false },
    },
  }));
  const byInterface = wanted.interfaces.map((name): CumulativeFilter => ({
    identifierFilter: {
      $case: 'interfaceFilter',
      value: {
        interfaceId: templateIdentifier(name),
        includeInterfaceView: true,
        includeCreatedEventBlob: false,
      },
    },
  }));
  return formatOf(parties, [...byTemplate, ...byInterface]);
}

/** Requests transactions with every create and exercise in tree order, including the results of exercises. */
export const updateFormat = (parties: readonly Party[], wanted: Wanted): UpdateFormat =>
  ledgerEffects(eventFormat(parties, wanted));

/** Requests every update that the parties can see. */
export const wildcard = (parties: readonly Party[]): UpdateFormat =>
  ledgerEffects(
    formatOf(parties, [
      { identifierFilter: { $case: 'wildcardFilter', value: { includeCreatedEventBlob: false } } },
    ]),
  );

const formatOf = (parties: readonly Party[], cumulative: CumulativeFilter[]): EventFormat => ({
  filtersByParty: Object.fromEntries(parties.map((party) => [party, { cumulative }])),
  filtersForAnyParty: undefined,
  verbose: true,
});

const ledgerEffects = (format: EventFormat): UpdateFormat => ({
  includeTransactions: {
    eventFormat: format,
    transactionShape: TransactionShape.LEDGER_EFFECTS,
  },
  // Only reassignments report a contract that arrives from another synchronizer.
  includeReassignments: format,
  includeTopologyEvents: undefined,
});
