import { useMemo, useState } from 'react';
import { Shown } from '../parts/states.tsx';
import type { Chart, ChartState, Permission } from './chart.ts';
import { linesOf } from './chart.ts';
import { Drawing } from './drawing.tsx';
import type { Spot } from './drawing.tsx';
import { Frame } from './frame.tsx';
import { Outline, PathList } from './outline.tsx';
import { outlineRows } from './outline-rows.ts';
import type { OutlineLine } from './outline-rows.ts';
import { buttonBox } from './lines.ts';
import { momentOf, pathUntil, stepsOf } from './path.ts';
import type { Entry, Path } from './path.ts';
import { Replay } from './replay.tsx';
import { sceneOf } from './scene.ts';
import styles from './statechart.module.css';
import { useChart } from './use-chart.ts';
import { countText, countsSentence, lifecycleSentence, stepWords } from './words.ts';
import type { Count } from './words.ts';

interface Machine {
  readonly kind: string;
  readonly version: number;
}

interface LifecycleProps {
  readonly state: string;
  /** The history, oldest entry first, as the API sends it. */
  readonly history: readonly Entry[];
  /** The actions, as `GET …/actions` lists them. */
  readonly actions: readonly Permission[];
  /** Index of the entry whose moment is shown; null: the present. */
  readonly selected: number | null;
  readonly onSelect: (at: number | null) => void;
  /** Called when an allowed action in the picture is pressed. */
  readonly onAct?: ((action: string) => void) | undefined;
}

/** Returns a line's description: "Expire, to expiring, either side, only when its time is over. Not now: …" */
function lineWords({ label, leads, notes, permission, reason }: OutlineLine): string {
  const words = `${label}, ${[leads, ...notes].join(', ')}.`;
  const now = permission === 'allowed' ? ' Possible now.' : ` Not now: ${reason ?? ''}.`;
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${permission === undefined ? '' : now}`;
}

/** Returns the description of a state for screen readers, with details that the picture cannot show. */
function stateWords(state: ChartState, path: Path | undefined, now: string | undefined): string {
  const visits = path?.visits.get(state.id)?.length ?? 0;
  return [
    state.label,
    ...(state.id === now ? ['now'] : []),
    ...(state.id !== now && path !== undefined && path.end === state.id ? ['then'] : []),
    ...(state.waits ? ['on its way to the ledger'] : []),
    ...(state.final ? ['ends here'] : []),
    ...(path === undefined ? [] : [visits === 0 ? 'not reached' : `reached ${visits} ×`]),
  ].join(', ');
}

const HINT =
  'Point at a state or an action to see details. A state links to the time when it was reached.';

/** Explains the marks. Actions are marked only when the present is shown. */
function Legend({ hasActions }: { readonly hasActions: boolean }) {
  return (
    <ul className={styles.legend}>
      <li data-as="taken">path taken, newest boldest</li>
      {hasActions ? (
        <>
          <li data-as="allowed">possible now</li>
          <li data-as="refused">not now</li>
        </>
      ) : null}
    </ul>
  );
}

function LifecyclePicture({ chart, ...props }: LifecycleProps & { readonly chart: Chart }) {
  const { state, history, actions, onSelect, onAct } = props;
  // The address may name a moment that this history does not have.
  const selected =
    props.selected !== null && props.selected < history.length ? props.selected : null;
  const [pointed, setPointed] = useState<string | null>(null);
  const all = useMemo(() => stepsOf(chart, history), [chart, history]);
  const path = useMemo(() => pathUntil(all, selected), [all, selected]);
  const whole = useMemo(() => pathUntil(all, null), [all]);
  const shown = selected === null ? undefined : (path.end ?? undefined);
  const permissions = selected === null ? actions : [];
  const rows = outlineRows(chart, path, permissions);
  const shapes = sceneOf(chart, { now: state, shown, path, permissions });
  const sentence = lifecycleSentence(chart, { state, path, selected, permissions });
  // The last moment counts as the present, which can change.
  const go = (at: number): void => onSelect(at === all.length - 1 ? null : at);
  const select = (id: string): void => {
    const at = momentOf(whole, id, selected);
    if (at !== undefined) go(at);
  };
  const spots = rows
    .flatMap(({ lines }) => lines)
    .flatMap((line): readonly Spot[] => {
      const drawn = linesOf(chart)[line.line];
      if (drawn === undefined || line.permission === undefined) return [];
      const id = `line ${line.line}`;
      const isOff = line.permission === 'refused' || onAct === undefined;
      return [
        {
          id,
          box: buttonBox(drawn.labelBox),
          label: lineWords(line),
          isOff,
          onPress: () => (isOff ? setPointed(id) : onAct(line.action ?? '')),
        },
      ];
    });
  const nameOf = (of: ChartState): string => stateWords(of, path, state);
  const pointedState = chart.states.find(({ id }) => id === pointed);
  const note = pointedState === undefined ? undefined : nameOf(pointedState);
  const moment = path.steps.at(-1);
  return (
    <Frame
      {...{ chart, shapes, sentence, now: state }}
      picture={
        <>
          <Drawing
            {...{ chart, shapes, sentence, nameOf, spots }}
            onState={select}
            onPoint={setPointed}
            entry={
              chart.states.some(({ id }) => id === state) ? state : (chart.states[0]?.id ?? '')
            }
          />
          <p className={styles.note}>
            {note ?? spots.find(({ id }) => id === pointed)?.label ?? HINT}
          </p>
          <Legend hasActions={permissions.length > 0} />
        </>
      }
      outline={
        <>
          <p className={styles.sentence}>{sentence}</p>
          <Outline
            rows={rows}
            now={state}
            shown={shown}
            onState={(id) => (whole.visits.has(id) ? () => select(id) : undefined)}
            onAct={onAct}
          />
          <PathList chart={chart} path={path} onStep={go} />
        </>
      }
    >
      {history.length < 2 || moment === undefined ? null : (
        <Replay
          count={history.length}
          selected={selected}
          onSelect={onSelect}
          words={stepWords(chart, moment)}
        />
      )}
    </Frame>
  );
}

/** The chart of one lifecycle: its present state, its path and the allowed actions. It is updated live. */
export function LifecycleChart({ kind, version, ...props }: Machine & LifecycleProps) {
  const chart = useChart(kind, version);
  return <Shown of={chart}>{({ data }) => <LifecyclePicture chart={data} {...props} />}</Shown>;
}

interface CountsProps {
  /** The number of lifecycles in each state. States that are not listed have none. */
  readonly counts: readonly Count[];
  /** The state by which the list is filtered. */
  readonly selected: string | null;
  readonly onSelect: (state: string | null) => void;
}

function CountsPicture({ chart, ...props }: CountsProps & { readonly chart: Chart }) {
  const { counts, selected, onSelect } = props;
  const countOf = (state: string): string => countText(counts, state);
  const shapes = sceneOf(chart, { counts: countOf, chosen: selected ?? undefined });
  const sentence = countsSentence(chart, counts);
  const toggle = (state: string): void => onSelect(state === selected ? null : state);
  return (
    <Frame
      {...{ chart, shapes, sentence }}
      picture={
        <Drawing
          {...{ chart, shapes, sentence }}
          nameOf={({ id, label }) => `${label}: ${countOf(id)}`}
          isPressed={({ id }) => id === selected}
          onState={toggle}
          entry={selected ?? chart.states[0]?.id ?? ''}
        />
      }
      outline={
        <Outline
          rows={outlineRows(chart, pathUntil([], null), [])}
          countOf={countOf}
          isPressed={(state) => state === selected}
          onState={(state) => () => toggle(state)}
        />
      }
    />
  );
}

/**
 * The chart of a kind of lifecycle, with the number of lifecycles in each state. A click or Enter selects a state, and
 * a second one deselects it.
 */
export function CountsChart({ kind, version, ...props }: Machine & CountsProps) {
  const chart = useChart(kind, version);
  return <Shown of={chart}>{({ data }) => <CountsPicture chart={data} {...props} />}</Shown>;
}
