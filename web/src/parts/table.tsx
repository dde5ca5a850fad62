import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { classes } from './classes.ts';
import styles from './table.module.css';

export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ReactNode;
  /** Figures stand at the end of their column; one long text may take what is left. */
  readonly as?: 'end' | 'grow';
}

interface TableProps<Row> {
  /** The name of the table for screen readers. */
  readonly label: string;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly columns: readonly Column<Row>[];
}

/**
 * Holds what is shown while the pointer or the keyboard is on it, so that nothing moves under either.
 *
 * @returns the rows to show, and how to let the newer ones in
 */
function useStill<Row>(rows: readonly Row[], keyOf: (row: Row) => string) {
  const [held, setHeld] = useState<readonly Row[] | null>(null);
  const shown = held ?? rows;
  const order = (some: readonly Row[]): string => some.map(keyOf).join('\n');
  const isMoved = held !== null && order(held) !== order(rows);
  // Rows that keep their places may have new values.
  const current = new Map(rows.map((row) => [keyOf(row), row]));
  return {
    shown: held === null ? rows : shown.map((row) => current.get(keyOf(row)) ?? row),
    isMoved,
    hold: () => setHeld((before) => before ?? rows),
    release: () => setHeld(null),
  };
}

const classFor = (as: 'end' | 'grow' | undefined): string | undefined =>
  as === undefined ? undefined : styles[as];

/** A list. Its rows keep their places while the pointer is on them. */
export function Table<Row>({ label, rows, keyOf, columns }: TableProps<Row>) {
  const { shown, isMoved, hold, release } = useStill(rows, keyOf);
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = frame;
    if (current === null) return undefined;
    const leave = (): void => {
      if (!current.matches(':hover') && !current.contains(document.activeElement)) release();
    };
    const later = (): void => void setTimeout(leave, 0);
    current.addEventListener('pointerenter', hold);
    current.addEventListener('focusin', hold);
    current.addEventListener('pointerleave', later);
    current.addEventListener('focusout', later);
    return () => {
      current.removeEventListener('pointerenter', hold);
      current.removeEventListener('focusin', hold);
      current.removeEventListener('pointerleave', later);
      current.removeEventListener('focusout', later);
    };
  });
  return (
    <div className={styles.frame} ref={frame} tabIndex={0} role="region" aria-label={label}>
      {isMoved ? (
        <div className={styles.news} role="status">
          <Button look="quiet" isSmall icon="repeat" onClick={release}>
            The list has changed: show
          </Button>
        </div>
      ) : null}
      <table className={styles.table} data-cards>
        <thead>
          <tr>
            {columns.map(({ name, as }) => (
              <th key={name} scope="col" className={classFor(as)}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ name, cell, as }) => (
                <td key={name} data-name={name} className={classes(classFor(as))}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface PagedProps {
  readonly count: number;
  readonly isFirst: boolean;
  readonly next: string | null;
  /** Goes to the page that begins at a cursor; undefined for the first one. */
  readonly onPage: (cursor: string | undefined) => void;
  readonly children: ReactNode;
}

/** One page of a list, and the ways to others. The browser's own way back leads to the page before. */
export function Paged({ count, isFirst, next, onPage, children }: PagedProps) {
  return (
    <div className={styles.wrap}>
      {children}
      {isFirst && next === null ? null : (
        <nav className={styles.foot} aria-label="Pages of the list">
          <span>{isFirst ? `1–${count}` : `${count} more`}</span>
          <span>
            {isFirst ? null : (
              <Button isSmall onClick={() => onPage(undefined)}>
                First page
              </Button>
            )}{' '}
            {next === null ? null : (
              <Button isSmall onClick={() => onPage(next)}>
                Next page
              </Button>
            )}
          </span>
        </nav>
      )}
    </div>
  );
}
