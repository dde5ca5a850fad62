/** The maximum number of steps between zero and the top of an axis. */
const STEPS_MAX = 4;

/** Returns a step in which people count: 1, 2 or 5 times a power of ten. */
function stepFor(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most / STEPS_MAX));
  const found = [1, 2, 5, 10].find((factor) => factor * power * STEPS_MAX >= most) ?? 10;
  return found * power;
}

/**
 * Returns the values beside an axis, in equal steps from zero up to the first one that is not below the greatest value.
 */
export function ticksFor(most: number): readonly number[] {
  const step = Math.max(1, stepFor(Math.max(1, most)));
  const count = Math.max(1, Math.ceil(most / step));
  return Array.from({ length: count + 1 }, (_none, at) => at * step);
}
