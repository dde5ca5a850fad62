/*
 * A process of Tenure whose waits for a participant that is away are shorter, by the factor in BENCH_FACTOR: an hour
 * of an outage in minutes. With BENCH_DEADLINE so is that of a command, for one that says nothing. Everything else
 * takes as long as it does.
 */
import { LIMITS } from '../src/domain/limits.ts';

const factor = Number(process.env['BENCH_FACTOR'] ?? 1);
const WAITS = [
  'circuitMs',
  'circuitMsMax',
  'unreachableMsMax',
  'probeSpreadMs',
  'unavailableBackoffMs',
  'unavailableBackoffMsMax',
] as const satisfies readonly (keyof typeof LIMITS)[];
const shorter =
  process.env['BENCH_DEADLINE'] === undefined ? WAITS : [...WAITS, 'submitDeadlineMs' as const];
Object.assign(
  LIMITS,
  Object.fromEntries(shorter.map((name) => [name, Math.max(1, Math.round(LIMITS[name] / factor))])),
);
await import('../chaos/role.ts');
