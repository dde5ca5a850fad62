import { useEffect, useId, useRef } from 'react';
import type { ReactNode } from 'react';
import * as t from '../texts/parts.tsx';
import { Button } from './button.tsx';
import { classes } from './classes.ts';
import styles from './dialog.module.css';

interface DialogProps {
  readonly title: string;
  /** Closes the dialog. Absent: the dialog cannot be closed. */
  readonly onClose?: () => void;
  readonly isWide?: boolean;
  readonly children: ReactNode;
}

/**
 * A dialog that is modal while it is mounted. The browser keeps the focus in it, closes it on Escape and restores the
 * focus afterwards.
 */
export function Dialog({ title, onClose, isWide = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const shown = dialog.current;
    if (shown?.open === false) {
      shown.showModal();
      // The browser would focus the button that closes the dialog; a person wants to start with the first field.
      shown.querySelector<HTMLElement>('input, textarea, select')?.focus();
    }
    return () => shown?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={classes(styles.dialog, isWide && styles.wide)}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
    >
      <div className={styles.head}>
        <h2 id={titleId}>{title}</h2>
        {onClose === undefined ? null : (
          <Button look="quiet" icon="cross" isSmall aria-label={t.close} onClick={onClose} />
        )}
      </div>
      <div className={styles.body}>{children}</div>
    </dialog>
  );
}

/** The row of buttons at the end of a dialog. */
export function DialogFoot({ children }: { readonly children: ReactNode }) {
  return <div className={styles.foot}>{children}</div>;
}
