import { useNavigate, useSearch } from '@tanstack/react-router';
import { addressOf } from '../../api/client.ts';
import { useRead } from '../../api/use-read.ts';
import { CopyAs } from '../../parts/copy.tsx';
import { Select } from '../../parts/field.tsx';
import { Figures } from '../../parts/figures.tsx';
import type { Figure } from '../../parts/figures.tsx';
import { Filters } from '../../parts/filters.tsx';
import { Page, Section } from '../../parts/page.tsx';
import { Empty, Shown } from '../../parts/states.tsx';
import { LicensesChart, RevenueCharts } from '../../parts/statistics-charts.tsx';
import type { LicenseMonth } from '../../parts/statistics-charts.tsx';
import { PATHS } from '../../paths.ts';
import { merged } from '../../search.ts';
import { ForProviders } from './for-providers.tsx';

const TITLE = 'Statistics';

const SPANS = [
  ['P90D', 'The last 90 days'],
  ['P365D', 'The last year'],
  ['P1095D', 'The last three years'],
] as const;
const USUAL = 'P365D';

const licensesIn = (state: string, lapsesWithin?: string): Figure['to'] => ({
  to: PATHS.licenses,
  search: lapsesWithin === undefined ? { state } : { state, lapsesWithin },
});

/** The figures of the newest month until now. */
function Now({ of }: { readonly of: LicenseMonth }) {
  return (
    <Figures
      label="Now"
      of={[
        { name: 'Active licences', value: of.active, to: licensesIn('valid') },
        {
          name: 'Expiring in 30 days',
          value: of.expiringIn30Days,
          to: licensesIn('valid', 'P30D'),
        },
        { name: 'In a trial', value: of.trial, to: licensesIn('trial') },
        { name: 'Past due', value: of.pastDue, to: licensesIn('past-due') },
        { name: 'Not active yet', value: of.notStarted, to: licensesIn('not-active') },
      ]}
    />
  );
}

function Statistics() {
  const { since = USUAL } = useSearch({ from: PATHS.statistics });
  const navigate = useNavigate({ from: PATHS.statistics });
  const query = { groupBy: 'month' as const, since };
  const options = { topics: ['license', 'renewal'] as const, everyMs: 60_000 };
  const licenses = useRead('/stats/licenses', { query }, options);
  const revenue = useRead('/stats/revenue', { query }, options);
  const flags = `--group-by month --since ${since.slice(1).toLowerCase()}`;
  return (
    <Page
      title={TITLE}
      lead="Your licences and revenue by month. The newest month is not complete."
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
          value={since}
          options={SPANS}
          onChange={(chosen) =>
            void navigate({ search: (before) => merged(before, { since: chosen }) })
          }
        />
      </Filters>
      <Shown of={licenses}>
        {({ data }) => {
          const newest = data.at(-1);
          if (newest === undefined) return <Empty title="There is no month in this range." />;
          return (
            <>
              <Now of={newest} />
              <Section title="Licences by month" isCard>
                <LicensesChart months={data} isTableOpen />
              </Section>
            </>
          );
        }}
      </Shown>
      <Section title="Revenue by month" isCard>
        <Shown of={revenue}>
          {({ data }) =>
            data.length === 0 ? (
              <Empty title="Nothing was paid in this time.">
                <p>A completed renewal is shown here within 30 seconds.</p>
              </Empty>
            ) : (
              <RevenueCharts
                periods={(licenses.data?.data ?? []).map(({ period }) => period)}
                rows={data}
                isTableOpen
              />
            )
          }
        </Shown>
      </Section>
    </Page>
  );
}

/** The page of statistics: numbers of licences and revenue by month. */
export function StatisticsPage() {
  return (
    <ForProviders title={TITLE}>
      <Statistics />
    </ForProviders>
  );
}
