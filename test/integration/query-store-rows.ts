import { Client, type QueryResultRow } from 'pg';
import { columnTypes } from '../../src/store/sql/column-types.ts';
import { testDatabase } from '../kit/postgres.ts';

export const LICENSE = 'licensing:Licensing.License:License';
export const INSTALL = 'licensing:Licensing.Install:Install';
export const NOTE = 'licensing:Licensing.Note:Note';
export const REQUEST = 'splice-api:Splice.Api:AllocationRequest';

export interface ContractRow {
  readonly id: string;
  readonly fqn: string;
  readonly at: number;
  readonly payload?: object;
  readonly archivedAt?: number;
  readonly divulged?: boolean;
}

/**
 * A query store for one test, on a single connection, because the offsets that a session pins are valid for its
 * connection.
 */
export interface StoreSession extends AsyncDisposable {
  readonly url: string;
  rows<Row extends QueryResultRow>(sql: string, ...values: unknown[]): Promise<Row[]>;
  /** Returns the first column of a query, sorted as text. */
  column(sql: string, ...values: unknown[]): Promise<unknown[]>;
  /** Returns the first column of the only row. */
  value(sql: string, ...values: unknown[]): Promise<unknown>;
  addContract(contract: ContractRow): Promise<void>;
}

/** Returns the time of an offset in these tests: offset 7 is seven minutes after midnight. */
const at = (parameter: string) =>
  `timestamptz '2026-01-01 00:00Z' + make_interval(mins => ${parameter}::int)`;

export async function emptyStore(): Promise<StoreSession> {
  const database = await testDatabase('pristine');
  const client = new Client({ connectionString: database.url, types: columnTypes });
  await client.connect();
  const rows = async <Row extends QueryResultRow>(sql: string, ...values: unknown[]) =>
    (await client.query<Row>(sql, values)).rows;
  const column = async (sql: string, ...values: unknown[]): Promise<unknown[]> => {
    const result = await client.query<unknown[]>({ text: sql, values, rowMode: 'array' });
    const first = result.rows.map((row) => row[0]);
    return first.sort((a, b) => (String(a) < String(b) ? -1 : 1));
  };
  return {
    url: database.url,
    rows,
    column,
    value: async (sql, ...values) => (await column(sql, ...values))[0],
    addContract: (contract) => addContract(client, contract),
    [Symbol.asyncDispose]: async () => {
      await client.end();
      await database[Symbol.asyncDispose]();
    },
  };
}

/**
 * A store with a short history, by offset:
 *
 * - 10: License lic-1 (p1, u1) is created
 * - 11: License lic-2 (p1, u2) is created, which has an interface view
 * - 12: Install ins-1 (p1, u1) is created
 * - 13: License_Expire on lic-1, which ends it
 * - 14: Install ins-x is created, whose stakeholders do not include our parties: they only see it in a transaction
 * - 15: Note note-1 is created and ended, in one transaction
 * - 16: a transaction of which our parties see only an exercise on lic-2, which does not end lic-2
 *
 * At offset 9 the projection was started from the active contracts; offset 20 is a checkpoint.
 */
export async function storeWithHistory(): Promise<StoreSession> {
  const store = await emptyStore();
  await addTemplates(store);
  for (let offset = 10; offset <= 16; offset += 1) {
    await store.rows(
      `insert into ledger_update ("offset", update_id, record_time, effective_at, synchronizer_id)
       values ($1::bigint, 'update-' || $1::bigint, ${at('$1::bigint')}, ${at('$1::bigint')}, 'sync')`,
      offset,
    );
  }
  const ofUser = (user: string) => ({ provider: 'p1', user });
  await store.addContract({
    id: 'lic-1',
    fqn: LICENSE,
    at: 10,
    archivedAt: 13,
    payload: ofUser('u1'),
  });
  await store.addContract({ id: 'lic-2', fqn: LICENSE, at: 11, payload: ofUser('u2') });
  await store.addContract({ id: 'lic-2', fqn: REQUEST, at: 11 });
  await store.addContract({ id: 'ins-1', fqn: INSTALL, at: 12, payload: ofUser('u1') });
  await store.addContract({ id: 'ins-x', fqn: INSTALL, at: 14, divulged: true });
  await store.addContract({ id: 'note-1', fqn: NOTE, at: 15, archivedAt: 15 });
  await addExercise(store, 13, 'lic-1', LICENSE, 'License_Expire');
  await addExercise(store, 15, 'note-1', NOTE, 'Archive');
  await addExercise(store, 16, 'lic-2', LICENSE, 'Archive');
  await store.rows(
    `insert into query_store_offset (stream, "offset", oldest_offset)
     values ('updates', 20, 9), ('completions:app-provider', 31, 0)`,
  );
  return store;
}

async function addTemplates(store: StoreSession): Promise<void> {
  const templates = [LICENSE, INSTALL, NOTE, 'licensing:Licensing.Comment:Comment'];
  // Two packages, each with a template of the same name in a module of the same name.
  templates.push('billing:Billing:Invoice', 'billing-old:Billing:Invoice');
  for (const fqn of [...templates, REQUEST]) {
    await store.rows(
      `insert into template (template_fqn, package_name, module_name, entity_name, payload_type)
       values ($1, split_part($1, ':', 1), split_part($1, ':', 2), split_part($1, ':', 3), $2)`,
      fqn,
      fqn === REQUEST ? 'interface' : 'template',
    );
  }
}

async function addContract(client: Client, contract: ContractRow): Promise<void> {
  await client.query(
    `insert into contract (contract_id, template_fqn, payload, signatories, observers, witnesses, divulged_only,
       package_id, package_name, created_at_offset, created_node_id, created_effective_at,
       archived_at_offset, archived_node_id, archived_effective_at)
     values ($1, $2, $3, '{p1}', '{u1,p1}', '{p1}', $4, 'pkg', split_part($2, ':', 1),
       $5::bigint, 0, ${at('$5::bigint')}, $6::bigint, $7, ${at('$6::bigint')})`,
    [
      contract.id,
      contract.fqn,
      contract.payload ?? {},
      contract.divulged ?? false,
      contract.at,
      contract.archivedAt ?? null,
      contract.archivedAt === undefined ? null : 1,
    ],
  );
}

async function addExercise(
  store: StoreSession,
  offset: number,
  contractId: string,
  fqn: string,
  choice: string,
): Promise<void> {
  await store.rows(
    `insert into exercise ("offset", node_id, contract_id, template_fqn, choice, argument, result, controllers,
       consuming, last_descendant_node_id, effective_at, package_name, witnesses)
     values ($1::bigint, 0, $2, $3, $4, '{"reason": "over"}', '{}', '{p1}', $5, 2, ${at('$1::bigint')},
       split_part($3, ':', 1), '{p1}')`,
    offset,
    contractId,
    fqn,
    choice,
    contractId !== 'lic-2',
  );
}
