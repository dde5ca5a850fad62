import { useNavigate, useSearch } from '@tanstack/react-router';
import { addressOf } from '../../api/client.ts';
import type { Asked } from '../../api/client.ts';
import type { components } from '../../../../client/schema.ts';
import { useRead } from '../../api/use-read.ts';
import { CopyAs, Party } from '../../parts/copy.tsx';
import { List } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty } from '../../parts/states.tsx';
import type { Column } from '../../parts/table.tsx';
import { bytesWords, operationName } from '../../parts/words.ts';
import { PATHS } from '../../paths.ts';
import type { readCosts } from '../../search.ts';
import { cliFlags, listed } from '../../parts/flags.ts';
import { merged } from '../../search.ts';
import type { Grouping } from './cost-filters.tsx';
import { CostFilters, groupingIn } from './cost-filters.tsx';
import { CostsByDay } from './costs-by-day.tsx';
import styles from './system.module.css';

type Cost = components['schemas']['Cost'];
type Search = ReturnType<typeof readCosts>;
type Query = NonNullable<Asked<'/ops/costs'>['query']>;

const DAYS = 'P7D';

function queryOf(search: Search): Query {
  const { operation, groupBy: _by, ...others } = search;
  return {
    ...others,
    ...(operation === undefined ? {} : { operation: listed(operation) }),
    groupBy: groupingIn(search),
  } as Query;
}

function Bar({ bytes, most }: { readonly bytes: number; readonly most: number }) {
  return (
    <div className={styles.cost}>
      <span>{bytesWords(bytes)}</span>
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
        <rect width="100" height="10" rx="1" />
        <rect width={most === 0 ? 0 : (bytes / most) * 100} height="10" rx="1" />
      </svg>
    </div>
  );
}

const GROUP_COLUMNS: Readonly<Record<Grouping, Column<Cost>>> = {
  day: { name: 'Day (UTC)', cell: ({ day }) => day },
  operation: {
    name: 'Operation',
    cell: ({ operation }) => (operation === undefined ? '' : operationName(operation)),
  },
  party: {
    name: 'Party',
    cell: ({ party }) => (party === undefined ? '' : <Party party={party} />),
  },
};

const columnsFor = (by: readonly Grouping[], most: number): readonly Column<Cost>[] => [
  ...by.map((one) => GROUP_COLUMNS[one]),
  { name: 'Traffic', as: 'grow', cell: ({ bytes }) => <Bar bytes={bytes} most={most} /> },
  { name: 'Operations', as: 'end', cell: ({ operations }) => operations },
  { name: 'Attempts', as: 'end', cell: ({ attempts }) => attempts },
  {
    name: 'Each',
    as: 'end',
    cell: ({ bytes, operations }) =>
      operations === 0 ? '' : bytesWords(Math.round(bytes / operations)),
  },
  { name: 'Unknown', as: 'end', cell: ({ unknown }) => (unknown === 0 ? '' : unknown) },
];

const sumOf = (costs: readonly Cost[], name: 'bytes' | 'operations' | 'attempts' | 'unknown') =>
  costs.reduce((sum, cost) => sum + cost[name], 0);

/** Sums of the rows that are shown. If there is only one page, these are the sums of all rows. */
function Totals({
  costs,
  isWhole,
}: {
  readonly costs: readonly Cost[];
  readonly isWhole: boolean;
}) {
  const operations = sumOf(costs, 'operations');
  const bytes = sumOf(costs, 'bytes');
  const facts = [
    [isWhole ? 'Traffic' : 'Traffic on this page', bytesWords(bytes)],
    ['Operations', operations],
    ['Per operation', operations === 0 ? '–' : bytesWords(Math.round(bytes / operations))],
    ['Attempts', sumOf(costs, 'attempts')],
    ['Attempts without a reported cost', sumOf(costs, 'unknown')],
  ] as const;
  return (
    <dl className={styles.totals}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const keyOf = ({ day, operation, party }: Cost): string => [day, operation, party].join(' ');

/** The page of operations' traffic costs. */
export function CostsPage() {
  const search = useSearch({ from: PATHS.costs });
  const navigate = useNavigate({ from: PATHS.costs });
  const by = groupingIn(search);
  const query = queryOf(search);
  const costs = useRead('/ops/costs', { query }, { topics: ['desk'], everyMs: 60_000 });
  const change = (over: Readonly<Record<string, string | null>>): void =>
    void navigate({ search: (before) => merged(before, over) });
  const { cursor, groupBy: _by, ...flags } = search;
  const shown = costs.data?.data ?? [];
  return (
    <Page
      title="Costs"
      lead="The traffic that operations used on the network, in bytes. Attempts without a reported cost are counted separately."
      acts={
        <CopyAs
          url={addressOf('/ops/costs', { query })}
          cli={`tenure ops costs${cliFlags(flags)} --group-by ${by.join(' ')}`}
        />
      }
    >
      <CostFilters search={search} usual={DAYS} onChange={change} />
      {shown.length === 0 ? null : (
        <Totals costs={shown} isWhole={cursor === undefined && costs.data?.next === null} />
      )}
      <CostsByDay query={query} />
      <List
        of={costs}
        label="Costs"
        keyOf={keyOf}
        columns={columnsFor(by, Math.max(...shown.map(({ bytes }) => bytes)))}
        empty={
          <Empty title="There was no attempt in this time.">
            <p>Choose a longer time, or fewer filters.</p>
          </Empty>
        }
      />
    </Page>
  );
}
