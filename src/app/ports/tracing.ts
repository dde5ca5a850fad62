import { randomBytes } from 'node:crypto';

/*
 * Traces of a change through all processes that work on it. The core only passes on the context. An adapter records
 * spans if tracing is configured.
 */

/**
 * Names follow the semantic conventions of OpenTelemetry, or begin with `tenure.`. Values are never a payload, a token
 * or a secret.
 */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanOptions {
  /**
   * `server`: answers a request. `client`: sends a request. `producer`: puts a job on a queue. `consumer`: takes a job
   * from a queue.
   */
  readonly kind: 'server' | 'client' | 'producer' | 'consumer' | 'internal';
  /** The `traceparent` that the span continues; `null` to begin a trace. */
  readonly parent: string | null;
  readonly attributes?: SpanAttributes;
  /** Wall time of the start, if the span began before this call. */
  readonly startMs?: number;
}

/** One piece of work in progress. */
export interface Span {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The `traceparent` for spans within this one. */
  readonly traceparent: string;
  rename(name: string): void;
  note(attributes: SpanAttributes): void;
  /** Marks the span as failed. @param type a word for the reason; the set of such words must be small */
  fail(type: string): void;
  /** Ends the span. Must be called once. @param atMs wall time of the end, if it was before this call */
  end(atMs?: number): void;
}

export interface Tracer {
  /** Whether spans are recorded. If not, work that only serves tracing may be skipped. */
  readonly isRecording: boolean;
  start(name: string, options: SpanOptions): Span;
}

/** The format of W3C Trace Context: version, trace ID, parent ID, flags. Later versions may append more. */
const TRACEPARENT =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/u;

/** The parts of a `traceparent`. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  /** Two hexadecimal digits; `01` if the caller that began the trace records it. */
  readonly flags: string;
}

/** Parses a `traceparent`; returns `null` if it is invalid. */
export function readTraceparent(text: string | null | undefined): TraceContext | null {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(text ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  return { traceId, spanId, flags };
}

export const traceparentOf = ({ traceId, spanId, flags }: TraceContext): string =>
  `00-${traceId}-${spanId}-${flags}`;

export const newTraceId = (): string => randomBytes(16).toString('hex');

/**
 * Returns the context of a new trace that is not recorded: its ID still connects log lines, answers and submissions to
 * the ledger.
 */
const newContext = (): TraceContext => ({
  traceId: newTraceId(),
  spanId: randomBytes(8).toString('hex'),
  flags: '00',
});

const nothing = (): void => {};

/** Records nothing, and returns each context unchanged. */
export const NO_TRACER: Tracer = {
  isRecording: false,
  start: (_name, { parent }) => {
    const context = readTraceparent(parent) ?? newContext();
    return {
      traceId: context.traceId,
      traceparent: traceparentOf(context),
      rename: nothing,
      note: nothing,
      fail: nothing,
      end: nothing,
    };
  },
};
