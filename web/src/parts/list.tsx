import type { UseQueryResult } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { ReactNode } from 'react';
import type { Answer, Total } from '../api/client.ts';
import type { ProblemError } from '../api/problem.ts';
import { HERE } from '../paths.ts';
import * as t from '../texts/parts.tsx';
import { Button } from './button.tsx';
import { CsvButton } from './csv-button.tsx';
import { Choices } from './drop.tsx';
import styles from './list.module.css';
import { Shown } from './states.tsx';
import { Table, sorted } from './table.tsx';
import type { Column } from './table.tsx';
import { ViewBar } from './view-bar.tsx';
import type { ListSearch, View } from './views.ts';
import { countWords } from './words.ts';

/*
 * The list component of all pages. The page's address contains its filters, order, columns and position, so that a
 * saved view is an address with a name.
 */

/** Number of rows on a page of a list. */
const LIST_LIMIT = 50;

/** Number of rows that are read if the page itself searches or sorts them. */
const SEARCH_LIMIT = 1_000;

/** Returns how many rows a list reads. A search, or sorting by a column, needs more rows. */
export const limitFor = (...narrowing: readonly (string | undefined)[]): number =>
  narrowing.every((one) => one === undefined) ? LIST_LIMIT : SEARCH_LIMIT;

/**
 * Returns a function that changes the list's filters and order in the address. The list then starts at its first page.
 */
export function useNarrow(): (over: ListSearch) => void {
  const navigate = useNavigate();
  return (over) =>
    void navigate({
      to: HERE,
      search: (({ cursor: _here, skip: _before, ...rest }: ListSearch) => {
        const next = { ...rest, ...over };
        return Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined));
      }) as never,
    });
}

/** Separates the names of hidden columns in an address. No column name contains it. */
const COMMA = '|';

const namesIn = (text: string | undefined): readonly string[] => text?.split(COMMA) ?? [];

interface ColumnChoiceProps {
  /** The names of all columns. The first column names the row and cannot be hidden. */
  readonly names: readonly string[];
  readonly hidden: readonly string[];
}

function ColumnChoice({ names: [, ...names], hidden }: ColumnChoiceProps) {
  const narrow = useNarrow();
  return (
    <Choices
      label={t.columns}
      options={names.map((name) => [name, name] as const)}
      chosen={names.filter((name) => !hidden.includes(name))}
      count={hidden.length}
      onChange={(chosen) => {
        const hide = names.filter((name) => !chosen.includes(name)).join(COMMA);
        narrow({ hide: hide === '' ? undefined : hide });
      }}
    />
  );
}

/** The part of a list that a page shows. */
interface Part {
  /** The number of rows before the page; undefined if the address does not contain it. */
  readonly before: number | undefined;
  readonly count: number;
  readonly isLast: boolean;
  readonly total: Total | null;
}

/** Returns the position in words: "1–50 of 510", "51–100 of more than 10,000", or "12 in all". */
function partWords({ before, count, isLast, total }: Part): string {
  if (before === undefined) return t.moreRows(countWords(count));
  const until = before + count;
  if (isLast && before === 0) return t.inAll(countWords(count));
  const range = `${countWords(before + 1)}–${countWords(until)}`;
  if (isLast) return t.rangeOfAll(range, countWords(until));
  if (total === null) return range;
  const most = countWords(Math.max(total.count, until));
  return t.rangeOfAll(range, total.more || total.count < until ? t.moreThan(most) : most);
}

interface PagesProps extends Part {
  readonly next: string | null;
}

/**
 * Shows the position, and buttons for the first and the next page. The browser's back button leads to the previous
 * page.
 */
function Pages({ next, ...part }: PagesProps) {
  const narrow = useNarrow();
  const { before, count } = part;
  if (before === 0 && next === null) return <p className={styles.foot}>{partWords(part)}</p>;
  const skip = before === undefined ? undefined : String(before + count);
  return (
    <nav className={styles.foot} aria-label={t.pagesOfTheList}>
      <span>{partWords(part)}</span>
      <span className={styles.ways}>
        {before === 0 ? null : (
          <Button isSmall onClick={() => narrow({})}>
            {t.firstPage}
          </Button>
        )}
        {next === null ? null : (
          <Button isSmall onClick={() => narrow({ cursor: next, skip })}>
            {t.nextPage}
          </Button>
        )}
      </span>
    </nav>
  );
}

const NONE: ReadonlySet<string> = new Set();

/** Returns the selected rows of a page. On another page, or with another filter, no row is selected at first. */
function useChosen(here: string) {
  const [{ at, keys }, set] = useState({ at: here, keys: NONE });
  const choose = (chosen: ReadonlySet<string>): void => set({ at: here, keys: chosen });
  return [at === here ? keys : NONE, choose] as const;
}

/** Acts on several rows at once. */
interface Several<Row> {
  /** Returns the name of a row for screen readers. */
  readonly nameOf: (row: Row) => string;
  /** Renders the buttons; `clear` deselects all rows. */
  readonly renderActs: (chosen: readonly Row[], clear: () => void) => ReactNode;
}

interface ListProps<Row> {
  readonly of: UseQueryResult<Answer<readonly Row[]>, ProblemError>;
  readonly label: string;
  readonly columns?: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  /** Renders the rows as cards instead of a table. */
  readonly renderCards?: (rows: readonly Row[]) => ReactNode;
  /** Whether to show a row that was read. */
  readonly only?: ((row: Row) => boolean) | undefined;
  /** Shown if there are no rows. */
  readonly empty: ReactNode;
  /**
   * The name under which views of the list are saved. Without a name, the list has neither saved views nor a choice of
   * columns.
   */
  readonly name?: string;
  /** The views that everyone has. */
  readonly views?: readonly View[];
  /** The address of a file with all rows. */
  readonly csv?: string;
  /** The total, if the answer does not contain it. */
  readonly total?: Total | null;
  readonly several?: Several<Row> | undefined;
  /** The filters of the list. */
  readonly children?: ReactNode;
}

type RowsProps<Row> = Pick<
  ListProps<Row>,
  'label' | 'keyOf' | 'renderCards' | 'only' | 'empty' | 'several'
> & {
  readonly columns: readonly Column<Row>[];
  readonly answer: Answer<readonly Row[]>;
  readonly search: ListSearch;
};

function Rows<Row>(props: RowsProps<Row>) {
  const { answer, search, label, keyOf, renderCards, only, empty, several } = props;
  const narrow = useNarrow();
  const [chosen, choose] = useChosen(JSON.stringify(search));
  const { cursor, skip, sort } = search;
  const { data, next, total } = answer;
  const rows = sorted(only === undefined ? data : data.filter(only), props.columns, sort);
  if (rows.length === 0 && next === null && cursor === undefined) return empty;
  const hidden = namesIn(search['hide']);
  const columns = props.columns.filter(({ name }, at) => at === 0 || !hidden.includes(name));
  const some = rows.filter((row) => chosen.has(keyOf(row)));
  return (
    <div className={styles.rows}>
      {(only === undefined && sort === undefined) || next === null ? null : (
        <p role="status">{t.searchAndOrderApplyToThese(data.length)}</p>
      )}
      {several === undefined || some.length === 0 ? null : (
        <div className={styles.several} role="status">
          <strong>{t.selected(countWords(some.length))}</strong>
          {several.renderActs(some, () => choose(NONE))}
          <Button look="quiet" isSmall onClick={() => choose(NONE)}>
            {t.clearSelection}
          </Button>
        </div>
      )}
      {rows.length === 0 ? empty : null}
      {rows.length === 0 || renderCards === undefined ? null : renderCards(rows)}
      {rows.length === 0 || renderCards !== undefined ? null : (
        <Table
          label={label}
          rows={rows}
          keyOf={keyOf}
          columns={columns}
          sorting={{ sort, onSort: (by) => narrow({ sort: by }) }}
          choice={several && { chosen, onChoose: choose, nameOf: several.nameOf }}
        />
      )}
      <Pages
        before={cursor === undefined ? 0 : skip === undefined ? undefined : Number(skip)}
        count={only === undefined || next === null ? rows.length : data.length}
        isLast={next === null}
        next={next}
        total={only === undefined ? total : null}
      />
    </div>
  );
}

/** One page of a list with its views, filters and columns, and its loading, empty and failed states. */
export function List<Row>(props: ListProps<Row>) {
  const { of, name, views = [], csv, total, columns = [], children, ...rows } = props;
  const search: ListSearch = useSearch({ strict: false });
  return (
    <div className={styles.list}>
      {name === undefined ? null : <ViewBar list={name} common={views} search={search} />}
      {name === undefined && children === undefined ? null : (
        <div className={styles.tools}>
          {children}
          {name === undefined ? null : (
            <div className={styles.file}>
              {csv === undefined ? null : <CsvButton url={csv} name={name} />}
              <ColumnChoice
                names={columns.map((column) => column.name)}
                hidden={namesIn(search['hide'])}
              />
            </div>
          )}
        </div>
      )}
      <Shown of={of}>
        {(answer) => (
          <Rows
            {...rows}
            columns={columns}
            search={search}
            answer={total === undefined ? answer : { ...answer, total }}
          />
        )}
      </Shown>
    </div>
  );
}
