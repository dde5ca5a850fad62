import type { ProcessRole } from '../src/main/config.ts';

/** Roles that share a process where there are several: the projector works, the clock mostly waits. */
const TOGETHER: readonly (readonly ProcessRole[])[] = [['api'], ['worker'], ['projector', 'clock']];
/** Below this number of cores a separate process has no processor of its own and only costs memory. */
const CORES_MAX_OF_ONE = 2;

/**
 * Assigns roles to processes. The first one is the process that starts the others.
 * @param wanted number of processes; `auto` for as many as the machine can use. Those beyond three also run `worker`
 * @param cores of the machine
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
