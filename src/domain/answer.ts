/**
 * What a ledger answer means for a change.
 *
 * - `done`: it took effect, now or earlier.
 * - `in-flight`: an attempt of it is being processed: an earlier one, or this one, delivered twice.
 * - `contention`: lost a race or a clock bound; the same command may work in a moment.
 * - `stale-contract`: the contract is gone: replaced, archived by others, or by our own earlier attempt.
 * - `no-traffic`: nothing is left to pay the network with; it works again when somebody has bought more.
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
 * What a code blames: the command as it was written, the contracts that it names with those who are parties to them,
 * the party that acts with its rights, the participant that it went through, or the network behind that.
 */
export type Blame = 'command' | 'contracts' | 'party' | 'participant' | 'network';

/**
 * As what a code is a definite no to its attempt.
 *
 * - `any`: whoever says it says that nothing of this attempt is on its way.
 * - `completion`: so does a completion; a call may have been passed on before it was answered like that.
 * - `nothing`: it speaks of the call, or of another attempt.
 */
export type DefiniteAs = 'any' | 'completion' | 'nothing';

/** Of an attempt of which nothing has left this process, other than for something that it needs. */
export const NOTHING_SENT = { definite: true, heard: false, duplicateOf: null } as const;

/**
 * How far an attempt got, as its answer shows: to nobody that is known, to its participant, through it to the network.
 */
export type Reach = 'nobody' | 'participant' | 'network';

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
  /** As whom it can go, where the attempt was to go as a ledger user that this process is not. */
  readonly ledgerUser?: string;
  /**
   * The attempt takes no try of its change: nothing of it came to the ledger, for a reason that is not the change's. It
   * costs no budget, and the next attempt takes its place. One that we refuse for good before sending it does take one.
   */
  readonly takesNoTry: boolean;
  /** Nothing of this attempt can take effect, nor has. Whether another attempt can, is not said. */
  readonly definite: boolean;
  /** The participant itself has answered: not a proxy, an authorization server, a registry, or nobody. */
  readonly heard: boolean;
  /** `DUPLICATE_COMMAND` only: whether the earlier one was accepted, and where. */
  readonly duplicateOf: { readonly accepted: boolean; readonly offset: bigint | null } | null;
}
