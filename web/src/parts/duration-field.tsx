import * as t from '../texts/parts.tsx';
import styles from './duration-field.module.css';
import { join, split } from './duration.ts';
import type { Unit } from './duration.ts';
import { Select, TextField } from './field.tsx';

const UNITS: readonly (readonly [Unit, string])[] = [
  ['M', t.minutes],
  ['H', t.hours],
  ['D', t.days],
];
/** The units, with ISO 8601 for a duration that is not a single number. */
const OF_PARTS: readonly (readonly [Unit, string])[] = [...UNITS, ['ISO', 'ISO 8601']];

interface DurationFieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly fault?: string | undefined;
  /** A duration in ISO 8601. */
  readonly value: string;
  readonly onChange: (iso: string) => void;
}

/** A field for a duration: a number and its unit, or an ISO 8601 text. */
export function DurationField({ label, hint, fault, value, onChange }: DurationFieldProps) {
  const [count, unit] = split(value);
  return (
    <div className={styles.duration}>
      <TextField
        label={label}
        hint={hint}
        fault={fault}
        value={count}
        inputMode={unit === 'ISO' ? 'text' : 'numeric'}
        onChange={(next) =>
          onChange(join(unit === 'ISO' ? next.trim() : next.replaceAll(/\D/gu, ''), unit))
        }
      />
      <Select
        label={t.unit}
        value={unit}
        options={unit === 'ISO' ? OF_PARTS : UNITS}
        onChange={(next) =>
          onChange(next === 'ISO' ? value : join(/^\d*/u.exec(count)?.[0] ?? '', next))
        }
      />
    </div>
  );
}
