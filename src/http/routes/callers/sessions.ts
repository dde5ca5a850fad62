import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SessionOwner } from '../../../app/callers/sign-in.ts';
import { HTTP_LIMITS } from '../../limits.ts';
import { readId } from '../../kit/address.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { needPermission } from '../../kit/permissions.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { callerOf, lastingIo, readIo } from '../../kit/request-context.ts';
import { listOf, problems } from '../../kit/responses.ts';
import { noSession, sessionBody } from '../../kit/session.ts';
import { IdParams } from '../../schemas.ts';

const TAG = 'callers';
const PATH = '/user/sessions';

function ownerOf(request: FastifyRequest): SessionOwner {
  const { tenantId, party, subject } = callerOf(request);
  return { tenantId, party, subject };
}

/** The sessions of the caller. A person with read permission only may end them too. */
export async function registerOwnSessions(app: HttpApp, deps: HttpDeps): Promise<void> {
  await app.register(async (own: HttpApp) => {
    needPermission(own, 'read');
    own.get(
      PATH,
      {
        config: { produces: 'application/json' },
        schema: {
          operationId: 'listSessions',
          summary: 'The browsers in which the caller is signed in',
          tags: [TAG],
          response: {
            200: listOf('Session', 'All of them, at most 100'),
            ...problems(401, 406, 503),
          },
        },
      },
      async (request: FastifyRequest, reply: FastifyReply) => {
        const page = { limit: HTTP_LIMITS.sessionsMax };
        const found = await deps.sessions.list(ownerOf(request), page, readIo(reply));
        return reply.send(found.map((session) => sessionBody(session, request)));
      },
    );
    own.delete(
      `${PATH}/:id`,
      {
        config: { produces: null },
        schema: {
          operationId: 'endSession',
          summary: 'Sign the caller out in one browser',
          description: 'Event streams of the session end within two seconds.',
          tags: [TAG],
          params: IdParams,
          response: {
            204: { description: 'The session has ended', type: 'null' },
            ...problems(400, 401, 403, 404, 503),
          },
        },
      },
      async (request: FastifyRequest, reply: FastifyReply) => {
        const id = readId(request);
        const isEnded = await deps.sessions.end(id, ownerOf(request), null, lastingIo(request));
        return isEnded ? reply.code(204).send() : noSession(id);
      },
    );
  });
}
