/*
 * A process of Tenure in which waits for an unreachable participant are divided by BENCH_FACTOR, so that an hour of
 * outage takes minutes. BENCH_DEADLINE shortens the deadline of a command, for a participant that does not answer. All
 * other durations are not changed.
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
