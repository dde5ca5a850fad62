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
import { shortTime } from '../../parts/time.tsx';
import { countWords, spanWords } from '../../parts/words.ts';
import { PATHS } from '../../paths.ts';
import type { Zone } from '../../preferences.ts';
import { preferences } from '../../preferences.ts';
import { useSignal } from '../../signal.ts';
import { numberText, timeText } from '../../texts/intl.ts';
import * as t from '../../texts/desk.tsx';
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
  ['P1D', t.hours24, { by: 'hour', ms: HOUR_MS, labelled: 4 }],
  ['P7D', t.days7, { by: 'hour', ms: HOUR_MS, labelled: 24 }],
  ['P30D', t.days30, { by: 'day', ms: 24 * HOUR_MS, labelled: 6 }],
  ['P90D', t.days90, { by: 'day', ms: 24 * HOUR_MS, labelled: 15 }],
] as const satisfies readonly (readonly [string, string, Steps])[];

type Range = (typeof RANGES)[number][0];

const SERIES: readonly (Series & { readonly states: readonly string[] })[] = [
  { name: t.succeeded, tone: 'good', states: ['succeeded'] },
  { name: t.open, tone: 'info', states: ['queued', 'submitting', 'retrying'] },
  { name: t.inDoubt, tone: 'warn', states: ['in-doubt'] },
  { name: t.failedOrRejected, tone: 'bad', states: ['failed', 'rejected'] },
  { name: t.cancelled, tone: 'plain', states: ['cancelled'] },
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

/** Returns the share of finished operations that failed, in words. */
function failedShare(groups: readonly Group[]): string {
  const failed = sumOf(groups, FAILED);
  const finished = failed + sumOf(groups, SUCCEEDED);
  return finished === 0
    ? t.noneFinished
    : t.ofTheFinished(numberText(failed / finished, 'percent'));
}

const startOf = ({ key }: Group): string => key ?? '';

const wordsOf = (at: string, group: Group): string => {
  const told = valuesOf(group).flatMap((count, index) =>
    count === 0 ? [] : [`${countWords(count)} ${SERIES[index]?.name.toLowerCase()}`],
  );
  return t.from(at, told.length === 0 ? t.noneWord : told.join(', '));
};

/** Returns a link to the operations that were accepted during the time of a bar. */
const linkOf = (group: Group, { ms }: Steps) => {
  const since = startOf(group);
  const until = new Date(Date.parse(since) + ms).toISOString();
  return { to: PATHS.operations, search: { since, until } } as const;
};

const tickOf = (at: string, { by, labelled }: Steps, zone: Zone): string =>
  by === 'hour' && labelled < 24
    ? timeText(Date.parse(at), 'minute', zone === 'local' ? undefined : 'UTC')
    : timeText(Date.parse(at), 'day', zone === 'local' ? undefined : 'UTC');

const columnsFor = (steps: Steps, zone: Zone): readonly Column<Group>[] => [
  {
    name: steps.by === 'hour' ? t.hour : t.dayUtc,
    cell: (group) => <Link {...linkOf(group, steps)}>{shortTime(startOf(group), zone)}</Link>,
  },
  { name: t.accepted, as: 'end', cell: ({ count }) => countWords(count) },
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
          label={t.theNewestFirst(title)}
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
  const figures: readonly Figure[] = [
    {
      name: t.accepted,
      value: countWords(accepted),
      more: t.anHour(numberText(accepted / hours, 'rough')),
      to: listed({}),
    },
    {
      name: t.failedOrRejected,
      value: countWords(sumOf(groups, FAILED)),
      more: failedShare(groups),
      to: listed({ state: 'failed,rejected' }),
    },
    {
      name: t.medianDuration,
      value: usual === null ? '–' : spanWords(usual.medianMs),
      more:
        usual === null
          ? t.tooFewHaveSucceeded
          : t.withinOfTheLast90(spanWords(usual.mostMs), usual.count),
      to: listed({ state: 'succeeded' }),
    },
  ];
  return <Figures of={figures} label={t.rates} />;
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
      title={t.theLast(words)}
      isCard
      more={
        <Segments
          label={t.range}
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
            <p>{t.thereWasNoOperationInThis}</p>
          ) : (
            <>
              <Numbers groups={groups} range={range} />
              <Chart
                title={steps.by === 'hour' ? t.operationsByHour : t.operationsByDay}
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
