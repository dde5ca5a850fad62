import { Type } from '@fastify/type-provider-typebox';
import type { TimerView } from '../../../app/ports/policies.ts';
import { TIMER_STATES, timerState } from '../../../app/ports/policies.ts';
import { rearmTimer } from '../../../app/policies/rearm-timer.ts';
import { TIMER_KINDS } from '../../../domain/automatic.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { OPS_TIMERS, actionRoute, readId } from '../../kit/address.ts';
import { readTimerCursor, writeTimerCursor } from '../../kit/cursor.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { parametersOf, readFilter, wordOf } from '../../kit/filter-query.ts';
import { readPaging } from '../../kit/list-query.ts';
import { sendPage } from '../../kit/listing.ts';
import { opsScope } from './ops-access.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { callerOf, readIo, lastingIo } from '../../kit/request-context.ts';
import { ReasonBody, reasonIn } from './ops-command.ts';
import { pageOf, plain } from '../../kit/responses.ts';
import { route } from '../../kit/route.ts';
import { PagingQuery, IdParams } from '../../schemas.ts';
import { timerOf } from '../policies/policies.ts';

/** The operation is the provider's, so users of licences do not see it. */
export const timerBody = (timer: TimerView, isProviders: boolean): JsonRecord => ({
  ...timerOf(timer),
  kind: timer.kind,
  provider: timer.provider,
  lapsesAt: timer.lapsesAt,
  ...(timer.openUntil === null ? {} : { openUntil: timer.openUntil }),
  neverRenewed: timer.isNeverRenewed,
  state: timerState(timer),
  generation: timer.generation,
  ...(timer.notBefore === null ? {} : { notBefore: timer.notBefore }),
  ...(timer.changeId === null || !isProviders ? {} : { operationId: timer.changeId }),
});

const FILTER = { kind: wordOf('kind', TIMER_KINDS), state: wordOf('state', TIMER_STATES) };

function registerList(desk: HttpApp, deps: HttpDeps): void {
  route(desk, 'GET', `/${OPS_TIMERS}`, {
    operationId: 'listTimers',
    summary: 'What lapses and when, and what of it has fired',
    description: 'Without `limit` a page of the greatest size.',
    tag: 'ops',
    query: Type.Object({ ...PagingQuery.properties, ...parametersOf(FILTER) }),
    reply: { 200: pageOf('Timer', 'The first to lapse first') },
    problems: [400, 401, 403, 406, 503],
    handle: async (request, reply) => {
      const raw = request.query;
      const { limit: asked, after } = readPaging(raw, readTimerCursor);
      const limit = asked ?? LIMITS.pageSizeMax;
      const query = {
        party: callerOf(request).party,
        limit: limit + 1,
        ...(after === undefined ? {} : { after }),
        ...readFilter(FILTER, raw, deps.ledgerClock.nowMs()),
      };
      const found = await deps.timers.page(query, readIo(reply));
      const isProviders = opsScope(deps, request).of === 'provider';
      return sendPage(request, reply, {
        found,
        limit,
        cursorOf: writeTimerCursor,
        bodyOf: (timer) => timerBody(timer, isProviders),
      });
    },
  });
}

function registerRearm(desk: HttpApp, deps: HttpDeps): void {
  route(desk, 'POST', actionRoute(OPS_TIMERS, 'rearm'), {
    operationId: 'rearmTimer',
    summary: 'Set a timer going again that was given up',
    description:
      'Its policy, if it is on, asks anew for what the timer is for, at once and with as many failures before it as at first. Only the provider’s operators may.',
    tag: 'ops',
    params: IdParams,
    body: ReasonBody('the right is back'),
    reply: { 200: plain('Timer', 'The timer as it is now') },
    problems: [400, 401, 403, 404, 409, 413, 415, 503],
    handle: async (request, reply) => {
      const act = { by: callerOf(request), reason: reasonIn(request) };
      return reply.send(
        timerBody(await rearmTimer(deps, readId(request), act, lastingIo(request)), true),
      );
    },
  });
}

/** Timers, both pending and fired, of the operator's party. */
export function registerTimers(desk: HttpApp, deps: HttpDeps): void {
  registerList(desk, deps);
  registerRearm(desk, deps);
}
