import type { LicenseFacts, RenewalFact, Tried } from '../../app/ports/subscriptions.ts';
import type { ContractId, LifecycleId, Party } from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import type { JsonRecord } from '../../domain/json.ts';
import { templateFqn } from '../../domain/ledger.ts';
import { ALLOCATION, LICENSE_RENEWAL_REQUEST } from '../../domain/licensing.ts';
import { LIMITS } from '../../domain/limits.ts';
import { STORE_LIMITS } from '../limits.ts';
import type { Session } from '../sql/session.ts';
import { statement } from '../sql/statement.ts';

/* Reads the projection's facts about one licence that renews itself. Every look-up uses an index. */

const LICENSE = statement<{
  lane: string;
  expires_at: string | null;
  created_at: string;
  ended_at: string | null;
  is_under_way: boolean;
}>(
  'facts-of-license',
  `select l.lane, l.expires_at, l.created_at, l.ended_at,
     exists (select from change c where c.lane = l.lane and c.state in ('submitting', 'retrying', 'in-doubt'))
     or exists (select from change c where c.lane = l.lane and c.state = 'queued') as is_under_way
   from lifecycle l where l.id = $1 and l.kind = 'license'`,
);

const RENEWALS = statement<{
  id: string;
  state: string;
  ended_at: string | null;
  settle_before: string | null;
  payload: JsonRecord | null;
  allocation_id: string | null;
  allocation: JsonRecord | null;
}>(
  'facts-of-renewals',
  `select r.id, r.state, r.ended_at, r.context ->> 'settleBefore' as settle_before, k.payload,
     a.contract_id as allocation_id, a.payload as allocation
   from (select l.* from lifecycle l
         where l.lane = $2 and l.kind = 'renewal' and l.origin_id = $1
         order by coalesce(l.ended_at, 'infinity') desc limit ${STORE_LIMITS.subscriptionFactsMax}) as r
     left join contract k
       on k.contract_id = r.contract_id and k.template_fqn = '${templateFqn(LICENSE_RENEWAL_REQUEST)}'
     left join lateral (
       select named.contract_id, named.payload
       from (select c.* from contract c
             where r.ended_at is null and c.payload #>> '{allocation,settlement,settlementRef,id}' = k.payload ->> 'requestId'
               and c.archived_at_offset is null and not c.divulged_only
             offset 0) as named
       where named.template_fqn = '${templateFqn(ALLOCATION)}'
         and named.payload #>> '{allocation,transferLeg,sender}' = r.app_user
       order by named.created_at_offset desc, named.created_node_id desc limit ${STORE_LIMITS.allocationsMax}
     ) as a on true
   order by coalesce(r.ended_at, 'infinity') desc, r.id`,
);

/** Numbers of tries have no gaps, so reading the first few numbers finds every try. */
const TRIED = statement<{
  prefix: string;
  number: number;
  state: string;
  finished_at: string | null;
}>(
  'tried-steps',
  `select p.prefix, n as number, c.state, c.finished_at
   from unnest($2::text[]) as p(prefix) cross join generate_series(1, ${LIMITS.subscriptionStepsMax}) as n
     join change c on c.act_as = $1 and c.command_id = p.prefix || n
   order by p.prefix, n`,
);

/** See `Subscriptions.facts`. */
export async function readFacts(
  session: Session,
  license: LifecycleId,
): Promise<LicenseFacts | null> {
  const [found] = await session.run(LICENSE, [license]);
  if (found === undefined || found.expires_at === null) return null;
  const rows = await session.run(RENEWALS, [license, found.lane]);
  const byId = Map.groupBy(rows, (row) => row.id);
  const renewals = [...byId].map(([id, [first, ...more]]): RenewalFact => {
    const all = first === undefined ? [] : [first, ...more];
    return {
      renewalId: trusted<LifecycleId>(id),
      state: first?.state ?? '',
      endedAt: first?.ended_at ?? null,
      settleBefore: first?.settle_before ?? '',
      payload: first?.payload ?? {},
      allocations: all.flatMap(({ allocation_id: contractId, allocation: view }) =>
        contractId === null || view === null
          ? []
          : [{ contractId: trusted<ContractId>(contractId), view }],
      ),
    };
  });
  return {
    expiresAt: found.expires_at,
    createdAt: found.created_at,
    endedAt: found.ended_at,
    isUnderWay: found.is_under_way,
    renewals,
  };
}

/** See `Subscriptions.tried`. */
export async function readTried(
  session: Session,
  provider: Party,
  prefixes: readonly string[],
): Promise<ReadonlyMap<string, readonly Tried[]>> {
  const rows = await session.run(TRIED, [provider, prefixes]);
  const byPrefix = Map.groupBy(rows, (row) => row.prefix);
  return new Map(
    [...byPrefix].map(([prefix, of]) => [
      prefix,
      of.map(({ number, state, finished_at: finishedAt }) => ({
        number,
        isFailed: finishedAt !== null && state !== 'succeeded',
        finishedAt,
      })),
    ]),
  );
}
