import type { FastifyRequest } from 'fastify';
import type { ProblemDetails } from '../../domain/problems.ts';
import type { HttpDeps } from './deps.ts';

const routeOf = ({ method, routeOptions }: FastifyRequest): string =>
  `route:${method} ${routeOptions.url ?? 'unmatched'}`;

/** Records in the audit log that a request was refused because of its token or missing rights. */
export function noteRefusal(
  { refusals }: Pick<HttpDeps, 'refusals'>,
  request: FastifyRequest,
  { status, code, message }: ProblemDetails,
): void {
  const { caller } = request;
  if (code === 'FORBIDDEN' && caller != null) {
    const { party, subject } = caller;
    const object = routeOf(request);
    refusals?.note({ act: 'act-refused', by: { party, subject }, object, reason: message });
  } else if (status === 401 && request.headers.authorization !== undefined) {
    refusals?.note({ act: 'sign-in-refused', by: null, object: 'token', reason: message });
  }
}
