import type { QuotaBounds, QuotaUse } from '../../app/ports/quotas.ts';
import type { Party } from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import type { Session } from '../sql/session.ts';
import { statement } from '../sql/statement.ts';

/** The `change.outcome` of operations that took effect. */
export const succeeded = (operations: readonly string[]): string[] =>
  operations.map((operation) => `${operation}:succeeded`);

/** Reads at most as many entries of two indexes as the bounds allow. */
const QUOTA_USE = statement<{ party: string; open: bigint; comments: bigint }>(
  'quota-use',
  `select p.party, o.open, d.comments
   from unnest($1::text[]) as p(party)
     cross join lateral (
       select count(*) as open from (
         select from change c where c.caller_party = p.party and c.finished_at is null limit $2) x) o
     cross join lateral (
       select count(*) as comments from (
         (select from change c
          where c.caller_party = p.party and c.operation = any($4) and c.accepted_at >= $6 and c.finished_at is null
          limit $3)
         union all
         (select from change c
          where c.caller_party = p.party and c.outcome = any($5) and c.accepted_at >= $6
            and c.finished_at is not null and c.caller_party <> c.provider
          limit $3)) x) d`,
);

/** See `Tx.quotaUse`. */
export async function findQuotaUse(
  session: Session,
  parties: readonly Party[],
  { openOperations, commentsPerDay, comments, since }: QuotaBounds,
): Promise<Map<Party, QuotaUse>> {
  const values = [parties, openOperations, commentsPerDay, comments, succeeded(comments), since];
  const rows = await session.run(QUOTA_USE, values);
  return new Map(
    rows.map(({ party, open, comments: made }) => [
      trusted<Party>(party),
      { openOperations: Number(open), commentsPerDay: Number(made) },
    ]),
  );
}
