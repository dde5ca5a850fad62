import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { components } from '../api/schema.ts';
import { Id, partyName } from '../parts/copy.tsx';
import { Icon } from '../parts/icon.tsx';
import { Time } from '../parts/time.tsx';
import { inWords } from '../parts/words.ts';
import { PATHS } from '../paths.ts';
import styles from './history.module.css';

export type HistoryEntry = components['schemas']['HistoryEntry'];

/** Entries that are drawn at first, and more with each look at the end: ten thousand at once would be slow. */
const WINDOW = 100;

/** Grows while the end of the list is in sight. */
function useWindow(count: number) {
  const [shown, setShown] = useState(WINDOW);
  const end = useRef<HTMLLIElement>(null);
  useEffect(() => {
    const { current } = end;
    if (current === null || shown >= count) return undefined;
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting === true) setShown((before) => before + WINDOW);
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, [shown, count]);
  return { shown, end };
}

interface EntryProps {
  readonly entry: HistoryEntry;
  readonly isSelected: boolean;
}

function Entry({ entry, isSelected }: EntryProps) {
  const { kind, state, by, at, commandId, updateId } = entry;
  return (
    <li className={styles.entry} data-selected={isSelected}>
      <span className={styles.mark}>
        <Icon name={isSelected ? 'dot' : 'ring'} />
      </span>
      <div className={styles.what}>
        <p>
          {inWords(kind.split('.').at(-1) ?? kind)} → <strong>{inWords(state)}</strong>
          {by === undefined ? null : ` by ${partyName(by)}`}
        </p>
        <p className={styles.small}>
          {commandId === undefined ? null : (
            <>
              <Link to={PATHS.operation} params={{ commandId }}>
                operation
              </Link>{' '}
            </>
          )}
          {updateId === undefined ? null : (
            <>
              update <Id id={updateId} what="update ID" />
            </>
          )}
        </p>
      </div>
      <span className={styles.when}>
        <Time at={at} />
      </span>
    </li>
  );
}

interface HistoryProps {
  /** Oldest first, as the API tells it. */
  readonly entries: readonly HistoryEntry[];
  /** Which of them the statechart shows; null: the newest. */
  readonly selected?: number | null;
}

/** What happened to a lifecycle, newest first. */
export function History({ entries, selected = null }: HistoryProps) {
  const { shown, end } = useWindow(entries.length);
  const newestFirst = entries.map((entry, at) => ({ entry, at })).reverse();
  return (
    <ol className={styles.list}>
      {newestFirst.slice(0, shown).map(({ entry, at }) => (
        <Entry key={at} entry={entry} isSelected={at === selected} />
      ))}
      {shown < entries.length ? <li ref={end} aria-hidden="true" /> : null}
    </ol>
  );
}
