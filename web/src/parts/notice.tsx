import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import { Icon } from './icon.tsx';
import styles from './notice.module.css';

interface NoticeProps {
  readonly tone: 'info' | 'warn' | 'bad';
  readonly title: string;
  /** Read out at once. */
  readonly isAlert?: boolean;
  readonly children?: ReactNode;
}

/** Something that has to be known before going on. */
export function Notice({ tone, title, isAlert = false, children }: NoticeProps) {
  return (
    <div className={classes(styles.notice, styles[tone])} role={isAlert ? 'alert' : undefined}>
      <Icon name={tone === 'info' ? 'dot' : 'alert'} />
      <div>
        <strong>{title}</strong>
        {children === undefined ? null : <p>{children}</p>}
      </div>
    </div>
  );
}
