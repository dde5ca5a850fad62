import type { ProcessRole } from '../src/main/config.ts';

/** Roles that share a process where there are several: the projector works, the clock mostly waits. */
const TOGETHER: readonly (readonly ProcessRole[])[] = [['api'], ['worker'], ['projector', 'clock']];
/** What needs a process of its own finds no processor on fewer cores; more only cost memory there. */
const CORES_MAX_OF_ONE = 2;

/**
 * Which process plays which roles. The first one is the process that starts the others.
 *
 * @param wanted how many; `auto` for as many as the machine can do with. Those beyond three play `worker` as well
 * @param cores of the machine
 *
 * @example
 * const plan = planProcesses(new Set(['api', 'worker', 'projector', 'clock'] as const), 'auto', 8);
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
