import { Type } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SessionOwner } from '../../../app/callers/sign-in.ts';
import { HTTP_LIMITS } from '../../limits.ts';
import { OPS_SESSIONS, actionRoute, readId } from '../../kit/address.ts';
import { foreign, parsed, written } from '../../kit/cursor.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { readPaging, readParty } from '../../kit/list-query.ts';
import type { Raw } from '../../kit/list-query.ts';
import { sendPage } from '../../kit/listing.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { callerOf, lastingIo, readIo } from '../../kit/request-context.ts';
import { pageOf, problems } from '../../kit/responses.ts';
import { noSession, sessionBody } from '../../kit/session.ts';
import { IdParams, PagingQuery } from '../../schemas.ts';
import { fillBody } from '../lifecycles/writes.ts';
import { opsScope } from './ops-access.ts';
import { ReasonBody, reasonIn } from './ops-command.ts';
import { given, one, text } from '../../kit/filter-query.ts';

const TAG = 'ops';

/** Operators of the provider see all sessions, those of a tenant the sessions of the tenant's party. */
function ownersIn(deps: HttpDeps, request: FastifyRequest): SessionOwner {
  const { of, party } = opsScope(deps, request);
  return of === 'provider' ? {} : { party };
}

const ID = /^[0-9a-f]{16}$/u;

/** @throws ProblemError `REQUEST_INVALID` when Tenure cannot have written the cursor */
function readPosition(cursor: string): string {
  const [id] = parsed(cursor);
  return typeof id === 'string' && ID.test(id) ? id : foreign();
}

const SessionsQuery = Type.Object({
  subject: text('The identity that signed in', 'c1f7d7b0-5f4e-4c7e-9d43-0e3b1f4b7a11'),
  party: text('The party that it acts for', 'app_user_quickstart-root-1::1220aa01'),
  ...PagingQuery.properties,
});

function registerList(app: HttpApp, deps: HttpDeps): void {
  app.get(
    `/${OPS_SESSIONS}`,
    {
      config: { produces: 'application/json' },
      schema: {
        operationId: 'listOpsSessions',
        summary: 'Browsers in which persons are signed in',
        description: `In the order of their IDs; ${HTTP_LIMITS.opsPageSize} of them unless \`limit\` says otherwise.`,
        tags: [TAG],
        querystring: SessionsQuery,
        response: {
          200: pageOf('Session', 'A page of them'),
          ...problems(400, 401, 403, 406, 503),
        },
      },
    },
    async (request: FastifyRequest, reply: FastifyReply) => {
      const raw = request.query as Raw;
      const { limit, ...position } = readPaging(raw, readPosition);
      const size = limit ?? HTTP_LIMITS.opsPageSize;
      const asked = given({ subject: one(raw, 'subject'), party: readParty(raw, 'party') });
      const owners = { ...asked, ...ownersIn(deps, request) };
      if (asked.party !== undefined && asked.party !== owners.party) return reply.send([]);
      const page = { ...position, limit: size + 1 };
      const found = await deps.sessions.list(owners, page, readIo(reply));
      return sendPage(request, reply, {
        found,
        limit: size,
        cursorOf: ({ publicId }) => written([publicId]),
        bodyOf: (session) => sessionBody(session, request),
      });
    },
  );
}

function registerEnd(app: HttpApp, deps: HttpDeps): void {
  app.post(
    actionRoute(OPS_SESSIONS, 'end'),
    {
      config: { produces: null },
      schema: {
        operationId: 'endOpsSession',
        summary: 'Sign a person out in one browser',
        description: 'Event streams of the session end within two seconds.',
        tags: [TAG],
        params: IdParams,
        'x-body-required': true,
        body: ReasonBody('the laptop was lost'),
        response: {
          204: { description: 'The session has ended', type: 'null' },
          ...problems(400, 401, 403, 404, 413, 415, 503),
        },
      },
      preValidation: fillBody(true),
    },
    async (request: FastifyRequest, reply: FastifyReply) => {
      const id = readId(request);
      const ender = { by: callerOf(request), reason: reasonIn(request) };
      const owners = ownersIn(deps, request);
      const isEnded = await deps.sessions.end(id, owners, ender, lastingIo(request));
      return isEnded ? reply.code(204).send() : noSession(id);
    },
  );
}

/** The sessions of persons, for operators. */
export function registerSessions(app: HttpApp, deps: HttpDeps): void {
  registerList(app, deps);
  registerEnd(app, deps);
}
