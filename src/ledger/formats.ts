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

/** Contracts of these templates in which one of the parties has a stake or that it witnesses, with labels. */
export function eventFormat(
  parties: readonly Party[],
  templates: readonly TemplateName[],
): EventFormat {
  // The ledger reads an empty filter as "everything".
  assert(templates.length > 0, 'a template filter names a template');
  return formatOf(
    parties,
    templates.map((template) => ({
      identifierFilter: {
        $case: 'templateFilter',
        value: { templateId: templateIdentifier(template), includeCreatedEventBlob: false },
      },
    })),
  );
}

/** Transactions with every create and exercise in tree order, exercise results included. */
export const updateFormat = (
  parties: readonly Party[],
  templates: readonly TemplateName[],
): UpdateFormat => ledgerEffects(eventFormat(parties, templates));

/** Whatever the parties may see. */
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
  includeReassignments: undefined,
  includeTopologyEvents: undefined,
});
