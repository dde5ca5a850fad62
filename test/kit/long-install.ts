import { NEWEST_MODEL } from '../../src/app/licensing/model.ts';
import type { Pool } from 'pg';
import type { ChangeId, ContractId, UpdateId } from '../../src/domain/ids.ts';
import { trusted, workflowIdOf } from '../../src/domain/ids.ts';
import type { CreatedEvent, ExercisedEvent, LedgerTransaction } from '../../src/domain/ledger.ts';
import { APP_INSTALL } from '../../src/domain/licensing.ts';
import type { LedgerSource, Ownership } from '../../src/doctor/evidence-source.ts';
import { PROVIDER, USER } from './store-rows.ts';

/*
 * One install whose contract has been replaced any number of times, each time by another change. The rows and the
 * ledger's updates are computed with the same formula, so they agree.
 */

const FQN = 'quickstart-licensing:Licensing.AppInstall:AppInstall';
const hex = (i: number): string => i.toString(16).padStart(68, '0');
const contractId = (i: number): ContractId => trusted<ContractId>(`00${hex(i)}`);
const changeId = (i: number): ChangeId =>
  trusted<ChangeId>(`00000000-0000-0000-0000-${i.toString(16).padStart(12, '0')}`);
const at = (i: number): string => new Date(Date.UTC(2026, 0, 1) + i * 1_000).toISOString();
const ID = `install-${contractId(0).slice(2, 42)}`;
/** Offsets are not consecutive, as on a ledger. */
const offsetOf = (i: number): number => 10 + 3 * i;

export const OWNERSHIP: Ownership = {
  projected: trusted('app-provider'),
  readAs: [PROVIDER],
  model: NEWEST_MODEL,
};

const payload = (i: number) => ({ provider: PROVIDER, user: USER, numLicensesCreated: String(i) });

/** Inserts the rows of a store that has followed `count` replacements of the contract. */
export async function fillLongInstall(pool: Pool, count: number): Promise<void> {
  const numbers = Array.from({ length: count }, (_, i) => i + 1);
  const end = BigInt(offsetOf(count));
  const insert = (table: string, rows: readonly object[]) =>
    pool.query(
      `insert into ${table} (${Object.keys(rows[0] ?? {})
        .map((name) => `"${name}"`)
        .join(', ')})
       select ${Object.keys(rows[0] ?? {})
         .map((name) => `r."${name}"`)
         .join(', ')} from json_populate_recordset(null::${table}, $1::json) r`,
      [JSON.stringify(rows)],
    );
  await insert('template', [
    {
      template_fqn: FQN,
      package_name: 'quickstart-licensing',
      module_name: 'Licensing.AppInstall',
      entity_name: 'AppInstall',
      payload_type: 'template',
    },
  ]);
  await insert(
    'query_store_offset',
    ['updates', 'completions:app-provider'].map((stream) => ({
      stream,
      offset: String(end),
      oldest_offset: offsetOf(0),
    })),
  );
  await insert('lifecycle', [
    {
      id: ID,
      kind: 'install',
      machine_version: 1,
      state: 'active',
      context: { numLicensesCreated: String(count) },
      lane: ID,
      provider: PROVIDER,
      app_user: USER,
      contract_id: contractId(count),
      version: 1 + 3 * count,
      created_at: at(0),
    },
  ]);
  await insert('mailbox', [{ lane: ID, next_no: count + 1, waiting: 0 }]);
  await insert(
    'contract',
    [0, ...numbers].map((i) => ({
      contract_id: contractId(i),
      template_fqn: FQN,
      payload: payload(i),
      signatories: [PROVIDER],
      observers: [USER],
      witnesses: [],
      divulged_only: false,
      package_id: 'p',
      package_name: 'quickstart-licensing',
      created_at_offset: offsetOf(i),
      created_node_id: i === 0 ? 0 : 1,
      created_effective_at: at(i),
      archived_at_offset: i === count ? null : offsetOf(i + 1),
      archived_node_id: i === count ? null : 0,
      archived_effective_at: i === count ? null : at(i + 1),
    })),
  );
  await insert(
    'lineage',
    [0, ...numbers].map((i) => ({ contract_id: contractId(i), lifecycle_id: ID })),
  );
  await insert(
    'ledger_update',
    numbers.map((i) => ({
      offset: offsetOf(i),
      update_id: `update-${i}`,
      record_time: at(i),
      effective_at: at(i),
      workflow_id: workflowIdOf(changeId(i)),
      command_id: `command-${i}`,
      synchronizer_id: 's',
    })),
  );
  await insert(
    'exercise',
    numbers.map((i) => ({
      offset: offsetOf(i),
      node_id: 0,
      contract_id: contractId(i - 1),
      template_fqn: FQN,
      choice: 'AppInstall_CreateLicense',
      argument: {},
      result: {},
      controllers: [PROVIDER],
      consuming: true,
      last_descendant_node_id: 1,
      effective_at: at(i),
      package_name: 'quickstart-licensing',
      witnesses: [],
    })),
  );
  const submitter = { participant: 'app-provider', ledger_user: 'backend', act_as: PROVIDER };
  await insert(
    'change',
    numbers.map((i) => ({
      id: changeId(i),
      command_id: `command-${i}`,
      operation: 'create-license',
      lifecycle_id: ID,
      lane: ID,
      mailbox_no: i,
      caller_party: PROVIDER,
      caller_subject: 'somebody',
      ...submitter,
      body: {},
      fixed: {},
      fingerprint: 'f',
      state: 'succeeded',
      accepted_at: at(i),
      finished_at: at(i),
      deduplication_offset: 1,
      attempts: 0,
      last_attempt_no: 1,
      accepted_update_id: `update-${i}`,
      accepted_offset: offsetOf(i),
      accepted_read_back: false,
      result: { status: 201, body: {} },
    })),
  );
  await insert(
    'attempt',
    numbers.map((i) => ({
      change_id: changeId(i),
      n: 1,
      submission_id: `submission-${i}`,
      ...submitter,
      contract_id: contractId(i - 1),
      at: at(i),
      answered_at: at(i),
      verdict: 'accepted',
      explanation: 'the ledger accepted the command',
      answer_offset: offsetOf(i),
    })),
  );
  await insert(
    'effect',
    numbers.map((i) => ({
      id: `fx-${i}`,
      change_id: changeId(i),
      due_at: at(i),
      dispatch_no: 1,
      done_at: at(i),
    })),
  );
  const line = (seq: number, kind: string, state: string, of: number, caller: boolean) => ({
    lifecycle_id: ID,
    seq,
    n: 1,
    at: at(of),
    kind,
    state,
    by: caller ? PROVIDER : null,
    command_id: caller ? `command-${of}` : null,
    ledger_offset: caller ? null : offsetOf(of),
    update_id: caller ? null : `update-${of}`,
    contract_id: contractId(kind === 'install.createLicense' ? of - 1 : of),
    detail: {},
  });
  await insert('history', [
    line(1, 'ledger.created', 'active', 0, false),
    ...numbers.flatMap((i) => [
      line(3 * i - 1, 'install.createLicense', 'creatingLicense', i, true),
      line(3 * i, 'ledger.installReplaced', 'creatingLicense', i, false),
      line(3 * i + 1, 'command.succeeded', 'active', i, true),
    ]),
  ]);
  await pool.query('analyze');
}

function transactionOf(i: number): LedgerTransaction {
  const parties = { signatories: [PROVIDER], observers: [USER], witnesses: [] };
  const exercised: ExercisedEvent = {
    kind: 'exercised',
    nodeId: 0,
    lastDescendantNodeId: 1,
    contractId: contractId(i - 1),
    template: APP_INSTALL,
    packageId: 'p',
    choice: 'AppInstall_CreateLicense',
    argument: {},
    result: {},
    consuming: true,
    actingParties: [PROVIDER],
    witnesses: [],
  };
  const created: CreatedEvent = {
    kind: 'created',
    nodeId: 1,
    contractId: contractId(i),
    template: APP_INSTALL,
    packageId: 'p',
    payload: payload(i),
    views: [],
    ...parties,
  };
  return {
    kind: 'transaction',
    offset: BigInt(offsetOf(i)),
    updateId: trusted<UpdateId>(`update-${i}`),
    commandId: `command-${i}`,
    workflowId: workflowIdOf(changeId(i)),
    effectiveAt: at(i),
    recordTime: at(i),
    synchronizerId: 's',
    events: [exercised, created],
  };
}

/** Returns the ledger from which the rows of {@link fillLongInstall} would have been projected. */
export function ledgerOfLongInstall(count: number): LedgerSource {
  return {
    participants: [trusted('app-provider')],
    types: [FQN],
    async *updates(after, upTo) {
      for (let i = 1; i <= count; i += 1) {
        const offset = BigInt(offsetOf(i));
        if (offset > after && offset <= upTo) yield transactionOf(i);
      }
    },
    async *completions() {
      for (let i = 1; i <= count; i += 1) {
        yield {
          kind: 'completion',
          participant: trusted('app-provider'),
          offset: BigInt(offsetOf(i)),
          commandId: `command-${i}`,
          submissionId: trusted(`submission-${i}`),
          ledgerUser: 'backend',
          actAs: [PROVIDER],
          updateId: trusted(`update-${i}`),
          answer: null,
          times: new Map(),
        };
      }
    },
    async *activeContracts() {
      const [, created] = transactionOf(count).events;
      if (created?.kind !== 'created') return;
      yield {
        created,
        createdAtOffset: BigInt(offsetOf(count)),
        createdAt: at(count),
        synchronizerId: 's',
      };
    },
  };
}
