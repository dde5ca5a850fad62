import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { components } from '../../../../client/schema.ts';
import { useRead } from '../../api/use-read.ts';
import { BarChart } from '../../parts/bar-chart.tsx';
import type { Series } from '../../parts/bar-chart.tsx';
import { Figures } from '../../parts/figures.tsx';
import type { Figure } from '../../parts/figures.tsx';
import { Section } from '../../parts/page.tsx';
import { Segments } from '../../parts/segments.tsx';
import { Shown } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import type { Column } from '../../parts/table.tsx';
import { clockTime, shortTime } from '../../parts/time.tsx';
import { countWords, spanWords } from '../../parts/words.ts';
import { PATHS } from '../../paths.ts';
import type { Zone } from '../../preferences.ts';
import { preferences } from '../../preferences.ts';
import { useSignal } from '../../signal.ts';
import { LOOKED_AT, usualOf } from './usual.ts';

type Group = components['schemas']['OpsCounts']['groups'][number];

const HOUR_MS = 3_600_000;

/**
 * How the bars divide a range: the length of time that a bar covers, and the number of bars from one label to the next.
 */
interface Steps {
  readonly by: 'hour' | 'day';
  readonly ms: number;
  readonly labelled: number;
}

const RANGES = [
  ['P1D', '24 hours', { by: 'hour', ms: HOUR_MS, labelled: 4 }],
  ['P7D', '7 days', { by: 'hour', ms: HOUR_MS, labelled: 24 }],
  ['P30D', '30 days', { by: 'day', ms: 24 * HOUR_MS, labelled: 6 }],
  ['P90D', '90 days', { by: 'day', ms: 24 * HOUR_MS, labelled: 15 }],
] as const satisfies readonly (readonly [string, string, Steps])[];

type Range = (typeof RANGES)[number][0];

const SERIES: readonly (Series & { readonly states: readonly string[] })[] = [
  { name: 'Succeeded', tone: 'good', states: ['succeeded'] },
  { name: 'Open', tone: 'info', states: ['queued', 'submitting', 'retrying'] },
  { name: 'In doubt', tone: 'warn', states: ['in-doubt'] },
  { name: 'Failed or rejected', tone: 'bad', states: ['failed', 'rejected'] },
  { name: 'Cancelled', tone: 'plain', states: ['cancelled'] },
];
const SUCCEEDED = 0;
const FAILED = 3;

/** Returns the number of operations in each series. */
const valuesOf = ({ states }: Group): readonly number[] => {
  const counts = (states ?? {}) as Readonly<Record<string, number>>;
  return SERIES.map((one) => one.states.reduce((sum, state) => sum + (counts[state] ?? 0), 0));
};

const sumOf = (groups: readonly Group[], series: number): number =>
  groups.reduce((sum, group) => sum + (valuesOf(group)[series] ?? 0), 0);

const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

/** Returns the share of finished operations that failed, in words. */
function failedShare(groups: readonly Group[]): string {
  const failed = sumOf(groups, FAILED);
  const finished = failed + sumOf(groups, SUCCEEDED);
  return finished === 0 ? 'none finished' : `${percent.format(failed / finished)} of the finished`;
}

const startOf = ({ key }: Group): string => key ?? '';

const wordsOf = (at: string, group: Group): string => {
  const told = valuesOf(group).flatMap((count, index) =>
    count === 0 ? [] : [`${countWords(count)} ${SERIES[index]?.name.toLowerCase()}`],
  );
  return `From ${at}: ${told.length === 0 ? 'none' : told.join(', ')}`;
};

/** Returns a link to the operations that were accepted during the time of a bar. */
const linkOf = (group: Group, { ms }: Steps) => {
  const since = startOf(group);
  const until = new Date(Date.parse(since) + ms).toISOString();
  return { to: PATHS.operations, search: { since, until } } as const;
};

const tickOf = (at: string, { by, labelled }: Steps, zone: Zone): string =>
  by === 'hour' && labelled < 24
    ? clockTime(at, zone).slice(0, 5)
    : new Intl.DateTimeFormat('en', {
        day: 'numeric',
        month: 'short',
        ...(zone === 'local' ? {} : { timeZone: 'UTC' }),
      }).format(new Date(at));

const columnsFor = (steps: Steps, zone: Zone): readonly Column<Group>[] => [
  {
    name: steps.by === 'hour' ? 'Hour' : 'Day, UTC',
    cell: (group) => <Link {...linkOf(group, steps)}>{shortTime(startOf(group), zone)}</Link>,
  },
  { name: 'Accepted', as: 'end', cell: ({ count }) => countWords(count) },
  ...SERIES.map(({ name }, index) => ({
    name,
    as: 'end' as const,
    cell: (group: Group) => countWords(valuesOf(group)[index] ?? 0),
  })),
];

interface ChartProps {
  readonly title: string;
  readonly groups: readonly Group[];
  readonly steps: Steps;
}

function Chart({ title, groups, steps }: ChartProps) {
  const { zone } = useSignal(preferences);
  return (
    <BarChart
      title={title}
      series={SERIES}
      bars={groups.map((group, index) => ({
        key: startOf(group),
        tick:
          (groups.length - 1 - index) % steps.labelled === 0
            ? tickOf(startOf(group), steps, zone)
            : '',
        words: wordsOf(shortTime(startOf(group), zone), group),
        values: valuesOf(group),
        ...(group.count === 0 ? {} : { link: linkOf(group, steps) }),
      }))}
      table={
        <Table
          label={`${title}, the newest first`}
          rows={groups.filter(({ count }) => count > 0).toReversed()}
          keyOf={startOf}
          columns={columnsFor(steps, zone)}
        />
      }
    />
  );
}

interface NumbersProps {
  readonly groups: readonly Group[];
  readonly range: Range;
}

/** The figures of the range, each with a link to its operations. */
function Numbers({ groups, range }: NumbersProps) {
  const query = { state: ['succeeded' as const], since: range, limit: LOOKED_AT };
  const last = useRead('/ops/operations', { query }, { topics: ['desk'], everyMs: 60_000 });
  const usual = usualOf(last.data?.data ?? []);
  const accepted = groups.reduce((sum, { count }) => sum + count, 0);
  const hours = groups.length * (range === 'P1D' || range === 'P7D' ? 1 : 24) || 1;
  const listed = (search: Readonly<Record<string, string>>) => ({
    to: PATHS.operations,
    search: { ...search, since: range },
  });
  const perHour = new Intl.NumberFormat('en', { maximumSignificantDigits: 2 });
  const figures: readonly Figure[] = [
    {
      name: 'Accepted',
      value: countWords(accepted),
      more: `${perHour.format(accepted / hours)} an hour`,
      to: listed({}),
    },
    {
      name: 'Failed or rejected',
      value: countWords(sumOf(groups, FAILED)),
      more: failedShare(groups),
      to: listed({ state: 'failed,rejected' }),
    },
    {
      name: 'Median duration',
      value: usual === null ? '–' : spanWords(usual.medianMs),
      more:
        usual === null
          ? 'too few have succeeded'
          : `90 % within ${spanWords(usual.mostMs)}, of the last ${usual.count}`,
      to: listed({ state: 'succeeded' }),
    },
  ];
  return <Figures of={figures} label="Rates" />;
}

/** Charts of operations and failures over a range of time, by the time of acceptance, with the usual durations. */
export function Rates() {
  const { range: asked } = useSearch({ from: PATHS.attention });
  const navigate = useNavigate({ from: PATHS.attention });
  const [range, words, steps] = RANGES.find(([one]) => one === asked) ?? RANGES[0];
  const query = { groupBy: steps.by, ...(range === 'P1D' ? {} : { since: range }) };
  const counts = useRead(
    '/ops/operations/counts',
    { query },
    { topics: ['desk'], everyMs: 60_000 },
  );
  return (
    <Section
      title={`The last ${words}`}
      isCard
      more={
        <Segments
          label="Range"
          value={range}
          options={RANGES.map(([one, name]) => [one, name] as const)}
          onChange={(chosen) =>
            void navigate({ search: chosen === 'P1D' ? {} : { range: chosen }, resetScroll: false })
          }
        />
      }
    >
      <Shown of={counts} lines={3}>
        {({ data: { groups, total } }) =>
          total.count === 0 ? (
            <p>There was no operation in this time.</p>
          ) : (
            <>
              <Numbers groups={groups} range={range} />
              <Chart
                title={`Operations by the ${steps.by} of acceptance`}
                groups={groups}
                steps={steps}
              />
            </>
          )
        }
      </Shown>
    </Section>
  );
}
