import type { FastifyRequest } from 'fastify';
import type { SessionOwner } from '../../../app/callers/sign-in.ts';
import { readId } from '../../kit/address.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { sortOf } from '../../kit/filter-query.ts';
import { registerPagedList } from '../../kit/paged-list.ts';
import { needPermission } from '../../kit/permissions.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { callerOf, lastingIo } from '../../kit/request-context.ts';
import { route } from '../../kit/route.ts';
import { noSession, readSessionCursor, sessionBody } from '../../kit/session.ts';
import { IdParams } from '../../schemas.ts';

const TAG = 'callers';
const PATH = '/user/sessions';

function ownerOf(request: FastifyRequest): SessionOwner {
  const { tenantId, party, subject } = callerOf(request);
  return { tenantId, party, subject };
}

/** Registers routes for the caller's own sessions. A person who has only the read permission may end them too. */
export async function registerOwnSessions(app: HttpApp, deps: HttpDeps): Promise<void> {
  await app.register(async (own: HttpApp) => {
    needPermission(own, 'read');
    registerPagedList(own, deps, {
      path: PATH,
      tag: TAG,
      operationId: 'listSessions',
      summary: 'The browsers in which the caller is signed in',
      inOrder: 'By id',
      entry: 'Session',
      statuses: [400, 401, 406, 503],
      filter: { sort: sortOf('id') },
      readKey: readSessionCursor,
      keyOf: ({ publicId }) => [publicId],
      bodyOf: sessionBody,
      find: ({ request, page, io }) => deps.sessions.list(ownerOf(request), page, io),
    });
    route(own, 'DELETE', `${PATH}/:id`, {
      operationId: 'endSession',
      summary: 'Sign the caller out in one browser',
      description: 'Event streams of the session end within two seconds.',
      tag: TAG,
      params: IdParams,
      reply: { 204: { description: 'The session has ended', type: 'null' } },
      problems: [400, 401, 403, 404, 503],
      produces: null,
      handle: async (request, reply) => {
        const id = readId(request);
        const isEnded = await deps.sessions.end(id, ownerOf(request), null, lastingIo(request));
        return isEnded ? reply.code(204).send() : noSession(id);
      },
    });
  });
}
