import type { Allocation, LifecycleView, RenewalView } from '../../app/ports/views.ts';
import type { Tx } from '../../app/ports/transaction.ts';
import type { ContractId, UpdateId } from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import type { JsonRecord } from '../../domain/json.ts';
import { textAt } from '../../domain/json.ts';
import { templateFqn } from '../../domain/ledger.ts';
import { ALLOCATION } from '../../domain/licensing.ts';
import { LIMITS } from '../../domain/limits.ts';
import { STORE_LIMITS } from '../limits.ts';
import { isoToMs } from '../../domain/time.ts';
import type { LifecycleRow } from '../rows/lifecycle-row.ts';
import { LIFECYCLE_COLUMNS, lifecycleFromRow } from '../rows/lifecycle-row.ts';
import type { Session } from '../sql/session.ts';
import { columnsOf, statement } from '../sql/statement.ts';

/*
 * Licences, their renewals and the allocations that pay for them are separate contracts. A renewal's row names its
 * licence as its origin, but its contract names only provider, user and number, which several licences may share.
 * Without an origin, a renewal is therefore shown with each of them. An allocation names its renewal by the ID of the
 * request, and is made by the same user.
 */

const ALLOCATION_FQN = templateFqn(ALLOCATION);

/**
 * The limit makes PostgreSQL run one look-up for each licence. With a free join, a plan made while there were few
 * renewals would read all renewals for every page. Renewals whose window closes last come first, so open ones come
 * before closed ones.
 */
export const RENEWALS = statement<
  LifecycleRow & { readonly of_license: string; readonly payload: JsonRecord }
>(
  'renewals',
  `select n.id as of_license, ${columnsOf('l', LIFECYCLE_COLUMNS)}, l.payload
   from json_to_recordset($1::json) as n(id text, provider text, app_user text, license_num bigint)
     cross join lateral (
       select l.*, k.payload
       from (select r.* from lifecycle r
             where r.provider = n.provider and r.app_user = n.app_user and r.license_num = n.license_num
               and r.kind = 'renewal' and r.ended_at is null and coalesce(r.origin_id, n.id) = n.id
             order by r.context ->> 'settleBefore' collate "C" desc limit ${LIMITS.renewalsShownMax}) as l
         join contract k on k.contract_id = l.contract_id
         join template t on t.template_fqn = k.template_fqn and t.payload_type = 'template'
     ) as l`,
);

/**
 * `offset 0` keeps the condition on the template out of the index look-up. Otherwise statistics from before the first
 * allocation would make PostgreSQL expect fewer rows for all allocations than for one request.
 */
export const ALLOCATIONS = statement<{ renewal: string; contract_id: string; payload: JsonRecord }>(
  'allocations',
  `select r.contract_id as renewal, a.contract_id, a.payload
   from json_to_recordset($1::json) as r(contract_id text, request_id text, sender text)
     cross join lateral (
       select named.contract_id, named.payload
       from (select c.* from contract c
             where c.payload #>> '{allocation,settlement,settlementRef,id}' = r.request_id
               and c.archived_at_offset is null and not c.divulged_only
             offset 0) as named
       where named.template_fqn = '${ALLOCATION_FQN}'
         and named.payload #>> '{allocation,transferLeg,sender}' = r.sender
       order by named.created_at_offset desc, named.created_node_id desc limit ${STORE_LIMITS.allocationsMax}
     ) as a`,
);

type Bare = Pick<LifecycleView, 'lifecycle' | 'payload'>;

/** Adds to each entry the allocations that name its request. */
async function withAllocations(
  session: Session,
  renewals: readonly Bare[],
): Promise<RenewalView[]> {
  const asked = renewals.map(({ lifecycle, payload }) => ({
    contract_id: lifecycle.contractId,
    request_id: textAt(payload, 'requestId') ?? '',
    sender: lifecycle.appUser,
  }));
  const rows = asked.length === 0 ? [] : await session.run(ALLOCATIONS, [JSON.stringify(asked)]);
  const byRenewal = Map.groupBy(rows, (row) => row.renewal);
  return renewals.map((renewal) => ({
    ...renewal,
    endedBy: null,
    allocations: (byRenewal.get(renewal.lifecycle.contractId) ?? []).map((row) => ({
      contractId: trusted<ContractId>(row.contract_id),
      view: row.payload,
      isActive: true,
    })),
  }));
}

const requestedMs = ({ payload }: Bare): number => isoToMs(textAt(payload, 'requestedAt') ?? '');

async function renewalsOf(
  session: Session,
  licenses: readonly Bare[],
): Promise<ReadonlyMap<string, readonly RenewalView[]>> {
  if (licenses.length === 0) return new Map();
  const numbers = licenses.map(({ lifecycle }) => ({
    id: lifecycle.id,
    provider: lifecycle.provider,
    app_user: lifecycle.appUser,
    license_num: String(lifecycle.licenseNum),
  }));
  const rows = await session.run(RENEWALS, [JSON.stringify(numbers)]);
  const found = new Map(
    rows.map((row) => [row.id, { lifecycle: lifecycleFromRow(row), payload: row.payload }]),
  );
  const inOrder = [...found.values()].toSorted((a, b) => requestedMs(a) - requestedMs(b));
  const renewals = await withAllocations(session, inOrder);
  const licensesOf = Map.groupBy(rows, ({ id }) => id);
  const byLicense = new Map<string, RenewalView[]>(
    licenses.map(({ lifecycle }) => [lifecycle.id, []]),
  );
  for (const renewal of renewals) {
    for (const row of licensesOf.get(renewal.lifecycle.id) ?? []) {
      byLicense.get(row.of_license)?.push(renewal);
    }
  }
  return byLicense;
}

/** The last history line of each ended lifecycle, if an update of the ledger wrote that line. */
const ENDINGS = statement<{ id: string; update_id: string }>(
  'endings',
  `select r.id, h.update_id
   from json_to_recordset($1::json) as r(id text, version integer)
     cross join lateral (
       select h.update_id from history h
       where h.lifecycle_id = r.id and h.seq = r.version and h.update_id is not null
       order by h.n desc limit 1
     ) as h`,
);

async function endingsOf(
  session: Session,
  views: readonly Bare[],
): Promise<ReadonlyMap<string, UpdateId>> {
  const ended = views.flatMap(({ lifecycle: { id, version, endedAt } }) =>
    endedAt === null ? [] : [{ id, version }],
  );
  const rows = ended.length === 0 ? [] : await session.run(ENDINGS, [JSON.stringify(ended)]);
  return new Map(rows.map((row) => [row.id, trusted<UpdateId>(row.update_id)]));
}

/** Adds renewals to licences, allocations to renewals and, to ended lifecycles, the update that ended them. */
export async function withSettlements(
  session: Session,
  views: readonly Bare[],
): Promise<LifecycleView[]> {
  const of = (kind: string) => views.filter(({ lifecycle }) => lifecycle.kind === kind);
  const ofLicenses = await renewalsOf(session, of('license'));
  const renewals = await withAllocations(session, of('renewal'));
  const endings = await endingsOf(session, views);
  const byId = new Map(renewals.map(({ lifecycle, allocations }) => [lifecycle.id, allocations]));
  return views.map((view) => ({
    ...view,
    renewals: ofLicenses.get(view.lifecycle.id) ?? [],
    allocations: byId.get(view.lifecycle.id) ?? [],
    endedBy: endings.get(view.lifecycle.id) ?? null,
  }));
}

const RENEWAL_PAYLOAD = statement<{ payload: JsonRecord }>(
  'renewal-payload',
  `select k.payload from contract k join template t on t.template_fqn = k.template_fqn
   where k.contract_id = $1 and t.payload_type = 'template'`,
);

const ALLOCATION_BY_ID = statement<{ payload: JsonRecord; is_active: boolean }>(
  'allocation-by-id',
  `select a.payload, a.archived_at_offset is null and not a.divulged_only as is_active
   from contract a where a.contract_id = $1 and a.template_fqn = '${ALLOCATION_FQN}'`,
);

/** Returns the renewal and the allocation of one settlement, so that they can be compared before submission. */
export async function findSettlement(
  session: Session,
  query: Parameters<Tx['settlement']>[0],
): ReturnType<Tx['settlement']> {
  const [[renewal], [allocation]] = await Promise.all([
    session.run(RENEWAL_PAYLOAD, [query.renewal]),
    session.run(ALLOCATION_BY_ID, [query.allocation]),
  ]);
  const found: Allocation | null =
    allocation === undefined
      ? null
      : {
          contractId: query.allocation,
          view: allocation.payload,
          isActive: allocation.is_active,
        };
  return { renewal: renewal?.payload ?? null, allocation: found };
}
