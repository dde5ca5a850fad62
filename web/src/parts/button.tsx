import { useId } from 'react';
import type { ButtonHTMLAttributes, ReactNode } from 'react';
import styles from './button.module.css';
import { classes } from './classes.ts';
import { Icon } from './icon.tsx';
import type { IconName } from './icon.tsx';

export type ButtonLook = 'plain' | 'primary' | 'danger' | 'quiet';

interface ButtonProps extends Omit<
  ButtonHTMLAttributes<HTMLButtonElement>,
  'disabled' | 'className'
> {
  readonly look?: ButtonLook;
  readonly icon?: IconName;
  readonly isSmall?: boolean;
  /** Why the button cannot be used now. It can still be focused, so that people can read the reason. */
  readonly refused?: string | undefined;
  /** Whether the act is in progress. A further click does nothing then. */
  readonly isBusy?: boolean;
  readonly children?: ReactNode;
}

export const buttonClass = (look: ButtonLook = 'plain', isSmall = false): string =>
  classes(styles.button, look !== 'plain' && styles[look], isSmall && styles.small);

/** A button. If it cannot be used, it is grey and shows the reason. */
export function Button({
  look = 'plain',
  icon,
  isSmall = false,
  refused,
  isBusy = false,
  children,
  onClick,
  ...rest
}: ButtonProps) {
  const reasonId = useId();
  const isOff = refused !== undefined || isBusy;
  const button = (
    <button
      type="button"
      {...rest}
      className={buttonClass(look, isSmall)}
      aria-disabled={isOff}
      {...(refused === undefined ? {} : { 'aria-describedby': reasonId, title: refused })}
      onClick={(event) => {
        if (isOff) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {icon === undefined ? null : <Icon name={icon} size={isSmall ? 14 : 16} />}
      {children}
    </button>
  );
  if (refused === undefined) return button;
  return (
    <span className={styles.wrap}>
      {button}
      <span id={reasonId} className={styles.reason}>
        {refused}
      </span>
    </span>
  );
}
