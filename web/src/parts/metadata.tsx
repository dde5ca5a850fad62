import { useState } from 'react';
import { Button } from './button.tsx';
import { TextField } from './field.tsx';
import { Icon } from './icon.tsx';
import styles from './metadata.module.css';

/** Names and values that go to the ledger with a contract, as they are being written. */
export type MetadataRows = readonly (readonly [name: string, value: string])[];

const ENTRIES_MAX = 64;
const CHARS_MAX = 4_096;

/** The metadata of a body; a text instead says what is wrong. Rows without a value are left out. */
export function metadataOf(rows: MetadataRows): { readonly data: object } | string {
  const filled = rows.filter(([, value]) => value !== '');
  const names = filled.map(([name]) => name.trim());
  if (names.includes('')) return 'A value has no name.';
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) return `“${twice}” is there twice.`;
  const long = filled.find(([name, value]) => Math.max(name.length, value.length) > CHARS_MAX);
  if (long !== undefined) return `“${long[0].slice(0, 40)}” has more than 4,096 characters.`;
  return { data: Object.fromEntries(filled.map(([, value], at) => [names[at] ?? '', value])) };
}

interface MetadataFieldsProps {
  readonly legend: string;
  readonly hint?: string;
  readonly rows: MetadataRows;
  readonly onChange: (rows: MetadataRows) => void;
}

/** A list of names and values that grows and shrinks. */
export function MetadataFields({ legend, hint, rows, onChange }: MetadataFieldsProps) {
  const [added, setAdded] = useState(0);
  const set = (at: number, row: readonly [string, string]): void => onChange(rows.with(at, row));
  return (
    <fieldset className={styles.fields}>
      <legend>{legend}</legend>
      {hint === undefined ? null : <p className={styles.hint}>{hint}</p>}
      {rows.map(([name, value], at) => (
        <div key={at} className={styles.row}>
          <TextField
            label={`Name ${at + 1}`}
            value={name}
            autoFocus={added > 0 && at === rows.length - 1}
            onChange={(next) => set(at, [next, value])}
          />
          <TextField
            label={`Value ${at + 1}`}
            value={value}
            onChange={(next) => set(at, [name, next])}
          />
          <Button
            look="quiet"
            aria-label={`Remove row ${at + 1}`}
            onClick={() => onChange(rows.filter((_row, other) => other !== at))}
          >
            <Icon name="cross" />
          </Button>
        </div>
      ))}
      <div>
        <Button
          isSmall
          icon="plus"
          refused={rows.length >= ENTRIES_MAX ? 'There are 64 already.' : undefined}
          onClick={() => {
            setAdded(added + 1);
            onChange([...rows, ['', '']]);
          }}
        >
          Add a name and value
        </Button>
      </div>
    </fieldset>
  );
}

/** Metadata in one line, for lists. */
export const metadataLine = (data: Readonly<Record<string, string>>): string =>
  Object.entries(data)
    .map(([name, value]) => `${name}: ${value}`)
    .join(' · ');
