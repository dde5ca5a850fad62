/*
 * A process of Tenure whose waits for a participant that is away are shorter, by the factor in BENCH_FACTOR: an hour
 * of an outage in minutes. With BENCH_DEADLINE so is that of a command, for one that says nothing. Everything else
 * takes as long as it does.
 */
import { LIMITS } from '../src/domain/limits.ts';
import { STORE_LIMITS } from '../src/store/limits.ts';

const factor = Number(process.env['BENCH_FACTOR'] ?? 1);
const shorten = <Name extends string>(
  limits: Readonly<Record<Name, number>>,
  names: readonly Name[],
) =>
  Object.assign(
    limits,
    Object.fromEntries(names.map((name) => [name, Math.max(1, Math.round(limits[name] / factor))])),
  );
shorten(STORE_LIMITS, ['circuitMs', 'circuitMsMax', 'unreachableMsMax', 'probeSpreadMs']);
shorten(LIMITS, ['unavailableBackoffMs', 'unavailableBackoffMsMax']);
if (process.env['BENCH_DEADLINE'] !== undefined) shorten(LIMITS, ['submitDeadlineMs']);
await import('../embedded/role.ts');
