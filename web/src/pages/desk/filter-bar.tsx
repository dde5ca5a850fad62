import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Chips } from '../../parts/chips.tsx';
import { Choices, Drop } from '../../parts/drop.tsx';
import { Select, TextField } from '../../parts/field.tsx';
import { AGES, OPERATIONS } from '../../parts/words.ts';
import { listed } from '../../parts/flags.ts';
import * as t from '../../texts/desk.tsx';
import { CLASSES, POLICIES, STATES } from './desk-words.ts';
import styles from './desk.module.css';
import type { FilterName, OpsFilter, OpsSearch } from './filter.ts';
import { FILTER_WORDS, filterIn, valueWords } from './filter.ts';

interface BarProps {
  readonly search: OpsSearch;
  /** Changes filters by name. The value null removes a filter. */
  readonly onChange: (over: Readonly<Record<string, string | null>>) => void;
}

const BY_TEXT: readonly (readonly [FilterName, string, string])[] = [
  ['commandId', t.commandId, t.addToMatchTheBeginning],
  ['lifecycleId', t.lifecycleId, t.orAnyContractIdThatThe],
  ['contractId', t.contractId, t.aContractThatAnAttemptNamed],
  ['party', t.party, t.theCompletePartyHint],
  ['code', t.code, t.tenuresOrTheLedgersSuchAs],
  ['subject', t.requestedBy, t.theIdentityTenureStandsForA],
  ['failure', t.failure, t.theFingerprintOfAFailure],
];

/** The text field with which a person searches. */
function ByText({ onChange }: Pick<BarProps, 'onChange'>) {
  const [name, setName] = useState<FilterName>('commandId');
  const [value, setValue] = useState('');
  const hint = BY_TEXT.find(([one]) => one === name)?.[2];
  return (
    <Drop label={t.identifier}>
      <form
        className={styles.byText}
        onSubmit={(event) => {
          event.preventDefault();
          if (value.trim() === '') return;
          onChange({ [name]: value.trim() });
          setValue('');
        }}
      >
        <Select
          label={t.what}
          value={name}
          options={BY_TEXT.map(([one, words]) => [one, words] as const)}
          onChange={setName}
        />
        <TextField label={t.is} hint={hint} value={value} onChange={setValue} spellCheck={false} />
        <Button type="submit" look="primary" isSmall>
          {t.filter}
        </Button>
      </form>
    </Drop>
  );
}

const aged = (value: string | undefined) =>
  value === undefined || AGES.some(([age]) => age === value)
    ? AGES
    : ([...AGES, [value, valueWords('until', value)]] as const);

function Ages({ search, onChange }: BarProps) {
  const { since, until, policy } = search;
  return (
    <Drop
      label={t.whenAndByWhom}
      count={[since, until, policy].filter((value) => value !== undefined).length}
    >
      <Select
        label={t.acceptedWithin}
        value={since ?? ''}
        options={aged(since)}
        onChange={(value) => onChange({ since: value || null })}
      />
      <Select
        label={t.acceptedBefore}
        value={until ?? ''}
        options={aged(until)}
        onChange={(value) => onChange({ until: value || null })}
      />
      <Select
        label={t.requestedBy}
        value={policy ?? ''}
        options={POLICIES}
        onChange={(value) => onChange({ policy: value || null })}
      />
    </Drop>
  );
}

const chipsOf = (filter: OpsFilter, onChange: BarProps['onChange']) =>
  (Object.keys(FILTER_WORDS) as FilterName[]).flatMap((name) => {
    const value = filter[name];
    if (value === undefined) return [];
    const isList = name === 'state' || name === 'class' || name === 'operation';
    const values = isList ? listed(value) : [value];
    return values.map((one) => ({
      key: `${name} ${one}`,
      name: FILTER_WORDS[name],
      value: valueWords(name, one),
      title: one,
      onRemove: () =>
        onChange({ [name]: values.filter((other) => other !== one).join(',') || null }),
    }));
  });

/** All filters for operations, and below them the active ones. */
export function FilterBar({ search, onChange }: BarProps) {
  const filter = filterIn(search);
  const list = (name: 'state' | 'class' | 'operation') => ({
    chosen: listed(search[name]),
    onChange: (chosen: readonly string[]) => onChange({ [name]: chosen.join(',') || null }),
  });
  return (
    <div className={styles.filterBar}>
      <search className={styles.controls} aria-label={t.filters}>
        <Choices label={t.state} options={STATES} {...list('state')} />
        <Choices label={t.operation} options={OPERATIONS} {...list('operation')} />
        <Choices label={t.answer} options={CLASSES} {...list('class')} />
        <Ages search={search} onChange={onChange} />
        <ByText onChange={onChange} />
        <label className={styles.order}>
          <span>{t.order}</span>
          <select
            value={search.order ?? 'newest'}
            onChange={({ target }) =>
              onChange({ order: target.value === 'oldest' ? 'oldest' : null })
            }
          >
            <option value="newest">{t.newestFirst}</option>
            <option value="oldest">{t.oldestFirst}</option>
          </select>
        </label>
      </search>
      <Chips
        of={chipsOf(filter, onChange)}
        onClear={() =>
          onChange(Object.fromEntries(Object.keys(filter).map((name) => [name, null])))
        }
      />
    </div>
  );
}
