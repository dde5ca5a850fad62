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

/** The name of an operation, as its definition has it. */
export type Operation = string;

/**
 * - `queued`: in its lane's mailbox, behind the change that is on its way.
 * - `submitting`: at the head of its lane; its command is being submitted or awaits its outcome.
 * - `retrying`: at the head, waiting to be submitted again.
 * - `in-doubt`: at the head; only a person can decide. It blocks its lane.
 * - `succeeded`, `rejected` (ledger or machine refused), `failed` (budget spent, every attempt definitely
 *   negative), `cancelled`: final.
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

/** Open and at the head of its lane, where at most one change can be. */
export const isAtHead = (state: ChangeState): boolean => isOpen(state) && state !== 'queued';

/**
 * The reason that an open change waits.
 *
 * - `mailbox`: its turn in the lane.
 * - `queue`: a worker.
 * - `ledger`: an answer.
 * - `registry`: data that the command needs from the token's registry.
 * - `participant`: a connection to it, and authorization.
 * - `backoff`: the time of the next try.
 * - `projection`: the query store, to catch up with the ledger.
 * - `lease`: a process that follows the ledger; never recorded, computed when a caller asks.
 * - `traffic`: traffic credit.
 * - `person`: a decision.
 * - `pause`: a person, to resume what was stopped; never recorded either.
 * - `foreign`: a person, because the participant holds another history than the store.
 *
 * The reason that no answer comes, where it is known; never recorded either:
 *
 * - `behind`: its participant is behind its synchronizer.
 * - `quiet`: no transaction advances the time of a synchronizer, and a proof needs that time to advance.
 * - `gone`: its participant has left a synchronizer, and a person has to say that it will not come back.
 * - `clock`: clocks of its participant, or of a synchronizer of that participant, differ too much from ours for its
 *   times to be trusted.
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

/** The reason that an open change waits, in words for the caller and the operator. Times are ISO 8601. */
export interface WaitingFor {
  readonly kind: Wait;
  readonly detail: string;
  readonly since: string;
  /** When the change resumes without intervention, where that is known. */
  readonly until?: string;
  /** The wait before the last retry, which applies again if the retry changes nothing. */
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
  /** On the participant whose updates are projected. */
  readonly offset: number;
  /** In the query store's encoding; `null` where the projection has passed the update without seeing it. */
  readonly result: Json;
}

export interface ChangeResult {
  readonly status: number;
  /** A string is answered as text/plain, `null` as no content. */
  readonly body: Json;
  /** Choices only: for callers that used the names of the ledger. */
  readonly exercised?: Exercised;
}

/** The ledger said yes; the answer waits until the projection holds the update. */
export interface Acceptance {
  readonly updateId: UpdateId;
  /** On the participant that the change was submitted through. */
  readonly offset: bigint;
  /**
   * Known from a duplicate answer, not from the completion of an attempt of ours: the update must be read
   * back and must be what the change asked for.
   */
  readonly readBack: boolean;
}

export interface Change {
  readonly id: ChangeId;
  readonly commandId: CommandId;
  readonly operation: Operation;
  /** `null` for a create until the created contract is known. */
  readonly lifecycleId: LifecycleId | null;
  readonly lane: LaneId;
  /** Place in the lane's order. */
  readonly mailboxNo: number;
  readonly callerParty: Party;
  readonly callerSubject: string;
  /** The provider and the user that the change concerns, whichever made the request. */
  readonly provider: Party;
  readonly appUser: Party;
  readonly submitter: Submitter;
  readonly body: JsonRecord;
  /** Ids and times that were chosen when the change was recorded: every attempt carries the same. */
  readonly fixed: JsonRecord;
  /** Hash of operation, lifecycle and canonical body; with `fixed`, tells a replay from a different request. */
  readonly fingerprint: string;
  /** W3C Trace Context of the request: later work on the change continues that trace. */
  readonly traceparent: string | null;
  readonly state: ChangeState;
  readonly acceptedAt: string;
  readonly finishedAt: string | null;
  /** The participant's ledger end as known when the change was recorded; the same for all attempts. */
  readonly deduplicationOffset: bigint;
  /** Refusals that count against the budget. Attempts that were never refused or never sent do not count. */
  readonly attempts: number;
  readonly acceptance: Acceptance | null;
  /**
   * A decision that must wait until the completions of its participant have passed `offset`: only then is
   * it certain that no earlier attempt took effect.
   */
  readonly verifyAt: bigint | null;
  /**
   * The record time, ISO 8601, that the streams must have passed as well, because an attempt is undecided: nothing of
   * it can take effect from then on. {@link NOT_YET_KNOWN} until the participant has been heard after its deadline.
   */
  readonly proofAt: string | null;
  /**
   * The refusal that ends the change once it is verified without an acceptance. `null`: it is submitted again, on the
   * contract that its lifecycle has by then, or, with `proofAt`, deduplicated from then on.
   */
  readonly pendingRefusal: ProblemDetails | null;
  readonly waitingFor: WaitingFor | null;
  /** The wait that its last `retrying` event named: see `eventsOf`. */
  readonly retryingFor?: Wait;
  readonly result: ChangeResult | null;
  readonly error: ProblemDetails | null;
}

/** A row of the outbox. One submission effect per change. */
export interface Effect {
  readonly id: EffectId;
  readonly changeId: ChangeId;
  /** ISO 8601. Not dispatched before. */
  readonly dueAt: string;
  /** How often the effect has been put on the queue. */
  readonly dispatchNo: number;
  readonly doneAt: string | null;
  /** When its change reached the head of its lane. ISO 8601. */
  readonly madeAt: string;
  /** When a pause, a drain or a foreign ledger blocked the effect. */
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
   * answered a call that was sent after its deadline. Kept only while the attempt is undecided.
   */
  readonly overAt: string | null;
  /** Earlier tries that sent nothing; this attempt replaces them. */
  readonly unsent?: UnsentTries;
  /** `null` until an answer is known. */
  readonly answer: AttemptAnswer | null;
}

/** The values of a change that waits for no proof. */
export const NOT_VERIFYING = { verifyAt: null, proofAt: null, pendingRefusal: null } as const;

/** Later than every record time. */
export const NOT_YET_KNOWN = '9999-12-31T23:59:59.999Z';
export interface UnsentTries {
  readonly tries: number;
  /** When the first of them began. */
  readonly since: string;
}

export interface AttemptAnswer {
  readonly at: string;
  readonly verdict: 'accepted' | 'refused' | 'unknown';
  readonly ledgerCode: string | null;
  readonly explanation: string;
  readonly offset: bigint | null;
  /** Traffic that the participant paid for the attempt, in bytes, where the participant reports it. */
  readonly cost?: bigint;
  /** Set if no answer reported the refusal: the streams passed this record time, ISO 8601, without the attempt. */
  readonly provenAt?: string;
  /** Nothing was sent: the next try replaces this attempt. */
  readonly unsent?: true;
}

const SURENESS: Readonly<Record<AttemptAnswer['verdict'], number>> = {
  unknown: 1,
  refused: 2,
  accepted: 3,
};

/** Whether the later of two answers to one attempt replaces the earlier: a less certain answer does not. */
export const isAsSure = (
  { verdict }: Pick<AttemptAnswer, 'verdict'>,
  earlier: Pick<AttemptAnswer, 'verdict'> | null,
): boolean => earlier === null || SURENESS[verdict] >= SURENESS[earlier.verdict];
