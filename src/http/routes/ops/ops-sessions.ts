import type { SessionOwner } from '../../../app/callers/sign-in.ts';
import type { OpsScope } from '../../../app/ports/ops-scope.ts';
import { OPS_SESSIONS, actionRoute, readId } from '../../kit/address.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { readParty } from '../../kit/list-query.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { callerOf, lastingIo } from '../../kit/request-context.ts';
import { route } from '../../kit/route.ts';
import { noSession, readSessionCursor, sessionBody } from '../../kit/session.ts';
import { IdParams } from '../../schemas.ts';
import { registerDeskList } from './desk-list.ts';
import { opsScope } from './ops-access.ts';
import { ReasonBody, reasonIn } from './ops-operation.ts';
import { member, one, text, sortOf } from '../../kit/filter-query.ts';

const TAG = 'ops';

/** Returns whose sessions an operator sees: all, or for an operator of a tenant those of the tenant's party. */
const ownersIn = ({ of, party }: OpsScope): SessionOwner => (of === 'provider' ? {} : { party });

const registerList = (app: HttpApp, deps: HttpDeps): void =>
  registerDeskList(app, deps, {
    path: `/${OPS_SESSIONS}`,
    operationId: 'listOpsSessions',
    summary: 'List the sessions of people who are signed in with a browser',
    inOrder: 'By id',
    entry: 'Session',
    statuses: [400, 401, 403, 406, 503],
    filter: {
      sort: sortOf('id'),
      subject: member(
        'subject',
        text('The identity that signed in', 'c1f7d7b0-5f4e-4c7e-9d43-0e3b1f4b7a11'),
        one,
      ),
      party: member(
        'party',
        text('The party that it acts for', 'app_user_quickstart-root-1::1220aa01'),
        readParty,
      ),
    },
    readKey: readSessionCursor,
    keyOf: ({ publicId }) => [publicId],
    bodyOf: sessionBody,
    async find({ scope, filter, page, io }) {
      const owners = { ...filter, ...ownersIn(scope) };
      if (filter.party !== undefined && filter.party !== owners.party) return [];
      return deps.sessions.list(owners, page, io);
    },
  });

function registerEnd(app: HttpApp, deps: HttpDeps): void {
  route(app, 'POST', actionRoute(OPS_SESSIONS, 'end'), {
    operationId: 'endOpsSession',
    summary: 'End a session, which signs the person out of one browser',
    description: 'Event streams of the session end within two seconds.',
    tag: TAG,
    params: IdParams,
    body: ReasonBody('the laptop was lost'),
    reply: { 204: { description: 'The session has ended', type: 'null' } },
    problems: [400, 401, 403, 404, 413, 415, 503],
    produces: null,
    handle: async (request, reply) => {
      const id = readId(request);
      const ender = { by: callerOf(request), reason: reasonIn(request) };
      const owners = ownersIn(opsScope(deps, request));
      const isEnded = await deps.sessions.end(id, owners, ender, lastingIo(request));
      return isEnded ? reply.code(204).send() : noSession(id);
    },
  });
}

/** Registers the routes by which operators manage people's sessions. */
export function registerSessions(app: HttpApp, deps: HttpDeps): void {
  registerList(app, deps);
  registerEnd(app, deps);
}
