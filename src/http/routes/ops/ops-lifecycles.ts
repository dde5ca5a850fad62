import { Type } from '@fastify/type-provider-typebox';
import type {
  FoundLifecycle,
  LifecycleFilter,
  LifecyclePosition,
} from '../../../app/desk/lifecycle-search.ts';
import { trusted } from '../../../domain/ids.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import { LIFECYCLE_KINDS } from '../../../domain/licensing.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { isLifecycleId, readTimeAndId } from '../../kit/cursor.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { registerDeskList } from './desk-list.ts';
import { opsScope } from './ops-access.ts';
import type { MembersOf } from '../../kit/filter-query.ts';
import {
  instantOrAge,
  member,
  one,
  parametersOf,
  readFilter,
  SIDES,
  sortOf,
  wordOf,
} from '../../kit/filter-query.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { readIo } from '../../kit/request-context.ts';
import { listOf } from '../../kit/responses.ts';
import { route } from '../../kit/route.ts';
import { optionalText } from '../../kit/schema.ts';
import { orderOf } from '../../kit/list-query.ts';

const TAG = 'ops';
const PATH = '/ops/lifecycles';

const FILTER: MembersOf<Omit<LifecycleFilter, 'scope'>> = {
  kind: wordOf('kind', LIFECYCLE_KINDS),
  state: member('state', optionalText('As the counts name it', 'expiring'), one),
  ...SIDES,
  from: member(
    'since',
    optionalText('Begun not longer ago (ISO 8601 duration), or at or after (instant)'),
    instantOrAge,
  ),
  before: member(
    'until',
    optionalText('Begun longer ago (ISO 8601 duration) or before (instant)'),
    instantOrAge,
  ),
};

/** Ages are subtracted from the ledger's time, because the ledger's clock says when a lifecycle began. */
const CLOCK = 'ledgerClock';

function lifecycleBody({ lifecycle, stateSince }: FoundLifecycle): JsonRecord {
  const { id, kind, state, createdAt, provider, appUser, contractId, version, machineVersion } =
    lifecycle;
  const { licenseNum, expiresAt } = lifecycle;
  return {
    id,
    kind,
    state,
    stateSince,
    createdAt,
    provider,
    user: appUser,
    contractId,
    ...(licenseNum === null ? {} : { licenseNum: Number(licenseNum) }),
    ...(expiresAt === null ? {} : { expiresAt }),
    version,
    machineVersion,
  };
}

const registerList = (app: HttpApp, deps: HttpDeps): void =>
  registerDeskList(app, deps, {
    path: PATH,
    operationId: 'listOpsLifecycles',
    summary: 'List active lifecycles of all kinds and states, with their age',
    inOrder: 'The oldest first, unless `sort` says otherwise',
    entry: 'OpsLifecycle',
    filter: { ...FILTER, sort: sortOf('createdAt', '-createdAt') },
    clock: CLOCK,
    readKey(cursor): LifecyclePosition {
      const [createdAt, id] = readTimeAndId(cursor, isLifecycleId);
      return { createdAt, id: trusted(id) };
    },
    keyOf: ({ lifecycle }) => [lifecycle.createdAt, lifecycle.id],
    bodyOf: lifecycleBody,
    find: ({ scope, filter: { sort, ...filter }, page, io }) =>
      deps.desk.lifecycles.find({ scope, ...filter, order: orderOf(sort), ...page }, io),
  });

function registerCounts(app: HttpApp, deps: HttpDeps): void {
  route(app, 'GET', `${PATH}/counts`, {
    operationId: 'countOpsLifecycles',
    summary: 'Count active lifecycles by kind and state',
    description: `Exact up to ${LIMITS.countMax}; beyond, \`more\` says that there are more than \`count\`.`,
    tag: TAG,
    query: Type.Object(parametersOf(FILTER)),
    reply: { 200: listOf('OpsLifecycleCount', 'The kinds and states that have lifecycles') },
    problems: [400, 401, 403, 406, 422, 503],
    handle: async (request, reply) => {
      const filter = readFilter(FILTER, request.query, deps[CLOCK].nowMs());
      const scope = opsScope(deps, request);
      const counts = await deps.desk.lifecycles.count({ scope, ...filter }, readIo(reply));
      return reply.send(counts.map((count) => ({ ...count })));
    },
  });
}

/** Registers the list of active lifecycles, which shows how long each has been in its state. */
export function registerLifecycles(app: HttpApp, deps: HttpDeps): void {
  registerList(app, deps);
  registerCounts(app, deps);
}
