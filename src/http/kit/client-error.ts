import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { newTraceId } from '../../app/ports/tracing.ts';
import { HTTP_LIMITS } from '../limits.ts';
import type { ProblemDetails } from '../../domain/problems.ts';
import { problem } from '../../domain/problems.ts';
import { PROBLEM_JSON, problemBody } from './problem.ts';

/** Returns the problem for an error of Node's parser or timers, which occurs before a request can be routed. */
function detailsOf(code: string): ProblemDetails {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return problem(
        'HEADERS_TOO_LARGE',
        `the request line and headers must have at most ${HTTP_LIMITS.httpHeaderBytesMax} bytes`,
      );
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return problem('REQUEST_TIMEOUT', 'the request did not arrive in time');
    default:
      return problem('REQUEST_INVALID', 'this is not an HTTP request');
  }
}

/**
 * The whole answer, as sent on the wire. The connection is closed afterwards, because it is not known where the next
 * request would start.
 */
export function clientErrorAnswer(code: string): string {
  const details = detailsOf(code);
  const traceId = newTraceId();
  const body = JSON.stringify(
    problemBody(details, { instance: '', prefix: '', traceId, commandId: null }),
  );
  return [
    `HTTP/1.1 ${details.status} ${STATUS_CODES[details.status]}`,
    `Content-Type: ${PROBLEM_JSON}; charset=utf-8`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'X-Content-Type-Options: nosniff',
    'Cache-Control: no-store',
    `Trace-Id: ${traceId}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}

/** Answers an invalid request. A client that has reset the connection gets no answer. */
export function answerClientError(error: { readonly code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  socket.end(clientErrorAnswer(error.code ?? ''));
}
