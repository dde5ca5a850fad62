import { Badge } from '../parts/badge.tsx';
import { Icon } from '../parts/icon.tsx';
import type { OutlineLine, OutlineRow } from './outline-rows.ts';
import styles from './outline.module.css';

interface OutlineProps {
  readonly rows: readonly OutlineRow[];
  /** Where the lifecycle is, and where it was at the moment that is looked at. */
  readonly now?: string | undefined;
  readonly shown?: string | undefined;
  readonly countOf?: ((state: string) => string) | undefined;
  readonly isPressed?: ((state: string) => boolean) | undefined;
  /** What selecting a state does; undefined: nothing for that one. */
  readonly onState: (state: string) => (() => void) | undefined;
}

const MANY = 4;

/** "steps 1, 5 and 9"; the last ones where there are many. */
function stepsText(steps: readonly number[]): string {
  if (steps.length === 1) return `step ${steps[0]}`;
  const shown = steps.slice(-MANY).join(', ');
  return steps.length > MANY ? `${steps.length} times, last ${shown}` : `steps ${shown}`;
}

function Line({ line }: { readonly line: OutlineLine }) {
  const { label, leads, notes, steps, permission, reason } = line;
  return (
    <li className={styles.line} data-taken={steps.length > 0}>
      <span className={styles.what}>
        <Icon name={permission === 'refused' ? 'cross' : 'right'} size={12} /> {label}{' '}
        <span className={styles.muted}>{[leads, ...notes].join(' · ')}</span>
      </span>
      <span className={styles.marks}>
        {steps.length === 0 ? null : <span className={styles.steps}>{stepsText(steps)}</span>}
        {permission === 'allowed' ? <Badge tone="good">Possible now</Badge> : null}
      </span>
      {reason === undefined ? null : <span className={styles.reason}>Not now: {reason}</span>}
    </li>
  );
}

function Row({ row, of }: { readonly row: OutlineRow; readonly of: OutlineProps }) {
  const { state, label, visits, lines } = row;
  const { now, shown, countOf, isPressed, onState } = of;
  const id = state?.id;
  const select = id === undefined ? undefined : onState(id);
  const notes = [
    ...(state?.initial === true ? ['begins here'] : []),
    ...(state?.waits === true ? ['on its way to the ledger'] : []),
    ...(state?.final === true ? ['ends here'] : []),
    ...(visits.some((at) => at > 0) ? [stepsText(visits)] : []),
  ];
  return (
    <li
      className={styles.row}
      data-shown={id !== undefined && id === (shown ?? now)}
      aria-current={id !== undefined && id === now ? 'step' : undefined}
    >
      <div className={styles.head}>
        {id === undefined || select === undefined ? (
          <strong>{label}</strong>
        ) : (
          <button
            type="button"
            className={styles.name}
            aria-pressed={isPressed?.(id)}
            onClick={select}
          >
            {label}
          </button>
        )}
        {id !== undefined && countOf !== undefined ? (
          <span className={styles.count}>{countOf(id)}</span>
        ) : null}
        {id !== undefined && id === shown ? <Badge icon="ring">Then</Badge> : null}
        {id !== undefined && id === now ? <Badge tone="info">Now</Badge> : null}
        <span className={styles.muted}>{notes.join(' · ')}</span>
      </div>
      {lines.length === 0 ? null : (
        <ul className={styles.lines}>
          {lines.map((line) => (
            <Line key={line.line} line={line} />
          ))}
        </ul>
      )}
    </li>
  );
}

/** A chart as a list: all that its picture shows, for screen readers, keyboards and small screens. */
export function Outline(props: OutlineProps) {
  return (
    <ul className={styles.outline}>
      {props.rows.map((row) => (
        <Row key={row.state?.id ?? '*'} row={row} of={props} />
      ))}
    </ul>
  );
}
