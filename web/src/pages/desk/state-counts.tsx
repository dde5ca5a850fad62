import { useRead } from '../../api/use-read.ts';
import { Icon } from '../../parts/icon.tsx';
import { countWords } from '../../parts/words.ts';
import { listed } from '../../parts/flags.ts';
import * as t from '../../texts/desk.tsx';
import { STATES } from './desk-words.ts';
import styles from './desk.module.css';
import type { OpsFilter } from './filter.ts';
import { asQuery } from './filter.ts';

interface StateCountsProps {
  readonly filter: OpsFilter;
  readonly onChange: (over: { readonly state: string | null }) => void;
}

/**
 * The number of operations in each state that match the other filters. A click on a state adds it to the filter or
 * removes it.
 */
export function StateCounts({ filter, onChange }: StateCountsProps) {
  const { state, ...others } = filter;
  const counts = useRead(
    '/ops/operations/counts',
    { query: { ...asQuery(others), groupBy: 'state' } },
    { topics: ['desk'], everyMs: 30_000 },
  );
  const chosen = new Set(listed(state));
  const groups = new Map(counts.data?.data.groups.map((group) => [group.key, group]));
  const toggle = (value: string): void => {
    const next = chosen.has(value)
      ? [...chosen].filter((other) => other !== value)
      : [...chosen, value];
    onChange({ state: next.join(',') || null });
  };
  return (
    <ul className={styles.counts} aria-label={t.operationsByState}>
      {STATES.map(([value, words]) => {
        const group = groups.get(value);
        const isNone = counts.data !== undefined && group === undefined;
        return (
          <li key={value}>
            <button
              type="button"
              className={styles.count}
              data-state={value}
              data-none={isNone}
              aria-pressed={chosen.has(value)}
              onClick={() => toggle(value)}
            >
              <span className={styles.countNumber}>
                {counts.data === undefined ? '–' : countWords(group?.count ?? 0, group?.more)}
              </span>
              <span className={styles.countWords}>
                {words}
                {chosen.has(value) ? <Icon name="check" size={12} /> : null}
              </span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}
