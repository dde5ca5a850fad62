import type { Standstill } from '../../domain/standstill.ts';
import type { BulkAct, BulkAction } from '../../app/desk/bulk-acts.ts';
import type { ChangeFilter } from '../../app/desk/change-search.ts';
import type { DoubtDecision } from '../../app/desk/decide-doubt.ts';
import type { OpsScope } from '../../app/ports/ops-scope.ts';
import type { Generated, Selectable } from 'kysely';
import type {
  AttemptAnswer,
  ChangeResult,
  ChangeState,
  Wait,
  WaitingFor,
} from '../../domain/change.ts';
import type { CircuitReason, PauseMode, PauseScope } from '../../domain/pause.ts';
import type { PolicyName, TimerKind } from '../../domain/automatic.ts';
import type { ExpiryMode, QuietHours } from '../../domain/expiry-policy.ts';
import type { Json, JsonRecord } from '../../domain/json.ts';
import type { LifecycleKind } from '../../domain/lifecycle.ts';
import type { ProblemDetails } from '../../domain/problems.ts';
import type { DeliveryState } from '../../domain/webhook.ts';

/*
 * The tables as queries see them, column by column as `columnTypes` reads them: `int8` is a bigint, a time is ISO 8601
 * text with microseconds. Which row stands for what in the domain is said in `rows/`, once per table.
 */

/** ISO 8601 in UTC, with as many of six digits of fraction as it needs. */
type Instant = string;

export interface LifecycleTable {
  id: string;
  kind: LifecycleKind;
  machine_version: number;
  state: string;
  context: JsonRecord;
  lane: string;
  provider: string;
  app_user: string;
  contract_id: string;
  license_num: bigint | null;
  expires_at: Instant | null;
  version: number;
  created_at: Instant;
  ended_at: Instant | null;
  list_no: Generated<bigint>;
}

export interface LineageTable {
  contract_id: string;
  lifecycle_id: string;
}

export interface MailboxTable {
  lane: string;
  head: string | null;
  next_no: number;
  waiting: number;
}

export interface ChangeTable {
  id: string;
  command_id: string;
  operation: string;
  lifecycle_id: string | null;
  lane: string;
  mailbox_no: number;
  caller_party: string;
  caller_subject: string;
  provider: Generated<string>;
  app_user: Generated<string>;
  participant: string;
  ledger_user: string;
  act_as: string;
  body: JsonRecord;
  fixed: Generated<JsonRecord>;
  fingerprint: string;
  traceparent: string | null;
  state: ChangeState;
  accepted_at: Instant;
  finished_at: Instant | null;
  deduplication_offset: bigint;
  attempts: number;
  last_attempt_no: Generated<number>;
  paid_cost: Generated<bigint | null>;
  unpriced_attempts: Generated<number | null>;
  accepted_update_id: string | null;
  accepted_offset: bigint | null;
  accepted_read_back: boolean | null;
  verify_at: bigint | null;
  proof_at: Instant | null;
  pending_refusal: ProblemDetails | null;
  waiting_for: WaitingFor | null;
  retrying_for: Wait | null;
  result: ChangeResult | null;
  error: ProblemDetails | null;
  failure: string | null;
  outcome: Generated<string | null>;
  policy: Generated<PolicyName | null>;
  duplicate_no: Generated<number>;
}

export interface ForeignLedgerTable {
  stream: string;
  participant: string;
  reason: string;
  since: Generated<Instant>;
}

export interface AttemptTable {
  change_id: string;
  n: number;
  submission_id: string;
  participant: string;
  ledger_user: string;
  act_as: string;
  contract_id: string | null;
  at: Instant;
  answered_at: Instant | null;
  verdict: AttemptAnswer['verdict'] | null;
  ledger_code: string | null;
  explanation: string | null;
  answer_offset: bigint | null;
  cost: bigint | null;
  over_at: Instant | null;
  proven_at: Instant | null;
  unsent: Generated<boolean>;
  unsent_tries: Generated<number>;
  unsent_since: Instant | null;
}

export interface EffectTable {
  id: string;
  change_id: string;
  due_at: Instant;
  dispatch_no: Generated<number>;
  done_at: Instant | null;
  made_at: Generated<Instant>;
  held_at: Instant | null;
}

export interface PauseTable {
  id: Generated<string>;
  scope: PauseScope;
  name: string;
  mode: PauseMode;
  since: Generated<Instant>;
  by_party: string;
  by_subject: string;
  reason: string;
}

export interface BulkActTable {
  id: string;
  action: BulkAction;
  decision: DoubtDecision | null;
  scope: OpsScope['of'];
  filter: ChangeFilter;
  reason: string;
  by_party: string;
  by_subject: string;
  by_name: string;
  tenant_id: string;
  state: 'previewed' | BulkAct['state'];
  count: number;
  token_hash: string | null;
  previewed_at: Generated<Instant>;
  expires_at: Instant;
  applied_at: Instant | null;
  finished_at: Instant | null;
}

export interface CircuitTable {
  participant: string;
  level: number;
  delay_ms: number;
  since: Instant;
  until: Instant;
  ledger_code: string;
  reason: CircuitReason;
  probe: boolean;
  probed_at: Instant | null;
  probe_effect: string | null;
}

export interface SilenceTable {
  participant: string;
  since: Instant;
}

export interface HistoryTable {
  lifecycle_id: string;
  seq: number;
  n: number;
  at: Instant;
  kind: string;
  state: string;
  by: string | null;
  command_id: string | null;
  ledger_offset: bigint | null;
  update_id: string | null;
  contract_id: string | null;
  detail: JsonRecord;
}

export interface AuditTable {
  id: Generated<bigint>;
  at: Instant;
  by_party: string;
  by_subject: string;
  act: string;
  change_id: string | null;
  subject: string | null;
  from_state: ChangeState | null;
  to_state: ChangeState | null;
  reason: string;
  detail: JsonRecord;
}

export interface ExpiryPolicyTable {
  provider: string;
  mode: ExpiryMode;
  grace: string;
  grace_ms: bigint;
  include_never_renewed: boolean;
  quiet_hours: QuietHours[];
  paused: boolean;
  max_in_flight: number;
  version: number;
}

export interface RenewalPolicyTable {
  provider: string;
  complete: boolean;
  withdraw_lapsed: boolean;
  version: number;
}

export interface TimerTable {
  lifecycle_id: string;
  kind: TimerKind;
  provider: string;
  lapses_at: Instant;
  open_until: Instant | null;
  never_renewed: boolean;
  generation: Generated<number>;
  failures: Generated<number>;
  not_before: Instant | null;
  change_id: string | null;
  given_up: Generated<boolean>;
}

export interface EventTable {
  seq: bigint;
  at: Instant;
  type: string;
  subject: string;
  lifecycle_id: string | null;
  parties: string[];
  data: JsonRecord;
}

export interface WebhookTable {
  id: string;
  party: string;
  created_by: string;
  url: string;
  types: string[];
  secret: string;
  previous_secret: string | null;
  previous_secret_until: Instant | null;
  after_seq: bigint;
  is_enabled: boolean;
  disabled_reason: string | null;
  created_at: Generated<Instant>;
  failures: number;
  failing_since: Instant | null;
  not_before: Generated<Instant>;
  tenant_id: string | null;
  failed_at: Instant | null;
}

export interface DeliveryTable {
  id: Generated<string>;
  webhook_id: string;
  message_id: string;
  type: string;
  body: string;
  state: DeliveryState;
  attempts: number;
  created_at: Generated<Instant>;
  due_at: Generated<Instant>;
  finished_at: Instant | null;
  last_at: Instant | null;
  last_ms: number | null;
  last_status: number | null;
  last_error: string | null;
}

export interface AlarmTable {
  change_id: string;
  kind: Wait;
  since: Instant;
  detail: string;
  raised_at: Generated<Instant>;
}

export interface LeaseTable {
  name: string;
  holder: string;
  epoch: bigint;
  expires_at: Instant;
}

export interface QueryStoreOffsetTable {
  stream: string;
  offset: bigint;
  oldest_offset: bigint;
  update_id: string | null;
  record_time: Instant | null;
  /** Record times by synchronizer, and those at which persons have given synchronizers up. */
  synchronizer_times: Readonly<Record<string, string>>;
  given_up: Readonly<Record<string, string>>;
  clock_apart_ms: bigint | null;
  /** Milliseconds by synchronizer. */
  clocks_apart: Readonly<Record<string, number>>;
}

export interface StandstillTable {
  participant: string;
  kind: Standstill['kind'];
  since: Instant;
  detail: string;
}

export interface LedgerUpdateTable {
  offset: bigint;
  update_id: string;
  record_time: Instant;
  effective_at: Instant | null;
  workflow_id: string | null;
  command_id: string | null;
  synchronizer_id: string;
}

export interface TemplateTable {
  template_fqn: string;
  package_name: string;
  module_name: string;
  entity_name: string;
  payload_type: 'template' | 'interface';
}

export interface ContractTable {
  contract_id: string;
  template_fqn: string;
  payload: JsonRecord;
  signatories: string[];
  observers: string[];
  witnesses: string[];
  divulged_only: boolean;
  package_id: string;
  package_name: string;
  created_at_offset: bigint;
  created_node_id: number;
  created_effective_at: Instant;
  archived_at_offset: bigint | null;
  archived_node_id: number | null;
  archived_effective_at: Instant | null;
  created_event_blob: Buffer | null;
}

export interface ExerciseTable {
  offset: bigint;
  node_id: number;
  contract_id: string;
  template_fqn: string;
  choice: string;
  argument: Json;
  result: Json;
  controllers: string[];
  consuming: boolean;
  last_descendant_node_id: number;
  effective_at: Instant;
  package_name: string;
  witnesses: string[];
}

export interface ChoiceTable {
  template_fqn: string;
  choice: string;
}

export interface MigrationTable {
  number: number;
  name: string;
  sha256: string;
  applied_at: Generated<Instant>;
}

export interface Database {
  lifecycle: LifecycleTable;
  lineage: LineageTable;
  mailbox: MailboxTable;
  change: ChangeTable;
  attempt: AttemptTable;
  effect: EffectTable;
  pause: PauseTable;
  circuit: CircuitTable;
  silence: SilenceTable;
  bulk_act: BulkActTable;
  history: HistoryTable;
  audit: AuditTable;
  expiry_policy: ExpiryPolicyTable;
  renewal_policy: RenewalPolicyTable;
  timer: TimerTable;
  alarm: AlarmTable;
  event: EventTable;
  webhook: WebhookTable;
  delivery: DeliveryTable;
  lease: LeaseTable;
  foreign_ledger: ForeignLedgerTable;
  query_store_offset: QueryStoreOffsetTable;
  standstill: StandstillTable;
  ledger_update: LedgerUpdateTable;
  template: TemplateTable;
  contract: ContractTable;
  exercise: ExerciseTable;
  choice: ChoiceTable;
  migration: MigrationTable;
}

/** What a select of a table's every column gives. */
export type Row<Table extends keyof Database> = Selectable<Database[Table]>;
