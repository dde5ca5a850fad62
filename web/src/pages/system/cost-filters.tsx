import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Chips } from '../../parts/chips.tsx';
import { Choices } from '../../parts/drop.tsx';
import { Check, Select, TextField } from '../../parts/field.tsx';
import { operationName, OPERATIONS } from '../../parts/words.ts';
import type { readCosts } from '../../search.ts';
import { listed } from '../../parts/flags.ts';
import * as t from '../../texts/system.tsx';
import styles from './system.module.css';

type Search = ReturnType<typeof readCosts>;

const GROUPINGS = [
  ['operation', 'operation'],
  ['day', 'day'],
  ['party', 'party'],
] as const;
export type Grouping = (typeof GROUPINGS)[number][0];

/** Returns the properties by which the costs are grouped: by operation unless the address says otherwise. */
export function groupingIn({ groupBy }: Search): readonly Grouping[] {
  const given = listed(groupBy);
  const known = GROUPINGS.flatMap(([one]) => (given.includes(one) ? [one] : []));
  return known.length === 0 ? ['operation'] : known;
}

const TIMES = [
  ['P1D', t.aDay],
  ['P7D', t.days7],
  ['P30D', t.days30],
  ['P90D', t.days90],
] as const;

interface CostFiltersProps {
  readonly search: Search;
  /** The duration that the API uses by default. */
  readonly usual: string;
  readonly onChange: (over: Readonly<Record<string, string | null>>) => void;
}

function chipsOf(search: Search, onChange: CostFiltersProps['onChange']) {
  const operations = listed(search.operation);
  return [
    ...operations.map((one) => ({
      key: one,
      name: t.operation,
      value: operationName(one),
      onRemove: () =>
        onChange({ operation: operations.filter((other) => other !== one).join(',') || null }),
    })),
    ...(['party', 'until'] as const).flatMap((name) => {
      const value = search[name];
      if (value === undefined) return [];
      const words = name === 'party' ? (value.split('::')[0] ?? value) : value;
      const onRemove = (): void => onChange({ [name]: null });
      return [{ key: name, name: name === 'party' ? t.party : t.until, value: words, onRemove }];
    }),
  ];
}

/** Filters by time, party and operation, and the choice of how costs are grouped. */
export function CostFilters({ search, usual, onChange }: CostFiltersProps) {
  const [party, setParty] = useState('');
  const by = groupingIn(search);
  const since = search.since ?? usual;
  const isKnown = TIMES.some(([time]) => time === since);
  return (
    <>
      <search className={styles.filters} aria-label={t.filters}>
        <Select
          label={t.period}
          value={since}
          options={isKnown ? TIMES : [...TIMES, [since, t.sinceTime(since)]]}
          onChange={(time) => onChange({ since: time === usual ? null : time })}
        />
        <div className={styles.by} role="group" aria-labelledby="costs-by">
          <span id="costs-by">{t.groupBy}</span>
          <div>
            {GROUPINGS.map(([one, words]) => (
              <Check
                key={one}
                label={words}
                isChecked={by.includes(one)}
                onChange={(isChecked) => {
                  const next = isChecked ? [...by, one] : by.filter((other) => other !== one);
                  onChange({ groupBy: next.join(',') || null });
                }}
              />
            ))}
          </div>
        </div>
        <Choices
          label={t.operations}
          options={OPERATIONS}
          chosen={listed(search.operation)}
          onChange={(chosen) => onChange({ operation: chosen.join(',') || null })}
        />
        <form
          className={styles.filters}
          onSubmit={(event) => {
            event.preventDefault();
            if (party.trim() !== '') onChange({ party: party.trim() });
            setParty('');
          }}
        >
          <TextField
            label={t.party}
            placeholder={t.hintFingerprint}
            spellCheck={false}
            value={party}
            onChange={setParty}
          />
          <Button type="submit">{t.filter}</Button>
        </form>
      </search>
      <Chips
        of={chipsOf(search, onChange)}
        onClear={() => onChange({ operation: null, party: null, until: null })}
      />
    </>
  );
}
