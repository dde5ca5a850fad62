import { useEffect, useRef, useState } from 'react';
import type { CSSProperties } from 'react';
import { useRoles } from '../api/caller.tsx';
import { Button } from '../parts/button.tsx';
import { CopyWords } from '../parts/copy.tsx';
import { Segments } from '../parts/segments.tsx';
import { countWords } from '../parts/words.ts';
import { useSignal } from '../signal.ts';
import type { Chunk } from './history-chunks.ts';
import { CHUNK, chunksOf } from './history-chunks.ts';
import { Entry } from './history-entry.tsx';
import type { HistoryEntry } from './history-entry.tsx';
import type { HistoryView } from './history-view.ts';
import { chooseHistoryView, historyView } from './history-view.ts';
import styles from './history.module.css';

export type { HistoryEntry } from './history-entry.tsx';

const VIEWS = [
  ['compact', 'Compact'],
  ['full', 'Full'],
  ['json', 'JSON'],
] as const satisfies readonly (readonly [HistoryView, string])[];

/** About what an entry takes, until its chunk has been seen. */
const ENTRY_PX: Readonly<Record<HistoryView, number>> = { compact: 56, full: 150, json: 300 };

/** So far from the window a chunk is drawn before it is seen. */
const AHEAD = '1200px 0px';

interface HistoryProps {
  /** Oldest first, as the API tells it. */
  readonly entries: readonly HistoryEntry[];
  /** Which of them the statechart shows; null: the newest. */
  readonly selected?: number | null;
  /** Choosing an entry leads the statechart to that moment; null: back to the present. */
  readonly onSelect?: (at: number | null) => void;
}

/** Entries that are shown at first, and with each step to older ones. */
const STEP = 20;

interface ChunkProps extends HistoryProps {
  readonly chunk: Chunk;
  readonly view: HistoryView;
}

/** Entries while they are near the window; out of sight the place that they took. */
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
        if (entry === undefined) return [];
        return [
          <Entry
            key={at}
            entry={entry}
            at={at}
            before={entries[at - 1]?.state}
            view={view}
            isSelected={at === (selected ?? entries.length - 1)}
            onSelect={onSelect === undefined ? undefined : choose}
          />,
        ];
      })}
    </ol>
  );
}

/** Returns the width of the numbers of this many entries. */
const marksWidth = (count: number): CSSProperties =>
  ({ '--marks': `max(1.25rem, ${String(count).length}ch)` }) as CSSProperties;

/** The history of a lifecycle, newest entry first: short, in full, or as JSON of the API. */
export function History(props: HistoryProps) {
  const { entries, selected = null } = props;
  const roles = useRoles();
  const isTechnical = roles.has('provider') || roles.has('operator');
  const chosen = useSignal(historyView);
  const view = isTechnical ? chosen : 'compact';
  const [count, setCount] = useState(STEP);
  const older = Math.max(0, Math.min(entries.length - count, selected ?? entries.length));
  return (
    <div className={styles.history}>
      <div className={styles.bar}>
        {isTechnical ? (
          <Segments
            label="View of the history"
            value={view}
            options={VIEWS}
            onChange={chooseHistoryView}
          />
        ) : null}
        <span className={styles.small}>
          {entries.length === 1 ? '1 entry' : `${entries.length.toLocaleString('en')} entries`},
          newest first
        </span>
        {isTechnical ? (
          <CopyWords what="JSON" text={() => JSON.stringify(entries, null, 2)} />
        ) : null}
      </div>
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
          {`Show older entries (${countWords(older)})`}
        </Button>
      )}
    </div>
  );
}
