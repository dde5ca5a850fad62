import type { FastifyRequest } from 'fastify';
import { fail } from '../../domain/problems.ts';
import { isStorable } from './json-body.ts';

/** The id in the path, decoded. Opaque: whether it means anything is for the store to say. */
export function readId(request: FastifyRequest): string {
  const { id = '' } = request.params as { readonly id?: string };
  if (id === '') fail('ROUTE_NOT_FOUND', 'the path lacks an id');
  if (isStorable(id)) return id;
  return fail('REQUEST_INVALID', 'the id in the path holds a NUL character', {
    extra: { field: 'id' },
  });
}
