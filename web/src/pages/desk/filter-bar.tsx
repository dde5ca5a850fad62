import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Chips } from '../../parts/chips.tsx';
import { Choices, Drop } from '../../parts/drop.tsx';
import { Select, TextField } from '../../parts/field.tsx';
import { AGES, OPERATIONS } from '../../parts/words.ts';
import { listed } from '../../parts/flags.ts';
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
  ['commandId', 'Command ID', 'Add * to match the beginning'],
  ['lifecycleId', 'Lifecycle ID', 'Or any contract ID that the lifecycle had'],
  ['contractId', 'Contract ID', 'A contract that an attempt named'],
  ['party', 'Party', 'The complete party: hint::fingerprint'],
  ['code', 'Code', 'Tenure’s or the ledger’s, such as LEDGER_REFUSED'],
  ['subject', 'Requested by', 'The identity; tenure stands for a policy'],
  ['failure', 'Failure', 'The fingerprint of a failure'],
];

/** The text field with which a person searches. */
function ByText({ onChange }: Pick<BarProps, 'onChange'>) {
  const [name, setName] = useState<FilterName>('commandId');
  const [value, setValue] = useState('');
  const hint = BY_TEXT.find(([one]) => one === name)?.[2];
  return (
    <Drop label="Identifier">
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
          label="What"
          value={name}
          options={BY_TEXT.map(([one, words]) => [one, words] as const)}
          onChange={setName}
        />
        <TextField label="Is" hint={hint} value={value} onChange={setValue} spellCheck={false} />
        <Button type="submit" look="primary" isSmall>
          Filter
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
      label="When and by whom"
      count={[since, until, policy].filter((value) => value !== undefined).length}
    >
      <Select
        label="Accepted within"
        value={since ?? ''}
        options={aged(since)}
        onChange={(value) => onChange({ since: value || null })}
      />
      <Select
        label="Accepted before"
        value={until ?? ''}
        options={aged(until)}
        onChange={(value) => onChange({ until: value || null })}
      />
      <Select
        label="Requested by"
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
      <search className={styles.controls} aria-label="Filters">
        <Choices label="State" options={STATES} {...list('state')} />
        <Choices label="Operation" options={OPERATIONS} {...list('operation')} />
        <Choices label="Answer" options={CLASSES} {...list('class')} />
        <Ages search={search} onChange={onChange} />
        <ByText onChange={onChange} />
        <label className={styles.order}>
          <span>Order</span>
          <select
            value={search.order ?? 'newest'}
            onChange={({ target }) =>
              onChange({ order: target.value === 'oldest' ? 'oldest' : null })
            }
          >
            <option value="newest">Newest first</option>
            <option value="oldest">Oldest first</option>
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
