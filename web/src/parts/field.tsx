import { useId } from 'react';
import type { InputHTMLAttributes, ReactNode } from 'react';
import styles from './field.module.css';

interface Common {
  readonly label: string;
  readonly hint?: ReactNode;
  /** A message that says what is wrong with the value. */
  readonly fault?: string | undefined;
}

interface Described {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': boolean | undefined;
  readonly className: string | undefined;
}

function Field({
  label,
  hint,
  fault,
  children,
}: Common & { readonly children: (described: Described) => ReactNode }) {
  const id = useId();
  const isDescribed = hint !== undefined || fault !== undefined;
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      {children({
        id,
        'aria-describedby': isDescribed ? `${id}-more` : undefined,
        'aria-invalid': fault === undefined ? undefined : true,
        className: styles.input,
      })}
      {isDescribed ? (
        <div id={`${id}-more`}>
          {fault === undefined ? null : <p className={styles.fault}>{fault}</p>}
          {hint === undefined ? null : <p className={styles.hint}>{hint}</p>}
        </div>
      ) : null}
    </div>
  );
}

interface TextFieldProps
  extends
    Common,
    Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'className' | 'id' | 'value'> {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function TextField({ label, hint, fault, value, onChange, ...rest }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(described) => (
        <input
          autoComplete="off"
          {...rest}
          {...described}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

interface TextAreaProps extends Common {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly required?: boolean;
  readonly maxLength?: number;
  readonly rows?: number;
}

export function TextArea({ label, hint, fault, value, onChange, ...rest }: TextAreaProps) {
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(described) => (
        <textarea
          {...rest}
          {...described}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

interface SelectProps<T extends string> extends Common {
  readonly value: T;
  readonly onChange: (value: T) => void;
  /** The values and their words. */
  readonly options: readonly (readonly [T, string])[];
}

export function Select<T extends string>({
  label,
  hint,
  fault,
  value,
  onChange,
  options,
}: SelectProps<T>) {
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(described) => (
        <select
          {...described}
          value={value}
          onChange={(event) => onChange(event.target.value as T)}
        >
          {options.map(([option, words]) => (
            <option key={option} value={option}>
              {words}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface CheckProps {
  readonly label: ReactNode;
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
}

export function Check({ label, isChecked, onChange }: CheckProps) {
  return (
    <label className={styles.check}>
      <input
        type="checkbox"
        checked={isChecked}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span>{label}</span>
    </label>
  );
}

interface RadiosProps<T extends string> {
  readonly label: string;
  readonly value: T | null;
  readonly onChange: (value: T) => void;
  /** The values, their words, and what each choice means. */
  readonly options: readonly (readonly [value: T, words: string, meaning: ReactNode])[];
}

/** A choice of one of a few options, each with its meaning. */
export function Radios<T extends string>({ label, value, onChange, options }: RadiosProps<T>) {
  const name = useId();
  return (
    <fieldset className={styles.radios}>
      <legend className={styles.label}>{label}</legend>
      {options.map(([option, words, meaning]) => (
        <label key={option} className={styles.radio}>
          <input
            type="radio"
            name={name}
            checked={value === option}
            onChange={() => onChange(option)}
          />
          <span>
            {words}
            <small className={styles.meaning}>{meaning}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
