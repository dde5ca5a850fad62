import { useNavigate, useSearch } from '@tanstack/react-router';
import { addressOf } from '../../api/client.ts';
import type { components } from '../../../../client/schema.ts';
import { useRead } from '../../api/use-read.ts';
import { CopyAs } from '../../parts/copy.tsx';
import { Select } from '../../parts/field.tsx';
import { Filters } from '../../parts/filters.tsx';
import { Facts, Page, Section } from '../../parts/page.tsx';
import { Empty, Shown } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import type { Column } from '../../parts/table.tsx';
import { amount } from '../../parts/words.ts';
import { PATHS } from '../../paths.ts';
import { merged } from '../../search.ts';
import { ForProviders } from './for-providers.tsx';

type Licenses = components['schemas']['LicenseStatistics'];
type Revenue = components['schemas']['RevenueStatistics'];

const TITLE = 'Statistics';

const SPANS = [
  ['P90D', 'The last 90 days'],
  ['P365D', 'The last year'],
  ['P1095D', 'The last three years'],
] as const;
const USUAL = 'P365D';

const MONTH = new Intl.DateTimeFormat('en-GB', {
  year: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});

const monthWords = (period: string): string => MONTH.format(Date.parse(`${period}-01T00:00:00Z`));

const PERCENT = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

const rateWords = (rate: string | null): string =>
  rate === null ? 'None due' : PERCENT.format(Number(rate));

const LICENSE_COLUMNS: readonly Column<Licenses>[] = [
  { name: 'Month', cell: ({ period }) => monthWords(period) },
  { name: 'Active', as: 'end', cell: ({ active }) => active },
  { name: 'Trial', as: 'end', cell: ({ trial }) => trial },
  { name: 'Past due', as: 'end', cell: ({ pastDue }) => pastDue },
  { name: 'Not active yet', as: 'end', cell: ({ notStarted }) => notStarted },
  { name: 'New', as: 'end', cell: (row) => row.new },
  { name: 'Ended', as: 'end', cell: ({ ended }) => ended },
  { name: 'Renewal rate', as: 'end', cell: ({ renewalRate }) => rateWords(renewalRate) },
];

const REVENUE_COLUMNS: readonly Column<Revenue>[] = [
  { name: 'Month', cell: ({ period }) => monthWords(period) },
  { name: 'Payments', as: 'end', cell: ({ payments }) => payments },
  { name: 'Paid', as: 'end', cell: (row) => amount(row.amount, row.instrument.id) },
  {
    name: 'Recurring in 30 days',
    as: 'end',
    cell: ({ recurring, instrument }) => amount(recurring, instrument.id),
  },
];

/** The newest month, which is as of now. */
function Now({ of }: { readonly of: Licenses }) {
  return (
    <Section title="Now" isCard>
      <Facts
        of={[
          ['Active licences', of.active],
          ['Expire within 30 days', of.expiringIn30Days],
          ['In their trial', of.trial],
          ['Past due', of.pastDue],
          ['Not active yet', of.notStarted],
        ]}
      />
    </Section>
  );
}

const revenueKey = ({ period, instrument: { admin, id } }: Revenue): string =>
  [period, admin, id].join(' ');

function Statistics() {
  const { from = USUAL } = useSearch({ from: PATHS.statistics });
  const navigate = useNavigate({ from: PATHS.statistics });
  const query = { by: 'month' as const, from };
  const options = { topics: ['license', 'renewal'] as const, everyMs: 60_000 };
  const licenses = useRead('/stats/licenses', { query }, options);
  const revenue = useRead('/stats/revenue', { query }, options);
  const flags = `--by month --since ${from.slice(1).toLowerCase()}`;
  return (
    <Page
      title={TITLE}
      lead="Your licences and what they bring, by month. The newest month is as of now."
      acts={
        <CopyAs
          url={addressOf('/stats/licenses', { query })}
          cli={`tenure stats licenses ${flags}`}
          acts={[
            {
              name: 'Revenue',
              url: addressOf('/stats/revenue', { query }),
              cli: `tenure stats revenue ${flags}`,
            },
          ]}
        />
      }
    >
      <Filters>
        <Select
          label="Time"
          value={from}
          options={SPANS}
          onChange={(chosen) =>
            void navigate({ search: (before) => merged(before, { from: chosen }) })
          }
        />
      </Filters>
      <Shown of={licenses}>
        {({ data }) => {
          const [newest, ...older] = data.toReversed();
          if (newest === undefined) return <Empty title="There is no month in this time." />;
          return (
            <>
              <Now of={newest} />
              <Section title="Licences by month">
                <Table
                  label="Licences, newest month first"
                  rows={[newest, ...older]}
                  keyOf={({ period }) => period}
                  columns={LICENSE_COLUMNS}
                />
              </Section>
            </>
          );
        }}
      </Shown>
      <Section title="Revenue by month">
        <Shown of={revenue}>
          {({ data }) =>
            data.length === 0 ? (
              <Empty title="Nothing was paid in this time.">
                <p>A renewal that is completed shows here within 30 seconds.</p>
              </Empty>
            ) : (
              <Table
                label="Revenue, newest month first"
                rows={data.toReversed()}
                keyOf={revenueKey}
                columns={REVENUE_COLUMNS}
              />
            )
          }
        </Shown>
      </Section>
    </Page>
  );
}

/** Numbers of licences and revenue by month. */
export function StatisticsPage() {
  return (
    <ForProviders title={TITLE}>
      <Statistics />
    </ForProviders>
  );
}
