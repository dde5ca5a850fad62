import { useState, useSyncExternalStore } from 'react';
import type { ReactNode } from 'react';
import { CopyWords } from '../parts/copy.tsx';
import { Segments } from '../parts/segments.tsx';
import * as t from '../texts/chart.tsx';
import type { Chart } from './chart.ts';
import { mermaidOf } from './mermaid.ts';
import type { Shape } from './shape.ts';
import styles from './statechart.module.css';
import { svgText } from './svg-text.ts';
import type { Theme } from './svg-text.ts';
import { chartName } from './words.ts';

/** Matches a screen on which only a small part of a picture would be visible. */
const narrow = matchMedia('(width < 600px)');

function onNarrow(listener: () => void): () => void {
  narrow.addEventListener('change', listener);
  return () => narrow.removeEventListener('change', listener);
}

type View = 'picture' | 'outline';

const VIEWS = [
  ['picture', t.picture],
  ['outline', t.outline],
] as const satisfies readonly (readonly [View, string])[];

function themeShown(): Theme {
  const { theme } = document.documentElement.dataset;
  if (theme === 'light' || theme === 'dark') return theme;
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

interface FrameProps {
  readonly chart: Chart;
  readonly shapes: readonly Shape[];
  readonly sentence: string;
  /** The state that is marked in the copy of the chart as Mermaid. */
  readonly now?: string | undefined;
  readonly picture: ReactNode;
  readonly outline: ReactNode;
  readonly children?: ReactNode;
}

/** The frame of every chart, with a choice of two views and with buttons for copies. */
export function Frame(props: FrameProps) {
  const { chart, shapes, sentence, now, picture, outline, children } = props;
  const isNarrow = useSyncExternalStore(onNarrow, () => narrow.matches);
  const [chosen, setChosen] = useState<View | null>(null);
  const view = chosen ?? (isNarrow ? 'outline' : 'picture');
  return (
    <div className={styles.chart}>
      <div className={styles.bar}>
        <Segments label={t.showTheChartAs} value={view} options={VIEWS} onChange={setChosen} />
        <span className={styles.version}>{chartName(chart)}</span>
        <span className={styles.copies}>
          <CopyWords what={t.svg} text={() => svgText(chart, shapes, sentence, themeShown())} />
          <CopyWords what={t.mermaid} text={() => mermaidOf(chart, now)} />
        </span>
      </div>
      {view === 'picture' ? picture : outline}
      {children}
    </div>
  );
}
