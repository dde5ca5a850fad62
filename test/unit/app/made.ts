import type { LedgerAnswer } from '../../../src/domain/answer.ts';
import type { Change } from '../../../src/domain/change.ts';
import { trusted } from '../../../src/domain/ids.ts';
import { meaningOf } from '../../../src/domain/ledger-codes.ts';
import type {
  CreatedEvent,
  ExercisedEvent,
  LedgerTransaction,
  TemplateName,
} from '../../../src/domain/ledger.ts';

export const PROVIDER = trusted<Change['callerParty']>('provider::1220aa');
export const USER = trusted<Change['callerParty']>('user::1220bb');

export const contractId = (n: number): CreatedEvent['contractId'] =>
  trusted(`00${n.toString(16).padStart(64, '0')}`);

export const change = (over: Partial<Change> = {}): Change => ({
  id: trusted('11111111-1111-4111-8111-111111111111'),
  commandId: trusted('command-1'),
  operation: 'create-license',
  lifecycleId: trusted('install-1'),
  lane: trusted('install-1'),
  mailboxNo: 1,
  callerParty: PROVIDER,
  callerSubject: 'someone',
  provider: PROVIDER,
  appUser: USER,
  submitter: { participant: trusted('app-provider'), ledgerUser: 'backend', actAs: PROVIDER },
  body: {},
  fixed: {},
  fingerprint: 'f',
  traceparent: null,
  state: 'submitting',
  acceptedAt: '2026-01-01T00:00:00.000Z',
  finishedAt: null,
  deduplicationOffset: 10n,
  attempts: 1,
  acceptance: null,
  verifyAt: null,
  proofAt: null,
  pendingRefusal: null,
  waitingFor: null,
  result: null,
  error: null,
  ...over,
});

/** Returns an answer of the ledger. Fields that are not given follow from class and code. */
export function answer(over: Partial<LedgerAnswer> = {}): LedgerAnswer {
  const { class: kind = 'refused', code = 'DAML_FAILURE', takesNoTry = false } = over;
  const meaning = meaningOf(code);
  const isClear = meaning?.class === kind || (kind !== 'unknown' && kind !== 'in-flight');
  return {
    class: kind,
    code,
    explanation: 'a rule of the contract says no',
    text: 'raw',
    takesNoTry,
    definite: takesNoTry || (isClear && (meaning?.definiteAs ?? 'any') === 'any'),
    heard: !takesNoTry && !code.startsWith('NO_ERROR_INFO:'),
    duplicateOf: null,
    ...over,
  };
}

export const created = (
  template: TemplateName,
  nodeId: number,
  id: number,
  payload: CreatedEvent['payload'],
  over: Partial<CreatedEvent> = {},
): CreatedEvent => ({
  kind: 'created',
  nodeId,
  contractId: contractId(id),
  template,
  packageId: 'p',
  payload: { provider: PROVIDER, user: USER, ...payload },
  views: [],
  signatories: [PROVIDER, USER],
  observers: [],
  witnesses: [PROVIDER],
  ...over,
});

export const exercised = (
  template: TemplateName,
  nodeId: number,
  lastDescendantNodeId: number,
  id: number,
  choice: string,
  over: Partial<ExercisedEvent> = {},
): ExercisedEvent => ({
  kind: 'exercised',
  nodeId,
  lastDescendantNodeId,
  contractId: contractId(id),
  template,
  packageId: 'p',
  choice,
  argument: {},
  result: {},
  consuming: true,
  actingParties: [PROVIDER],
  witnesses: [PROVIDER],
  ...over,
});

export const transaction = (events: LedgerTransaction['events']): LedgerTransaction => ({
  kind: 'transaction',
  offset: 20n,
  updateId: trusted('update-1'),
  commandId: 'command-1',
  workflowId: '',
  effectiveAt: '2026-01-01T00:00:00.000001Z',
  recordTime: '2026-01-01T00:00:00.000002Z',
  synchronizerId: 's',
  events,
});
