import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Select, TextField } from '../../parts/field.tsx';
import type { readLifecycles } from '../../search.ts';
import { AGES } from '../../parts/words.ts';
import styles from './lifecycles.module.css';

interface LifecycleFiltersProps {
  readonly search: ReturnType<typeof readLifecycles>;
  readonly onChange: (over: Readonly<Record<string, string | null>>) => void;
}

/** The filters of the list except kind and state, which have their own buttons above. */
export function LifecycleFilters({ search, onChange }: LifecycleFiltersProps) {
  const [party, setParty] = useState('');
  const { until } = search;
  const known = until === undefined || AGES.some(([age]) => age === until);
  return (
    <search className={styles.filters} aria-label="Filters">
      <Select
        label="Started before"
        value={until ?? ''}
        options={known ? AGES : [...AGES, [until, until]]}
        onChange={(age) => onChange({ until: age || null })}
      />
      <form
        className={styles.party}
        onSubmit={(event) => {
          event.preventDefault();
          if (party.trim() !== '') onChange({ party: party.trim() });
          setParty('');
        }}
      >
        <TextField
          label="Party"
          placeholder="hint::fingerprint"
          value={party}
          spellCheck={false}
          onChange={setParty}
        />
        <Button type="submit">Filter</Button>
      </form>
    </search>
  );
}
