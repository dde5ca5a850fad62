import { Type } from '@fastify/type-provider-typebox';
import type { ChangePosition, FoundChange } from '../../../app/desk/change-search.ts';
import { isUuid } from '../../../domain/ids.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import { pauseWait } from '../../../app/desk/operation-view.ts';
import { classOf } from '../../../domain/ledger-codes.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { timeWindow } from '../../../app/desk/time-window.ts';
import { COUNT_GROUPINGS, GROUPINGS, TIME_GROUPINGS } from '../../../domain/grouping.ts';
import { OPS_OPERATIONS } from '../../kit/address.ts';
import { readTimeAndId } from '../../kit/cursor.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { sortOf } from '../../kit/filter-query.ts';
import { readOneOf, orderOf } from '../../kit/list-query.ts';
import { registerDeskList } from './desk-list.ts';
import { opsScope } from './ops-access.ts';
import { CHANGE_MEMBERS, OPS_FILTER, readOpsFilter } from './ops-filter.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { lastingIo } from '../../kit/request-context.ts';
import type { Summaries } from './summaries.ts';
import { plain } from '../../kit/responses.ts';
import { route } from '../../kit/route.ts';

const TAG = 'ops';

/** The short form of an operation in lists, with enough data to choose an operation. */
export function commandBody(found: FoundChange): JsonRecord {
  const { change, pause, failure, submissions, ledgerCode } = found;
  const { finishedAt, error } = change;
  const waitingFor =
    change.waitingFor === null || pause === null
      ? change.waitingFor
      : pauseWait(pause, change.waitingFor);
  return {
    id: change.id,
    commandId: change.commandId,
    operation: change.operation,
    lifecycleId: change.lifecycleId,
    state: change.state,
    acceptedAt: change.acceptedAt,
    ...(finishedAt === null ? {} : { finishedAt }),
    provider: change.provider,
    user: change.appUser,
    callerParty: change.callerParty,
    callerSubject: change.callerSubject,
    submissions,
    ...(waitingFor === null ? {} : { waitingFor: { ...waitingFor } }),
    ...(error === null ? {} : { code: error.code, message: error.message }),
    ...(ledgerCode === null ? {} : { ledgerCode, class: classOf(ledgerCode) }),
    ...(failure === null ? {} : { failure }),
  };
}

/** @throws ProblemError `REQUEST_INVALID` if no list issued the cursor */
export function readChangePosition(cursor: string): ChangePosition {
  const [acceptedAt, id] = readTimeAndId(cursor, isUuid);
  return { acceptedAt, id };
}

const registerSearch = (app: HttpApp, deps: HttpDeps): void =>
  registerDeskList(app, deps, {
    path: `/${OPS_OPERATIONS}`,
    operationId: 'listOpsOperations',
    summary: 'List the operations that match all conditions',
    inOrder: 'Ordered by acceptance, newest first unless `sort` says otherwise',
    entry: 'OperationSummary',
    filter: { ...CHANGE_MEMBERS, sort: sortOf('-acceptedAt', 'acceptedAt') },
    readKey: readChangePosition,
    keyOf: ({ change }) => [change.acceptedAt, change.id],
    bodyOf: commandBody,
    find: ({ scope, filter: { sort, ...filter }, page, io }) =>
      deps.desk.changes.find({ scope, filter, order: orderOf(sort), ...page }, io),
  });

function registerCounts(app: HttpApp, deps: HttpDeps, summaries: Summaries): void {
  route(app, 'GET', `/${OPS_OPERATIONS}/counts`, {
    operationId: 'countOpsOperations',
    summary: 'Count the operations that match a filter, in total and by group',
    description: `Counts are exact up to ${LIMITS.countMax}; above that, \`more\` is true. Groups by \`hour\` and \`day\` are in UTC by the time of acceptance, with exact counts of each state, earliest first, and include empty periods. Without a start in the filter they cover one day of hours or thirty days; the limit is two weeks of hours or 400 days.`,
    tag: TAG,
    query: Type.Object({
      ...OPS_FILTER,
      groupBy: Type.Optional(
        Type.Unsafe<string>({ type: 'string', enum: [...COUNT_GROUPINGS], examples: ['code'] }),
      ),
    }),
    reply: {
      200: plain('OpsCounts', 'The largest groups first, at most a thousand; by time in order'),
    },
    problems: [400, 401, 403, 406, 422, 503],
    handle: async (request, reply) => {
      const raw = request.query;
      const scope = opsScope(deps, request);
      const nowMs = deps.wallClock.nowMs();
      const filter = readOpsFilter(raw, nowMs);
      const by = readOneOf(raw, 'groupBy', COUNT_GROUPINGS);
      const unit = TIME_GROUPINGS.find((one) => one === by);
      const { changes } = deps.desk;
      // Several callers may wait for the same read, so it continues if this client disconnects.
      const io = lastingIo(request);
      const groupBy = GROUPINGS.find((one) => one === by) ?? null;
      const window = unit === undefined ? null : timeWindow(filter, unit, nowMs);
      const count = async (): Promise<object> =>
        window === null
          ? changes.count({ scope, filter, groupBy }, io)
          : changes.countByTime({ scope, window }, io);
      return reply.send(await summaries.read(scope, `counts ${JSON.stringify(raw)}`, count));
    },
  });
}

/** Registers the routes that search and count operations. */
export function registerOpsOperations(app: HttpApp, deps: HttpDeps, summaries: Summaries): void {
  registerSearch(app, deps);
  registerCounts(app, deps, summaries);
}
