import {
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  diag,
  trace,
} from '@opentelemetry/api';
import type { Context, Tracer as OtelTracer } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Log } from '../app/ports/io.ts';
import type { SpanOptions, Tracer } from '../app/ports/tracing.ts';
import { readTraceparent } from '../app/ports/tracing.ts';
import { OPS_LIMITS } from './limits.ts';

/* Records traces with OpenTelemetry. No other module depends on it, and it is loaded only if traces are enabled. */

export interface OtlpOptions {
  /** The collector's URL, without `/v1/traces`. */
  readonly endpoint: string;
  /** Headers that are sent with every export. */
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  /** Distinguishes this process from the others of the service. */
  readonly instance: string;
  readonly version: string;
  readonly roles: readonly string[];
  /**
   * The share of traces that are recorded, from 0 to 1, among those that begin here. Traces that callers began are
   * recorded as the callers request.
   */
  readonly ratio: number;
  readonly log: Log;
}

export interface Tracing {
  readonly tracer: Tracer;
  /** Sends the remaining spans, and waits at most `withinMs` for that. */
  stop(withinMs: number): Promise<void>;
}

const KINDS: Readonly<Record<SpanOptions['kind'], SpanKind>> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};

function contextOf(parent: string | null): Context {
  const found = readTraceparent(parent);
  if (found === null) return ROOT_CONTEXT;
  const { traceId, spanId, flags } = found;
  const traceFlags = Number.parseInt(flags, 16);
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

function start(
  tracer: OtelTracer,
  name: string,
  options: SpanOptions,
): ReturnType<Tracer['start']> {
  const { kind, parent, attributes, startMs } = options;
  const span = tracer.startSpan(
    name,
    {
      kind: KINDS[kind],
      ...(attributes === undefined ? {} : { attributes }),
      ...(startMs === undefined ? {} : { startTime: startMs }),
    },
    contextOf(parent),
  );
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    traceId,
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
    rename: (to) => void span.updateName(to),
    note: (more) => void span.setAttributes(more),
    fail: (type) => {
      span.setAttribute('error.type', type);
      span.setStatus({ code: SpanStatusCode.ERROR });
    },
    end: (atMs) => span.end(atMs),
  };
}

/** Records spans and sends them to a collector in batches, as OTLP over HTTP with JSON. */
export function startTracing(options: OtlpOptions): Tracing {
  const { log } = options;
  const tell = (message: string) =>
    log.warn({ reason: message }, 'traces could not be sent to the collector');
  const quiet = (): void => {};
  diag.setLogger(
    { error: tell, warn: tell, info: quiet, debug: quiet, verbose: quiet },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const exporter = new OTLPTraceExporter({
    url: `${options.endpoint}/v1/traces`,
    headers: { ...options.headers },
    timeoutMillis: OPS_LIMITS.exportMs,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': options.serviceName,
      'service.version': options.version,
      'service.instance.id': options.instance,
      'tenure.roles': options.roles.join(','),
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(options.ratio) }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        scheduledDelayMillis: OPS_LIMITS.exportEveryMs,
        exportTimeoutMillis: OPS_LIMITS.exportMs,
      }),
    ],
  });
  const tracer = provider.getTracer('tenure', options.version);
  return {
    tracer: { isRecording: true, start: (name, more) => start(tracer, name, more) },
    async stop(withinMs) {
      const over = Promise.withResolvers<void>();
      const timer = setTimeout(over.resolve, withinMs);
      await Promise.race([provider.shutdown().catch(quiet), over.promise]);
      clearTimeout(timer);
    },
  };
}
