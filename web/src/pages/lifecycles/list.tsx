import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { ReactNode } from 'react';
import type { UseQueryResult } from '@tanstack/react-query';
import type { Answer } from '../../api/client.ts';
import type { ProblemError } from '../../api/problem.ts';
import { Button } from '../../parts/button.tsx';
import { partyName } from '../../parts/copy.tsx';
import { TextField } from '../../parts/field.tsx';
import { Shown } from '../../parts/states.tsx';
import { Paged, Table } from '../../parts/table.tsx';
import type { Column } from '../../parts/table.tsx';
import styles from './list.module.css';

/** Rows of a page of a list. */
export const LIST_LIMIT = 50;

type Search = Readonly<Record<string, string | undefined>>;

/** Changes what the address says of a list; another filter begins at its first page. */
export function useNarrow(): (over: Search) => void {
  const navigate = useNavigate();
  return (over) =>
    void navigate({
      to: '.',
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
  /** Of the rows that were read, those to show. */
  readonly only?: ((row: Row) => boolean) | undefined;
  /** What is shown in place of no rows. */
  readonly empty: ReactNode;
}

/** One page of a list, with its loading, empty and failed states. */
export function List<Row>({ of, label, cursor, columns, keyOf, only, empty }: ListProps<Row>) {
  const narrow = useNarrow();
  return (
    <Shown of={of}>
      {({ data, next }) => {
        const rows = only === undefined ? data : data.filter(only);
        if (rows.length === 0 && next === null && cursor === undefined) return empty;
        return (
          <Paged
            count={rows.length}
            isFirst={cursor === undefined}
            next={next}
            onPage={(to) => narrow({ cursor: to })}
          >
            {rows.length === 0 ? (
              empty
            ) : (
              <Table label={label} rows={rows} keyOf={keyOf} columns={columns} />
            )}
          </Paged>
        );
      }}
    </Shown>
  );
}

/** A party in a list, which narrows the list to it. */
export function UserLink({ user }: { readonly user: string }) {
  return (
    <Link
      to="."
      search={(({ cursor: _here, ...rest }: Search) => ({ ...rest, user })) as never}
      title={`${user}\nOnly this user`}
    >
      {partyName(user)}
    </Link>
  );
}

/** Narrows a provider's list to one user: by its party ID, as it is pasted, or chosen in a row. */
export function UserFilter({ user }: { readonly user: string | undefined }) {
  const narrow = useNarrow();
  const [text, setText] = useState<string | null>(null);
  if (user !== undefined) {
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
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const wanted = text?.trim() ?? '';
        if (wanted !== '') narrow({ user: wanted });
      }}
    >
      <TextField
        label="User"
        placeholder="Party ID, then Enter"
        value={text ?? ''}
        onChange={setText}
      />
    </form>
  );
}
