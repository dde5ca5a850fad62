import type { components } from '../../../client/schema.ts';
import * as t from '../texts/licensing.ts';
import { BarChart } from './bar-chart.tsx';
import type { Series } from './bar-chart.tsx';
import { monthTick, monthWords, rateWords } from './months.ts';
import type { TrafficOf } from './months.ts';
import { Table } from './table.tsx';
import type { Column } from './table.tsx';
import { amount, bytesWords, countWords } from './words.ts';

export type LicenseMonth = components['schemas']['LicenseStatistics'];
export type RevenueMonth = components['schemas']['RevenueStatistics'];

const LICENSE_COLUMNS: readonly Column<LicenseMonth>[] = [
  { name: t.month, cell: ({ period }) => monthWords(period) },
  { name: t.active, as: 'end', cell: ({ active }) => active },
  { name: t.trial, as: 'end', cell: ({ trial }) => trial },
  { name: t.pastDue, as: 'end', cell: ({ pastDue }) => pastDue },
  { name: t.notActiveYet, as: 'end', cell: ({ notStarted }) => notStarted },
  { name: t.newWord, as: 'end', cell: (row) => row.new },
  { name: t.ended, as: 'end', cell: ({ ended }) => ended },
  { name: t.renewalRate, as: 'end', cell: ({ renewalRate }) => rateWords(renewalRate) },
];

/** Returns traffic in words; a dash if it is unknown. */
const trafficWords = (bytes: number | undefined): string =>
  bytes === undefined ? '–' : bytesWords(bytes);

const revenueColumns = (traffic: TrafficOf | undefined): readonly Column<RevenueMonth>[] => [
  { name: t.month, cell: ({ period }) => monthWords(period) },
  { name: t.payments, as: 'end', cell: ({ payments }) => payments },
  { name: t.paid, as: 'end', cell: (row) => amount(row.amount, row.instrument.id) },
  {
    name: t.recurringIn30Days,
    as: 'end',
    cell: ({ recurring, instrument }) => amount(recurring, instrument.id),
  },
  ...(traffic === undefined
    ? []
    : [
        {
          name: t.trafficUtc,
          as: 'end',
          cell: ({ period }: RevenueMonth) => trafficWords(traffic(period)),
        } as const,
      ]),
];

const LICENSE_SERIES: readonly Series[] = [
  { name: t.active, tone: 'accent' },
  { name: t.trial, tone: 'info' },
  { name: t.pastDue, tone: 'warn' },
  { name: t.notActiveYet, tone: 'plain' },
];

const partsOf = ({ active, trial, pastDue, notStarted }: LicenseMonth): readonly number[] => [
  active,
  trial,
  pastDue,
  notStarted,
];

/** Returns a range in words: "Dec 2025 to Nov 2026". */
function rangeOf(periods: readonly string[]): string {
  const [first = '', last = ''] = [periods.at(0), periods.at(-1)];
  return first === last ? monthWords(first) : t.monthsFromTo(monthWords(first), monthWords(last));
}

const licenseWords = (month: LicenseMonth): string => {
  const parts = partsOf(month).flatMap((count, at) =>
    count === 0 ? [] : [`${countWords(count)} ${LICENSE_SERIES[at]?.name.toLowerCase()}`],
  );
  return `${monthWords(month.period)}: ${parts.length === 0 ? t.noLicences : parts.join(', ')}`;
};

interface LicensesChartProps {
  /** The months in order, at least one. */
  readonly months: readonly LicenseMonth[];
  readonly isTableOpen?: boolean;
}

/** A chart with the number of licences at the end of each month. */
export function LicensesChart({ months, isTableOpen = false }: LicensesChartProps) {
  return (
    <BarChart
      title={t.licencesAtTheEndOfThe(rangeOf(months.map(({ period }) => period)))}
      series={LICENSE_SERIES}
      bars={months.map((month) => ({
        key: month.period,
        tick: monthTick(month.period),
        words: licenseWords(month),
        values: partsOf(month),
      }))}
      isTableOpen={isTableOpen}
      table={
        <Table
          label={t.licencesNewestMonthFirst}
          rows={months.toReversed()}
          keyOf={({ period }) => period}
          columns={LICENSE_COLUMNS}
        />
      }
    />
  );
}

const REVENUE_SERIES: readonly Series[] = [{ name: t.paid, tone: 'accent' }];

const instrumentKey = ({ instrument: { admin, id } }: RevenueMonth): string => `${admin} ${id}`;

interface RevenueChartProps {
  /** The months to show, including those without a payment, for which there is no row. */
  readonly periods: readonly string[];
  readonly rows: readonly RevenueMonth[];
  /** The traffic of operations, which has no instrument, so only the first chart shows it. */
  readonly traffic?: TrafficOf | undefined;
  readonly isTableOpen?: boolean;
}

/** The revenue of each month, with a chart for each instrument. */
export function RevenueCharts({ periods, rows, traffic, isTableOpen = false }: RevenueChartProps) {
  return [...Map.groupBy(rows, instrumentKey)].map(([key, some], at) => {
    const id = some[0]?.instrument.id ?? '';
    const byPeriod = new Map(some.map((row) => [row.period, row]));
    return (
      <BarChart
        key={key}
        title={t.revenueIn(id, rangeOf(periods))}
        series={REVENUE_SERIES}
        bars={periods.map((period) => {
          const paid = byPeriod.get(period)?.amount ?? '0';
          return {
            key: period,
            tick: monthTick(period),
            words: `${monthWords(period)}: ${amount(paid, id)}`,
            values: [Number(paid)],
          };
        })}
        isTableOpen={isTableOpen}
        table={
          <Table
            label={t.revenueInNewestMonthFirst(id)}
            rows={some.toReversed()}
            keyOf={({ period }) => period}
            columns={revenueColumns(at === 0 ? traffic : undefined)}
          />
        }
      />
    );
  });
}
