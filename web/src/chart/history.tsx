import { useEffect, useRef, useState } from 'react';
import type { CSSProperties } from 'react';
import { useRoles } from '../api/caller.tsx';
import { Button } from '../parts/button.tsx';
import { CopyWords } from '../parts/copy.tsx';
import { Segments } from '../parts/segments.tsx';
import { countWords } from '../parts/words.ts';
import { useSignal } from '../signal.ts';
import * as t from '../texts/chart.tsx';
import type { Chunk } from './history-chunks.ts';
import { CHUNK, chunksOf } from './history-chunks.ts';
import { Entry } from './history-entry.tsx';
import type { HistoryEntry } from './history-entry.tsx';
import type { HistoryView, ShownView } from './history-view.ts';
import { chooseHistoryView, historyView } from './history-view.ts';
import styles from './history.module.css';

export type { HistoryEntry } from './history-entry.tsx';

const VIEWS = [
  ['compact', t.compact],
  ['full', t.full],
  ['json', 'JSON'],
] as const satisfies readonly (readonly [HistoryView, string])[];

/** The assumed height of an entry in pixels, until its chunk has been rendered. */
const ENTRY_PX: Readonly<Record<ShownView, number>> = {
  plain: 40,
  compact: 56,
  full: 150,
  json: 300,
};

/** The distance from the window at which a chunk is already rendered. */
const AHEAD = '1200px 0px';

interface HistoryProps {
  /** The entries, oldest first, as the API sends them. */
  readonly entries: readonly HistoryEntry[];
  /** Index of the entry that the statechart shows; null: the newest. */
  readonly selected?: number | null;
  /**
   * Called when the person selects an entry, so that the statechart shows the lifecycle at that moment; null: the
   * present.
   */
  readonly onSelect?: (at: number | null) => void;
}

/** Number of entries that are shown at first, and that each "older" button adds. */
const STEP = 20;

interface ChunkProps extends HistoryProps {
  readonly chunk: Chunk;
  readonly view: ShownView;
}

/**
 * Renders the entries of a chunk if it is near the window. Otherwise renders only an empty space of the same height.
 */
function Entries({ chunk, view, entries, selected = null, onSelect }: ChunkProps) {
  const { newest, oldest } = chunk;
  const list = useRef<HTMLOListElement>(null);
  const [isNear, setNear] = useState(newest >= entries.length - CHUNK);
  const [height, setHeight] = useState((newest - oldest + 1) * ENTRY_PX[view]);
  useEffect(() => {
    const { current } = list;
    if (current === null) return undefined;
    const observer = new IntersectionObserver(
      ([seen]) => {
        if (seen === undefined) return;
        if (!seen.isIntersecting) setHeight(current.offsetHeight);
        setNear(seen.isIntersecting);
      },
      { rootMargin: AHEAD },
    );
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  const places = Array.from({ length: newest - oldest + 1 }, (_none, n) => newest - n);
  const choose = (at: number): void =>
    onSelect?.(at === selected || at === entries.length - 1 ? null : at);
  return (
    <ol ref={list} className={styles.list} style={isNear ? undefined : { height }}>
      {(isNear ? places : []).flatMap((at) => {
        const entry = entries[at];
        // Users see the request and its effect, but not the entry which says that the command succeeded.
        if (entry === undefined || (view === 'plain' && entry.kind === 'command.succeeded'))
          return [];
        return [
          <Entry
            key={at}
            entry={entry}
            at={at}
            before={entries[at - 1]?.state}
            view={view}
            isSelected={view !== 'plain' && at === (selected ?? entries.length - 1)}
            onSelect={onSelect === undefined ? undefined : choose}
          />,
        ];
      })}
    </ol>
  );
}

/** Returns the column width for numbers up to this count. */
const marksWidth = (count: number): CSSProperties =>
  ({ '--marks': `max(1.25rem, ${String(count).length}ch)` }) as CSSProperties;

/** The choice of a view, and a button that copies the history. */
function Bar({ entries }: Pick<HistoryProps, 'entries'>) {
  return (
    <div className={styles.bar}>
      <Segments
        label={t.viewOfTheHistory}
        value={useSignal(historyView)}
        options={VIEWS}
        onChange={chooseHistoryView}
      />
      <span className={styles.small}>{t.entriesNewestFirst(entries.length)}</span>
      <CopyWords what={t.json} text={() => JSON.stringify(entries, null, 2)} />
    </div>
  );
}

/** The history of a lifecycle, newest entry first: short, in full, or as the API's JSON. */
export function History(props: HistoryProps) {
  const { entries, selected = null } = props;
  const roles = useRoles();
  const isTechnical = roles.has('provider') || roles.has('operator');
  const chosen = useSignal(historyView);
  const view = isTechnical ? chosen : 'plain';
  const [count, setCount] = useState(STEP);
  const older = Math.max(0, Math.min(entries.length - count, selected ?? entries.length));
  return (
    <div className={styles.history}>
      {isTechnical ? <Bar entries={entries} /> : null}
      <div style={marksWidth(entries.length)}>
        {chunksOf(entries.length, older).map((chunk) => (
          <Entries
            key={`${view} ${Math.floor(chunk.newest / CHUNK)}`}
            chunk={chunk}
            view={view}
            {...props}
          />
        ))}
      </div>
      {older === 0 ? null : (
        <Button isSmall onClick={() => setCount(entries.length - older + STEP)}>
          {t.showOlderEntries(countWords(older))}
        </Button>
      )}
    </div>
  );
}
