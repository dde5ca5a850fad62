import { useState } from 'react';
import { Button } from './button.tsx';
import { TextField } from './field.tsx';
import { Icon } from './icon.tsx';
import { ENTRIES_MAX } from './metadata.ts';
import type { MetadataRows } from './metadata.ts';
import styles from './metadata.module.css';

interface MetadataFieldsProps {
  readonly legend: string;
  readonly hint?: string;
  readonly rows: MetadataRows;
  readonly onChange: (rows: MetadataRows) => void;
}

/** Fields for the names and values of metadata; a person can add and remove rows. */
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
          refused={rows.length >= ENTRIES_MAX ? '64 is the maximum.' : undefined}
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
