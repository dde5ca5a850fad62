import type { FastifyRequest } from 'fastify';
import type { ProblemDetails } from '../../domain/problems.ts';
import { licenseKeyIn } from '../../domain/license-key.ts';
import { sessionIdIn } from './cookies.ts';
import type { HttpDeps } from './deps.ts';

const routeOf = ({ method, routeOptions }: FastifyRequest): string =>
  `route:${method} ${routeOptions.url ?? 'unmatched'}`;

/** Returns the kind of the credential of a request; `null` if the request has none. */
function credentialOf(request: FastifyRequest): 'token' | 'license-key' | 'session' | null {
  const { authorization } = request.headers;
  if (authorization !== undefined)
    return licenseKeyIn(authorization) === null ? 'token' : 'license-key';
  return sessionIdIn(request) === undefined ? null : 'session';
}

/** Records in the audit log that a request was refused because of its credential or missing rights. */
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
  } else if (status === 401) {
    const object = credentialOf(request);
    if (object !== null)
      refusals?.note({ act: 'sign-in-refused', by: null, object, reason: message });
  }
}
