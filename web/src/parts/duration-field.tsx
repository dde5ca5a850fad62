import styles from './duration-field.module.css';
import { Select, TextField } from './field.tsx';

type Unit = 'D' | 'H' | 'M' | 'ISO';

const UNITS: readonly (readonly [Unit, string])[] = [
  ['M', 'minutes'],
  ['H', 'hours'],
  ['D', 'days'],
];
/** What one number does not tell stays as it was written. */
const OF_PARTS: readonly (readonly [Unit, string])[] = [...UNITS, ['ISO', 'ISO 8601']];

const SIMPLE = /^(?:P(\d+)D|PT(\d+)([HM]))$/u;
const ISO =
  /^P(?=.)(?:\d+(?:\.\d+)?D)?(?:T(?=.)(?:\d+(?:\.\d+)?H)?(?:\d+(?:\.\d+)?M)?(?:\d+(?:\.\d+)?S)?)?$/u;

function split(iso: string): readonly [count: string, unit: Unit] {
  // What is nothing has no unit of its own.
  if (iso === 'PT0S') return ['0', 'H'];
  const [, days, count, unit] = SIMPLE.exec(iso) ?? [];
  if (days !== undefined) return [days, 'D'];
  if (count !== undefined) return [count, unit as Unit];
  return /^P(?:T)?([DHM])?$/u.test(iso) ? ['', (iso.at(-1) ?? 'D') as Unit] : [iso, 'ISO'];
}

const join = (count: string, unit: Unit): string =>
  unit === 'ISO' ? count : unit === 'D' ? `P${count}D` : `PT${count}${unit}`;

/** Milliseconds of an ISO 8601 duration in days and time; null when it is none. */
export function durationMs(iso: string): number | null {
  if (!ISO.test(iso)) return null;
  const of = (pattern: RegExp): number => Number(pattern.exec(iso)?.[1] ?? '0');
  const time = iso.includes('T') ? iso.slice(iso.indexOf('T')) : '';
  const part = (letter: string): number =>
    Number(new RegExp(`([\\d.]+)${letter}`, 'u').exec(time)?.[1] ?? '0');
  return (
    of(/^P([\d.]+)D/u) * 86_400_000 + part('H') * 3_600_000 + part('M') * 60_000 + part('S') * 1_000
  );
}

interface DurationFieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly fault?: string | undefined;
  /** ISO 8601. */
  readonly value: string;
  readonly onChange: (iso: string) => void;
}

/** How long something lasts: a number and its unit, or ISO 8601 as it is. */
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
        label="Unit"
        value={unit}
        options={unit === 'ISO' ? OF_PARTS : UNITS}
        onChange={(next) =>
          onChange(next === 'ISO' ? value : join(/^\d*/u.exec(count)?.[0] ?? '', next))
        }
      />
    </div>
  );
}
