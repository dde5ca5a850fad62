import { randomBytes } from 'node:crypto';

/*
 * Where the time of one change goes, over all processes that work on it. The core carries the context and nothing else:
 * what records spans is an adapter, and absent unless somebody wants them.
 */

/** Named as the semantic conventions of OpenTelemetry name it, or `tenure.…`. Never a payload, a token or a secret. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanOptions {
  /**
   * `server`: answers a request. `client`: makes one. `producer`, `consumer`: puts something on a queue, takes it from
   * there.
   */
  readonly kind: 'server' | 'client' | 'producer' | 'consumer' | 'internal';
  /** The `traceparent` that it continues; `null` begins a trace. */
  readonly parent: string | null;
  readonly attributes?: SpanAttributes;
  /** Wall time, where it began before this call. */
  readonly startMs?: number;
}

/** One piece of work, under way. */
export interface Span {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** What is done within it continues this. */
  readonly traceparent: string;
  rename(name: string): void;
  note(attributes: SpanAttributes): void;
  /** It did not do what it was meant to. @param type a word for why, of a bounded set */
  fail(type: string): void;
  /** Once. @param atMs wall time, where it ended before this call */
  end(atMs?: number): void;
}

export interface Tracer {
  /** Whether anybody will see the spans: what only serves them may be left out otherwise. */
  readonly isRecording: boolean;
  start(name: string, options: SpanOptions): Span;
}

/** W3C Trace Context: version, trace id, parent id, flags; later versions may append more. */
const TRACEPARENT =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/u;

/** What is said by a `traceparent`. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  /** Two hexadecimal digits; `01`: whoever began the trace records it. */
  readonly flags: string;
}

/** `null` for what is no `traceparent`. */
export function readTraceparent(text: string | null | undefined): TraceContext | null {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(text ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  return { traceId, spanId, flags };
}

export const traceparentOf = ({ traceId, spanId, flags }: TraceContext): string =>
  `00-${traceId}-${spanId}-${flags}`;

export const newTraceId = (): string => randomBytes(16).toString('hex');

/** A trace that nobody records: its id still joins log lines, answers and what the ledger was told. */
const newContext = (): TraceContext => ({
  traceId: newTraceId(),
  spanId: randomBytes(8).toString('hex'),
  flags: '00',
});

const nothing = (): void => {};

/** Records nothing and passes every context on as it came. */
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
