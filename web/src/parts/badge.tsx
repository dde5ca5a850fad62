import type { ReactNode } from 'react';
import styles from './badge.module.css';
import { classes } from './classes.ts';
import { Icon } from './icon.tsx';
import type { IconName } from './icon.tsx';
import type { Tone } from './tone.ts';

export type { Tone };

/** The icon of each tone, because many people cannot distinguish colours. */
const ICONS: Readonly<Record<Tone, IconName>> = {
  plain: 'ring',
  good: 'check',
  warn: 'clock',
  bad: 'alert',
  info: 'dot',
};

interface BadgeProps {
  readonly tone?: Tone;
  readonly icon?: IconName;
  readonly children: ReactNode;
}

/** A state as one word. */
export function Badge({ tone = 'plain', icon, children }: BadgeProps) {
  return (
    <span className={classes(styles.badge, tone !== 'plain' && styles[tone])}>
      <Icon name={icon ?? ICONS[tone]} size={12} />
      {children}
    </span>
  );
}
