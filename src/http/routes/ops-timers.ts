import { Type } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TimerView } from '../../app/policy-ports.ts';
import { TIMER_STATES } from '../../app/policy-ports.ts';
import { TIMER_KINDS } from '../../domain/automatic.ts';
import type { JsonRecord } from '../../domain/json.ts';
import { LIMITS } from '../../domain/limits.ts';
import { readTimerCursor, writeTimerCursor } from '../cursor.ts';
import type { HttpDeps } from '../deps.ts';
import { readOneOf, readPaging } from '../list-query.ts';
import { linkNext } from '../listing.ts';
import type { HttpApp } from '../request-context.ts';
import { callerOf, readIo } from '../request-context.ts';
import { pageOf, problems } from '../responses.ts';
import { PagingQuery } from '../schemas.ts';
import { timerOf } from './policies.ts';

const stateOf = ({ changeId, isGivenUp }: TimerView): string =>
  isGivenUp ? 'given-up' : changeId === null ? 'waiting' : 'fired';

const timerBody = (timer: TimerView): JsonRecord => ({
  ...timerOf(timer),
  kind: timer.kind,
  provider: timer.provider,
  lapsesAt: timer.lapsesAt,
  ...(timer.openUntil === null ? {} : { openUntil: timer.openUntil }),
  neverRenewed: timer.isNeverRenewed,
  state: stateOf(timer),
  generation: timer.generation,
  ...(timer.notBefore === null ? {} : { notBefore: timer.notBefore }),
  ...(timer.changeId === null ? {} : { operationId: timer.changeId }),
});

const TimersQuery = Type.Object({
  ...PagingQuery.properties,
  kind: Type.Optional(Type.Unsafe<string>({ type: 'string', enum: [...TIMER_KINDS] })),
  state: Type.Optional(Type.Unsafe<string>({ type: 'string', enum: [...TIMER_STATES] })),
});

/** What lapses, and what has fired: of the operator's party. */
export function registerTimers(desk: HttpApp, deps: HttpDeps): void {
  desk.get(
    '/ops/timers',
    {
      config: { produces: 'application/json' },
      schema: {
        operationId: 'listTimers',
        summary: 'What lapses and when, and what of it has fired',
        description: 'Without `limit` a page of the greatest size.',
        tags: ['ops'],
        querystring: TimersQuery,
        response: {
          200: pageOf('Timer', 'The first to lapse first'),
          ...problems(400, 401, 403, 406, 503),
        },
      },
    },
    async (request: FastifyRequest, reply: FastifyReply) => {
      const raw = request.query as Record<string, unknown>;
      const { limit: asked, after } = readPaging(raw, readTimerCursor);
      const kind = readOneOf(raw, 'kind', TIMER_KINDS);
      const state = readOneOf(raw, 'state', TIMER_STATES);
      const limit = asked ?? LIMITS.pageSizeMax;
      const query = {
        party: callerOf(request).party,
        limit: limit + 1,
        ...(after === undefined ? {} : { after }),
        ...(kind === undefined ? {} : { kind }),
        ...(state === undefined ? {} : { state }),
      };
      const found = await deps.timers.page(query, readIo(reply));
      const page = found.slice(0, limit);
      const last = page.at(-1);
      if (found.length > limit && last !== undefined) {
        linkNext(request, reply, writeTimerCursor(last));
      }
      return reply.send(page.map(timerBody));
    },
  );
}
