import type { LinkProps } from '@tanstack/react-router';
import { Link } from '@tanstack/react-router';
import { useId } from 'react';
import type { ReactNode } from 'react';
import * as t from '../texts/parts.tsx';
import styles from './bar-chart.module.css';
import { ticksFor } from './ticks.ts';
import { countWords } from './words.ts';

/** The colour of a series. */
export type BarTone = 'accent' | 'good' | 'info' | 'warn' | 'bad' | 'plain';

export interface Series {
  readonly name: string;
  readonly tone: BarTone;
}

export interface Bar {
  readonly key: string;
  /** The text below the bar. */
  readonly tick: string;
  /** A description of the bar, shown while the pointer is on it. */
  readonly words: string;
  /** One value for each series, from the bottom up. */
  readonly values: readonly number[];
  /** A link to the counted things, for the pointer. The table has the same links for the keyboard. */
  readonly link?: Pick<LinkProps, 'to' | 'search'>;
}

const HEIGHT = 100;
const HEIGHT_MIN = 1.5;

/** The maximum number of bars with wide gaps: if there are more, they are drawn close together. */
const WIDE_BARS_MAX = 31;

/** Returns the parts of a bar, which are stacked. */
function partsOf({ values }: Bar, series: readonly Series[], most: number) {
  let below = HEIGHT;
  return series.map(({ tone }, at) => {
    const height = ((values[at] ?? 0) / most) * HEIGHT;
    below -= height;
    // A part with a small value stays visible.
    return { tone, y: below, height: height === 0 ? 0 : Math.max(height, HEIGHT_MIN) };
  });
}

function Column({ bar, series, most }: { bar: Bar; series: readonly Series[]; most: number }) {
  const drawing = (
    <svg viewBox={`0 0 10 ${HEIGHT}`} preserveAspectRatio="none" className={styles.bar}>
      {partsOf(bar, series, most).map(({ tone, y, height }) => (
        <rect key={tone} data-tone={tone} x="0" width="10" y={y} height={height} />
      ))}
    </svg>
  );
  return (
    <li className={styles.column} title={bar.words}>
      {bar.link === undefined ? (
        drawing
      ) : (
        <Link {...bar.link} tabIndex={-1} className={styles.linked}>
          {drawing}
        </Link>
      )}
      <span className={styles.tick}>{bar.tick}</span>
    </li>
  );
}

/** A horizontal line for each value of the axis. */
function Grid({ count }: { readonly count: number }) {
  return (
    <svg viewBox={`0 0 10 ${HEIGHT}`} preserveAspectRatio="none" className={styles.grid}>
      {Array.from({ length: count }, (_none, at) => {
        const y = (at / (count - 1)) * HEIGHT;
        return <line key={y} x1="0" x2="10" y1={y} y2={y} vectorEffect="non-scaling-stroke" />;
      })}
    </svg>
  );
}

const sumOfBar = ({ values }: Bar): number => values.reduce((sum, value) => sum + value, 0);

interface BarChartProps {
  /** The title, which says what the bars show and for which time: "Revenue in Amulet, Dec 2025 to Nov 2026". */
  readonly title: string;
  readonly series: readonly Series[];
  readonly bars: readonly Bar[];
  /** A table with the numbers of the bars. */
  readonly table: ReactNode;
  /** Whether the table is open at first, because it is the page's content. */
  readonly isTableOpen?: boolean;
}

/** A bar chart over time with axes and a legend, and the same numbers as a table. */
export function BarChart({ title, series, bars, table, isTableOpen = false }: BarChartProps) {
  const id = useId();
  const ticks = ticksFor(Math.max(0, ...bars.map(sumOfBar)));
  const most = ticks.at(-1) ?? 1;
  return (
    <figure className={styles.figure} aria-labelledby={id}>
      <figcaption className={styles.caption} id={id}>
        {title}
      </figcaption>
      {/* Hidden from screen readers, because the table below has the same content. */}
      <div className={styles.plot} aria-hidden="true">
        <ol className={styles.axis}>
          {ticks.toReversed().map((value) => (
            <li key={value}>{countWords(value)}</li>
          ))}
        </ol>
        <div className={styles.field}>
          <Grid count={ticks.length} />
          <ol className={styles.columns} data-many={bars.length > WIDE_BARS_MAX}>
            {bars.map((bar) => (
              <Column key={bar.key} bar={bar} series={series} most={most} />
            ))}
          </ol>
        </div>
      </div>
      {series.length < 2 ? null : (
        <ul className={styles.legend} aria-hidden="true">
          {series.map(({ name, tone }) => (
            <li key={tone} data-tone={tone}>
              {name}
            </li>
          ))}
        </ul>
      )}
      <details className={styles.table} open={isTableOpen}>
        <summary>{t.table}</summary>
        {table}
      </details>
    </figure>
  );
}
