import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { components } from '../../../../client/schema.ts';
import { useRead } from '../../api/use-read.ts';
import { Section } from '../../parts/page.tsx';
import { useSignal } from '../../signal.ts';
import { Shown } from '../../parts/states.tsx';
import { clockTime } from '../../parts/time.tsx';
import { PATHS } from '../../paths.ts';
import { countWords } from '../../parts/words.ts';
import { preferences } from '../../preferences.ts';
import styles from './hours.module.css';

type Counts = components['schemas']['OpsCounts'];
type Group = Counts['groups'][number];

const HOUR_MS = 3_600_000;
const HEIGHT = 100;

/** The parts of a bar, from below. */
const PARTS = [
  ['done', 'Succeeded', ['succeeded']],
  ['open', 'Open', ['queued', 'submitting', 'retrying']],
  ['doubt', 'In doubt', ['in-doubt']],
  ['failed', 'Failed or rejected', ['failed', 'rejected']],
  ['cancelled', 'Cancelled', ['cancelled']],
] as const;

type States = Readonly<Record<string, number>>;

const partsOf = (group: Group) => {
  const states = (group.states ?? {}) as States;
  return PARTS.map(([part, words, of]) => ({
    part,
    words,
    count: of.reduce((sum, state) => sum + (states[state] ?? 0), 0),
  }));
};

const sentenceOf = (at: string, group: Group): string => {
  const told = partsOf(group)
    .filter(({ count }) => count > 0)
    .map(({ count, words }) => `${count} ${words.toLowerCase()}`);
  return `From ${at}: ${told.length === 0 ? 'none' : told.join(', ')}`;
};

/** Where each part lies in its bar. */
function placed(group: Group, most: number) {
  let below = HEIGHT;
  return partsOf(group).map(({ part, count }) => {
    const height = (count / most) * HEIGHT;
    below -= height;
    // A part with few operations stays visible.
    return { part, y: below, height: count === 0 ? 0 : Math.max(height, 1.5) };
  });
}

function Bar({ group, most }: { readonly group: Group; readonly most: number }) {
  return (
    <svg viewBox={`0 0 10 ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {placed(group, most).map(({ part, y, height }) => (
        <rect key={part} data-part={part} x="0" width="10" y={y} height={height} />
      ))}
    </svg>
  );
}

function Hour({ group, most }: { readonly group: Group; readonly most: number }) {
  const { zone } = useSignal(preferences);
  const key = group.key ?? '';
  const at = clockTime(key, zone).slice(0, 5);
  const words = sentenceOf(at, group);
  if (group.count === 0) {
    return (
      <li title={words}>
        <span className={styles.bar} />
        <span className={styles.label}>{at}</span>
      </li>
    );
  }
  const until = new Date(Date.parse(key) + HOUR_MS).toISOString();
  return (
    <li>
      <Link
        to={PATHS.operations}
        search={{ since: key, until }}
        className={styles.bar}
        title={words}
        aria-label={words}
      >
        <Bar group={group} most={most} />
      </Link>
      <span className={styles.label}>{at}</span>
    </li>
  );
}

function Chart({ counts: { groups, total } }: { readonly counts: Counts }) {
  const most = Math.max(1, ...groups.map(({ count }) => count));
  const hours = useRef<HTMLOListElement>(null);
  useEffect(() => {
    // A narrow window has not room for all of them: it begins with the newest.
    if (hours.current !== null) hours.current.scrollLeft = hours.current.scrollWidth;
  }, []);
  const sums = PARTS.map(([part, words], index) => {
    const count = groups.reduce((sum, group) => sum + (partsOf(group)[index]?.count ?? 0), 0);
    return { part, words, count };
  });
  return (
    <>
      <ol
        ref={hours}
        className={styles.hours}
        aria-label="Operations by the hour of their acceptance"
      >
        {groups.map((group) => (
          <Hour key={group.key} group={group} most={most} />
        ))}
      </ol>
      <p className={styles.legend}>
        <strong>{countWords(total.count)} in all</strong>
        {sums
          .filter(({ count }) => count > 0)
          .map(({ part, words, count }) => (
            <span key={part} data-part={part}>
              {countWords(count)} {words.toLowerCase()}
            </span>
          ))}
      </p>
    </>
  );
}

/** Operations of the last day, by the hour of their acceptance and by their result. */
export function HoursChart() {
  const counts = useRead(
    '/ops/operations/counts',
    { query: { groupBy: 'hour' } },
    { topics: ['desk'], everyMs: 60_000 },
  );
  return (
    <Section title="The last 24 hours" isCard>
      <Shown of={counts} lines={3}>
        {({ data }) =>
          data.total.count === 0 ? (
            <p className={styles.none}>No operation was asked for in this time.</p>
          ) : (
            <Chart counts={data} />
          )
        }
      </Shown>
    </Section>
  );
}
