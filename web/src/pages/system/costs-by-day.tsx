import type { Asked } from '../../api/client.ts';
import type { components } from '../../../../client/schema.ts';
import { useRead } from '../../api/use-read.ts';
import { BarChart } from '../../parts/bar-chart.tsx';
import { Section } from '../../parts/page.tsx';
import { Table } from '../../parts/table.tsx';
import type { Column } from '../../parts/table.tsx';
import { bytesWords, countWords } from '../../parts/words.ts';
import { timeText } from '../../texts/intl.ts';
import * as t from '../../texts/system.tsx';

type Cost = components['schemas']['Cost'];
type Query = NonNullable<Asked<'/ops/costs'>['query']>;

const DAY_MS = 86_400_000;
/** The maximum number of bars that fit on a page. */
const DAYS_MAX = 120;
const LABELLED_MAX = 8;
const BYTES = 1_000;

const COLUMNS: readonly Column<Cost>[] = [
  { name: t.dayUtc, cell: ({ day }) => day },
  { name: t.traffic, as: 'end', cell: ({ bytes }) => bytesWords(bytes) },
  { name: t.operations, as: 'end', cell: ({ operations }) => countWords(operations) },
];

/** Returns all days from the first to the last, including days without costs. */
function daysOf(costs: readonly Cost[]): readonly string[] {
  const days = costs.flatMap(({ day }) => day ?? []).toSorted();
  const [first, last] = [Date.parse(days.at(0) ?? ''), Date.parse(days.at(-1) ?? '')];
  const count = Math.min(DAYS_MAX, Math.round((last - first) / DAY_MS) + 1);
  return Array.from({ length: count }, (_none, at) =>
    new Date(last - (count - 1 - at) * DAY_MS).toISOString().slice(0, 10),
  );
}

/** A chart of the traffic of each day, for the operations in the list. */
export function CostsByDay({ query }: { readonly query: Query }) {
  const { cursor: _page, ...whole } = query;
  const asked = { query: { ...whole, groupBy: ['day' as const], limit: 1_000 } };
  const costs = useRead('/ops/costs', asked, { topics: ['desk'], everyMs: 60_000 });
  const rows = costs.data?.data ?? [];
  if (rows.length === 0) return null;
  const byDay = new Map(rows.map((row) => [row.day, row]));
  const days = daysOf(rows);
  const step = Math.ceil(days.length / LABELLED_MAX);
  return (
    <Section title={t.trafficByDay} isCard>
      <BarChart
        title={t.trafficInKbTo(days.at(0) ?? '', days.at(-1) ?? '')}
        series={[{ name: t.traffic, tone: 'accent' }]}
        bars={days.map((day, at) => {
          const bytes = byDay.get(day)?.bytes ?? 0;
          return {
            key: day,
            tick:
              (days.length - 1 - at) % step === 0 ? timeText(Date.parse(day), 'day', 'UTC') : '',
            words: `${day}: ${bytesWords(bytes)}`,
            values: [bytes / BYTES],
          };
        })}
        table={
          <Table
            label={t.trafficByDayNewestFirst}
            rows={rows.toSorted((a, b) => (b.day ?? '').localeCompare(a.day ?? ''))}
            keyOf={({ day }) => day ?? ''}
            columns={COLUMNS}
          />
        }
      />
    </Section>
  );
}
