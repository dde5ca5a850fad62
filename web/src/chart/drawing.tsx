import { createElement, useEffect, useRef } from 'react';
import type { KeyboardEvent } from 'react';
import { classes } from '../parts/classes.ts';
import type { Box, Chart, ChartState } from './chart.ts';
import styles from './drawing.module.css';
import { neighbourOf } from './neighbour.ts';
import type { Shape } from './shape.ts';

function Drawn({ shapes }: { readonly shapes: readonly Shape[] }) {
  return shapes.map(({ tag, attributes, text, children, isPulsing }, at) =>
    createElement(
      tag,
      { key: at, ...attributes, className: isPulsing === true ? styles.pulse : undefined },
      text,
      children === undefined ? null : <Drawn key="within" shapes={children} />,
    ),
  );
}

/** A part of a picture, other than a state, that a pointer can select. */
export interface Spot {
  readonly id: string;
  readonly box: Box;
  readonly label: string;
  readonly isOff: boolean;
  readonly onPress: () => void;
}

interface DrawingProps {
  readonly chart: Chart;
  readonly shapes: readonly Shape[];
  /** A description of the picture. */
  readonly sentence: string;
  /** Returns the text of a state for screen readers. */
  readonly nameOf: (state: ChartState) => string;
  readonly isPressed?: (state: ChartState) => boolean;
  readonly onState: (id: string) => void;
  readonly spots?: readonly Spot[];
  /** Called with the ID of the state or spot under the pointer; `null` for none. */
  readonly onPoint?: (id: string | null) => void;
  /** The state that gets the focus with Tab. */
  readonly entry: string;
}

const percent = (part: number, whole: number): string => `${(100 * part) / whole}%`;

function placed({ x, y, width, height }: Box, chart: Chart) {
  return {
    left: percent(x, chart.width),
    top: percent(y, chart.height),
    width: percent(width, chart.width),
    height: percent(height, chart.height),
  };
}

/** The smallest scale at which the text is readable. */
const SCALE_MIN = 0.92;
const SCALE_MAX = 1.25;

const middleOf = ({ offsetLeft, offsetWidth }: HTMLElement): number => offsetLeft + offsetWidth / 2;

/**
 * The picture of a chart. Invisible buttons lie over its states: Tab leads to one of them, and arrow keys lead to the
 * others.
 */
export function Drawing(props: DrawingProps) {
  const { chart, shapes, sentence, nameOf, isPressed, onState, spots = [], onPoint, entry } = props;
  const states = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // If the picture is wider than its container, scrolls to the important part first.
    const scroll = states.current?.parentElement;
    const button = states.current?.querySelector<HTMLElement>(
      `[data-state="${CSS.escape(entry)}"]`,
    );
    if (scroll && button) scroll.scrollLeft = middleOf(button) - scroll.clientWidth / 2;
  }, [entry]);
  const move = (event: KeyboardEvent, from: string): void => {
    const next = neighbourOf(chart.states, from, event.key);
    if (next === undefined) return;
    event.preventDefault();
    states.current?.querySelector<HTMLElement>(`[data-state="${CSS.escape(next)}"]`)?.focus();
  };
  const pointing = (id: string) => ({
    onFocus: () => onPoint?.(id),
    onBlur: () => onPoint?.(null),
    onPointerEnter: () => onPoint?.(id),
    onPointerLeave: () => onPoint?.(null),
  });
  return (
    <div className={styles.scroll}>
      <div
        ref={states}
        className={styles.canvas}
        style={{
          aspectRatio: `${chart.width} / ${chart.height}`,
          minWidth: chart.width * SCALE_MIN,
          maxWidth: chart.width * SCALE_MAX,
        }}
      >
        <svg viewBox={`0 0 ${chart.width} ${chart.height}`} role="img" aria-label={sentence}>
          <Drawn shapes={shapes} />
        </svg>
        {chart.states.map((state) => (
          <button
            key={state.id}
            type="button"
            className={styles.spot}
            style={placed(state, chart)}
            data-state={state.id}
            tabIndex={state.id === entry ? 0 : -1}
            aria-label={nameOf(state)}
            aria-pressed={isPressed?.(state)}
            onClick={() => onState(state.id)}
            onKeyDown={(event) => move(event, state.id)}
            {...pointing(state.id)}
          />
        ))}
        {spots.map(({ id, box, label, isOff, onPress }) => (
          <button
            key={id}
            type="button"
            className={classes(styles.spot, styles.round)}
            style={placed(box, chart)}
            aria-label={label}
            aria-disabled={isOff}
            title={label}
            onClick={onPress}
            {...pointing(id)}
          />
        ))}
      </div>
    </div>
  );
}
