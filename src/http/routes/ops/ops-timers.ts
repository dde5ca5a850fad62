import type { TimerView } from '../../../app/ports/policies.ts';
import { TIMER_STATES, timerState } from '../../../app/ports/policies.ts';
import { rearmTimer } from '../../../app/policies/rearm-timer.ts';
import { TIMER_KINDS } from '../../../domain/automatic.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { OPS_TIMERS, actionRoute, readId } from '../../kit/address.ts';
import { readTimerCursor, timerKeyOf } from '../../kit/cursor.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { wordOf, sortOf } from '../../kit/filter-query.ts';
import { registerDeskList } from './desk-list.ts';
import { opsScope } from './ops-access.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { callerOf, lastingIo } from '../../kit/request-context.ts';
import { ReasonBody, reasonIn } from './ops-operation.ts';
import { plain } from '../../kit/responses.ts';
import { route } from '../../kit/route.ts';
import { IdParams } from '../../schemas.ts';
import { timerOf } from '../policies/policies.ts';

/** A timer as operators read it. Users of licences do not see the operation, because it belongs to the provider. */
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

const registerList = (desk: HttpApp, deps: HttpDeps): void =>
  registerDeskList(desk, deps, {
    path: `/${OPS_TIMERS}`,
    operationId: 'listTimers',
    summary: 'List the timers of policies with their due times and states',
    inOrder: 'The first to lapse first',
    entry: 'Timer',
    statuses: [400, 401, 403, 406, 503],
    filter: {
      sort: sortOf('lapsesAt'),
      kind: wordOf('kind', TIMER_KINDS),
      state: wordOf('state', TIMER_STATES),
    },
    pageSize: LIMITS.pageSizeMax,
    readKey: readTimerCursor,
    keyOf: timerKeyOf,
    bodyOf: (timer: TimerView, request) =>
      timerBody(timer, opsScope(deps, request).of === 'provider'),
    find: ({ scope: { party }, filter, page, io }) =>
      deps.timers.page({ party, ...filter, ...page }, io),
  });

function registerRearm(desk: HttpApp, deps: HttpDeps): void {
  route(desk, 'POST', actionRoute(OPS_TIMERS, 'rearm'), {
    operationId: 'rearmTimer',
    summary: 'Start a timer again that was given up',
    description:
      'If its policy is on, the policy requests the operation of the timer again at once, and the count of failures starts at zero. Only for operators of the provider.',
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

/** Registers the routes for the timers of the operator's party, both pending and fired. */
export function registerTimers(desk: HttpApp, deps: HttpDeps): void {
  registerList(desk, deps);
  registerRearm(desk, deps);
}
