import * as t from '../texts/chart.tsx';
import type { Chart, ChartState, Permission } from './chart.ts';
import { isAllowed, linesOf, refusalOf } from './chart.ts';
import type { LineMarks } from './lines.ts';
import { badgeShapes, labelShapes, lineShapes } from './lines.ts';
import type { Path } from './path.ts';
import { colour, rect, write } from './shape.ts';
import type { Colour, Shape } from './shape.ts';

/* A chart as shapes. Lines come first, so that labels and boxes lie over them. */

/** The marks in a chart. A chart without marks shows only the machine. */
export interface Marks {
  /** The present state of the lifecycle. */
  readonly now?: string | undefined;
  /** The state at the moment that the person has selected. */
  readonly shown?: string | undefined;
  readonly path?: Path | undefined;
  readonly permissions?: readonly Permission[] | undefined;
  /** Returns the text of the number in a state. */
  readonly counts?: ((state: string) => string) | undefined;
  /** The state by which a list is filtered. */
  readonly chosen?: string | undefined;
}

const CLOCK = 'M8 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 0 0 1 8 1.8ZM8 4.6V8l2.4 1.6';
const RADIUS = 8;
const UPPER = 14.5;
const LOWER = 29.5;

/** Returns the text that accompanies a state's dot or ring, because many people cannot distinguish the colours. */
const markOf = ({ id }: ChartState, { now, shown }: Marks): readonly string[] => [
  ...(shown === id ? [t.thenMark] : []),
  ...(now === id ? [t.nowMark] : []),
];

/** The dot at which the path enters the first state. */
const beginning = ({ x, y, height }: ChartState): Shape => ({
  tag: 'circle',
  attributes: { cx: x - 6.5, cy: y + height / 2, r: 3.5, fill: colour('text') },
});

function outlineOf(state: ChartState, marks: Marks): readonly Shape[] {
  const { x, y, width, height, id, final, waits } = state;
  const isShown = (marks.shown ?? marks.now) === id || marks.chosen === id;
  const isVisited = marks.path?.visits.has(id) === true;
  const ink: Colour = isShown || marks.now === id || isVisited ? 'accent' : 'line-strong';
  const fill: Colour = isShown || isVisited ? 'accent-soft' : final ? 'sunken' : 'surface';
  const box = (outset: number, radius: number, more: Readonly<Record<string, string | number>>) =>
    rect(
      { x: x - outset, y: y - outset, width: width + 2 * outset, height: height + 2 * outset },
      radius,
      more,
    );
  const frame = { fill: 'none', stroke: colour(ink) };
  return [
    ...(waits && isShown && marks.now === id
      ? [{ ...box(4, RADIUS + 4, { ...frame, strokeWidth: 2 }), isPulsing: true as const }]
      : []),
    box(0, RADIUS, { fill: colour(fill), stroke: colour(ink), strokeWidth: isShown ? 2.5 : 1.25 }),
    // Final states have a double border.
    ...(final ? [box(-3.5, RADIUS - 3, { ...frame, strokeWidth: 1 })] : []),
  ];
}

function nameShapes(state: ChartState, marks: Marks): readonly Shape[] {
  const { x, y, width, height, label, waits, id } = state;
  const words = markOf(state, marks);
  const count = marks.counts?.(id);
  const hasMore = words.length > 0 || count !== undefined;
  const isEmpty = count === '0';
  const ink: Colour = isEmpty ? 'muted' : 'text';
  const top = y + (hasMore ? UPPER : height / 2);
  const size = 11.5;
  return [
    ...(waits
      ? [
          {
            tag: 'path' as const,
            attributes: {
              d: CLOCK,
              transform: `translate(${x + 7} ${top - 5.5}) scale(0.69)`,
              fill: 'none',
              stroke: colour('muted'),
              strokeWidth: 1.8,
              strokeLinecap: 'round',
            },
          },
        ]
      : []),
    write(label, { x: x + width / 2 + (waits ? 8 : 0), y: top, size, weight: 600, fill: ink }),
    ...(words.length === 0
      ? []
      : [
          write(words.join('  '), {
            x: x + width / 2,
            y: y + LOWER,
            size: 10.5,
            weight: 650,
            fill: 'accent',
          }),
        ]),
    ...(count === undefined
      ? []
      : [
          write(count, {
            x: x + width / 2,
            y: y + LOWER,
            size: 13.5,
            weight: isEmpty ? 400 : 700,
            fill: isEmpty ? 'muted' : 'accent',
          }),
        ]),
  ];
}

function railShapes({ rail }: Chart, isTaken: boolean): readonly Shape[] {
  const ink: Colour = isTaken ? 'accent' : 'line-strong';
  return [
    rect(rail, rail.height / 2, {
      fill: colour(isTaken ? 'accent-soft' : 'surface'),
      stroke: colour(ink),
      strokeWidth: isTaken ? 2 : 1.25,
      strokeDasharray: '1 4',
      strokeLinecap: 'round',
    }),
    write(rail.label, {
      x: rail.x + rail.width / 2,
      y: rail.y + rail.height / 2,
      size: 11.5,
      fill: isTaken ? 'text' : 'muted',
    }),
  ];
}

/** Returns all shapes of a chart, from the bottom to the top. */
export function sceneOf(chart: Chart, marks: Marks = {}): readonly Shape[] {
  const { permissions = [], path } = marks;
  const lines = linesOf(chart).map((line, at) => {
    const permission = isAllowed(line, permissions)
      ? ('allowed' as const)
      : refusalOf(line, permissions) === undefined
        ? undefined
        : ('refused' as const);
    const lineMarks: LineMarks = { taken: path?.lines.get(at), permission };
    return { line, marks: lineMarks, isRail: at >= chart.transitions.length };
  });
  // Lines that were taken lie over the others, and the line of the last step lies on top.
  const byAge = lines.toSorted((a, b) => (b.marks.taken?.age ?? 4) - (a.marks.taken?.age ?? 4));
  return [
    ...byAge.flatMap(({ line, marks }) => lineShapes(line, marks)),
    ...railShapes(
      chart,
      lines.some(({ marks, isRail }) => isRail && marks.taken !== undefined),
    ),
    ...chart.states.flatMap((state) => [
      ...(state.initial ? [beginning(state)] : []),
      ...outlineOf(state, marks),
      ...nameShapes(state, marks),
    ]),
    ...lines.flatMap(({ line, marks }) => labelShapes(line, marks)),
    ...lines.flatMap(({ line, marks }) => badgeShapes(line, marks)),
  ];
}
