import { Type } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type {
  FoundLifecycle,
  LifecycleFilter,
  LifecyclePosition,
} from '../../../app/desk/lifecycle-search.ts';
import { trusted } from '../../../domain/ids.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import { LIFECYCLE_KINDS } from '../../../domain/licensing.ts';
import { HTTP_LIMITS } from '../../limits.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { isUtcInstant } from '../../../domain/time.ts';
import { foreign, parsed, written } from '../../kit/cursor.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { isStorable } from '../../kit/json-body.ts';
import { readOneOf, readPaging, readParty } from '../../kit/list-query.ts';
import type { Raw } from '../../kit/list-query.ts';
import { sendPage } from '../../kit/listing.ts';
import { opsScope } from './ops-access.ts';
import { given, instantOrAge, one } from '../../kit/filter-query.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { readIo } from '../../kit/request-context.ts';
import { listOf, pageOf, problems } from '../../kit/responses.ts';
import { PagingQuery } from '../../schemas.ts';

const TAG = 'ops';
const PATH = '/ops/lifecycles';

const FILTER = {
  kind: Type.Optional(Type.Unsafe<string>({ type: 'string', enum: [...LIFECYCLE_KINDS] })),
  state: Type.Optional(
    Type.String({ description: 'As the counts name it', examples: ['expiring'] }),
  ),
  party: Type.Optional(Type.String({ description: 'Whose they are: the provider, or a user' })),
  olderThan: Type.Optional(
    Type.String({ description: 'Begun longer ago (ISO 8601 duration) or before (instant)' }),
  ),
};

function readFilter(deps: HttpDeps, request: FastifyRequest): LifecycleFilter {
  const raw = request.query as Raw;
  return {
    scope: opsScope(deps, request),
    ...given({
      kind: readOneOf(raw, 'kind', LIFECYCLE_KINDS),
      state: one(raw, 'state'),
      party: readParty(raw, 'party'),
      // Ledger time, like the creation of lifecycles.
      before: instantOrAge(raw, 'olderThan', deps.ledgerClock.nowMs()),
    }),
  };
}

/** @throws ProblemError `REQUEST_INVALID` when Tenure cannot have written the cursor */
function readPosition(cursor: string): LifecyclePosition {
  const [createdAt, id] = parsed(cursor);
  const isOurs =
    typeof createdAt === 'string' &&
    isUtcInstant(createdAt) &&
    typeof id === 'string' &&
    isStorable(id) &&
    id.length <= HTTP_LIMITS.pathIdCharsMax;
  return isOurs ? { createdAt, id: trusted(id) } : foreign();
}

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

function registerList(app: HttpApp, deps: HttpDeps): void {
  app.get(
    PATH,
    {
      config: { produces: 'application/json' },
      schema: {
        operationId: 'listOpsLifecycles',
        summary: 'Active lifecycles of all kinds and states, with their age',
        description: `The oldest first; ${HTTP_LIMITS.opsPageSize} of them unless \`limit\` says otherwise.`,
        tags: [TAG],
        querystring: Type.Object({ ...FILTER, ...PagingQuery.properties }),
        response: {
          200: pageOf('OpsLifecycle', 'A page of them'),
          ...problems(400, 401, 403, 406, 422, 503),
        },
      },
    },
    async (request: FastifyRequest, reply: FastifyReply) => {
      const { limit, ...position } = readPaging(request.query as Raw, readPosition);
      const size = limit ?? HTTP_LIMITS.opsPageSize;
      const query = { ...readFilter(deps, request), ...position, limit: size + 1 };
      const found = await deps.desk.lifecycles.find(query, readIo(reply));
      return sendPage(request, reply, {
        found,
        limit: size,
        cursorOf: ({ lifecycle }) => written([lifecycle.createdAt, lifecycle.id]),
        bodyOf: lifecycleBody,
      });
    },
  );
}

function registerCounts(app: HttpApp, deps: HttpDeps): void {
  app.get(
    `${PATH}/counts`,
    {
      config: { produces: 'application/json' },
      schema: {
        operationId: 'countOpsLifecycles',
        summary: 'How many active lifecycles there are of each kind and state',
        description: `Exact up to ${LIMITS.countMax}; beyond, \`more\` says that there are more than \`count\`.`,
        tags: [TAG],
        querystring: Type.Object(FILTER),
        response: {
          200: listOf('OpsLifecycleCount', 'Those that there are'),
          ...problems(400, 401, 403, 406, 422, 503),
        },
      },
    },
    async (request: FastifyRequest, reply: FastifyReply) => {
      const counts = await deps.desk.lifecycles.count(readFilter(deps, request), readIo(reply));
      return reply.send(counts.map((count) => ({ ...count })));
    },
  );
}

/** Active lifecycles, and how long each has been in its state. */
export function registerLifecycles(app: HttpApp, deps: HttpDeps): void {
  registerList(app, deps);
  registerCounts(app, deps);
}
