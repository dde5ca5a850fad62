import { useId } from 'react';
import { Button } from '../parts/button.tsx';
import * as t from '../texts/chart.tsx';
import styles from './statechart.module.css';

interface ReplayProps {
  /** Number of entries in the history. */
  readonly count: number;
  /** Index of the entry that is shown; null: the present. */
  readonly selected: number | null;
  readonly onSelect: (at: number | null) => void;
  /** A description of the moment that is shown. */
  readonly words: string;
}

/** Controls that lead through a history, moment by moment. Its end is the present. */
export function Replay({ count, selected, onSelect, words }: ReplayProps) {
  const id = useId();
  const last = count - 1;
  const at = selected ?? last;
  const go = (to: number): void => onSelect(to >= last ? null : Math.max(to, 0));
  return (
    <div className={styles.replay}>
      <Button
        look="quiet"
        isSmall
        icon="left"
        aria-label={t.stepBefore}
        isBusy={at === 0}
        onClick={() => go(at - 1)}
      />
      <label className={styles.hidden} htmlFor={id}>
        {t.momentOfTheHistory}
      </label>
      <input
        id={id}
        type="range"
        min={0}
        max={last}
        value={at}
        aria-valuetext={t.stepOf(at, last, words)}
        onChange={(event) => go(Number(event.target.value))}
      />
      <Button
        look="quiet"
        isSmall
        icon="right"
        aria-label={t.stepAfter}
        isBusy={at === last}
        onClick={() => go(at + 1)}
      />
      <output className={styles.moment} htmlFor={id}>
        {t.stepOf(at, last, words)}
      </output>
      {selected === null ? null : (
        <Button isSmall onClick={() => onSelect(null)}>
          {t.backToNow}
        </Button>
      )}
    </div>
  );
}
