import type { Generated, GeneratedAlways, Selectable } from 'kysely';
import type { BulkAct, BulkAction } from '../src/app/desk/bulk-acts.ts';
import type { DoubtDecision } from '../src/app/desk/decide-doubt.ts';
import type { FailureState } from '../src/app/desk/failure-list.ts';
import type { PaymentState } from '../src/app/ports/books.ts';
import type { KeptAnswer } from '../src/app/ports/kept-answers.ts';
import type { OpsScope } from '../src/app/ports/ops-scope.ts';
import type { AnswerClass } from '../src/domain/answer.ts';
import type { OriginName, PolicyName, TimerKind } from '../src/domain/automatic.ts';
import type { ChangeFilter } from '../src/domain/change-filter.ts';
import type {
  AttemptAnswer,
  ChangeResult,
  ChangeState,
  Wait,
  WaitingFor,
} from '../src/domain/change.ts';
import type { ExpiryMode, QuietHours } from '../src/domain/expiry-policy.ts';
import type { Json, JsonRecord } from '../src/domain/json.ts';
import type { LifecycleKind } from '../src/domain/lifecycle.ts';
import type { CircuitReason, Standstill } from '../src/domain/participant-health.ts';
import type { PauseMode, PauseScope } from '../src/domain/pause.ts';
import type { PlanTerms } from '../src/domain/plan.ts';
import type { ProblemCode, ProblemDetails } from '../src/domain/problems.ts';
import type { DeliveryState } from '../src/domain/webhook.ts';

/*
 * The tables as queries see them, column by column as `columnTypes` reads them: `int8` is a bigint, a time is ISO
 * 8601 text with microseconds. Which row stands for what in the domain is said in `rows/`, once per table.
 *
 * Made by scripts/write-schema.ts from a freshly migrated database; a test fails when it does not match. Never edited:
 * what a column holds beyond its SQL type is said in scripts/schema-types.ts.
 */

/** ISO 8601 in UTC, with as many of six digits of fraction as it needs. */
type Instant = string;

interface AlarmTable {
  change_id: string;
  kind: Wait;
  since: Instant;
  detail: string;
  raised_at: Generated<Instant>;
}

interface ArrivalTable {
  place: GeneratedAlways<bigint>;
  at: Generated<Instant>;
  events: JsonRecord[];
}

interface AttemptTable {
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
  session_of: string | null;
}

interface AuditTable {
  id: GeneratedAlways<bigint>;
  at: Instant;
  by_party: string;
  by_subject: string;
  act: string;
  change_id: string | null;
  from_state: ChangeState | null;
  to_state: ChangeState | null;
  reason: string;
  detail: JsonRecord;
  subject: string | null;
  of_party: string | null;
}

interface AuditChainTable {
  is_only: Generated<boolean>;
  last_seq: Generated<bigint>;
  last_hash: Generated<Buffer>;
  settled_id: Generated<bigint>;
  deleted_seq: Generated<bigint>;
  deleted_hash: Generated<Buffer>;
  deleted_until: Instant | null;
}

interface AuditLinkTable {
  seq: bigint;
  audit_id: bigint;
  hash: Buffer;
  chained_at: Generated<Instant>;
}

interface BookCursorTable {
  is_only: Generated<boolean>;
  read_to: Generated<bigint>;
  rebuilt_at: Instant | null;
  reminded_to: Instant | null;
}

interface BulkActTable {
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
  state: BulkAct['state'] | 'previewed';
  count: number;
  token_hash: string | null;
  previewed_at: Generated<Instant>;
  expires_at: Instant;
  applied_at: Instant | null;
  finished_at: Instant | null;
  worked_at: Instant | null;
}

interface BulkItemTable {
  act_id: string;
  n: number;
  change_id: string;
  state: Generated<string>;
  code: string | null;
  message: string | null;
  result_change_id: string | null;
  at: Instant | null;
}

interface CellTable {
  is_only: Generated<boolean>;
  id: string;
  made_at: Generated<Instant>;
}

interface CellClaimTable {
  is_only: Generated<boolean>;
  claimed_at: Instant;
}

interface CellMoveTable {
  is_only: Generated<boolean>;
  id: string;
  state: string;
  provider: string;
  address: string | null;
  clearance: string | null;
  clearance_sha256: string | null;
  receipt: string | null;
  began_at: Generated<Instant>;
  state_at: Generated<Instant>;
  closed_by: string | null;
  closed_because: string | null;
}

interface ChangeTable {
  id: string;
  command_id: string;
  operation: string;
  lifecycle_id: string | null;
  lane: string;
  mailbox_no: number;
  caller_party: string;
  caller_subject: string;
  participant: string;
  ledger_user: string;
  act_as: string;
  body: JsonRecord;
  fingerprint: string;
  state: ChangeState;
  accepted_at: Instant;
  finished_at: Instant | null;
  deduplication_offset: bigint;
  attempts: Generated<number>;
  last_attempt_no: Generated<number>;
  accepted_update_id: string | null;
  accepted_offset: bigint | null;
  accepted_read_back: boolean | null;
  verify_at: bigint | null;
  pending_refusal: ProblemDetails | null;
  waiting_for: WaitingFor | null;
  result: ChangeResult | null;
  error: ProblemDetails | null;
  fixed: Generated<JsonRecord>;
  traceparent: string | null;
  provider: Generated<string>;
  app_user: Generated<string>;
  failure: string | null;
  outcome: GeneratedAlways<string | null>;
  pruned_at: Instant | null;
  policy: GeneratedAlways<OriginName | null>;
  proof_at: Instant | null;
  paid_cost: bigint | null;
  unpriced_attempts: number | null;
  duplicate_no: Generated<number>;
  retrying_for: Wait | null;
}

interface ChoiceTable {
  template_fqn: string;
  choice: string;
}

interface CircuitTable {
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

interface ContractTable {
  contract_id: string;
  template_fqn: string;
  payload: JsonRecord;
  signatories: Generated<string[]>;
  observers: Generated<string[]>;
  witnesses: Generated<string[]>;
  divulged_only: Generated<boolean>;
  package_id: string;
  package_name: string;
  created_at_offset: bigint;
  created_node_id: number;
  created_effective_at: Instant;
  archived_at_offset: bigint | null;
  archived_node_id: number | null;
  archived_effective_at: Instant | null;
  created_event_blob: Buffer | null;
  origin_id: string | null;
}

interface CustomerTable {
  id: string;
  provider: string;
  party: string;
  name: string;
  short_name: string | null;
  emails: Generated<string[]>;
  time_zone: string | null;
  language: string | null;
  note: Generated<string>;
  external_references: Generated<Readonly<Record<string, string>>>;
  version: Generated<number>;
  created_at: Generated<Instant>;
  updated_at: Generated<Instant>;
}

interface DeliveryTable {
  id: Generated<string>;
  webhook_id: string;
  message_id: string;
  type: string;
  body: string;
  state: Generated<DeliveryState>;
  attempts: Generated<number>;
  created_at: Generated<Instant>;
  due_at: Generated<Instant>;
  finished_at: Instant | null;
  last_at: Instant | null;
  last_ms: number | null;
  last_status: number | null;
  last_error: string | null;
}

interface EffectTable {
  id: string;
  change_id: string;
  due_at: Instant;
  dispatch_no: Generated<number>;
  done_at: Instant | null;
  made_at: Generated<Instant>;
  held_at: Instant | null;
  put_off_by: string | null;
  provider: Generated<string>;
  party: Generated<string>;
}

interface EventTable {
  seq: bigint | null;
  at: Instant | null;
  type: string | null;
  subject: string | null;
  lifecycle_id: string | null;
  parties: string[] | null;
  data: JsonRecord | null;
}

interface EventArrivalTable {
  place: bigint | null;
  n: bigint | null;
  at: Instant | null;
  type: string | null;
  subject: string | null;
  lifecycle_id: string | null;
  parties: string[] | null;
  data: JsonRecord | null;
}

interface EventBatchTable {
  last: bigint;
  first: bigint;
  at: Instant;
  events: JsonRecord[];
}

interface EventSequenceTable {
  is_only: Generated<boolean>;
  last: Generated<bigint>;
}

interface ExerciseTable {
  offset: bigint;
  node_id: number;
  contract_id: string;
  template_fqn: string;
  choice: string;
  argument: Json;
  result: Json | null;
  controllers: Generated<string[]>;
  consuming: boolean;
  last_descendant_node_id: number;
  effective_at: Instant;
  package_name: string;
  witnesses: Generated<string[]>;
}

interface ExpiryPolicyTable {
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

interface ExpiryPolicySuspendedTable {
  provider: string;
  version: number;
}

interface FailureTable {
  fingerprint: string;
  operation: string;
  state: ChangeState;
  code: ProblemCode;
  ledger_code: string | null;
  class: AnswerClass | null;
  explanation: string;
}

interface FailureDecisionTable {
  fingerprint: string;
  party: string;
  state: Exclude<FailureState, 'open'>;
  at: Instant;
  by_subject: string;
  reason: string;
  reopened_at: Instant | null;
}

interface FollowedTypeTable {
  type_fqn: string;
}

interface ForeignLedgerTable {
  stream: string;
  participant: string;
  reason: string;
  since: Generated<Instant>;
}

interface HistoryTable {
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

interface InterruptedLaneTable {
  lane: string;
  after_no: number;
  turn_at: Generated<Instant>;
}

interface KeptAnswerTable {
  id: Buffer;
  request: Buffer;
  began_at: Generated<Instant>;
  answer: KeptAnswer | null;
}

interface LeaseTable {
  name: string;
  holder: string;
  epoch: bigint;
  expires_at: Instant;
  session_of: string | null;
  granted_on: string | null;
}

interface LedgerUpdateTable {
  offset: bigint;
  update_id: string;
  record_time: Instant;
  effective_at: Instant | null;
  workflow_id: string | null;
  command_id: string | null;
  synchronizer_id: string;
}

interface LicenseKeyTable {
  id: string;
  license_id: string;
  hash: Buffer;
  name: string;
  by_party: string;
  by_subject: string;
  created_at: Generated<Instant>;
  revoked_at: Instant | null;
  revoked_by: string | null;
}

interface LicenseMachineTable {
  license_id: string;
  fingerprint: string;
  id: string;
  name: string;
  key_id: string;
  activated_at: Instant;
  seen_at: Instant;
}

interface LicenseRecordTable {
  lifecycle_id: string;
  provider: string;
  app_user: string;
  began_at: Instant;
  number: bigint | null;
  reference: string | null;
  sold: Generated<JsonRecord>;
  plan_id: string | null;
  plan_version: number | null;
  renewal_id: string | null;
  plan_since: Instant | null;
  suspended_at: Instant | null;
  suspended_for: string | null;
}

interface LicenseTallyTable {
  provider: string;
  at: Instant;
  began: Generated<number>;
  ended: Generated<number>;
  active: Generated<number>;
  past_due: Generated<number>;
  trial: Generated<number>;
  not_started: Generated<number>;
  expiring: Generated<number>;
  due: Generated<number>;
  renewed: Generated<number>;
}

interface LifecycleTable {
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
  list_no: GeneratedAlways<bigint>;
  listed_as: string;
  listed_version: number | null;
  origin_id: string | null;
}

interface LifecycleHoldTable {
  lifecycle_id: string | null;
  is_suspended: boolean | null;
  trial_until: Instant | null;
  grace_ms: bigint | null;
}

interface LineageTable {
  contract_id: string;
  lifecycle_id: string;
}

interface MailLinkTable {
  token_hash: Buffer;
  provider: string;
  party: string;
  address_hash: Buffer;
  unsubscribed_at: Instant | null;
  accepted: Generated<string[]>;
}

interface MailboxTable {
  lane: string;
  head: string | null;
  next_no: Generated<number>;
  waiting: Generated<number>;
}

interface MigrationTable {
  number: number;
  name: string;
  sha256: string;
  applied_at: Generated<Instant>;
}

interface OtherCellTable {
  participant: string;
  ledger_user: string;
  cell: string;
  command_id: string;
  recorded_at: Instant;
}

interface ParticipantAnswerTable {
  participant: string;
  address: string;
  asked_as: string;
  question: string;
  answer: Json;
  answered_at: Generated<Instant>;
}

interface PauseTable {
  id: Generated<string>;
  scope: PauseScope;
  name: string;
  mode: PauseMode;
  since: Generated<Instant>;
  by_party: string;
  by_subject: string;
  reason: string;
}

interface PaymentTable {
  renewal_id: string;
  contract_id: string;
  request_id: string;
  provider: string;
  app_user: string;
  license_id: string | null;
  license_num: bigint;
  plan_id: string | null;
  plan_version: number | null;
  amount: string;
  instrument_admin: string;
  instrument: string;
  extension_ms: bigint;
  description: string;
  state: PaymentState;
  requested_at: Instant;
  requested_offset: bigint;
  requested_node: number;
  request_update_id: string | null;
  settle_before: Instant;
  ended_at: Instant | null;
  ended_offset: bigint | null;
  ended_node: number | null;
  update_id: string | null;
  valid_from: Instant | null;
  valid_until: Instant | null;
  receipt_no: bigint | null;
}

interface PendingPolicyTable {
  provider: string;
  name: PolicyName;
  version: number;
  policy: JsonRecord;
  previous: JsonRecord | null;
  by_subject: string;
  reason: string;
  count: number;
  starts_at: Instant;
  previous_starts_at: Instant | null;
}

interface PersonTable {
  pseudonym: string;
  subject: string;
  party: string;
}

interface PlanTable {
  provider: string;
  id: string;
  version: number;
  revision: Generated<number>;
  archived_at: Instant | null;
  created_at: Generated<Instant>;
}

interface PlanVersionTable {
  provider: string;
  plan_id: string;
  version: number;
  terms: PlanTerms;
  trial_ms: bigint;
  grace_ms: bigint;
  created_at: Generated<Instant>;
  archived_at: Instant | null;
  offer_before_ms: bigint | null;
  announced_after: string | null;
}

interface PreviewTable {
  token_hash: string;
  act: string;
  digest: string;
  count: number;
  by_party: string;
  by_subject: string;
  tenant_id: string;
  expires_at: Instant;
}

interface ProcessClockTable {
  process: string;
  roles: string;
  seen_at: Instant;
  ahead_ms: number | null;
  uncertain_ms: number | null;
  ledger_apart_ms: number | null;
  job_format: number | null;
}

interface QueryStoreOffsetTable {
  stream: string;
  offset: bigint;
  oldest_offset: bigint;
  update_id: string | null;
  record_time: Instant | null;
  landmark_offset: bigint | null;
  landmark_update_id: string | null;
  synchronizer_times: Generated<Readonly<Record<string, string>>>;
  given_up: Generated<Readonly<Record<string, string>>>;
  clock_apart_ms: bigint | null;
  clocks_apart: Generated<Readonly<Record<string, number>>>;
  followed_on: string | null;
  replay_to: bigint | null;
  ledger_user: string | null;
  lost_until: Instant | null;
  held_from: bigint | null;
}

interface QueueShardsTable {
  single: Generated<boolean>;
  shards: number;
  most: number;
  set_at: Generated<Instant>;
}

interface RebuildTable {
  id: string;
  asked_at: Generated<Instant>;
  asked_by: string;
  is_dry_run: boolean;
  answered_at: Instant | null;
  report: JsonRecord | null;
  error: string | null;
}

interface ReminderTable {
  lifecycle_id: string;
  cause: string;
  due_at: Instant;
  told_at: Generated<Instant>;
}

interface RenewalPolicyTable {
  provider: string;
  complete: boolean;
  withdraw_lapsed: boolean;
  version: number;
}

interface RevenueTallyTable {
  provider: string;
  at: Instant;
  instrument_admin: string;
  instrument: string;
  plan_id: string;
  payments: Generated<number>;
  amount: Generated<string>;
  recurring: Generated<string>;
}

interface SessionTable {
  id_hash: Buffer;
  tenant_id: string;
  registered_tenant: string | null;
  party: string;
  roles: string[];
  subject: string;
  name: string;
  registration_id: string | null;
  id_token: string | null;
  created_at: Instant;
  seen_at: Instant;
  refresh_token: string | null;
  checked_at: Instant | null;
  check_begun_at: Instant | null;
}

interface SigningKeyTable {
  id: string;
  public_key: JsonRecord;
  secret: string | null;
  created_at: Generated<Instant>;
  retired_at: Instant | null;
  last_file_ends_at: Instant | null;
}

interface SilenceTable {
  participant: string;
  since: Instant;
}

interface StandstillTable {
  participant: string;
  kind: Standstill['kind'];
  since: Instant;
  detail: string;
}

interface SubscriptionTable {
  lifecycle_id: string;
  provider: string;
  app_user: string;
  plan_id: string | null;
  offer_before_ms: bigint;
  tries: number;
  ends_unpaid: boolean;
  cancelled_at: Instant | null;
  version: Generated<number>;
  anchor: Instant | null;
  offer_id: string | null;
  due_at: Generated<Instant | null>;
  wakes: Generated<bigint>;
}

interface TemplateTable {
  template_fqn: string;
  package_name: string;
  module_name: string;
  entity_name: string;
  payload_type: 'interface' | 'template';
}

interface TenantTable {
  tenant_id: string;
  party: string;
  wallet_url: string | null;
  client_id: string | null;
  issuer_url: string | null;
  registered_at: Generated<Instant>;
  registration_id: GeneratedAlways<string>;
}

interface TenantUserTable {
  user_name: string;
  tenant_id: string;
  position: number;
}

interface TimeWantedTable {
  participant: string;
  record_time: Instant;
}

interface TimerTable {
  lifecycle_id: string;
  kind: TimerKind;
  provider: string;
  lapses_at: Instant;
  open_until: Instant | null;
  never_renewed: boolean;
  generation: Generated<number>;
  not_before: Instant | null;
  change_id: string | null;
  given_up: Generated<boolean>;
  failures: Generated<number>;
}

interface TombstoneTable {
  update_id: string;
  command_id: string;
  act_as: string[];
  recorded_at: Generated<Instant>;
}

interface TransactionsTable {
  ix: bigint | null;
  offset: bigint | null;
  transaction_id: string | null;
  effective_at: Instant | null;
  workflow_id: string | null;
  command_id: string | null;
  record_time: Instant | null;
  synchronizer_id: string | null;
}

interface WebhookTable {
  id: string;
  party: string;
  created_by: string;
  url: string;
  types: string[];
  secret: string;
  previous_secret: string | null;
  previous_secret_until: Instant | null;
  after_seq: bigint;
  is_enabled: Generated<boolean>;
  disabled_reason: string | null;
  created_at: Generated<Instant>;
  failures: Generated<number>;
  failing_since: Instant | null;
  not_before: Generated<Instant>;
  tenant_id: string | null;
  failed_at: Instant | null;
  content_type: Generated<string>;
}

interface WebhookCursorTable {
  is_only: Generated<boolean>;
  last: bigint;
}

export interface Database {
  alarm: AlarmTable;
  arrival: ArrivalTable;
  attempt: AttemptTable;
  audit: AuditTable;
  audit_chain: AuditChainTable;
  audit_link: AuditLinkTable;
  book_cursor: BookCursorTable;
  bulk_act: BulkActTable;
  bulk_item: BulkItemTable;
  cell: CellTable;
  cell_claim: CellClaimTable;
  cell_move: CellMoveTable;
  change: ChangeTable;
  choice: ChoiceTable;
  circuit: CircuitTable;
  contract: ContractTable;
  customer: CustomerTable;
  delivery: DeliveryTable;
  effect: EffectTable;
  event: EventTable;
  event_arrival: EventArrivalTable;
  event_batch: EventBatchTable;
  event_sequence: EventSequenceTable;
  exercise: ExerciseTable;
  expiry_policy: ExpiryPolicyTable;
  expiry_policy_suspended: ExpiryPolicySuspendedTable;
  failure: FailureTable;
  failure_decision: FailureDecisionTable;
  followed_type: FollowedTypeTable;
  foreign_ledger: ForeignLedgerTable;
  history: HistoryTable;
  interrupted_lane: InterruptedLaneTable;
  kept_answer: KeptAnswerTable;
  lease: LeaseTable;
  ledger_update: LedgerUpdateTable;
  license_key: LicenseKeyTable;
  license_machine: LicenseMachineTable;
  license_record: LicenseRecordTable;
  license_tally: LicenseTallyTable;
  lifecycle: LifecycleTable;
  lifecycle_hold: LifecycleHoldTable;
  lineage: LineageTable;
  mail_link: MailLinkTable;
  mailbox: MailboxTable;
  migration: MigrationTable;
  other_cell: OtherCellTable;
  participant_answer: ParticipantAnswerTable;
  pause: PauseTable;
  payment: PaymentTable;
  pending_policy: PendingPolicyTable;
  person: PersonTable;
  plan: PlanTable;
  plan_version: PlanVersionTable;
  preview: PreviewTable;
  process_clock: ProcessClockTable;
  query_store_offset: QueryStoreOffsetTable;
  queue_shards: QueueShardsTable;
  rebuild: RebuildTable;
  reminder: ReminderTable;
  renewal_policy: RenewalPolicyTable;
  revenue_tally: RevenueTallyTable;
  session: SessionTable;
  signing_key: SigningKeyTable;
  silence: SilenceTable;
  standstill: StandstillTable;
  subscription: SubscriptionTable;
  template: TemplateTable;
  tenant: TenantTable;
  tenant_user: TenantUserTable;
  time_wanted: TimeWantedTable;
  timer: TimerTable;
  tombstone: TombstoneTable;
  transactions: TransactionsTable;
  webhook: WebhookTable;
  webhook_cursor: WebhookCursorTable;
}

/** What a select of a table's every column gives. */
export type Row<Table extends keyof Database> = Selectable<Database[Table]>;
