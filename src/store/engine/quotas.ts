import type { QuotaBounds, QuotaUse, Traffic, TrafficQuery } from '../../app/ports/quotas.ts';
import type { Party } from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import type { Session } from '../sql/session.ts';
import { statement } from '../sql/statement.ts';

/** Returns the values of `change.outcome` for operations that took effect. */
export const succeeded = (operations: readonly string[]): string[] =>
  operations.map((operation) => `${operation}:succeeded`);

/** Reads at most as many entries of two indexes as the quotas allow. */
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

/**
 * Reads only the operations accepted since a given time. `until` is a time before which all operations have ended. It
 * is at least a minute ago, because the completion, which contains the cost, may come after the update.
 */
const TRAFFIC = statement<{ party: string; bytes: bigint; settled: bigint; until: string }>(
  'quota-traffic',
  `select p.party, t.bytes, t.settled, b.until
   from unnest($1::text[], $2::timestamptz[]) as p(party, since)
     cross join lateral (
       select greatest(p.since, least(now() - interval '1 minute', min(c.accepted_at))) as until
       from change c where c.caller_party = p.party and c.finished_at is null) b
     cross join lateral (
       select coalesce(sum(a.cost), 0)::bigint as bytes,
         coalesce(sum(a.cost) filter (where c.accepted_at < b.until), 0)::bigint as settled
       from change c join attempt a on a.change_id = c.id
       where c.caller_party = p.party and c.caller_party <> c.provider and c.accepted_at >= p.since) t`,
);

/** See `Tx.traffic`. */
export async function findTraffic(
  session: Session,
  asked: readonly TrafficQuery[],
): Promise<readonly Traffic[]> {
  const values = [asked.map(({ party }) => party), asked.map(({ since }) => since)];
  const rows = await session.run(TRAFFIC, values);
  return rows.map(({ party, bytes, settled, until }) => ({
    party: trusted<Party>(party),
    bytes: Number(bytes),
    settledBytes: Number(settled),
    settledUntil: until,
  }));
}
