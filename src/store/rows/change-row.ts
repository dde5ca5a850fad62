import { failureOf } from '../../app/desk/failures.ts';
import type { Acceptance, Change } from '../../domain/change.ts';
import { isOpen } from '../../domain/change.ts';
import type {
  ChangeId,
  CommandId,
  LaneId,
  LifecycleId,
  ParticipantName,
  Party,
  UpdateId,
} from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import { assert } from '../../domain/unreachable.ts';
import type { Row } from '../../../migrations/schema.ts';

/** The columns that `changeFromRow` reads. */
export const CHANGE_COLUMNS = [
  'id',
  'command_id',
  'operation',
  'lifecycle_id',
  'lane',
  'mailbox_no',
  'caller_party',
  'caller_subject',
  'provider',
  'app_user',
  'participant',
  'ledger_user',
  'act_as',
  'body',
  'fixed',
  'fingerprint',
  'traceparent',
  'state',
  'accepted_at',
  'finished_at',
  'deduplication_offset',
  'attempts',
  'accepted_update_id',
  'accepted_offset',
  'accepted_read_back',
  'verify_at',
  'proof_at',
  'pending_refusal',
  'waiting_for',
  'retrying_for',
  'result',
  'error',
] as const;

export type ChangeRow = Pick<Row<'change'>, (typeof CHANGE_COLUMNS)[number]>;

/** Checks a change whenever it is written or read. */
export function assertChange(change: Change): void {
  assert(change.mailboxNo >= 1, 'places in a mailbox count from 1');
  assert(change.attempts >= 0, 'attempts are counted, not owed');
  assert(change.deduplicationOffset >= 0n, 'offset 0 is the ledger begin');
  const open = isOpen(change.state);
  assert(
    (change.finishedAt === null) === open,
    'a change is finished in a final state, and only there',
  );
  assert((change.result !== null) === (change.state === 'succeeded'), 'a result is of a success');
  assert(change.error === null || change.state !== 'succeeded', 'a success has no error');
  assert(open || change.waitingFor === null, 'a finished change waits for nothing');
  assert(
    change.pendingRefusal === null || change.verifyAt !== null,
    'a refusal is pending until something is verified',
  );
  assert(
    change.proofAt === null || change.verifyAt !== null,
    'a proof is waited for while something is verified',
  );
}

function acceptanceOf(row: ChangeRow): Acceptance | null {
  const {
    accepted_update_id: updateId,
    accepted_offset: offset,
    accepted_read_back: readBack,
  } = row;
  if (updateId === null) return null;
  assert(offset !== null && readBack !== null, 'an acceptance is whole');
  return { updateId: trusted<UpdateId>(updateId), offset, readBack };
}

export function changeFromRow(row: ChangeRow): Change {
  const change: Change = {
    id: trusted<ChangeId>(row.id),
    commandId: trusted<CommandId>(row.command_id),
    operation: row.operation,
    lifecycleId: row.lifecycle_id === null ? null : trusted<LifecycleId>(row.lifecycle_id),
    lane: trusted<LaneId>(row.lane),
    mailboxNo: row.mailbox_no,
    callerParty: trusted<Party>(row.caller_party),
    callerSubject: row.caller_subject,
    provider: trusted<Party>(row.provider),
    appUser: trusted<Party>(row.app_user),
    submitter: {
      participant: trusted<ParticipantName>(row.participant),
      ledgerUser: row.ledger_user,
      actAs: trusted<Party>(row.act_as),
    },
    body: row.body,
    fixed: row.fixed,
    fingerprint: row.fingerprint,
    traceparent: row.traceparent,
    state: row.state,
    acceptedAt: row.accepted_at,
    finishedAt: row.finished_at,
    deduplicationOffset: row.deduplication_offset,
    attempts: row.attempts,
    acceptance: acceptanceOf(row),
    verifyAt: row.verify_at,
    proofAt: row.proof_at,
    pendingRefusal: row.pending_refusal,
    waitingFor: row.waiting_for,
    ...(row.retrying_for === null ? {} : { retryingFor: row.retrying_for }),
    result: row.result,
    error: row.error,
  };
  assertChange(change);
  return change;
}

const textOrNull = (value: bigint | null): string | null => (value === null ? null : String(value));

/** Returns the change as an element of a JSON array that a statement unpacks. */
export function changeToJson(change: Change): Record<keyof ChangeRow | 'failure', unknown> {
  assertChange(change);
  return {
    id: change.id,
    command_id: change.commandId,
    operation: change.operation,
    lifecycle_id: change.lifecycleId,
    lane: change.lane,
    mailbox_no: change.mailboxNo,
    caller_party: change.callerParty,
    caller_subject: change.callerSubject,
    provider: change.provider,
    app_user: change.appUser,
    participant: change.submitter.participant,
    ledger_user: change.submitter.ledgerUser,
    act_as: change.submitter.actAs,
    body: change.body,
    fixed: change.fixed,
    fingerprint: change.fingerprint,
    traceparent: change.traceparent,
    state: change.state,
    accepted_at: change.acceptedAt,
    finished_at: change.finishedAt,
    deduplication_offset: String(change.deduplicationOffset),
    attempts: change.attempts,
    accepted_update_id: change.acceptance?.updateId ?? null,
    accepted_offset: textOrNull(change.acceptance?.offset ?? null),
    accepted_read_back: change.acceptance?.readBack ?? null,
    verify_at: textOrNull(change.verifyAt),
    proof_at: change.proofAt,
    pending_refusal: change.pendingRefusal,
    waiting_for: change.waitingFor,
    retrying_for: change.retryingFor ?? null,
    result: change.result,
    error: change.error,
    failure: change.error === null ? null : (failureOf(change)?.fingerprint ?? null),
  };
}
