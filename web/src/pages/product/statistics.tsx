import { useNavigate, useSearch } from '@tanstack/react-router';
import { useRoles } from '../../api/caller.tsx';
import { addressOf } from '../../api/client.ts';
import { useRead } from '../../api/use-read.ts';
import { CopyAs } from '../../parts/copy.tsx';
import { Select } from '../../parts/field.tsx';
import { Figures } from '../../parts/figures.tsx';
import type { Figure } from '../../parts/figures.tsx';
import { Filters } from '../../parts/filters.tsx';
import { trafficOf } from '../../parts/months.ts';
import type { TrafficOf } from '../../parts/months.ts';
import { Page, Section } from '../../parts/page.tsx';
import { Empty, Shown } from '../../parts/states.tsx';
import { LicensesChart, RevenueCharts } from '../../parts/statistics-charts.tsx';
import type { LicenseMonth } from '../../parts/statistics-charts.tsx';
import { PATHS } from '../../paths.ts';
import { merged } from '../../search.ts';
import * as t from '../../texts/product.tsx';
import { ForProviders } from './for-providers.tsx';

const TITLE = t.statistics;

const SPANS = [
  ['P90D', t.theLast90Days],
  ['P365D', t.theLastYear],
  ['P1095D', t.theLastThreeYears],
] as const;
const USUAL = 'P365D';
/** The maximum number of days of which traffic is read. */
const DAYS_MAX = 1_000;
/** The sums are expensive, and change little. */
const TRAFFIC_EVERY_MS = 600_000;

const licensesIn = (state: string, lapsesWithin?: string): Figure['to'] => ({
  to: PATHS.licenses,
  search: lapsesWithin === undefined ? { state } : { state, lapsesWithin },
});

/** The figures of the newest month until now. */
function Now({ of }: { readonly of: LicenseMonth }) {
  return (
    <Figures
      label={t.now}
      of={[
        { name: t.activeLicences, value: of.active, to: licensesIn('valid') },
        {
          name: t.expiringIn30Days,
          value: of.expiringIn30Days,
          to: licensesIn('valid', 'P30D'),
        },
        { name: t.inATrial, value: of.trial, to: licensesIn('trial') },
        { name: t.pastDue, value: of.pastDue, to: licensesIn('past-due') },
        { name: t.notActiveYet, value: of.notStarted, to: licensesIn('not-active') },
      ]}
    />
  );
}

/**
 * Reads the traffic of operations since the start of a month of UTC, which is known when the statistics are read.
 * Returns `undefined` if the caller may not see costs.
 */
function useTraffic(firstMonth: string | undefined): TrafficOf | undefined {
  const isOperator = useRoles().has('operator');
  const since = `${firstMonth}-01T00:00:00Z`;
  const { data: costs } = useRead(
    '/ops/costs',
    { query: { since, groupBy: ['day' as const], limit: DAYS_MAX } },
    { everyMs: TRAFFIC_EVERY_MS, enabled: isOperator && firstMonth !== undefined },
  );
  return costs === undefined ? undefined : trafficOf(costs.data, costs.next === null);
}

function Statistics() {
  const { since = USUAL } = useSearch({ from: PATHS.statistics });
  const navigate = useNavigate({ from: PATHS.statistics });
  const query = { groupBy: 'month' as const, since };
  const options = { topics: ['license', 'renewal'] as const, everyMs: 60_000 };
  const licenses = useRead('/stats/licenses', { query }, options);
  const revenue = useRead('/stats/revenue', { query }, options);
  const traffic = useTraffic(licenses.data?.data[0]?.period);
  const flags = `--group-by month --since ${since.slice(1).toLowerCase()}`;
  return (
    <Page
      title={TITLE}
      lead={t.yourLicencesAndRevenueByMonth}
      acts={
        <CopyAs
          url={addressOf('/stats/licenses', { query })}
          cli={`tenure stats licenses ${flags}`}
          acts={[
            {
              name: t.revenue,
              url: addressOf('/stats/revenue', { query }),
              cli: `tenure stats revenue ${flags}`,
            },
          ]}
        />
      }
    >
      <Filters>
        <Select
          label={t.time}
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
          if (newest === undefined) return <Empty title={t.thereIsNoMonthInThis} />;
          return (
            <>
              <Now of={newest} />
              <Section title={t.licencesByMonth} isCard>
                <LicensesChart months={data} isTableOpen />
              </Section>
            </>
          );
        }}
      </Shown>
      <Section title={t.revenueByMonth} isCard>
        <Shown of={revenue}>
          {({ data }) =>
            data.length === 0 ? (
              <Empty title={t.nothingWasPaidInThisTime}>
                <p>{t.aCompletedRenewalIsShownHere}</p>
              </Empty>
            ) : (
              <RevenueCharts
                periods={[...new Set((licenses.data?.data ?? data).map(({ period }) => period))]}
                rows={data}
                traffic={traffic}
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
