import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TenantUse } from '../../../app/ports/quotas.ts';
import type { Party } from '../../../domain/ids.ts';
import { isPartyString } from '../../../domain/ids.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import { NO_QUOTAS, beginOfDay } from '../../../domain/quota.ts';
import { HTTP_LIMITS } from '../../limits.ts';
import { foreign, parsed, written } from '../../kit/cursor.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { readPaging } from '../../kit/list-query.ts';
import type { Raw } from '../../kit/list-query.ts';
import { sendPage } from '../../kit/listing.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { readIo } from '../../kit/request-context.ts';
import { pageOf, problems } from '../../kit/responses.ts';
import { PagingQuery } from '../../schemas.ts';
import { mostWebhooks } from '../webhooks/webhooks.ts';
import { opsScope } from './ops-access.ts';
import type { Summaries } from './summaries.ts';

/** @throws ProblemError `REQUEST_INVALID` when Tenure cannot have written the cursor */
function readPosition(cursor: string): Party {
  const [party] = parsed(cursor);
  return typeof party === 'string' && isPartyString(party) ? party : foreign();
}

const withLimit = (used: number, limit: number): JsonRecord =>
  limit === 0 ? { used } : { used, limit };

function quotasBody(deps: HttpDeps, use: TenantUse): JsonRecord {
  const { openOperations, commentsPerDay, trafficPerDay } = deps.quotas ?? NO_QUOTAS;
  const { party } = use;
  return {
    party,
    openOperations: withLimit(use.openOperations, openOperations),
    commentsPerDay: withLimit(use.commentsPerDay, commentsPerDay),
    webhooks: withLimit(use.webhooks, mostWebhooks(deps, party)),
    ...(trafficPerDay === 0 ? {} : { trafficPerDay: withLimit(use.trafficPerDay, trafficPerDay) }),
  };
}

/** The usage of tenants, with their quotas. */
export function registerQuotas(app: HttpApp, deps: HttpDeps, summaries: Summaries): void {
  app.get(
    '/ops/quotas',
    {
      config: { produces: 'application/json' },
      schema: {
        operationId: 'listQuotas',
        summary: 'What each tenant uses of its quotas, by party',
        description:
          'Operators of the provider see all tenants that use something, operators of a tenant see their own. Read at most once a second.',
        tags: ['ops'],
        querystring: PagingQuery,
        response: {
          200: pageOf('TenantQuotas', 'A page of them'),
          ...problems(400, 401, 403, 406, 422, 503),
        },
      },
    },
    async (request: FastifyRequest, reply: FastifyReply) => {
      const scope = opsScope(deps, request);
      const { limit, ...position } = readPaging(request.query as Raw, readPosition);
      const size = limit ?? HTTP_LIMITS.opsPageSize;
      const since = new Date(beginOfDay(deps.wallClock.nowMs())).toISOString();
      const { comments } = deps.model;
      const withTraffic = (deps.quotas ?? NO_QUOTAS).trafficPerDay > 0;
      const query = { scope, comments, since, ...position, limit: size + 1, withTraffic };
      const read = () => deps.desk.tenantUses.list(query, readIo(reply));
      const name = `quotas ${JSON.stringify([size, position])}`;
      return sendPage(request, reply, {
        found: await summaries.read(scope, name, read),
        limit: size,
        cursorOf: ({ party }) => written([party]),
        bodyOf: (use) => quotasBody(deps, use),
      });
    },
  );
}
