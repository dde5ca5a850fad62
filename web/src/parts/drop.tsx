import { useEffect, useRef } from 'react';
import type { ReactNode } from 'react';
import * as t from '../texts/parts.tsx';
import { classes } from './classes.ts';
import styles from './drop.module.css';
import { Icon } from './icon.tsx';

interface DropProps {
  readonly label: string;
  /** The number of choices in the panel that are active. */
  readonly count?: number;
  readonly children: ReactNode;
}

/** A button that opens a small panel below it. Escape or a click elsewhere closes the panel. */
export function Drop({ label, count = 0, children }: DropProps) {
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = (event: Event): void => {
      const { current } = details;
      if (current === null || !current.open) return;
      const isKey = event instanceof KeyboardEvent;
      if (isKey && event.key !== 'Escape') return;
      const isInside = event.target instanceof Node && current.contains(event.target);
      if (!isKey && isInside) return;
      current.open = false;
      if (isKey && isInside) current.querySelector('summary')?.focus();
    };
    addEventListener('pointerdown', close);
    addEventListener('keydown', close);
    return () => {
      removeEventListener('pointerdown', close);
      removeEventListener('keydown', close);
    };
  }, []);
  return (
    <details ref={details} className={styles.drop} name="drop">
      <summary className={classes(styles.summary, count > 0 && styles.chosen)}>
        {label}
        {count > 0 ? <span className={styles.count}>{count}</span> : null}
        <Icon name="down" size={12} />
      </summary>
      <div className={styles.panel}>{children}</div>
    </details>
  );
}

interface ChoicesProps {
  readonly label: string;
  /** The values and their words. */
  readonly options: readonly (readonly [string, string])[];
  readonly chosen: readonly string[];
  /** The number next to the label. @default the number of chosen options */
  readonly count?: number;
  readonly onChange: (chosen: readonly string[]) => void;
}

/** A field in which several options can be chosen. */
export function Choices({ label, options, chosen, count, onChange }: ChoicesProps) {
  return (
    <Drop label={label} count={count ?? chosen.length}>
      <fieldset className={styles.choices}>
        <legend className={styles.legend}>{t.anyOf(label)}</legend>
        {options.map(([value, words]) => (
          <label key={value} className={styles.choice}>
            <input
              type="checkbox"
              checked={chosen.includes(value)}
              onChange={(event) =>
                onChange(
                  event.target.checked
                    ? [...chosen, value]
                    : chosen.filter((other) => other !== value),
                )
              }
            />
            <span>{words}</span>
          </label>
        ))}
      </fieldset>
    </Drop>
  );
}
