import type { FastifyRequest } from 'fastify';
import { fail } from '../../domain/problems.ts';
import { isStorable } from './json-body.ts';

/**
 * The id in the path, decoded: `{contractId}` of a lifecycle or contract, `{id}` of everything else. Opaque: whether it
 * means anything is for the store to say.
 */
export function readId(request: FastifyRequest): string {
  const params = request.params as { readonly id?: string; readonly contractId?: string };
  const field = params.contractId === undefined ? 'id' : 'contractId';
  const id = params[field] ?? '';
  if (id === '') fail('ROUTE_NOT_FOUND', 'the path lacks an id');
  if (isStorable(id)) return id;
  return fail('REQUEST_INVALID', `the ${field} in the path holds a NUL character`, {
    extra: { field },
  });
}
