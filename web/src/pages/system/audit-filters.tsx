import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Chips } from '../../parts/chips.tsx';
import { Select, TextField } from '../../parts/field.tsx';
import { durationWords, inWords, AGES } from '../../parts/words.ts';
import type { readAudit } from '../../search.ts';
import styles from './system.module.css';

type Search = ReturnType<typeof readAudit>;

const NAMES = [
  ['act', 'What was done', 'retried'],
  ['subject', 'Who did it', 'the identity'],
  ['object', 'To what', 'an ID, or pause:operation:…'],
] as const;

const WORDS: Readonly<Record<string, string>> = {
  act: 'Did',
  subject: 'Who',
  object: 'To',
  since: 'Since',
};

/** Known acts of the audit log. Other acts can be found by name too. */
const ACTS = [
  'retried',
  'cancelled',
  'decided',
  'paused',
  'drained',
  'resumed',
  'rearmed',
  'failure-resolved',
  'failure-ignored',
  'failure-reopened',
  'bulk-retry',
  'bulk-cancel',
  'bulk-decide',
  'bulk-stopped',
  'synchronizer-given-up',
  'tenant-registered',
  'tenant-removed',
];

interface AuditFiltersProps {
  readonly search: Search;
  readonly onChange: (over: Readonly<Record<string, string | null>>) => void;
}

/** Filters by person, act, object and time. */
export function AuditFilters({ search, onChange }: AuditFiltersProps) {
  const [given, setGiven] = useState<Readonly<Record<string, string>>>({});
  const { since } = search;
  const isKnown = since === undefined || AGES.some(([age]) => age === since);
  const chips = (['act', 'subject', 'object', 'since'] as const).flatMap((name) => {
    const value = search[name];
    if (value === undefined) return [];
    const words = name === 'since' && value.startsWith('P') ? durationWords(value) : value;
    const onRemove = (): void => onChange({ [name]: null });
    return [{ key: name, name: WORDS[name] ?? name, value: words, title: value, onRemove }];
  });
  return (
    <>
      <search aria-label="Filters">
        <form
          className={styles.filters}
          onSubmit={(event) => {
            event.preventDefault();
            const filled = Object.entries(given).filter(([, value]) => value.trim() !== '');
            onChange(Object.fromEntries(filled.map(([name, value]) => [name, value.trim()])));
            setGiven({});
          }}
        >
          {NAMES.map(([name, label, placeholder]) => (
            <TextField
              key={name}
              label={label}
              placeholder={placeholder}
              spellCheck={false}
              list={name === 'act' ? 'audit-acts' : undefined}
              value={given[name] ?? ''}
              onChange={(value) => setGiven({ ...given, [name]: value })}
            />
          ))}
          <datalist id="audit-acts">
            {ACTS.map((act) => (
              <option key={act} value={act}>
                {inWords(act)}
              </option>
            ))}
          </datalist>
          <Select
            label="Within"
            value={since ?? ''}
            options={isKnown ? AGES : [...AGES, [since, since]]}
            onChange={(age) => onChange({ since: age || null })}
          />
          <Button type="submit">Filter</Button>
        </form>
      </search>
      <Chips
        of={chips}
        onClear={() => onChange({ act: null, subject: null, object: null, since: null })}
      />
    </>
  );
}
