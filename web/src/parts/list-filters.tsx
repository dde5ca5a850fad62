import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { HERE } from '../paths.ts';
import * as t from '../texts/parts.tsx';
import { Button } from './button.tsx';
import { partyName } from './copy.tsx';
import { Select, TextField } from './field.tsx';
import styles from './list.module.css';
import { useNarrow } from './list.tsx';
import type { ListSearch } from './views.ts';

interface UserLinkProps {
  readonly user: string;
  /** The customer that the user is, if the provider has named the user. */
  readonly customer?: { readonly name?: string } | null | undefined;
}

/** The name of a party in a list. A click shows only the rows of this party. */
export function UserLink({ user, customer }: UserLinkProps) {
  return (
    <Link
      to={HERE}
      search={
        (({ cursor: _here, skip: _before, ...rest }: ListSearch) => ({ ...rest, user })) as never
      }
      title={t.onlyThisUser(user)}
    >
      {customer?.name ?? partyName(user)}
    </Link>
  );
}

interface ChosenUserProps {
  readonly user: string;
  readonly name: string;
}

/** The user whose rows are listed, with a button that lists the rows of all users. */
export function ChosenUser({ user, name }: ChosenUserProps) {
  const narrow = useNarrow();
  return (
    <div className={styles.chosen}>
      <span className={styles.label}>{t.user}</span>
      <Button
        icon="cross"
        title={user}
        aria-label={t.showAllUsers(name)}
        onClick={() => narrow({ user: undefined })}
      >
        {name}
      </Button>
    </div>
  );
}

const isParty = (text: string): boolean => /^\S+::[0-9a-f]{16,}$/u.test(text);

interface SearchFieldProps {
  readonly q: string | undefined;
  readonly placeholder: string;
  readonly onSearch: (words: string | undefined) => void;
}

const SEARCH_CHARS_MAX = 255;

/** A field that searches a list by words. An empty field ends the search. */
export function SearchField({ q, placeholder, onSearch }: SearchFieldProps) {
  // Forgets what was typed if another view of the list has set another search.
  const [typed, setTyped] = useState({ of: q, text: q ?? '' });
  const text = typed.of === q ? typed.text : (q ?? '');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const words = text.trim();
        onSearch(words === '' ? undefined : words);
      }}
    >
      <TextField
        label={t.search}
        type="search"
        placeholder={placeholder}
        maxLength={SEARCH_CHARS_MAX}
        value={text}
        onChange={(value) => {
          setTyped({ of: q, text: value });
          if (value === '' && q !== undefined) onSearch(undefined);
        }}
      />
    </form>
  );
}

interface SearchProps {
  readonly q: string | undefined;
  readonly user: string | undefined;
}

/** Searches a list by number, name, description or reference. A complete party ID selects that user instead. */
export function SearchFilter({ q, user }: SearchProps) {
  const narrow = useNarrow();
  return (
    <>
      <SearchField
        q={q}
        placeholder={t.numberNameOrReference}
        onSearch={(words) =>
          words !== undefined && isParty(words)
            ? narrow({ user: words, q: undefined })
            : narrow({ q: words })
        }
      />
      {user === undefined ? null : <ChosenUser user={user} name={partyName(user)} />}
    </>
  );
}

const ENDED = [
  ['', t.current],
  ['true', t.ended],
] as const;

/** A choice that lists ended entries instead of current ones. */
export function EndedFilter({ ended }: { readonly ended: string | undefined }) {
  const narrow = useNarrow();
  return (
    <Select
      label={t.state}
      value={ended === 'true' ? 'true' : ''}
      options={ENDED}
      onChange={(chosen) => narrow({ ended: chosen === '' ? undefined : chosen })}
    />
  );
}
