import type { ReactNode } from 'react';
import type { Tone } from './badge.tsx';
import { classes } from './classes.ts';
import styles from './note.module.css';

interface NoteProps {
  readonly tone?: Tone;
  readonly title: ReactNode;
  /** What can be done about it. */
  readonly acts?: ReactNode;
  readonly children?: ReactNode;
}

/** What matters most on a page: what happened, or what to do next. */
export function Note({ tone = 'plain', title, acts, children }: NoteProps) {
  return (
    <div className={classes(styles.note, tone !== 'plain' && styles[tone])}>
      <div className={styles.text}>
        <strong>{title}</strong>
        {children}
      </div>
      {acts === undefined ? null : <div className={styles.acts}>{acts}</div>}
    </div>
  );
}
