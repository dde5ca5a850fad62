import type { TenantUses } from '../../app/ports/quotas.ts';
import type { Party } from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import { succeeded } from '../engine/quotas.ts';
import type { Ask } from '../sql/ask.ts';
import { plannedAnew } from '../sql/statement.ts';

/**
 * `$1` is the only party to read, or null for all. If `$1` is given, the result has a row for it in any case. `$2` is a
 * party that is left out.
 */
const TENANT_USES = plannedAnew<{
  party: string;
  open: bigint;
  comments: bigint;
  webhooks: bigint;
  traffic: bigint;
}>(
  'tenant-uses',
  `with used as (
     select c.caller_party as party, count(*) as open,
       count(*) filter (where c.operation = any($3) and c.accepted_at >= $5) as comments, 0 as webhooks,
       0 as traffic
     from change c
     where c.finished_at is null and ($1::text is null or c.caller_party = $1)
     group by c.caller_party
     union all
     select c.caller_party, 0, count(*), 0, 0
     from change c
     where c.outcome = any($4) and c.accepted_at >= $5 and c.finished_at is not null
       and c.caller_party <> c.provider and ($1::text is null or c.caller_party = $1)
     group by c.caller_party
     union all
     select c.caller_party, 0, 0, 0, sum(a.cost)
     from change c join attempt a on a.change_id = c.id
     where $8 and c.accepted_at >= $5 and c.caller_party <> c.provider
       and ($1::text is null or c.caller_party = $1)
     group by c.caller_party
     union all
     select w.party, 0, 0, count(*), 0 from webhook w
     where $1::text is null or w.party = $1
     group by w.party
     union all
     select $1, 0, 0, 0, 0 where $1::text is not null
   )
   select u.party, sum(u.open)::bigint as open, sum(u.comments)::bigint as comments,
     sum(u.webhooks)::bigint as webhooks, coalesce(sum(u.traffic), 0)::bigint as traffic
   from used u
   where u.party is distinct from $2 and u.party collate "C" > $6
   group by u.party
   order by u.party collate "C"
   limit $7`,
);

export const createTenantUses = (asks: Ask): TenantUses => ({
  async list({ scope, comments, since, after, limit, withTraffic }, io) {
    const [only, except] = scope.of === 'provider' ? [null, scope.party] : [scope.party, null];
    const day = [comments, succeeded(comments), since];
    const values = [only, except, ...day, after ?? '', limit, withTraffic];
    const rows = await asks(io, (session) => session.run(TENANT_USES, values));
    return rows.map(({ party, open, comments: made, webhooks, traffic }) => ({
      party: trusted<Party>(party),
      openOperations: Number(open),
      commentsPerDay: Number(made),
      webhooks: Number(webhooks),
      trafficPerDay: Number(traffic),
    }));
  },
});
