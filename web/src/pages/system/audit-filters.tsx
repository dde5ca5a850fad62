import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Chips } from '../../parts/chips.tsx';
import { Select, TextField } from '../../parts/field.tsx';
import { durationWords, inWords, AGES } from '../../parts/words.ts';
import type { readAudit } from '../../search.ts';
import * as t from '../../texts/system.tsx';
import styles from './system.module.css';

type Search = ReturnType<typeof readAudit>;

const NAMES = [
  ['act', t.whatWasDone, 'retried'],
  ['subject', t.whoDidIt, t.theIdentity],
  ['object', t.toWhat, t.anIdOrPauseOperation],
] as const;

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
    return [{ key: name, name: t.words[name] ?? name, value: words, title: value, onRemove }];
  });
  return (
    <>
      <search aria-label={t.filters}>
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
            label={t.within}
            value={since ?? ''}
            options={isKnown ? AGES : [...AGES, [since, since]]}
            onChange={(age) => onChange({ since: age || null })}
          />
          <Button type="submit">{t.filter}</Button>
        </form>
      </search>
      <Chips
        of={chips}
        onClear={() => onChange({ act: null, subject: null, object: null, since: null })}
      />
    </>
  );
}
