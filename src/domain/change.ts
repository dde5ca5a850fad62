import type {
  ChangeId,
  CommandId,
  ContractId,
  EffectId,
  LaneId,
  LifecycleId,
  ParticipantName,
  Party,
  SubmissionId,
  UpdateId,
} from './ids.ts';
import type { Json, JsonRecord } from './json.ts';
import type { ProblemDetails } from './problems.ts';

/*
 * Terms
 * - change:    a request of a caller (or a policy); REST calls it an operation.
 * - effect:    a row of the outbox: a job that the relay has to put on the queue.
 * - attempt:   one submission of a change's ledger command.
 * - answer:    the response to an attempt, synchronous or by completion.
 */

/** The name of an operation, as in its definition. */
export type Operation = string;

/**
 * The states of a change.
 *
 * - `queued`: in its lane's mailbox, behind the head of the lane.
 * - `submitting`: at the head of its lane; its command is being submitted or waits for its outcome.
 * - `retrying`: at the head, waiting to be submitted again.
 * - `in-doubt`: at the head; only a person can decide. It blocks its lane.
 * - `succeeded`; `rejected` (by the ledger or the machine); `failed` (budget spent, and every attempt was definitely
 *   refused); `cancelled`: final.
 */
export const CHANGE_STATES = [
  'queued',
  'submitting',
  'retrying',
  'in-doubt',
  'succeeded',
  'rejected',
  'failed',
  'cancelled',
] as const;
export type ChangeState = (typeof CHANGE_STATES)[number];

const OPEN: ReadonlySet<ChangeState> = new Set(['queued', 'submitting', 'retrying', 'in-doubt']);
export const isOpen = (state: ChangeState): boolean => OPEN.has(state);

/** Returns whether a change is open and at the head of its lane. A lane has at most one such change. */
export const isAtHead = (state: ChangeState): boolean => isOpen(state) && state !== 'queued';

/**
 * The things for which an open change may wait.
 *
 * - `mailbox`: its turn in the lane.
 * - `queue`: a worker.
 * - `ledger`: an answer.
 * - `registry`: data from the token's registry that the command needs.
 * - `participant`: a connection to the participant, and authorization.
 * - `backoff`: the time of the next try.
 * - `projection`: the query store, which has to catch up with the ledger.
 * - `lease`: a process that follows the ledger; never recorded, but computed when a caller asks.
 * - `traffic`: traffic credit.
 * - `person`: a decision.
 * - `pause`: a person who removes the pause; never recorded, but computed when a caller asks.
 * - `foreign`: a person, because the participant holds another history than the store.
 *
 * The following values name a known reason for a missing answer. They are not recorded either:
 *
 * - `behind`: the change's participant is behind its synchronizer.
 * - `quiet`: no transaction advances the time of a synchronizer, and a proof needs that time to advance.
 * - `gone`: the change's participant has left a synchronizer, and a person has to confirm that it will not return.
 * - `clock`: the clock of the participant or of one of its synchronizers differs too much from ours, so its times
 *   cannot be trusted.
 * - `replay`: the database was restored, and the participant first replays what took effect before.
 */
export const WAITS = [
  'mailbox',
  'queue',
  'ledger',
  'registry',
  'participant',
  'backoff',
  'traffic',
  'projection',
  'lease',
  'person',
  'pause',
  'behind',
  'quiet',
  'gone',
  'clock',
  'replay',
  'foreign',
] as const;
export type Wait = (typeof WAITS)[number];

/** The reason for which an open change waits, with a text for the caller and the operator. Times are ISO 8601. */
export interface WaitingFor {
  readonly kind: Wait;
  readonly detail: string;
  readonly since: string;
  /** When the change resumes without intervention, if that time is known. */
  readonly until?: string;
  /**
   * The reason for which the change waited before its last retry. If the retry changes nothing, the change waits for
   * this reason again.
   */
  readonly after?: Pick<WaitingFor, 'kind' | 'since'>;
}

/** The party that authorises the command, and the participant and ledger user that submit it. */
export interface Submitter {
  readonly participant: ParticipantName;
  readonly ledgerUser: string;
  readonly actAs: Party;
}

/** The result of an exercised choice on the ledger. */
export interface Exercised {
  readonly updateId: UpdateId;
  /** Offset on the participant whose updates are projected. */
  readonly offset: number;
  /** In the query store's encoding; `null` if the projection passed the update without receiving it. */
  readonly result: Json;
}

export interface ChangeResult {
  readonly status: number;
  /** The body of the answer to the caller: a string is sent as text/plain, and `null` as an answer without content. */
  readonly body: Json;
  /** Only for choices. Callers that named a contract and a choice, instead of an operation, receive this. */
  readonly exercised?: Exercised;
}

/** The ledger's acceptance of a change. The change ends when the projection contains the update. */
export interface Acceptance {
  readonly updateId: UpdateId;
  /** Offset on the participant through which the change was submitted. */
  readonly offset: bigint;
  /**
   * Whether the acceptance is known only from a duplicate answer, and not from a completion of our own attempt. The
   * update must then be read back, to check that it is what the change requested.
   */
  readonly readBack: boolean;
}

export interface Change {
  readonly id: ChangeId;
  readonly commandId: CommandId;
  readonly operation: Operation;
  /** `null` for an operation that creates a contract, until that contract is known. */
  readonly lifecycleId: LifecycleId | null;
  readonly lane: LaneId;
  /** Position in the lane's order. */
  readonly mailboxNo: number;
  readonly callerParty: Party;
  readonly callerSubject: string;
  /** The provider and the user of the change, whichever of them made the request. */
  readonly provider: Party;
  readonly appUser: Party;
  readonly submitter: Submitter;
  readonly body: JsonRecord;
  /** IDs and times that were chosen when the change was recorded, so that all attempts use the same values. */
  readonly fixed: JsonRecord;
  /**
   * Hash of operation, lifecycle and canonical body. Together with `fixed`, it shows whether a repeated command ID is a
   * replay or a different request.
   */
  readonly fingerprint: string;
  /** W3C Trace Context of the request: later work on the change continues that trace. */
  readonly traceparent: string | null;
  readonly state: ChangeState;
  readonly acceptedAt: string;
  readonly finishedAt: string | null;
  /** The participant's ledger end as known when the change was recorded. All attempts use this value. */
  readonly deduplicationOffset: bigint;
  /** Number of attempts with a refusal that counts against the budget. Unanswered and unsent attempts do not count. */
  readonly attempts: number;
  readonly acceptance: Acceptance | null;
  /**
   * The offset that the completions of the change's participant must pass before a pending decision is certain: only
   * then is it known that no earlier attempt took effect.
   */
  readonly verifyAt: bigint | null;
  /**
   * Set while the outcome of an attempt is unknown: the record time, ISO 8601, that the streams must also pass, because
   * the attempt cannot take effect after it. {@link NOT_YET_KNOWN} until the participant has answered a call that was
   * made after the attempt's deadline.
   */
  readonly proofAt: string | null;
  /**
   * The refusal with which the change ends once it is verified that no attempt was accepted. If `null`, the change is
   * submitted again on the current contract of its lifecycle or, with `proofAt`, with a new deduplication offset.
   */
  readonly pendingRefusal: ProblemDetails | null;
  readonly waitingFor: WaitingFor | null;
  /** The reason for waiting that the change's latest `retrying` event named: see `eventsOf`. */
  readonly retryingFor?: Wait;
  readonly result: ChangeResult | null;
  readonly error: ProblemDetails | null;
}

/** A row of the outbox. Each change has one submission effect. */
export interface Effect {
  readonly id: EffectId;
  readonly changeId: ChangeId;
  /** The effect is not dispatched before this time. ISO 8601. */
  readonly dueAt: string;
  /** How often the effect has been put on the queue. */
  readonly dispatchNo: number;
  readonly doneAt: string | null;
  /** When the effect's change reached the head of its lane. ISO 8601. */
  readonly madeAt: string;
  /** When a pause, a drain or a foreign ledger blocked the effect; `null` if the effect is not blocked. */
  readonly heldAt: string | null;
}

export interface Attempt {
  readonly changeId: ChangeId;
  readonly n: number;
  readonly submissionId: SubmissionId;
  readonly submitter: Submitter;
  readonly contractId: ContractId | null;
  readonly at: string;
  /**
   * The record time, ISO 8601, after which the attempt can no longer be sequenced; `null` until its participant has
   * answered a call that was made after the attempt's deadline. Stored only while the attempt is undecided.
   */
  readonly overAt: string | null;
  /** Earlier tries of which nothing was sent; this attempt replaces them. */
  readonly unsent?: UnsentTries;
  /** `null` until an answer is known. */
  readonly answer: AttemptAnswer | null;
}

/** The values of these members in a change that waits for no proof. */
export const NOT_VERIFYING = { verifyAt: null, proofAt: null, pendingRefusal: null } as const;

/** A time later than every record time: stands for a `proofAt` that is not known yet. */
export const NOT_YET_KNOWN = '9999-12-31T23:59:59.999Z';
export interface UnsentTries {
  readonly tries: number;
  /** When the first of these tries began. */
  readonly since: string;
}

export interface AttemptAnswer {
  readonly at: string;
  readonly verdict: 'accepted' | 'refused' | 'unknown';
  readonly ledgerCode: string | null;
  readonly explanation: string;
  readonly offset: bigint | null;
  /** Traffic in bytes that the participant paid for the attempt, if the participant reports it. */
  readonly cost?: bigint;
  /** Set if no answer reported the refusal, but the streams passed this record time, ISO 8601, without the attempt. */
  readonly provenAt?: string;
  /** Set if nothing was sent: the next try replaces this attempt. */
  readonly unsent?: true;
}

const SURENESS: Readonly<Record<AttemptAnswer['verdict'], number>> = {
  unknown: 1,
  refused: 2,
  accepted: 3,
};

/** Returns whether the later of two answers to one attempt replaces the earlier one: not if it is less certain. */
export const isAsSure = (
  { verdict }: Pick<AttemptAnswer, 'verdict'>,
  earlier: Pick<AttemptAnswer, 'verdict'> | null,
): boolean => earlier === null || SURENESS[verdict] >= SURENESS[earlier.verdict];
