import { Badge } from '../parts/badge.tsx';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { inWords } from '../parts/words.ts';
import * as t from '../texts/chart.tsx';
import type { Chart } from './chart.ts';
import type { OutlineLine, OutlineRow } from './outline-rows.ts';
import styles from './outline.module.css';
import type { Path } from './path.ts';
import { stepWords } from './words.ts';

interface OutlineProps {
  readonly rows: readonly OutlineRow[];
  /** The present state, and the state at the moment that the person has selected. */
  readonly now?: string | undefined;
  readonly shown?: string | undefined;
  readonly countOf?: ((state: string) => string) | undefined;
  readonly isPressed?: ((state: string) => boolean) | undefined;
  /** Returns the function that selects a state; undefined if the state cannot be selected. */
  readonly onState: (state: string) => (() => void) | undefined;
  /** Called when an allowed action is pressed. */
  readonly onAct?: ((action: string) => void) | undefined;
}

const MANY = 4;

/** Returns the numbers of steps in words: "steps 1, 5 and 9". If there are many, names only the last ones. */
function stepsText(steps: readonly number[]): string {
  const shown = steps.slice(-MANY).join(', ');
  return steps.length > MANY
    ? t.timesLast(steps.length, shown)
    : t.stepNumbers(steps.length, shown);
}

interface LineProps {
  readonly line: OutlineLine;
  readonly onAct: OutlineProps['onAct'];
}

function Line({ line, onAct }: LineProps) {
  const { label, leads, notes, steps, permission, reason, action } = line;
  const act = onAct === undefined || action === undefined ? undefined : () => onAct(action);
  return (
    <li className={styles.line} data-taken={steps.length > 0}>
      <span className={styles.what}>
        <Icon name={permission === 'refused' ? 'cross' : 'right'} size={12} /> {label}{' '}
        <span className={styles.muted}>{[leads, ...notes].join(' · ')}</span>
      </span>
      <span className={styles.marks}>
        {steps.length === 0 ? null : <span className={styles.steps}>{stepsText(steps)}</span>}
        {permission === 'allowed' && act === undefined ? (
          <Badge tone="good">{t.possibleNow}</Badge>
        ) : null}
        {permission === 'allowed' && act !== undefined ? (
          <Button isSmall onClick={act}>
            {inWords(label)}
          </Button>
        ) : null}
      </span>
      {reason === undefined ? null : <span className={styles.reason}>{t.notNowOf(reason)}</span>}
    </li>
  );
}

function Row({ row, of }: { readonly row: OutlineRow; readonly of: OutlineProps }) {
  const { state, label, visits, lines } = row;
  const { now, shown, countOf, isPressed, onState } = of;
  const id = state?.id;
  const select = id === undefined ? undefined : onState(id);
  const notes = [
    ...(state?.initial === true ? [t.beginsHere] : []),
    ...(state?.waits === true ? [t.onItsWayToTheLedger] : []),
    ...(state?.final === true ? [t.endsHere] : []),
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
        {id !== undefined && id === shown ? <Badge icon="ring">{t.thenLabel}</Badge> : null}
        {id !== undefined && id === now ? <Badge tone="info">{t.nowLabel}</Badge> : null}
        <span className={styles.muted}>{notes.join(' · ')}</span>
      </div>
      {lines.length === 0 ? null : (
        <ul className={styles.lines}>
          {lines.map((line) => (
            <Line key={line.line} line={line} onAct={of.onAct} />
          ))}
        </ul>
      )}
    </li>
  );
}

/** A chart as a list with everything that its picture shows, for screen readers, keyboards and small screens. */
export function Outline(props: OutlineProps) {
  return (
    <ul className={styles.outline}>
      {props.rows.map((row) => (
        <Row key={row.state?.id ?? '*'} row={row} of={props} />
      ))}
    </ul>
  );
}

/** Number of steps that are listed; the history shows all steps. */
const TOLD = 12;

interface PathListProps {
  readonly chart: Chart;
  readonly path: Path;
  /** Called to show the moment after a step. */
  readonly onStep: (at: number) => void;
}

/** The path that was taken, step by step; the last step comes last. */
export function PathList({ chart, path, onStep }: PathListProps) {
  const told = path.steps.slice(-TOLD);
  if (told.length === 0) return null;
  return (
    <section className={styles.path} aria-label={t.pathTaken}>
      <h3>{t.pathTaken}</h3>
      <ol start={told[0]?.at ?? 0}>
        {told.map((step) => (
          <li key={step.at}>
            <button type="button" className={styles.name} onClick={() => onStep(step.at)}>
              {stepWords(chart, step)}
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}
