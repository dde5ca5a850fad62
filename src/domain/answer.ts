/**
 * The meaning of the ledger's answer to a change's command.
 *
 * - `done`: the change took effect, now or earlier.
 * - `in-flight`: an attempt of the change is still being processed: an earlier attempt, or another copy of this one.
 * - `contention`: the command lost a race or missed a time bound; the same command may succeed in a moment.
 * - `stale-contract`: the contract is archived: it was replaced, or archived by others or by our own earlier attempt.
 * - `no-traffic`: the participant has no traffic credit left; attempts succeed again once credit has been bought.
 * - `busy`: the ledger asks for less load, or is not running.
 * - `unknown`: the command may or may not have taken effect.
 * - `credentials`: the participant did not accept the token, or the ledger user lacks a right.
 * - `refused`: the command did not take effect and never will.
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
 * The cause of a refusal, according to its error code: the content of the command, the contracts that the command names
 * (with their parties), the acting party with its rights, the submitting participant, or the network behind the
 * participant.
 */
export type Blame = 'command' | 'contracts' | 'party' | 'participant' | 'network';

/**
 * When an error code proves that the attempt that received it has no effect.
 *
 * - `any`: always; after an answer with this code, the attempt is never still in flight.
 * - `completion`: only if a completion reports the code. A participant that answers the call itself with this code may
 *   already have forwarded the command.
 * - `nothing`: never; the code concerns the call itself, or another attempt.
 */
export type DefiniteAs = 'any' | 'completion' | 'nothing';

/** Values of the answer to an attempt whose command was not sent: only requests for its prerequisites were sent. */
export const NOTHING_SENT = { definite: true, heard: false, duplicateOf: null } as const;

/**
 * How far an attempt certainly got, according to its answer: to no known recipient, to its participant, or through the
 * participant to the network.
 */
export type Reach = 'nobody' | 'participant' | 'network';

/** The ledger's answer to one attempt, with its meaning. */
export interface LedgerAnswer {
  readonly class: AnswerClass;
  /** The `reason` in the answer's ErrorInfo; `NO_ERROR_INFO:<gRPC status>` if the answer has no ErrorInfo. */
  readonly code: string;
  readonly explanation: string;
  /** The ledger's own message, for the log and the operator. */
  readonly text: string;
  /** The prerequisite that failed: the token registry, or the check of the ledger's identity. */
  readonly waitsFor?: 'registry' | 'foreign';
  /**
   * Tenure's current ledger user, if the attempt was addressed to another ledger user and the current one may act as
   * the attempt's party.
   */
  readonly ledgerUser?: string;
  /**
   * If true, the attempt is not counted as a try of its change, because it did not reach the ledger for a reason
   * outside the change. It uses up none of the budget, and the next attempt replaces it. An attempt that Tenure itself
   * refuses for good before sending is counted.
   */
  readonly takesNoTry: boolean;
  /** Whether this attempt certainly has no effect. Another attempt of the same change may still take effect. */
  readonly definite: boolean;
  /** Whether the participant itself has answered, and not a proxy, an authorization server or a registry. */
  readonly heard: boolean;
  /** Only for `DUPLICATE_COMMAND`: whether the earlier command was accepted, and at which offset. */
  readonly duplicateOf: { readonly accepted: boolean; readonly offset: bigint | null } | null;
}
