import type { Box, ChartState } from './chart.ts';

const DIRECTIONS: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowDown: [0, 1],
  ArrowUp: [0, -1],
};

/** Weight of a distance across the arrow's direction, compared with a distance along it. */
const ASIDE = 2;

const centre = ({ x, y, width, height }: Box) => ({ x: x + width / 2, y: y + height / 2 });

/**
 * Returns the state to which an arrow key leads from another state; undefined if there is none, or if the key is not an
 * arrow key.
 */
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
    // The centres of states in one column may differ by a pixel, which must not count as a direction.
    if (along <= start.height / 2) return [];
    return [{ id: state.id, distance: along + ASIDE * Math.abs(x * dy + y * dx) }];
  });
  return reached.toSorted((a, b) => a.distance - b.distance)[0]?.id;
}
