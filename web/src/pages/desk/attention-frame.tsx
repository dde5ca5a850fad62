import type { ReactNode } from 'react';
import { Icon } from '../../parts/icon.tsx';
import type { IconName } from '../../parts/icon.tsx';
import { countWords } from '../../parts/words.ts';
import styles from './attention.module.css';

interface FrameProps {
  readonly title: string;
  readonly tone: 'bad' | 'warn' | 'info';
  readonly icon: IconName;
  readonly count: number;
  readonly more: boolean;
  /** A sentence that says what to do. */
  readonly lead: string;
  /** A link to the complete list. */
  readonly all?: ReactNode;
  /** The open dialog of one item, if there is one. */
  readonly dialog?: ReactNode;
  readonly children: ReactNode;
}

/** One group of items that need a person: their number, what to do, and the first items. */
export function Frame({ title, tone, icon, count, more, lead, all, dialog, children }: FrameProps) {
  return (
    <section className={styles.part} data-tone={tone} aria-label={title}>
      <header className={styles.head}>
        <span className={styles.mark}>
          <Icon name={icon} />
        </span>
        <h2>
          {title} <span className={styles.number}>{countWords(count, more)}</span>
        </h2>
        <p>{lead}</p>
        {all === undefined ? null : <span className={styles.all}>{all}</span>}
      </header>
      <ul>{children}</ul>
      {dialog}
    </section>
  );
}

/** An item of a group, with its buttons on the right. */
export function Item({
  children,
  act,
}: {
  readonly children: ReactNode;
  readonly act?: ReactNode;
}) {
  return (
    <li className={styles.item}>
      <div className={styles.what}>{children}</div>
      {act === undefined ? null : <div className={styles.act}>{act}</div>}
    </li>
  );
}
