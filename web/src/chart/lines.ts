import type { Box, ChartLine, Point } from './chart.ts';
import type { Taken } from './path.ts';
import type { Colour, Shape } from './shape.ts';
import { colour, rect, write } from './shape.ts';

/* The lines of a chart. Each has a path with an arrow, a label, and the numbers of the steps that took it. */

const CORNER = 6;
const ARROW_LENGTH = 8;
const ARROW_HALF = 4;
const DASHES = '4 4';
const BUTTON_ROOM = 5;

/** The marks with which a line is drawn. */
export interface LineMarks {
  readonly taken: Taken | undefined;
  /** Whether the line's action can be requested now. */
  readonly permission: 'allowed' | 'refused' | undefined;
}

/** Returns the point that lies `length` away from `from`, in the direction of `to`. */
function towards(from: Point, to: Point, length: number): Point {
  const whole = Math.hypot(to.x - from.x, to.y - from.y);
  const part = whole === 0 ? 0 : Math.min(length / whole, 1);
  return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
}

const place = ({ x, y }: Point): string => `${Math.round(x * 10) / 10} ${Math.round(y * 10) / 10}`;

/** Returns the path with round corners. It ends where its arrow begins. */
function wayOf(points: readonly Point[]): string {
  const first = points[0] ?? { x: 0, y: 0 };
  const last = points.at(-1) ?? first;
  const end = towards(last, points.at(-2) ?? first, ARROW_LENGTH - 1);
  const bends = points.slice(1, -1).map((corner, n) => {
    const before = points[n] ?? corner;
    const after = points[n + 2] ?? corner;
    const room = (to: Point) => Math.min(CORNER, Math.hypot(to.x - corner.x, to.y - corner.y) / 2);
    const into = towards(corner, before, room(before));
    const out = towards(corner, after, room(after));
    return `L${place(into)} Q${place(corner)} ${place(out)}`;
  });
  return [`M${place(first)}`, ...bends, `L${place(end)}`].join(' ');
}

function arrowOf(points: readonly Point[]): string {
  const tip = points.at(-1) ?? { x: 0, y: 0 };
  const back = towards(tip, points.at(-2) ?? tip, ARROW_LENGTH);
  const [dx, dy] = [(tip.x - back.x) / ARROW_LENGTH, (tip.y - back.y) / ARROW_LENGTH];
  const side = (by: number): Point => ({ x: back.x - dy * by, y: back.y + dx * by });
  return `M${place(tip)} L${place(side(ARROW_HALF))} L${place(side(-ARROW_HALF))} Z`;
}

const WIDTHS = [3, 2.4, 2, 1.5] as const;

const inkOf = ({ taken }: LineMarks): Colour => (taken === undefined ? 'line-strong' : 'accent');

export function lineShapes({ points }: ChartLine, marks: LineMarks): readonly Shape[] {
  const ink = colour(inkOf(marks));
  const width = marks.taken === undefined ? 1.25 : WIDTHS[marks.taken.age];
  return [
    {
      tag: 'path',
      attributes: {
        d: wayOf(points),
        fill: 'none',
        stroke: ink,
        strokeWidth: width,
        // A transition that was taken has a solid line, even if its action is refused now.
        ...(marks.permission === 'refused' && marks.taken === undefined
          ? { strokeDasharray: DASHES }
          : {}),
      },
    },
    { tag: 'path', attributes: { d: arrowOf(points), fill: ink } },
  ];
}

/** The box of an action's label, which looks like a button and has additional room on both sides. */
export const buttonBox = ({ x, y, width, height }: Box): Box => ({
  x: x - BUTTON_ROOM,
  y,
  width: width + 2 * BUTTON_ROOM,
  height,
});

export function labelShapes(
  { label, labelBox, action }: ChartLine,
  { taken, permission }: LineMarks,
): readonly Shape[] {
  const { x, y, width, height } = action === undefined ? labelBox : buttonBox(labelBox);
  const isAllowed = permission === 'allowed';
  const ink: Colour = isAllowed ? 'accent' : taken === undefined ? 'muted' : 'text';
  return [
    rect({ x, y, width, height }, height / 2, {
      fill: colour(isAllowed ? 'accent-soft' : 'surface'),
      // The label of an action has a border, because it is a button.
      ...(action === undefined
        ? {}
        : { stroke: colour(isAllowed ? 'accent' : 'line-strong'), strokeWidth: 1 }),
      ...(permission === 'refused' ? { strokeDasharray: '3 3' } : {}),
    }),
    write(label, {
      x: x + width / 2,
      y: y + height / 2 + 0.5,
      size: 11,
      fill: ink,
      weight: isAllowed ? 600 : 400,
    }),
  ];
}

const BADGE_HEIGHT = 14;
const BADGE_LETTERS = 5;
const DIGIT_WIDTH = 6.6;
/** How far the numbers may extend beyond the right end of the label. */
const BADGE_OVER = 16;
const BADGE_OVERLAP = 5;

/** Returns all numbers if there is room, else only the last one. */
export function numbersText(steps: readonly number[]): string {
  const all = steps.slice(0, BADGE_LETTERS).join(' ');
  if (steps.length <= BADGE_LETTERS && all.length <= BADGE_LETTERS) return all;
  return `…${steps.at(-1)}`;
}

/** Draws the numbers of the steps at the upper right corner of the label. */
export function badgeShapes({ labelBox }: ChartLine, { taken }: LineMarks): readonly Shape[] {
  if (taken === undefined) return [];
  const text = numbersText(taken.steps);
  const width = Math.max(BADGE_HEIGHT, text.length * DIGIT_WIDTH + 7);
  const end = labelBox.x + labelBox.width;
  const x = Math.min(end - BADGE_OVERLAP, end + BADGE_OVER - width);
  const y = labelBox.y - BADGE_HEIGHT / 2 - 3;
  const isOld = taken.age === 3;
  return [
    rect({ x, y, width, height: BADGE_HEIGHT }, BADGE_HEIGHT / 2, {
      fill: colour(isOld ? 'surface' : 'accent'),
      stroke: colour(isOld ? 'accent' : 'surface'),
      strokeWidth: isOld ? 1 : 1.5,
    }),
    write(text, {
      x: x + width / 2,
      y: y + BADGE_HEIGHT / 2 + 0.5,
      size: 9.5,
      weight: 650,
      fill: isOld ? 'accent' : 'on-accent',
    }),
  ];
}
