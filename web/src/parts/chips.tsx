import * as t from '../texts/parts.tsx';
import styles from './chips.module.css';
import { Icon } from './icon.tsx';

export interface Chip {
  readonly key: string;
  readonly name: string;
  readonly value: string;
  /** The whole value, if the chip shows a shortened one. */
  readonly title?: string;
  readonly onRemove: () => void;
}

/** The active filters of a list; each can be removed. */
export function Chips({
  of,
  onClear,
}: {
  readonly of: readonly Chip[];
  readonly onClear: () => void;
}) {
  if (of.length === 0) return null;
  return (
    <ul className={styles.chips} aria-label={t.filtersInUse}>
      {of.map(({ key, name, value, title, onRemove }) => (
        <li key={key} className={styles.chip} title={title}>
          <span className={styles.name}>{name}</span>
          <span className={styles.value}>{value}</span>
          <button
            type="button"
            className={styles.remove}
            aria-label={t.remove(name, value)}
            onClick={onRemove}
          >
            <Icon name="cross" size={12} />
          </button>
        </li>
      ))}
      {of.length > 1 ? (
        <li>
          <button type="button" className={styles.clear} onClick={onClear}>
            {t.removeAll}
          </button>
        </li>
      ) : null}
    </ul>
  );
}
