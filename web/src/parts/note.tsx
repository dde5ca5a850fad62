import type { ReactNode } from 'react';
import type { Tone } from './badge.tsx';
import { classes } from './classes.ts';
import styles from './note.module.css';

interface NoteProps {
  readonly tone?: Tone;
  readonly title: ReactNode;
  /** The buttons of the note. */
  readonly acts?: ReactNode;
  readonly children?: ReactNode;
}

/** The most important message of a page: an event, or the next step. */
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
