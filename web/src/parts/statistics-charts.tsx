import type { components } from '../../../client/schema.ts';
import { BarChart } from './bar-chart.tsx';
import type { Series } from './bar-chart.tsx';
import { monthTick, monthWords, rateWords } from './months.ts';
import { Table } from './table.tsx';
import type { Column } from './table.tsx';
import { amount, countWords } from './words.ts';

export type LicenseMonth = components['schemas']['LicenseStatistics'];
export type RevenueMonth = components['schemas']['RevenueStatistics'];

const LICENSE_COLUMNS: readonly Column<LicenseMonth>[] = [
  { name: 'Month', cell: ({ period }) => monthWords(period) },
  { name: 'Active', as: 'end', cell: ({ active }) => active },
  { name: 'Trial', as: 'end', cell: ({ trial }) => trial },
  { name: 'Past due', as: 'end', cell: ({ pastDue }) => pastDue },
  { name: 'Not active yet', as: 'end', cell: ({ notStarted }) => notStarted },
  { name: 'New', as: 'end', cell: (row) => row.new },
  { name: 'Ended', as: 'end', cell: ({ ended }) => ended },
  { name: 'Renewal rate', as: 'end', cell: ({ renewalRate }) => rateWords(renewalRate) },
];

const REVENUE_COLUMNS: readonly Column<RevenueMonth>[] = [
  { name: 'Month', cell: ({ period }) => monthWords(period) },
  { name: 'Payments', as: 'end', cell: ({ payments }) => payments },
  { name: 'Paid', as: 'end', cell: (row) => amount(row.amount, row.instrument.id) },
  {
    name: 'Recurring in 30 days',
    as: 'end',
    cell: ({ recurring, instrument }) => amount(recurring, instrument.id),
  },
];

const LICENSE_SERIES: readonly Series[] = [
  { name: 'Active', tone: 'accent' },
  { name: 'Trial', tone: 'info' },
  { name: 'Past due', tone: 'warn' },
  { name: 'Not active yet', tone: 'plain' },
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
  return first === last ? monthWords(first) : `${monthWords(first)} to ${monthWords(last)}`;
}

const licenseWords = (month: LicenseMonth): string => {
  const parts = partsOf(month).flatMap((count, at) =>
    count === 0 ? [] : [`${countWords(count)} ${LICENSE_SERIES[at]?.name.toLowerCase()}`],
  );
  return `${monthWords(month.period)}: ${parts.length === 0 ? 'no licences' : parts.join(', ')}`;
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
      title={`Licences at the end of the month, ${rangeOf(months.map(({ period }) => period))}`}
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
          label="Licences, newest month first"
          rows={months.toReversed()}
          keyOf={({ period }) => period}
          columns={LICENSE_COLUMNS}
        />
      }
    />
  );
}

const REVENUE_SERIES: readonly Series[] = [{ name: 'Paid', tone: 'accent' }];

const instrumentKey = ({ instrument: { admin, id } }: RevenueMonth): string => `${admin} ${id}`;

interface RevenueChartProps {
  /** The months to show, including those without a payment, for which there is no row. */
  readonly periods: readonly string[];
  readonly rows: readonly RevenueMonth[];
  readonly isTableOpen?: boolean;
}

/** The revenue of each month, with a chart for each instrument. */
export function RevenueCharts({ periods, rows, isTableOpen = false }: RevenueChartProps) {
  return [...Map.groupBy(rows, instrumentKey)].map(([key, some]) => {
    const id = some[0]?.instrument.id ?? '';
    const byPeriod = new Map(some.map((row) => [row.period, row]));
    return (
      <BarChart
        key={key}
        title={`Revenue in ${id}, ${rangeOf(periods)}`}
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
            label={`Revenue in ${id}, newest month first`}
            rows={some.toReversed()}
            keyOf={({ period }) => period}
            columns={REVENUE_COLUMNS}
          />
        }
      />
    );
  });
}
