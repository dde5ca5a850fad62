import { randomBytes, randomUUID } from 'node:crypto';
import type { Io } from '../../src/app/ports/io.ts';
import type { Mailbox, Writes } from '../../src/app/ports/writes.ts';
import { describe } from '../model/kit/machines.ts';
import type { AttemptAnswer, Change } from '../../src/domain/change.ts';
import type { ContractId, LaneId, Party } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import type {
  CreatedEvent,
  ExercisedEvent,
  LedgerEvent,
  LedgerTransaction,
  TemplateName,
} from '../../src/domain/ledger.ts';
import {
  APP_INSTALL,
  APP_INSTALL_REQUEST,
  LICENSE,
  LICENSE_RENEWAL_REQUEST,
} from '../../src/domain/licensing.ts';
import type { HistoryEntry, Lifecycle } from '../../src/domain/lifecycle.ts';
import { PATIENCE_MS } from './patience.ts';

/* Complete and valid rows for tests of stores. A test overrides only the members that matter to it. */

export const PROVIDER = trusted<Party>('app-provider::1220aa');
export const USER = trusted<Party>('app-user::1220bb');
export const OTHER_USER = trusted<Party>('other-user::1220cc');

/** Returns bounds with a time limit that a test reaches only if it sets a short one. */
export const io = (deadlineMs = PATIENCE_MS, signal = new AbortController().signal): Io => ({
  signal,
  deadlineMs,
});

export const newContractId = (): ContractId =>
  trusted<ContractId>(`00${randomBytes(34).toString('hex')}`);

export const newLane = (): LaneId => trusted<LaneId>(`lane-${randomUUID()}`);

const kindOf: Readonly<Record<string, TemplateName>> = {
  install: APP_INSTALL,
  license: LICENSE,
  'install-request': APP_INSTALL_REQUEST,
  renewal: LICENSE_RENEWAL_REQUEST,
};

/** A lifecycle in a lane of its own, in its first version. */
export function lifecycle(over: Partial<Lifecycle> = {}): Lifecycle {
  const kind = over.kind ?? 'install';
  const contractId = over.contractId ?? newContractId();
  const id = over.id ?? trusted<Lifecycle['id']>(`${kind}-${contractId.slice(2, 42)}`);
  return {
    id,
    kind,
    machineVersion: describe(kind).version,
    state: 'active',
    context: { numLicensesCreated: '0' },
    lane: trusted<LaneId>(id),
    originId: null,
    provider: PROVIDER,
    appUser: USER,
    contractId,
    licenseNum: kind === 'license' || kind === 'renewal' ? 1n : null,
    expiresAt: kind === 'license' ? '2026-02-01T00:00:00.000001Z' : null,
    version: 1,
    createdAt: '2026-01-01T00:00:00.123456Z',
    endedAt: null,
    ...over,
  };
}

/** A change at the head of its lane, without an attempt. */
export const change = (over: Partial<Change> = {}): Change => ({
  id: trusted<Change['id']>(randomUUID()),
  commandId: trusted<Change['commandId']>(`command-${randomUUID()}`),
  operation: 'create-license',
  lifecycleId: null,
  lane: newLane(),
  mailboxNo: 1,
  callerParty: PROVIDER,
  callerSubject: 'someone',
  provider: PROVIDER,
  appUser: USER,
  submitter: { participant: trusted('app-provider'), ledgerUser: 'backend', actAs: PROVIDER },
  body: { params: { meta: { data: { z: '1', a: '2' } } } },
  fixed: { requestId: 'request-1' },
  fingerprint: 'f'.repeat(64),
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  state: 'submitting',
  acceptedAt: '2026-01-01T00:00:00.001Z',
  finishedAt: null,
  deduplicationOffset: 10n,
  attempts: 0,
  acceptance: null,
  verifyAt: null,
  proofAt: null,
  pendingRefusal: null,
  waitingFor: { kind: 'queue', detail: 'about to be submitted', since: '2026-01-01T00:00:00.001Z' },
  result: null,
  error: null,
  ...over,
});

export const queued = (head: Change, mailboxNo: number, over: Partial<Change> = {}): Change =>
  change({ lane: head.lane, lifecycleId: head.lifecycleId, mailboxNo, state: 'queued', ...over });

/** Returns the change as it is after it has succeeded. */
export const succeeded = (before: Change, over: Partial<Change> = {}): Change => ({
  ...before,
  state: 'succeeded',
  finishedAt: '2026-01-01T00:00:01.002Z',
  verifyAt: null,
  pendingRefusal: null,
  waitingFor: null,
  result: { status: 201, body: { zeta: 'first', alpha: null } },
  error: null,
  ...over,
});

export const rejected = (before: Change): Change => ({
  ...succeeded(before),
  state: 'rejected',
  result: null,
  error: { code: 'LEDGER_REFUSED', status: 409, message: 'no', ledgerCode: 'DAML_FAILURE' },
});

export const answer = (
  verdict: AttemptAnswer['verdict'],
  over: Partial<AttemptAnswer> = {},
): AttemptAnswer => ({
  at: '2026-01-01T00:00:00.500Z',
  verdict,
  ledgerCode: verdict === 'accepted' ? null : 'SOME_CODE',
  explanation: `it was ${verdict}`,
  offset: verdict === 'accepted' ? 11n : null,
  ...over,
});

export const entry = (of: Lifecycle, over: Partial<HistoryEntry> = {}): HistoryEntry => ({
  lifecycleId: of.id,
  seq: of.version,
  at: '2026-01-01T00:00:00.000007Z',
  kind: 'ledger.created',
  state: of.state,
  by: null,
  commandId: null,
  offset: 10n,
  updateId: 'update-1',
  contractId: of.contractId,
  detail: {},
  ...over,
});

export const mailbox = (lane: LaneId, over: Partial<Mailbox> = {}): Mailbox => ({
  lane,
  head: null,
  nextNo: 1,
  waiting: 0,
  ...over,
});

const NOTHING: Writes = {
  lifecycles: [],
  lineage: [],
  origins: [],
  mailboxes: [],
  changes: [],
  newEffects: [],
  effectsDue: [],
  effectsDone: [],
  attempts: [],
  pins: [],
  history: [],
  audit: [],
  events: [],
  circuits: [],
  timerLanes: [],
  interrupted: [],
  resumed: [],
  wakesClock: false,
};

export const writes = (some: Partial<Writes>): Writes => ({ ...NOTHING, ...some });

/** The writes that create a lifecycle. */
export const birth = (of: Lifecycle): Partial<Writes> => ({
  lifecycles: [of],
  lineage: [{ contractId: of.contractId, lifecycleId: of.id, lane: of.lane }],
});

export const effectId = (of: Change) =>
  trusted<Writes['newEffects'][number]['id']>(`fx-${of.id.replaceAll('-', '')}`);

/** The writes that put a change at the head of its lane, with an effect that is due at once. */
export const arrival = (of: Change): Partial<Writes> => ({
  mailboxes: [mailbox(of.lane, { head: of.id, nextNo: of.mailboxNo + 1 })],
  changes: [of],
  newEffects: [{ id: effectId(of), changeId: of.id, dueAt: '2026-01-01T00:00:00.001Z' }],
});

export const created = (of: Lifecycle, over: Partial<CreatedEvent> = {}): CreatedEvent => ({
  kind: 'created',
  nodeId: 0,
  contractId: of.contractId,
  template: kindOf[of.kind]!,
  packageId: 'p'.repeat(64),
  payload: { provider: of.provider, user: of.appUser, licenseNum: String(of.licenseNum ?? 0n) },
  views: [],
  signatories: [of.provider],
  observers: [of.appUser],
  witnesses: [of.provider],
  ...over,
});

export const exercised = (
  contractId: ContractId,
  template: TemplateName,
  over: Partial<ExercisedEvent> = {},
): ExercisedEvent => ({
  kind: 'exercised',
  nodeId: 0,
  lastDescendantNodeId: 0,
  contractId,
  template,
  packageId: 'p'.repeat(64),
  choice: 'AppInstall_CreateLicense',
  argument: { params: { meta: { values: {} } } },
  result: { licenseId: 'l' },
  consuming: true,
  actingParties: [PROVIDER],
  witnesses: [PROVIDER],
  ...over,
});

export const transaction = (
  offset: bigint,
  events: readonly LedgerEvent[],
  over: Partial<LedgerTransaction> = {},
): LedgerTransaction => ({
  kind: 'transaction',
  offset,
  updateId: trusted<LedgerTransaction['updateId']>(`update-${offset}`),
  commandId: `command-${offset}`,
  workflowId: '',
  effectiveAt: '2026-01-01T00:00:00.000001Z',
  recordTime: '2026-01-01T00:00:00.000002Z',
  synchronizerId: 'global::1220dd',
  events,
  ...over,
});
