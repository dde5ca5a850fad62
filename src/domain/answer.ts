/**
 * The meaning of a ledger answer for a change.
 *
 * - `done`: the change took effect, now or earlier.
 * - `in-flight`: an attempt of the change is being processed: an earlier attempt, or this one, delivered twice.
 * - `contention`: lost a race or a clock bound; the same command may work in a moment.
 * - `stale-contract`: the contract is gone: replaced, archived by others, or by our own earlier attempt.
 * - `no-traffic`: the participant has no traffic credit left; attempts work again once credit has been bought.
 * - `busy`: the ledger asks for less load, or is not running.
 * - `unknown`: may or may not have happened.
 * - `credentials`: the participant did not accept the token, or the ledger user lacks a right.
 * - `refused`: definitely not, and never will.
 */
export const ANSWER_CLASSES = [
  'done',
  'in-flight',
  'contention',
  'stale-contract',
  'no-traffic',
  'busy',
  'unknown',
  'credentials',
  'refused',
] as const;
export type AnswerClass = (typeof ANSWER_CLASSES)[number];

/**
 * The cause that a code names: the command as written, the contracts that the command names with their parties, the
 * acting party with its rights, the submitting participant, or the network behind the participant.
 */
export type Blame = 'command' | 'contracts' | 'party' | 'participant' | 'network';

/**
 * When a code proves that its attempt has no effect.
 *
 * - `any`: always; no answer with this code leaves the attempt in flight.
 * - `completion`: in a completion. A call may have been forwarded before this answer.
 * - `nothing`: never; the code is about the call, or about another attempt.
 */
export type DefiniteAs = 'any' | 'completion' | 'nothing';

/** The certainty of an attempt that sent nothing but requests for its prerequisites. */
export const NOTHING_SENT = { definite: true, heard: false, duplicateOf: null } as const;

/**
 * How far an attempt got, as its answer shows: to no known recipient, to its participant, or through it to the network.
 */
export type Reach = 'nobody' | 'participant' | 'network';

/** One answer of the ledger to one attempt, classified. */
export interface LedgerAnswer {
  readonly class: AnswerClass;
  /** The ErrorInfo `reason`; `NO_ERROR_INFO:<gRPC status>` where the answer carries none. */
  readonly code: string;
  /** For an operator. */
  readonly explanation: string;
  /** The ledger's own text, for the log and the operator. */
  readonly text: string;
  /** The prerequisite that failed: the token registry, or the check of the ledger's identity. */
  readonly waitsFor?: 'registry' | 'foreign';
  /** Our ledger user, if the attempt was addressed to another ledger user but ours may act as its party. */
  readonly ledgerUser?: string;
  /**
   * The attempt does not count as a try of its change: it did not reach the ledger, for a reason outside the change. It
   * costs no budget, and the next attempt replaces it. An attempt that we refuse for good before sending does count.
   */
  readonly takesNoTry: boolean;
  /** This attempt has no effect and never will. Another attempt may still take effect. */
  readonly definite: boolean;
  /** The participant itself has answered, and not a proxy, an authorization server or a registry. */
  readonly heard: boolean;
  /** `DUPLICATE_COMMAND` only: whether the earlier one was accepted, and where. */
  readonly duplicateOf: { readonly accepted: boolean; readonly offset: bigint | null } | null;
}
