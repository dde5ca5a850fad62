import type { CommandKey } from '../../../src/app/ports/writes.ts';
import type { Timer } from '../../../src/app/ports/policies.ts';
import type { Change } from '../../../src/domain/change.ts';
import type { NumberedEvent } from '../../../src/domain/event.ts';
import type { ExpiryPolicy } from '../../../src/domain/expiry-policy.ts';
import type { RenewalPolicy } from '../../../src/domain/renewal-policy.ts';
import { isOpen } from '../../../src/domain/change.ts';
import type { BulkActRow, BulkItemRow } from './bulk-rows.ts';
import type {
  AlarmRow,
  ArrivalRow,
  AttemptRow,
  AuditRow,
  ChangeRow,
  ChoiceRow,
  CircuitRow,
  ContractRow,
  CursorRow,
  EffectRow,
  EventSequenceRow,
  ExerciseRow,
  FollowedTypeRow,
  ForeignLedgerRow,
  HistoryRow,
  LeaseRow,
  LifecycleRow,
  LineageRow,
  InterruptedLaneRow,
  MailboxRow,
  PauseRow,
  PolicyRow,
  RebuildRow,
  SilenceRow,
  StandstillRow,
  SubscriptionRow,
  TemplateRow,
  TimeWantedRow,
  TombstoneRow,
  UpdateRow,
} from './rows.ts';
import { Table } from './table.ts';
import type { DeliveryRow, WebhookRow } from './webhooks.ts';

/* The tables of the database, with the keys and constraints that the engine may meet. */

/** Joins parts that contain no line break. */
const joined = (...parts: readonly (string | number | bigint)[]): string => parts.join('\n');

export const commandText = (key: CommandKey): string => joined(key.commandId, key.actAs);

export const isHead = ({ state }: Change): boolean =>
  state === 'submitting' || state === 'retrying' || state === 'in-doubt';

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/u;

/** Checks those constraints of a change that the write does not check before. */
function changeCheck({ change, lastAttemptNo }: ChangeRow): string | null {
  const { state, acceptance, verifyAt, proofAt, error, waitingFor, pendingRefusal, commandId } =
    change;
  if (!UUID.test(change.id)) return 'change_pkey';
  if (commandId === '') return 'change_command_id_check';
  if (state === 'queued' && lastAttemptNo > 0) return 'change_is_untried_while_queued';
  if ((state === 'rejected' || state === 'failed') && error === null) {
    return 'change_has_an_error_when_refused';
  }
  if (acceptance !== null && acceptance.offset <= 0n) return 'change_accepted_offset_check';
  if (verifyAt !== null && verifyAt < 0n) return 'change_verify_at_check';
  const waits =
    verifyAt !== null || proofAt !== null || pendingRefusal !== null || waitingFor !== null;
  if (!isOpen(state) && waits) return 'change_waits_for_nothing_once_finished';
  return null;
}

const changes = () =>
  new Table<
    ChangeRow,
    | 'key'
    | 'command'
    | 'head'
    | 'heads'
    | 'place'
    | 'queued'
    | 'acceptedUpdate'
    | 'waiting'
    | 'withoutEffect'
  >({
    name: 'change',
    key: ({ change }) => change.id,
    check: changeCheck,
    indexes: {
      key: {
        of: ({ change }) => commandText({ ...change.submitter, commandId: change.commandId }),
        unique: 'change_command_key',
      },
      command: { of: ({ change }) => change.commandId },
      head: { of: ({ change }) => (isHead(change) ? change.lane : null), unique: 'change_head' },
      /** The heads of all lanes. All of them have the same key. */
      heads: { of: ({ change }) => (isHead(change) ? '' : null) },
      place: {
        of: ({ change }) =>
          change.state === 'queued' ? joined(change.lane, change.mailboxNo) : null,
        unique: 'change_queued',
      },
      queued: { of: ({ change }) => (change.state === 'queued' ? change.lane : null) },
      acceptedUpdate: {
        of: ({ change }) => (isOpen(change.state) ? (change.acceptance?.updateId ?? null) : null),
      },
      /** Changes by participant that ended without an effect and are not pruned. */
      withoutEffect: {
        of: ({ change: { state, submitter }, isPruned }) =>
          isOpen(state) || state === 'succeeded' || isPruned === true
            ? null
            : submitter.participant,
      },
      /** Changes that wait for a position of a stream. All of them have the same key. */
      waiting: {
        of: ({ change }) =>
          isOpen(change.state) && (change.verifyAt !== null || change.acceptance !== null)
            ? ''
            : null,
      },
    },
  });

const attempts = () =>
  new Table<AttemptRow, 'change' | 'submission'>({
    name: 'attempt',
    key: ({ changeId, n }) => joined(changeId, n),
    indexes: {
      change: { of: ({ changeId }) => changeId },
      submission: {
        of: ({ submissionId }) => submissionId,
        unique: 'attempt_submission_id_key',
      },
    },
  });

const effects = () =>
  new Table<EffectRow, 'change' | 'open'>({
    name: 'effect',
    key: ({ id }) => id,
    indexes: {
      change: { of: ({ changeId }) => changeId, unique: 'effect_change_id_key' },
      /** Effects that are not done. All of them have the same key. */
      open: { of: ({ doneAtMs }) => (doneAtMs === null ? '' : null) },
    },
  });

const lifecycles = () =>
  new Table<LifecycleRow, 'lane' | 'active' | 'ended'>({
    name: 'lifecycle',
    key: ({ id }) => id,
    indexes: {
      lane: { of: ({ lane }) => lane },
      /** Lifecycles by their kind: active ones, and ended ones. */
      active: { of: ({ kind, endedAt }) => (endedAt === null ? kind : null) },
      ended: { of: ({ kind, endedAt }) => (endedAt === null ? null : kind) },
    },
  });

const contracts = () =>
  new Table<ContractRow, 'contract' | 'offset' | 'type'>({
    name: 'contract',
    key: ({ contractId, templateFqn }) => joined(contractId, templateFqn),
    check: ({ archived, createdAtOffset }) =>
      archived !== null && archived.offset < createdAtOffset ? 'contract_check' : null,
    indexes: {
      contract: { of: ({ contractId }) => contractId },
      offset: { of: ({ createdAtOffset }) => String(createdAtOffset) },
      type: { of: ({ templateFqn }) => templateFqn },
    },
  });

const cursors = () =>
  new Table<CursorRow>({
    name: 'query_store_offset',
    key: ({ stream }) => stream,
    check: ({ stream, offset, oldestOffset }) => {
      if (oldestOffset > offset || offset < 0n) return 'query_store_offset_check';
      return /^(?:updates$|completions:.)/u.test(stream) ? null : 'query_store_offset_stream_check';
    },
    indexes: {},
  });

/**
 * Creates an empty database.
 *
 * @param now the database's clock, in milliseconds since 1970
 */
export const createTables = (now: () => number) => ({
  now,
  changes: changes(),
  attempts: attempts(),
  effects: effects(),
  lifecycles: lifecycles(),
  lineage: new Table<LineageRow>({
    name: 'lineage',
    key: ({ contractId }) => contractId,
    indexes: {},
  }),
  mailboxes: new Table<MailboxRow>({ name: 'mailbox', key: ({ lane }) => lane, indexes: {} }),
  interruptedLanes: new Table<InterruptedLaneRow>({
    name: 'interrupted_lane',
    key: ({ lane }) => lane,
    indexes: {},
  }),
  history: new Table<HistoryRow, 'lifecycle'>({
    name: 'history',
    key: ({ entry, n }) => joined(entry.lifecycleId, entry.seq, n),
    indexes: { lifecycle: { of: ({ entry }) => entry.lifecycleId } },
  }),
  audit: new Table<AuditRow, 'change'>({
    name: 'audit',
    key: ({ id }) => String(id),
    indexes: { change: { of: ({ entry }) => entry.changeId } },
  }),
  updates: new Table<UpdateRow, 'id' | 'workflow'>({
    name: 'ledger_update',
    key: ({ offset }) => String(offset),
    indexes: {
      id: { of: ({ updateId }) => updateId, unique: 'ledger_update_update_id_key' },
      workflow: { of: ({ workflowId }) => (workflowId === '' ? null : workflowId) },
    },
  }),
  contracts: contracts(),
  exercises: new Table<ExerciseRow, 'offset'>({
    name: 'exercise',
    key: ({ offset, nodeId }) => joined(offset, nodeId),
    indexes: { offset: { of: ({ offset }) => String(offset) } },
  }),
  templates: new Table<TemplateRow>({ name: 'template', key: ({ fqn }) => fqn, indexes: {} }),
  choices: new Table<ChoiceRow>({
    name: 'choice',
    key: ({ templateFqn, choice }) => joined(templateFqn, choice),
    indexes: {},
  }),
  cursors: cursors(),
  tombstones: new Table<TombstoneRow, 'command'>({
    name: 'tombstone',
    key: ({ updateId }) => updateId,
    indexes: { command: { of: ({ commandId }) => commandId } },
  }),
  standstills: new Table<StandstillRow>({
    name: 'standstill',
    key: ({ participant }) => participant,
    indexes: {},
  }),
  pauses: new Table<PauseRow>({
    name: 'pause',
    key: ({ scope, name }) => joined(scope, name),
    indexes: {},
  }),
  circuits: new Table<CircuitRow>({
    name: 'circuit',
    key: ({ participant }) => participant,
    indexes: {},
  }),
  silences: new Table<SilenceRow>({
    name: 'silence',
    key: ({ participant }) => participant,
    indexes: {},
  }),
  expiryPolicies: new Table<PolicyRow<ExpiryPolicy>>({
    name: 'expiry_policy',
    key: ({ provider }) => provider,
    indexes: {},
  }),
  renewalPolicies: new Table<PolicyRow<RenewalPolicy>>({
    name: 'renewal_policy',
    key: ({ provider }) => provider,
    indexes: {},
  }),
  bulkActs: new Table<BulkActRow>({ name: 'bulk_act', key: ({ id }) => id, indexes: {} }),
  bulkItems: new Table<BulkItemRow, 'act'>({
    name: 'bulk_item',
    key: ({ actId, n }) => joined(actId, n),
    indexes: { act: { of: ({ actId }) => actId } },
  }),
  webhooks: new Table<WebhookRow>({ name: 'webhook', key: ({ id }) => id, indexes: {} }),
  deliveries: new Table<DeliveryRow, 'webhook'>({
    name: 'delivery',
    key: ({ id }) => id,
    indexes: { webhook: { of: ({ webhookId }) => webhookId } },
  }),
  timesWanted: new Table<TimeWantedRow>({
    name: 'time_wanted',
    key: ({ participant }) => participant,
    indexes: {},
  }),
  webhookCursor: new Table<EventSequenceRow>({
    name: 'webhook_cursor',
    key: () => '',
    indexes: {},
  }),
  foreignLedgers: new Table<ForeignLedgerRow>({
    name: 'foreign_ledger',
    key: ({ stream }) => stream,
    indexes: {},
  }),
  subscriptions: new Table<SubscriptionRow>({
    name: 'subscription',
    key: ({ subscription }) => subscription.licenseId,
    indexes: {},
  }),
  leases: new Table<LeaseRow>({ name: 'lease', key: ({ name }) => name, indexes: {} }),
  timers: new Table<Timer>({
    name: 'timer',
    key: ({ lifecycleId }) => lifecycleId,
    check: ({ isGivenUp, changeId }) => (isGivenUp && changeId === null ? 'timer_check' : null),
    indexes: {},
  }),
  alarms: new Table<AlarmRow>({ name: 'alarm', key: ({ changeId }) => changeId, indexes: {} }),
  arrivals: new Table<ArrivalRow>({
    name: 'event_arrival',
    key: ({ place }) => String(place),
    indexes: {},
  }),
  events: new Table<NumberedEvent>({
    name: 'event',
    key: ({ seq }) => String(seq),
    indexes: {},
  }),
  eventSequence: new Table<EventSequenceRow>({
    name: 'event_sequence',
    key: () => '',
    indexes: {},
  }),
  rebuilds: new Table<RebuildRow, 'open'>({
    name: 'rebuild',
    key: ({ id }) => id,
    indexes: {
      /** Rebuilds without an answer. All have the same key, so at most one can exist. */
      open: { of: ({ answer }) => (answer === null ? '' : null), unique: 'rebuild_open' },
    },
  }),
  followedTypes: new Table<FollowedTypeRow>({
    name: 'followed_type',
    key: ({ type }) => type,
    indexes: {},
  }),
});

export type Tables = ReturnType<typeof createTables>;

export const contractKey = (contractId: string, templateFqn: string): string =>
  joined(contractId, templateFqn);
