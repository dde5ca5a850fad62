import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Chips } from '../../parts/chips.tsx';
import { TextField } from '../../parts/field.tsx';
import type { readSessions } from '../../search.ts';
import * as t from '../../texts/system.tsx';
import styles from './system.module.css';

const NAMES = [
  ['subject', t.subject, t.theIdentityThatSignedIn],
  ['party', t.party, 'hint::fingerprint'],
] as const;

interface SessionFiltersProps {
  readonly search: ReturnType<typeof readSessions>;
  readonly onChange: (over: Readonly<Record<string, string | null>>) => void;
}

/** Filters sessions by subject or party. */
export function SessionFilters({ search, onChange }: SessionFiltersProps) {
  const [given, setGiven] = useState<Readonly<Record<string, string>>>({});
  const chips = NAMES.flatMap(([key, name]) => {
    const value = search[key];
    const onRemove = (): void => onChange({ [key]: null });
    return value === undefined ? [] : [{ key, name, value, onRemove }];
  });
  return (
    <>
      <search aria-label={t.filters}>
        <form
          className={styles.filters}
          onSubmit={(event) => {
            event.preventDefault();
            const trimmed = Object.entries(given).map(([name, value]) => [name, value.trim()]);
            onChange(Object.fromEntries(trimmed.filter(([, value]) => value !== '')));
            setGiven({});
          }}
        >
          {NAMES.map(([name, label, placeholder]) => (
            <TextField
              key={name}
              label={label}
              placeholder={placeholder}
              spellCheck={false}
              value={given[name] ?? ''}
              onChange={(value) => setGiven({ ...given, [name]: value })}
            />
          ))}
          <Button type="submit">{t.filter}</Button>
        </form>
      </search>
      <Chips of={chips} onClear={() => onChange({ subject: null, party: null })} />
    </>
  );
}
