import { buttonClass } from './button.tsx';
import styles from './segments.module.css';

interface SegmentsProps<T extends string> {
  /** The name of the choice, for screen readers. */
  readonly label: string;
  readonly value: T;
  /** The values and their words. */
  readonly options: readonly (readonly [T, string])[];
  readonly onChange: (value: T) => void;
}

/** A choice between a few views of the same thing. */
export function Segments<T extends string>({ label, value, options, onChange }: SegmentsProps<T>) {
  return (
    <div className={styles.segments} role="group" aria-label={label}>
      {options.map(([option, words]) => (
        <button
          key={option}
          type="button"
          className={buttonClass('quiet', true)}
          aria-pressed={option === value}
          onClick={() => onChange(option)}
        >
          {words}
        </button>
      ))}
    </div>
  );
}
