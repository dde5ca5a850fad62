import type { LinkProps } from '@tanstack/react-router';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import styles from './figures.module.css';

export interface Figure {
  readonly name: string;
  readonly value: ReactNode;
  /** Content below the value. */
  readonly more?: ReactNode;
  /** A link to the list of the counted things. */
  readonly to: Pick<LinkProps, 'to' | 'search'>;
  /** Whether the counted things wait for a person. */
  readonly isDue?: boolean;
}

/** Important numbers, each with a link to its list. */
export function Figures({ of, label }: { readonly of: readonly Figure[]; readonly label: string }) {
  return (
    <ul className={styles.figures} aria-label={label}>
      {of.map(({ name, value, more, to, isDue = false }) => (
        <li key={name}>
          <Link {...to} className={classes(styles.figure, isDue && styles.due)}>
            <span className={styles.name}>{name}</span>
            <span className={styles.value}>{value}</span>
            {more === undefined ? null : <span className={styles.more}>{more}</span>}
          </Link>
        </li>
      ))}
    </ul>
  );
}
