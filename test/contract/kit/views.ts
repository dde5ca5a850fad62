import type { CreatedEvent } from '../../../proto/gen/com/daml/ledger/api/v2/event.ts';
import type { Transaction } from '../../../proto/gen/com/daml/ledger/api/v2/transaction.ts';
import { EventFormat } from '../../../proto/gen/com/daml/ledger/api/v2/transaction_filter.ts';
import type {
  CumulativeFilter,
  Filters,
  TransactionShape,
} from '../../../proto/gen/com/daml/ledger/api/v2/transaction_filter.ts';
import type { Identifier } from '../../../proto/gen/com/daml/ledger/api/v2/value.ts';
import { change, ledgerEnd } from './commands.ts';
import { openSuite } from './conformance.ts';
import { ACS_DELTA, LEDGER_EFFECTS, eventsOf, transactions } from './formats.ts';
import { archive, create } from './licensing.ts';
import { suitesPackage } from './suites-package.ts';
import { transact } from './steps.ts';
import { between, createdIn } from './streams.ts';
import { int64, party as partyValue, readRecord, record } from './values.ts';
import { inViews, viewsPackage } from './views-package.ts';

/* Helpers for cases that select contracts by template and by interface. */

export const named = inViews('Views');
export const [I, I2] = [named('I'), named('I2')];

interface Filter {
  readonly id: Identifier;
  /** Whether to include the blob of created events. @default false */
  readonly hasBlob?: boolean;
  /** For an interface: whether to include its view. @default true */
  readonly hasView?: boolean;
}
export const template = ({ id, hasBlob = false }: Filter): CumulativeFilter => ({
  identifierFilter: {
    $case: 'templateFilter',
    value: { templateId: id, includeCreatedEventBlob: hasBlob },
  },
});
export const iface = ({ id, hasBlob = false, hasView = true }: Filter): CumulativeFilter => ({
  identifierFilter: {
    $case: 'interfaceFilter',
    value: {
      interfaceId: id,
      includeInterfaceView: hasView,
      includeCreatedEventBlob: hasBlob,
    },
  },
});
export const wildcard = (hasBlob = false): CumulativeFilter => ({
  identifierFilter: { $case: 'wildcardFilter', value: { includeCreatedEventBlob: hasBlob } },
});

/** Returns a format with filters by party. Filters without a party apply to any party. */
export function asking(
  filters: readonly (readonly [who: string | undefined, cumulative: readonly CumulativeFilter[]])[],
  verbose = true,
): EventFormat {
  const filtersByParty: Record<string, Filters> = {};
  const anybody: CumulativeFilter[] = [];
  for (const [who, cumulative] of filters) {
    if (who === undefined) anybody.push(...cumulative);
    else (filtersByParty[who] ??= { cumulative: [] }).cumulative.push(...cumulative);
  }
  const filtersForAnyParty = anybody.length === 0 ? undefined : { cumulative: anybody };
  return EventFormat.fromPartial({ filtersByParty, filtersForAnyParty, verbose });
}

export const entityOf = ({ templateId }: Pick<CreatedEvent, 'templateId'>) =>
  templateId?.entityName;

/** Returns the views in an event, by name. Each has its status, its interface and its value. */
export const viewsOf = ({ interfaceViews }: CreatedEvent) =>
  interfaceViews
    .map(({ viewStatus, interfaceId, viewValue }) => ({
      name: interfaceId?.entityName ?? '',
      code: viewStatus?.code,
      view: viewValue === undefined ? undefined : readRecord(viewValue),
    }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, code, view }) => [code, name, view]);
export const created = (all: readonly Transaction[]) => all.flatMap(createdIn);

/** Opens a network with the contracts of both packages, with helpers that create contracts and read them. */
export async function openViews() {
  const { ledger, party } = await openSuite({ extraPackages: [suitesPackage, viewsPackage] });

  async function seen(
    eventFormat: EventFormat,
    begin: bigint,
    shape: TransactionShape = ACS_DELTA,
  ): Promise<Transaction[]> {
    const includeTransactions = transactions(shape, eventFormat);
    return between(ledger, begin, await ledgerEnd(ledger), {
      includeTransactions,
      includeReassignments: undefined,
      includeTopologyEvents: undefined,
    });
  }

  const by = async (who: string, command: Parameters<typeof change>[0]) =>
    transact(
      ledger,
      change(command, { actAs: [who] }),
      transactions(LEDGER_EFFECTS, eventsOf([who])),
    );

  async function createOne(
    who: string,
    id: Identifier,
    fields: Parameters<typeof record>[0],
  ): Promise<string> {
    const [created] = createdIn(await by(who, create(id, record(fields))));
    return created!.contractId;
  }
  const numbered = (who: string, entity: string, a: bigint) =>
    createOne(who, named(entity), { p: partyValue(who), a: int64(a) });
  const ofTwo = (who: string, other: string) =>
    createOne(who, named('T6'), { p1: partyValue(who), p2: partyValue(other) });

  /** Creates one contract each of `T1` to `T4`, in this order. */
  async function four(who: string) {
    const begin = await ledgerEnd(ledger);
    const ids: string[] = [];
    for (const [entity, a] of [
      ['T1', 1n],
      ['T2', 2n],
      ['T3', 3n],
      ['T4', 4n],
    ] as const) {
      ids.push(await numbered(who, entity, a));
    }
    const archiveAll = async () => {
      for (const [index, id] of ids.entries()) await by(who, archive(named(`T${index + 1}`), id));
    };
    return { begin, ids, archiveAll };
  }

  return { ledger, party, seen, by, createOne, numbered, ofTwo, four };
}
