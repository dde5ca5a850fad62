import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { compareTexts } from '../texts/intl.ts';
import * as t from '../texts/parts.tsx';
import { Button } from './button.tsx';
import { classes } from './classes.ts';
import { Icon } from './icon.tsx';
import styles from './table.module.css';

export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ReactNode;
  /** `end`: aligned to the right, for figures. `grow`: takes the remaining width, for one column with long text. */
  readonly as?: 'end' | 'grow';
  /**
   * The position on the card that replaces a row on a phone. Without it, the cell is shown after the name of its
   * column.
   */
  readonly card?: 'state' | 'amount' | 'act';
  /** Returns the value by which rows are sorted. Without it, the column cannot be sorted. */
  readonly by?: (row: Row) => string | number;
}

interface TableProps<Row> {
  /** The name of the table for screen readers. */
  readonly label: string;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly columns: readonly Column<Row>[];
  /** The column by which the rows are sorted, and a function that chooses another one. */
  readonly sorting?: Sorting | undefined;
  readonly choice?: Choice<Row> | undefined;
}

/** The rows that a person has selected. Each row of the table has a checkbox. */
interface Choice<Row> {
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (chosen: ReadonlySet<string>) => void;
  /** Returns the name of a row for screen readers. */
  readonly nameOf: (row: Row) => string;
}

export interface Sorting {
  /** The name of a column, after a minus for a descending order. Undefined: the order of the answer. */
  readonly sort: string | undefined;
  readonly onSort: (sort: string | undefined) => void;
}

const compare = (a: string | number, b: string | number): number =>
  typeof a === 'number' && typeof b === 'number' ? a - b : compareTexts(String(a), String(b));

/** Returns the rows in the order of a column. */
export function sorted<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sort: string | undefined,
): readonly Row[] {
  const isFalling = sort?.startsWith('-') ?? false;
  const name = isFalling ? sort?.slice(1) : sort;
  const by = columns.find((column) => column.name === name)?.by;
  if (by === undefined) return rows;
  const rising = rows.toSorted((a, b) => compare(by(a), by(b)));
  return isFalling ? rising.toReversed() : rising;
}

interface HeadProps {
  readonly name: string;
  readonly sorting: Sorting;
}

/**
 * The head of a column by which rows can be sorted: a click changes from ascending to descending to the answer's order.
 */
function SortHead({ name, sorting: { sort, onSort } }: HeadProps) {
  const isRising = sort === name;
  const isFalling = sort === `-${name}`;
  return (
    <button
      type="button"
      className={styles.sort}
      onClick={() => onSort(isRising ? `-${name}` : isFalling ? undefined : name)}
    >
      {name}
      {isRising || isFalling ? <Icon name={isRising ? 'up' : 'down'} size={12} /> : null}
    </button>
  );
}

const ariaSort = (name: string, sort: string | undefined): 'ascending' | 'descending' | 'none' =>
  sort === name ? 'ascending' : sort === `-${name}` ? 'descending' : 'none';

interface BoxProps {
  readonly label: string;
  readonly isChosen: boolean;
  /** Whether only some of the rows are selected. */
  readonly isPartly?: boolean;
  readonly onChange: (isChosen: boolean) => void;
}

function Box({ label, isChosen, isPartly = false, onChange }: BoxProps) {
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (box.current !== null) box.current.indeterminate = isPartly;
  }, [isPartly]);
  return (
    <label className={styles.box}>
      <input
        ref={box}
        type="checkbox"
        aria-label={label}
        checked={isChosen}
        onChange={({ target }) => onChange(target.checked)}
      />
    </label>
  );
}

const toggled = (keys: ReadonlySet<string>, key: string, isChosen: boolean): ReadonlySet<string> =>
  isChosen ? new Set([...keys, key]) : new Set([...keys].filter((other) => other !== key));

/**
 * Keeps the order of the rows while the pointer or the keyboard focus is on the table, so that no row moves away.
 *
 * @returns the rows to show, and functions that hold the order and release it
 */
function useStill<Row>(rows: readonly Row[], keyOf: (row: Row) => string) {
  const [held, setHeld] = useState<readonly Row[] | null>(null);
  const shown = held ?? rows;
  const order = (some: readonly Row[]): string => some.map(keyOf).join('\n');
  const isMoved = held !== null && order(held) !== order(rows);
  // Rows that keep their position may have new values.
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

/** A table whose rows keep their positions while the pointer is on them. */
export function Table<Row>({ label, rows, keyOf, columns, sorting, choice }: TableProps<Row>) {
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
            {t.theListHasChangedShow}
          </Button>
        </div>
      ) : null}
      <table className={styles.table} data-cards>
        <thead>
          <tr>
            {choice === undefined ? null : (
              <td className={styles.choice}>
                <Box
                  label={t.selectAllRows}
                  isChosen={shown.every((row) => choice.chosen.has(keyOf(row)))}
                  isPartly={choice.chosen.size > 0 && choice.chosen.size < shown.length}
                  onChange={(isChosen) =>
                    choice.onChoose(new Set(isChosen ? shown.map(keyOf) : []))
                  }
                />
              </td>
            )}
            {columns.map(({ name, as, by }) =>
              sorting === undefined || by === undefined ? (
                <th key={name} scope="col" className={classFor(as)}>
                  {name}
                </th>
              ) : (
                <th
                  key={name}
                  scope="col"
                  className={classFor(as)}
                  aria-sort={ariaSort(name, sorting.sort)}
                >
                  <SortHead name={name} sorting={sorting} />
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr key={keyOf(row)}>
              {choice === undefined ? null : (
                <td data-card="choice" className={styles.choice}>
                  <Box
                    label={t.select(choice.nameOf(row))}
                    isChosen={choice.chosen.has(keyOf(row))}
                    onChange={(isChosen) =>
                      choice.onChoose(toggled(choice.chosen, keyOf(row), isChosen))
                    }
                  />
                </td>
              )}
              {columns.map(({ name, cell, as, card }, at) => (
                <td
                  key={name}
                  data-name={name}
                  data-card={at === 0 ? 'title' : card}
                  className={classes(classFor(as))}
                >
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
