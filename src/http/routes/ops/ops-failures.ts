import type { FailureAct, FailureGroup, FailurePosition } from '../../../app/desk/failure-list.ts';
import { FAILURE_STATES, FAILURE_ACTS } from '../../../app/desk/failure-list.ts';
import { OPERATIONS } from '../../../domain/licensing.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { fail } from '../../../domain/problems.ts';
import { OPS_FAILURES, actionRoute, readId } from '../../kit/address.ts';
import { readTimeAndId } from '../../kit/cursor.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { opsScope } from './ops-access.ts';
import { reasonOf } from './ops-operation.ts';
import { isFingerprint } from '../../../domain/change-filter.ts';
import { wordOf, sortOf } from '../../kit/filter-query.ts';
import { registerDeskList } from './desk-list.ts';
import { CHANGE_MEMBERS } from './ops-filter.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { callerOf, lastingIo } from '../../kit/request-context.ts';
import { plain } from '../../kit/responses.ts';
import { route } from '../../kit/route.ts';
import { closedObject, optionalText } from '../../kit/schema.ts';
import { IdParams } from '../../schemas.ts';
import { orderOf } from '../../kit/list-query.ts';

const TAG = 'ops';

const decisionBody = ({
  reopenedAt,
  ...decision
}: NonNullable<FailureGroup['decision']>): JsonRecord => ({
  ...decision,
  ...(reopenedAt === null ? {} : { reopenedAt }),
});

/** A failure as operators read it. */
export function failureBody(group: FailureGroup): JsonRecord {
  const { fingerprint, operation, state: outcome, code, explanation } = group.failure;
  const { ledgerCode, class: kind } = group.failure;
  const { id, commandId, lifecycleId, appUser: user } = group.example;
  return {
    fingerprint,
    state: group.state,
    operation,
    outcome,
    code,
    ...(ledgerCode === null ? {} : { ledgerCode }),
    ...(kind === null ? {} : { class: kind }),
    explanation,
    ...group.count,
    firstAt: group.firstAt,
    lastAt: group.lastAt,
    example: { id, commandId, lifecycleId, user },
    ...(group.decision === null ? {} : { decision: decisionBody(group.decision) }),
  };
}

const ALL = 'all';

const FILTER = {
  state: wordOf('state', [...FAILURE_STATES, ALL], { default: 'open' }),
  operation: wordOf('operation', OPERATIONS),
  code: {
    ...CHANGE_MEMBERS.code,
    schema: optionalText('The problem’s `code` or the ledger’s `ledgerCode`'),
  },
};

const registerList = (app: HttpApp, deps: HttpDeps): void =>
  registerDeskList(app, deps, {
    path: `/${OPS_FAILURES}`,
    operationId: 'listFailures',
    summary: 'List failures: groups of operations that failed in the same way, with their numbers',
    description: `Counts are exact up to ${LIMITS.countMax}.`,
    inOrder: 'Ordered by the last occurrence, newest first, unless `sort` says otherwise',
    entry: 'Failure',
    filter: { ...FILTER, sort: sortOf('-lastAt', 'lastAt') },
    readKey(cursor): FailurePosition {
      const [lastAt, fingerprint] = readTimeAndId(cursor, isFingerprint);
      return { lastAt, fingerprint };
    },
    keyOf: ({ lastAt, failure }) => [lastAt, failure.fingerprint],
    bodyOf: failureBody,
    find({ scope, filter: { state = 'open', sort, ...filter }, page, io }) {
      const ofState = state === ALL ? {} : { state };
      return deps.desk.failures.list(
        { scope, ...filter, ...ofState, order: orderOf(sort), ...page },
        io,
      );
    },
  });

const ACTS: Readonly<Record<FailureAct, { readonly summary: string; readonly example: string }>> = {
  resolve: {
    summary: 'Resolve a failure; it opens again if it happens again',
    example: 'the participant is back',
  },
  ignore: {
    summary: 'Ignore a failure, even if it happens again',
    example: 'a caller that tries too early',
  },
  reopen: {
    summary: 'Open a resolved or ignored failure again',
    example: 'it was not that',
  },
};

function registerAct(app: HttpApp, deps: HttpDeps, act: FailureAct): void {
  const { summary, example } = ACTS[act];
  route(app, 'POST', actionRoute(OPS_FAILURES, act), {
    operationId: `${act}Failure`,
    summary,
    description: 'The decision applies to all operators of the same party.',
    tag: TAG,
    params: IdParams,
    body: closedObject({ reason: reasonOf(example) }),
    reply: { 200: plain('Failure', 'The failure as it is now') },
    problems: [400, 401, 403, 404, 413, 415, 503],
    handle: async (request, reply) => {
      const fingerprint = readId(request);
      const { reason } = request.body;
      const what = { act, by: callerOf(request), reason };
      const group = isFingerprint(fingerprint)
        ? await deps.desk.failures.act(
            opsScope(deps, request),
            fingerprint,
            what,
            lastingIo(request),
          )
        : null;
      if (group === null) return fail('NOT_FOUND', `failure ${fingerprint} does not exist`);
      return reply.send(failureBody(group));
    },
  });
}

/** Registers the routes for groups of identical failures, and for operators' notes on them. */
export function registerFailures(app: HttpApp, deps: HttpDeps): void {
  registerList(app, deps);
  for (const act of FAILURE_ACTS) registerAct(app, deps, act);
}
