import type { Pool } from 'pg';
import type { Log } from '../app/ports/io.ts';
import type { Tracer } from '../app/ports/tracing.ts';
import { NO_TRACER } from '../app/ports/tracing.ts';
import { Metrics } from '../ops/metrics.ts';
import { createReadings } from '../ops/readings.ts';
import { mostOf } from '../store/sql/usual.ts';
import { sharesOf } from '../store/sql/shares.ts';
import type { Config } from './config.ts';
import { VERSION } from './version.ts';
import { MAIN_LIMITS } from './limits.ts';

/** The metrics, readings and traces of a system. */
export interface Observation {
  readonly metrics: Metrics;
  readonly readings: ReturnType<typeof createReadings>;
  readonly tracer: Tracer;
}

/** Opens the tracer; loads OpenTelemetry only if its endpoint is set. */
async function openTracer(
  config: Config,
  instance: string,
  log: Log,
  stack: AsyncDisposableStack,
): Promise<Tracer> {
  if (config.traces === null) return NO_TRACER;
  const { startTracing } = await import('../ops/otlp-tracer.ts');
  const tracing = startTracing({
    ...config.traces,
    instance,
    version: VERSION,
    roles: [...config.roles],
    log,
  });
  stack.defer(() => tracing.stop(MAIN_LIMITS.spansFlushMs));
  return tracing.tracer;
}

/** @param instance distinguishes this process from others with the same roles */
export async function openObservation(
  config: Config,
  pool: Pool,
  instance: string,
  log: Log,
  stack: AsyncDisposableStack,
): Promise<Observation> {
  const metrics = new Metrics({
    version: VERSION,
    roles: [...config.roles],
    participants: config.participants.map(({ name }) => name),
  });
  const readings = createReadings(metrics);
  readings.pool(pool, mostOf(pool), sharesOf(pool));
  return { metrics, readings, tracer: await openTracer(config, instance, log, stack) };
}
