import type { AppliedUpdate, Tx } from '../../app/ports/transaction.ts';
import { UPDATES_STREAM } from '../../app/ports/streams.ts';
import type { ContractId, Party, UpdateId } from '../../domain/ids.ts';
import { trusted, workflowIdOf } from '../../domain/ids.ts';
import type { Json, JsonRecord } from '../../domain/json.ts';
import type {
  ActiveContract,
  CreatedEvent,
  LedgerEvent,
  LedgerTransaction,
  TemplateName,
} from '../../domain/ledger.ts';
import { templateFqn } from '../../domain/ledger.ts';
import { STORE_LIMITS } from '../limits.ts';
import type { Session } from '../sql/session.ts';
import { statement } from '../sql/statement.ts';
import {
  archiveToJson,
  contractToJson,
  exerciseToJson,
  updateToJson,
} from '../rows/projection-rows.ts';

const INSERT_TEMPLATES_TEXT = `insert into template (template_fqn, package_name, module_name, entity_name, payload_type)
   select r.template_fqn, r.package_name, r.module_name, r.entity_name, r.payload_type
   from json_to_recordset($1::json) as r(
     template_fqn text, package_name text, module_name text, entity_name text, payload_type text)
   on conflict (template_fqn) do nothing`;

const INSERT_TEMPLATES = statement<never>('insert-templates', INSERT_TEMPLATES_TEXT);

/**
 * Skips contracts that exist already: the stream may repeat a contract of the snapshot from which the store started.
 */
const insertContracts = (json: string): string =>
  `insert into contract (contract_id, template_fqn, payload, signatories, observers, witnesses, divulged_only,
                         package_id, package_name, created_at_offset, created_node_id, created_effective_at)
   select r.contract_id, r.template_fqn, r.payload, r.signatories, r.observers, r.witnesses, r.divulged_only,
          r.package_id, r.package_name, r.created_at_offset, r.created_node_id, r.created_effective_at
   from json_to_recordset(${json}::json) as r(
     contract_id text, template_fqn text, payload jsonb, signatories text[], observers text[], witnesses text[],
     divulged_only boolean, package_id text, package_name text, created_at_offset bigint,
     created_node_id integer, created_effective_at timestamptz)
   on conflict (contract_id, template_fqn) do nothing`;

const INSERT_CONTRACTS = statement<never>('insert-contracts', insertContracts('$1'));

/**
 * Inserts the effects of updates, except archivals, in one statement, because each statement costs a message.
 * References to types are checked at the end of the statement. Duplicates are an error: an update that is already
 * stored would be applied twice, so the transaction must not commit. The stream's cursor names the newest of these
 * updates, whether the cursor is moved before or after this statement.
 */
const INSERT_UPDATES = statement<never>(
  'insert-updates',
  `with templates as (
     ${INSERT_TEMPLATES_TEXT}
   ), updates as (
     insert into ledger_update
       ("offset", update_id, record_time, effective_at, workflow_id, command_id, synchronizer_id)
     select r."offset", r.update_id, r.record_time, r.effective_at, r.workflow_id, r.command_id, r.synchronizer_id
     from json_to_recordset($2::json) as r(
       "offset" bigint, update_id text, record_time timestamptz, effective_at timestamptz, workflow_id text,
       command_id text, synchronizer_id text)
   ), contracts as (
     ${insertContracts('$3')}
   ), exercises as (
     insert into exercise ("offset", node_id, contract_id, template_fqn, choice, argument, result, controllers,
                           consuming, last_descendant_node_id, effective_at, package_name, witnesses)
     select r."offset", r.node_id, r.contract_id, r.template_fqn, r.choice, r.argument, r.result, r.controllers,
            r.consuming, r.last_descendant_node_id, r.effective_at, r.package_name, r.witnesses
     from json_to_recordset($4::json) as r(
       "offset" bigint, node_id integer, contract_id text, template_fqn text, choice text, argument jsonb,
       result jsonb, controllers text[], consuming boolean, last_descendant_node_id integer,
       effective_at timestamptz, package_name text, witnesses text[])
   )
   update query_store_offset set update_id = $6 where stream = '${UPDATES_STREAM}' and "offset" = $5`,
);

/**
 * Archives a contract together with its interface views. Keys are passed twice for PostgreSQL's planner: see `save.ts`.
 */
const ARCHIVE_CONTRACTS = statement<never>(
  'archive-contracts',
  `update contract c
   set archived_at_offset = r."offset", archived_node_id = r.node_id, archived_effective_at = r.effective_at
   from json_to_recordset($1::json) as r(
     contract_id text, "offset" bigint, node_id integer, effective_at timestamptz)
   where c.contract_id = r.contract_id and c.contract_id = any($2) and c.archived_at_offset is null`,
);

/**
 * Whether a created contract has no reading party as a stakeholder. Such a contract is stored but never active, because
 * the stream would not report its archival.
 */
export const isDivulgedOnly = (created: CreatedEvent, readAs: ReadonlySet<Party>): boolean =>
  ![...created.signatories, ...created.observers].some((party) => readAs.has(party));

type PayloadType = 'template' | 'interface';

const typeToJson = (name: TemplateName, payloadType: PayloadType) => ({
  template_fqn: templateFqn(name),
  package_name: name.packageName,
  module_name: name.moduleName,
  entity_name: name.entityName,
  payload_type: payloadType,
});

/** Returns the distinct types of the events. */
function typesOf(events: readonly LedgerEvent[]): readonly Record<string, Json>[] {
  const types = events.flatMap((event) => [
    typeToJson(event.template, 'template'),
    ...(event.kind === 'created'
      ? event.views.map((view) => typeToJson(view.interface, 'interface'))
      : []),
  ]);
  const known = new Map(types.map((type) => [type.template_fqn, type]));
  // Sorted, so that two transactions that insert the same new template cannot deadlock.
  return [...known.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

/**
 * Sends the effects of the transactions: created contracts, exercised choices, and contracts archived by consuming
 * choices. They are sent in the order of the stream, so that a contract that is created and archived in one batch is
 * stored as both.
 */
export function sendUpdates(
  session: Session,
  updates: readonly LedgerTransaction[],
  readAs: readonly Party[],
): void {
  const last = updates.at(-1);
  if (last === undefined) return;
  const readers = new Set(readAs);
  const creates: Record<string, Json>[] = [];
  const exercises: Record<string, Json>[] = [];
  const archives: ReturnType<typeof archiveToJson>[] = [];
  for (const update of updates) {
    for (const event of update.events) {
      if (event.kind === 'created') {
        const at = { offset: update.offset, effectiveAt: update.effectiveAt };
        creates.push(...contractToJson(event, at, isDivulgedOnly(event, readers)));
        continue;
      }
      exercises.push(exerciseToJson(event, update));
      if (event.consuming) archives.push(archiveToJson(event, update));
    }
  }
  const types = typesOf(updates.flatMap((update) => update.events));
  const json = [types, updates.map(updateToJson), creates, exercises].map((rows) =>
    JSON.stringify(rows),
  );
  session.send(INSERT_UPDATES, [...json, last.offset, last.updateId]);
  if (archives.length > 0) {
    const keys = archives.map((row) => row.contract_id);
    session.send(ARCHIVE_CONTRACTS, [JSON.stringify(archives), keys]);
  }
}

/** Sends the contracts of a snapshot. Contracts that are already stored are not changed. */
export function sendActiveContracts(
  session: Session,
  contracts: readonly ActiveContract[],
  readAs: readonly Party[],
): void {
  if (contracts.length === 0) return;
  const readers = new Set(readAs);
  const rows = contracts.flatMap(({ created, createdAtOffset: offset, createdAt: effectiveAt }) =>
    contractToJson(created, { offset, effectiveAt }, isDivulgedOnly(created, readers)),
  );
  const types = typesOf(contracts.map((contract) => contract.created));
  session.send(INSERT_TEMPLATES, [JSON.stringify(types)]);
  session.send(INSERT_CONTRACTS, [JSON.stringify(rows)]);
}

const APPLIED_UPDATE = statement<{
  offset: bigint;
  command_id: string | null;
  workflow_id: string | null;
}>(
  'applied-update',
  'select "offset", command_id, workflow_id from ledger_update where update_id = $1',
);

const UPDATES_CARRYING = statement<{ update_id: string }>(
  'updates-carrying',
  `select u.update_id from ledger_update u
   where u.workflow_id = $1 and coalesce(u.command_id, '') in ('', $2)
     and (exists (select from exercise e
                  where e."offset" = u."offset" and (e.controllers = '{}' or $3 = any(e.controllers)))
          or exists (select from contract c
                     where c.created_at_offset = u."offset" and (c.signatories = '{}' or $3 = any(c.signatories))))
   order by u."offset" limit $4`,
);

const APPLIED_CREATES = statement<{
  contract_id: string;
  template_fqn: string;
  payload: JsonRecord;
  signatories: string[];
}>(
  'applied-creates',
  `select c.contract_id, c.template_fqn, c.payload, c.signatories
   from contract c join template t on t.template_fqn = c.template_fqn
   where c.created_at_offset = (select u."offset" from ledger_update u where u.update_id = $1)
     and t.payload_type = 'template'
   order by c.created_node_id`,
);

const APPLIED_EXERCISES = statement<{
  contract_id: string;
  choice: string;
  result: Json;
  controllers: string[];
}>(
  'applied-exercises',
  `select e.contract_id, e.choice, e.result, e.controllers
   from exercise e
   where e."offset" = (select u."offset" from ledger_update u where u.update_id = $1)
   order by e.node_id`,
);

/** Returns the effects of an applied update; `null` if the projection does not have that update. */
export async function findAppliedUpdate(
  session: Session,
  updateId: UpdateId,
): Promise<AppliedUpdate | null> {
  const [[update], creates, exercises] = await Promise.all([
    session.run(APPLIED_UPDATE, [updateId]),
    session.run(APPLIED_CREATES, [updateId]),
    session.run(APPLIED_EXERCISES, [updateId]),
  ]);
  if (update === undefined) return null;
  return {
    updateId,
    offset: update.offset,
    commandId: update.command_id ?? '',
    workflowId: update.workflow_id ?? '',
    created: creates.map((row) => ({
      contractId: trusted<ContractId>(row.contract_id),
      templateFqn: row.template_fqn,
      payload: row.payload,
      signatories: row.signatories.map(trusted<Party>),
    })),
    exercised: exercises.map((row) => ({
      contractId: trusted<ContractId>(row.contract_id),
      choice: row.choice,
      result: row.result,
      actingParties: row.controllers.map(trusted<Party>),
    })),
  };
}

/** See `Tx.updatesCarrying`. Rows that earlier versions wrote have no parties. */
export async function findUpdatesCarrying(
  session: Session,
  { id, commandId, submitter }: Parameters<Tx['updatesCarrying']>[0],
): Promise<readonly UpdateId[]> {
  const values = [workflowIdOf(id), commandId, submitter.actAs, STORE_LIMITS.updatesCarryingMax];
  const rows = await session.run(UPDATES_CARRYING, values);
  return rows.map((row) => trusted<UpdateId>(row.update_id));
}
