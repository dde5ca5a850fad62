import type { FastifyRequest } from 'fastify';
import type { OpsScope } from '../../../app/ports/ops-scope.ts';
import { scopeOf } from '../../../app/ports/ops-scope.ts';
import type { Caller } from '../../../domain/caller.ts';
import { fail } from '../../../domain/problems.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { callerOf } from '../../kit/request-context.ts';

/** The part of the deployment that the calling operator sees. */
export const opsScope = (deps: Pick<HttpDeps, 'hosting'>, request: FastifyRequest): OpsScope =>
  scopeOf(callerOf(request), deps.hosting);

/** Requires an operator of the provider, for shared resources such as a pause or a stream. */
export function requireProvider(
  { hosting }: Pick<HttpDeps, 'hosting'>,
  request: FastifyRequest,
): Caller {
  const caller = callerOf(request);
  if (caller.party === hosting.provider) return caller;
  return fail(
    'FORBIDDEN',
    'only an operator of the provider may see or pause what concerns all parties',
  );
}
