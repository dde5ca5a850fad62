import { randomUUID } from 'node:crypto';

/** W3C Trace Context: version, trace id, parent id, flags; later versions may append more. */
const TRACEPARENT =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:$|-)/u;

/** The caller's trace, or a new one. It is in the answer's `trace-id` header, in problems and in every log line. */
export function traceIdFrom(traceparent: string | string[] | undefined): string {
  const given = typeof traceparent === 'string' ? TRACEPARENT.exec(traceparent)?.[1] : undefined;
  return given ?? randomUUID().replaceAll('-', '');
}
