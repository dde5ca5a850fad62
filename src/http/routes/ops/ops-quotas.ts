import type { TenantUse } from '../../../app/ports/quotas.ts';
import type { Party } from '../../../domain/ids.ts';
import { isPartyString } from '../../../domain/ids.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import { NO_QUOTAS, beginOfDay } from '../../../domain/quota.ts';
import { foreign, parsed } from '../../kit/cursor.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { mostWebhooks } from '../webhooks/webhooks.ts';
import { sortOf } from '../../kit/filter-query.ts';
import { registerDeskList } from './desk-list.ts';
import type { Summaries } from './summaries.ts';

/** @throws ProblemError `REQUEST_INVALID` if Tenure cannot have issued the cursor */
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

/** Registers the list that compares the use of each tenant with its limits. */
export const registerQuotas = (app: HttpApp, deps: HttpDeps, summaries: Summaries): void =>
  registerDeskList(app, deps, {
    path: '/ops/quotas',
    operationId: 'listQuotas',
    summary: 'List the quota use of each tenant, by party',
    description:
      'Operators of the provider see all tenants that use a quota; operators of a tenant see their own. The data is read at most once a second.',
    entry: 'TenantQuotas',
    inOrder: 'By party',
    filter: { sort: sortOf('party') },
    readKey: readPosition,
    keyOf: ({ party }: TenantUse) => [party],
    bodyOf: (use: TenantUse) => quotasBody(deps, use),
    find({ scope, page, io }) {
      const since = new Date(beginOfDay(deps.wallClock.nowMs())).toISOString();
      const { comments } = deps.model;
      const withTraffic = (deps.quotas ?? NO_QUOTAS).trafficPerDay > 0;
      const query = { scope, comments, since, ...page, withTraffic };
      const read = () => deps.desk.tenantUses.list(query, io);
      return summaries.read(scope, `quotas ${JSON.stringify(page)}`, read);
    },
  });
