import type { ProcessRole } from '../src/main/config.ts';

/** How roles share processes if there are several: the projector has much to do, the clock mostly waits. */
const TOGETHER: readonly (readonly ProcessRole[])[] = [['api'], ['worker'], ['projector', 'clock']];
/**
 * Up to this number of cores a single process is used: another process would have no core of its own and only cost
 * memory.
 */
const CORES_MAX_OF_ONE = 2;

/**
 * Assigns roles to processes. The first process is the one that starts the others.
 * @param wanted number of processes; `auto` for as many as the machine can use. Processes beyond the third also run
 *   `worker`
 * @param cores number of cores of the machine
 * @example const plan = planProcesses(new Set(['api', 'worker', 'projector', 'clock'] as const), 'auto', 8);
 */
export function planProcesses(
  roles: ReadonlySet<ProcessRole>,
  wanted: number | 'auto',
  cores: number,
): readonly (readonly ProcessRole[])[] {
  const count = wanted === 'auto' ? (cores <= CORES_MAX_OF_ONE ? 1 : TOGETHER.length) : wanted;
  if (count === 1) return [[...roles]];
  const [first = [], second = [], third = []] = TOGETHER;
  const groups = count === 2 ? [first, [...second, ...third]] : TOGETHER;
  const more = Array.from({ length: count - groups.length }, () => second);
  return [...groups, ...more]
    .map((group) => group.filter((role) => roles.has(role)))
    .filter((group) => group.length > 0);
}
