import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { ReactNode } from 'react';
import type { UseQueryResult } from '@tanstack/react-query';
import type { Answer } from '../../api/client.ts';
import type { ProblemError } from '../../api/problem.ts';
import { Button } from '../../parts/button.tsx';
import { partyName } from '../../parts/copy.tsx';
import { Select, TextField } from '../../parts/field.tsx';
import { Shown } from '../../parts/states.tsx';
import { Paged, Table, sorted } from '../../parts/table.tsx';
import type { Column } from '../../parts/table.tsx';
import { countWords } from '../../parts/words.ts';
import { HERE } from '../../paths.ts';
import styles from './list.module.css';

/** Rows of a page of a list. */
const LIST_LIMIT = 50;

/** Rows that are read for one page of a search: the API finds no words. */
const SEARCH_LIMIT = 1_000;

/** Returns the limit of a list. A search and the order of a column need more rows. */
export const limitFor = (...narrowing: readonly (string | undefined)[]): number =>
  narrowing.every((one) => one === undefined) ? LIST_LIMIT : SEARCH_LIMIT;

type Search = Readonly<Record<string, string | undefined>>;

/** Changes what the address says of a list; another filter begins at its first page. */
export function useNarrow(): (over: Search) => void {
  const navigate = useNavigate();
  return (over) =>
    void navigate({
      to: HERE,
      search: (({ cursor: _here, ...rest }: Search) => {
        const next = { ...rest, ...over };
        return Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined));
      }) as never,
    });
}

interface ListProps<Row> {
  readonly of: UseQueryResult<Answer<readonly Row[]>, ProblemError>;
  readonly label: string;
  readonly cursor: string | undefined;
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  /** Which of the rows that were read are shown. */
  readonly only?: ((row: Row) => boolean) | undefined;
  /** Shown if there are no rows. */
  readonly empty: ReactNode;
}

/** One page of a list, with its loading, empty and failed states. */
export function List<Row>({ of, label, cursor, columns, keyOf, only, empty }: ListProps<Row>) {
  const narrow = useNarrow();
  const { sort } = useSearch({ strict: false });
  return (
    <Shown of={of}>
      {({ data, next }) => {
        const rows = sorted(only === undefined ? data : data.filter(only), columns, sort);
        if (rows.length === 0 && next === null && cursor === undefined) return empty;
        return (
          <Paged
            count={rows.length}
            isFirst={cursor === undefined}
            next={next}
            onPage={(to) => narrow({ cursor: to })}
          >
            {(only === undefined && sort === undefined) || next === null ? null : (
              <p role="status">
                Search and order apply to these {countWords(data.length)} rows. The next page has
                the rows after them.
              </p>
            )}
            {rows.length === 0 ? (
              empty
            ) : (
              <Table
                label={label}
                rows={rows}
                keyOf={keyOf}
                columns={columns}
                sorting={{ sort, onSort: (chosen) => narrow({ sort: chosen }) }}
              />
            )}
          </Paged>
        );
      }}
    </Shown>
  );
}

interface UserLinkProps {
  readonly user: string;
  /** The customer that the user is, where one is known. */
  readonly customer?: { readonly name?: string } | null | undefined;
}

/** A party in a list by its name, which narrows the list to it. */
export function UserLink({ user, customer }: UserLinkProps) {
  return (
    <Link
      to={HERE}
      search={(({ cursor: _here, ...rest }: Search) => ({ ...rest, user })) as never}
      title={`${user}\nOnly this user`}
    >
      {customer?.name ?? partyName(user)}
    </Link>
  );
}

/** The user whose rows are listed, with a button that lists those of all users. */
function ChosenUser({ user }: { readonly user: string }) {
  const narrow = useNarrow();
  return (
    <div className={styles.chosen}>
      <span className={styles.label}>User</span>
      <Button
        icon="cross"
        title={user}
        aria-label={`${partyName(user)}: show all users`}
        onClick={() => narrow({ user: undefined })}
      >
        {partyName(user)}
      </Button>
    </div>
  );
}

const isParty = (text: string): boolean => /^\S+::[0-9a-f]{16,}$/u.test(text);

interface SearchProps {
  readonly q: string | undefined;
  readonly user: string | undefined;
}

/** Searches a list by number, name, description or reference; a whole party ID selects that user. */
export function SearchFilter({ q, user }: SearchProps) {
  const narrow = useNarrow();
  const [text, setText] = useState(q ?? '');
  return (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const wanted = text.trim();
          if (isParty(wanted)) narrow({ user: wanted, q: undefined });
          else narrow({ q: wanted === '' ? undefined : wanted });
        }}
      >
        <TextField
          label="Search"
          type="search"
          placeholder="Number, name or reference"
          value={text}
          onChange={(value) => {
            setText(value);
            if (value === '' && q !== undefined) narrow({ q: undefined });
          }}
        />
      </form>
      {user === undefined ? null : <ChosenUser user={user} />}
    </>
  );
}

const ENDED = [
  ['', 'Current'],
  ['true', 'Ended'],
] as const;

/** Lists what has ended in place of what is current. */
export function EndedFilter({ ended }: { readonly ended: string | undefined }) {
  const narrow = useNarrow();
  return (
    <Select
      label="State"
      value={ended === 'true' ? 'true' : ''}
      options={ENDED}
      onChange={(chosen) => narrow({ ended: chosen === '' ? undefined : chosen })}
    />
  );
}
