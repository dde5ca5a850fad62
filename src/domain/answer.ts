/**
 * What a ledger answer means for a change.
 *
 * - `done`: it took effect, now or earlier.
 * - `in-flight`: an earlier attempt of it is being processed.
 * - `contention`: lost a race or a clock bound; the same command may work in a moment.
 * - `stale-contract`: the contract is gone: replaced, archived by others, or by our own earlier attempt.
 * - `busy`: the ledger asks for less load, or is not running.
 * - `unknown`: may or may not have happened.
 * - `credentials`: the token was not accepted.
 * - `refused`: definitely not, and never will.
 */
export type AnswerClass =
  | 'done'
  | 'in-flight'
  | 'contention'
  | 'stale-contract'
  | 'busy'
  | 'unknown'
  | 'credentials'
  | 'refused';

/** One answer of the ledger to one attempt, classified. */
export interface LedgerAnswer {
  readonly class: AnswerClass;
  /** The ErrorInfo `reason`; `NO_ERROR_INFO:<gRPC status>` where the answer carries none. */
  readonly code: string;
  /** Plain words for an operator. */
  readonly explanation: string;
  /** The ledger's own text, for the log and the operator. */
  readonly text: string;
  /** What had to be asked before anything could be sent, or whose ledger it is, where that is what failed. */
  readonly waitsFor?: 'registry' | 'foreign';
  /** The attempt was never sent at all (connection refused): costs no budget. */
  readonly unsent: boolean;
  /** `DUPLICATE_COMMAND` only: whether the earlier one was accepted, and where. */
  readonly duplicateOf: { readonly accepted: boolean; readonly offset: bigint | null } | null;
}
