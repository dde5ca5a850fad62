import type { Pool } from 'pg';
import type { NewCursor, RebuildTx, Rebuilds } from '../../app/ports/rebuilds.ts';
import type { Change } from '../../domain/change.ts';
import type { ContractId, LaneId, LifecycleId, Party } from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import type { JsonRecord } from '../../domain/json.ts';
import type { ActiveContract } from '../../domain/ledger.ts';
import { BEGIN_OF_TIME } from '../../domain/ledger.ts';
import { OWNER } from './cursors.ts';
import { createTx } from './postgres-store.ts';
import { isDivulgedOnly, sendActiveContracts } from './projection.ts';
import type { ChangeRow } from '../rows/change-row.ts';
import { CHANGE_COLUMNS, changeFromRow } from '../rows/change-row.ts';
import type { LifecycleRow } from '../rows/lifecycle-row.ts';
import { LIFECYCLE_COLUMNS, lifecycleFromRow } from '../rows/lifecycle-row.ts';
import { contractToJson } from '../rows/projection-rows.ts';
import type { Session } from '../sql/session.ts';
import { bind } from '../sql/session.ts';
import { columnsOf, statement } from '../sql/statement.ts';
import { onConnection, transact } from '../sql/transact.ts';

/* Statements that only a rebuild needs: they compare all rows, and may move cursors back. */

/**
 * Corrects the rows of contracts that differ from the ledger, or that are archived here but active on the ledger.
 * Returns a row for each corrected contract, and a row with `is_known` false for each contract that is missing.
 */
const CORRECT_CONTRACTS = statement<{ is_known: boolean }>(
  'correct-contracts',
  `with told as materialized (
     select r.* from json_to_recordset($1::json) as r(
       contract_id text, template_fqn text, payload jsonb, signatories text[], observers text[],
       divulged_only boolean, package_id text)
   ), corrected as (
     update contract c
     set payload = t.payload, signatories = t.signatories, observers = t.observers, divulged_only = t.divulged_only,
         package_id = t.package_id, archived_at_offset = null, archived_node_id = null, archived_effective_at = null
     from told t
     where c.contract_id = t.contract_id and c.template_fqn = t.template_fqn
       and (c.archived_at_offset is not null
            or (c.payload, c.signatories, c.observers, c.divulged_only, c.package_id)
               is distinct from (t.payload, t.signatories, t.observers, t.divulged_only, t.package_id))
     returning 1
   )
   select true as is_known from corrected
   union all
   select false from told t
   where not exists (
     select from contract c where c.contract_id = t.contract_id and c.template_fqn = t.template_fqn)`,
);

const ACTIVE_CONTRACTS = statement<{ contract_id: string }>(
  'active-contracts',
  'select distinct contract_id from contract where archived_at_offset is null and not divulged_only',
);

const END_CONTRACTS = statement<never>(
  'end-contracts',
  `update contract set archived_at_offset = greatest($2, created_at_offset), archived_node_id = 0,
                       archived_effective_at = $3::timestamptz
   where contract_id = any($1) and archived_at_offset is null`,
);

const LIFECYCLES_OF = statement<LifecycleRow & { of_contract: string }>(
  'lifecycles-of',
  `select ${columnsOf('l', LIFECYCLE_COLUMNS)}, a.contract_id as of_contract
   from lineage a join lifecycle l on l.id = a.lifecycle_id where a.contract_id = any($1)`,
);

const STANDING = statement<{ id: string; lane: string; contract_id: string }>(
  'standing',
  'select id, lane, contract_id from lifecycle where ended_at is null',
);

const REOPEN = statement<never>(
  'reopen-lifecycles',
  'update lifecycle set ended_at = null where id = any($1) and ended_at is not null',
);

const OPEN_CHANGES = statement<ChangeRow>(
  'all-open-changes',
  `select ${columnsOf('c', CHANGE_COLUMNS)} from change c where c.finished_at is null`,
);

/** The recorded times of synchronizers must be confirmed again. People's decisions about synchronizers are kept. */
const RESET_CURSORS = statement<{ stream: string }>(
  'reset-cursors',
  `with ${OWNER}
   update query_store_offset o
   set "offset" = r."to", oldest_offset = r."to", replay_to = case when o.replay_to > r."to" then o.replay_to end,
       held_from = case when o.held_from is not null then greatest(o.held_from, r.pruned) end,
       update_id = (select u.update_id from ledger_update u where o.stream = 'updates' and u."offset" = r."to"),
       synchronizer_times = (
         select coalesce(jsonb_object_agg(s, '${BEGIN_OF_TIME}'), '{}') from jsonb_object_keys(o.synchronizer_times) s),
       given_up = (
         select coalesce(jsonb_object_agg(g.s, g.at), '{}') from jsonb_each_text(o.given_up) as g(s, at)
         where g.at::timestamptz >= (o.synchronizer_times ->> g.s)::timestamptz)
   from json_to_recordset($1::json) as r(stream text, "to" bigint, pruned bigint)
   where o.stream = r.stream and exists (select from owner)
   returning o.stream`,
);

const ASKED = statement<{ id: string; is_dry_run: boolean }>(
  'rebuild-asked',
  'select id, is_dry_run from rebuild where answered_at is null',
);

const ANSWER = statement<never>(
  'rebuild-answer',
  `update rebuild set answered_at = clock_timestamp(), report = $2::jsonb, error = $3
   where id = $1 and answered_at is null`,
);

/** The operations of a transaction that rebuilds. */
const OPERATIONS = {
  async correctContracts(
    session: Session,
    contracts: readonly ActiveContract[],
    readAs: readonly Party[],
  ): Promise<{ readonly added: number; readonly corrected: number }> {
    if (contracts.length === 0) return { added: 0, corrected: 0 };
    const readers = new Set(readAs);
    const rows = contracts.flatMap(({ created, createdAtOffset: offset, createdAt: effectiveAt }) =>
      contractToJson(created, { offset, effectiveAt }, isDivulgedOnly(created, readers)),
    );
    const touched = await session.run(CORRECT_CONTRACTS, [JSON.stringify(rows)]);
    sendActiveContracts(session, contracts, readAs);
    const corrected = touched.filter(({ is_known: isKnown }) => isKnown).length;
    return { added: touched.length - corrected, corrected };
  },
  async activeContracts(session: Session): Promise<ContractId[]> {
    const rows = await session.run(ACTIVE_CONTRACTS);
    return rows.map((row) => trusted<ContractId>(row.contract_id));
  },
  async endContracts(
    session: Session,
    contracts: readonly ContractId[],
    at: { readonly offset: bigint; readonly effectiveAt: string },
  ): Promise<void> {
    await session.run(END_CONTRACTS, [contracts, at.offset, at.effectiveAt]);
  },
  async lifecyclesOf(
    session: Session,
    contracts: readonly ContractId[],
  ): ReturnType<RebuildTx['lifecyclesOf']> {
    const rows = await session.run(LIFECYCLES_OF, [contracts]);
    return rows.map(({ of_contract: contractId, ...row }) => ({
      contractId: trusted<ContractId>(contractId),
      lifecycle: lifecycleFromRow(row),
    }));
  },
  async standing(session: Session): ReturnType<RebuildTx['standing']> {
    const rows = await session.run(STANDING);
    return rows.map((row) => ({
      id: trusted<LifecycleId>(row.id),
      lane: trusted<LaneId>(row.lane),
      contractId: trusted<ContractId>(row.contract_id),
    }));
  },
  async reopen(session: Session, ids: readonly LifecycleId[]): Promise<void> {
    if (ids.length > 0) await session.run(REOPEN, [ids]);
  },
  openChanges: async (session: Session): Promise<Change[]> =>
    (await session.run(OPEN_CHANGES)).map(changeFromRow),
  async resetCursors(
    session: Session,
    cursors: readonly NewCursor[],
    leaseEpoch: bigint,
  ): Promise<boolean> {
    const rows = cursors.map(({ stream, to, pruned }) => ({
      stream,
      to: String(to),
      pruned: pruned?.toString(),
    }));
    const reset = await session.run(RESET_CURSORS, [JSON.stringify(rows), leaseEpoch]);
    return reset.length === cursors.length;
  },
};

/** @param pool opened with `pipelined`; the caller closes it */
export const createRebuilds = (pool: Pool): Rebuilds => ({
  async asked(io) {
    const [row] = await onConnection(pool, io, (session) => session.run(ASKED), 'by-key');
    return row === undefined ? null : { id: row.id, isDryRun: row.is_dry_run };
  },
  async answer(id, answer, io) {
    const report: JsonRecord | null = 'report' in answer ? answer.report : null;
    const error = 'error' in answer ? answer.error : null;
    const values = [id, report === null ? null : JSON.stringify(report), error];
    await onConnection(pool, io, (session) => session.run(ANSWER, values));
  },
  transact: (io, work) =>
    transact(pool, io, (session) => work({ ...createTx(session), ...bind(session, OPERATIONS) })),
});
