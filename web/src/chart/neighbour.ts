import type { Box, ChartState } from './chart.ts';

const DIRECTIONS: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowDown: [0, 1],
  ArrowUp: [0, -1],
};

/** A distance beside the direction counts this many times. */
const ASIDE = 2;

const centre = ({ x, y, width, height }: Box) => ({ x: x + width / 2, y: y + height / 2 });

/** The state that an arrow key leads to from another one; undefined where there is none, or it is another key. */
export function neighbourOf(
  states: readonly ChartState[],
  from: string,
  key: string,
): string | undefined {
  if (key === 'Home') return states[0]?.id;
  if (key === 'End') return states.at(-1)?.id;
  const [dx, dy] = DIRECTIONS[key] ?? [0, 0];
  const start = states.find(({ id }) => id === from);
  if (start === undefined || (dx === 0 && dy === 0)) return undefined;
  const here = centre(start);
  const reached = states.flatMap((state) => {
    const there = centre(state);
    const [x, y] = [there.x - here.x, there.y - here.y];
    const along = x * dx + y * dy;
    // States of one column differ by a pixel: that is no way to the side.
    if (along <= start.height / 2) return [];
    return [{ id: state.id, distance: along + ASIDE * Math.abs(x * dy + y * dx) }];
  });
  return reached.toSorted((a, b) => a.distance - b.distance)[0]?.id;
}
