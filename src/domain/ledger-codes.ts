import type { AnswerClass } from './answer.ts';
import { assert } from './unreachable.ts';

/**
 * What each error code of the ledger means for a change, with the reason that operators and callers read. Codes are
 * those of the Canton error code inventory (docs.digitalasset.com, "error codes"); a code that is not here is
 * undecided, never a refusal: the next release may add one.
 */
export const OUTCOMES = {
  done: {
    DUPLICATE_COMMAND: 'an earlier submission with this command ID was accepted',
  },
  'in-flight': {
    SUBMISSION_ALREADY_IN_FLIGHT: 'an earlier attempt of this command is still being processed',
  },
  contention: {
    LOCAL_VERDICT_LOCKED_CONTRACTS: 'another transaction on the same contract is being confirmed',
    LOCAL_VERDICT_TIMEOUT: 'the transaction was not confirmed in time',
    MEDIATOR_SAYS_TX_TIMED_OUT: 'a participant that had to confirm did not answer in time',
    NOT_SEQUENCED_TIMEOUT: 'the network did not take the transaction in time',
    LOCAL_VERDICT_LEDGER_TIME_OUT_OF_BOUND:
      'ledger time and record time of the transaction are too far apart',
    FAILED_TO_DETERMINE_LEDGER_TIME: 'the participant could not choose a ledger time',
    INTERPRETATION_TIME_EXCEEDED: 'the participant took too long to run the command',
    INCONSISTENT_CONTRACT_KEY: 'a contract key changed while the transaction was being confirmed',
  },
  'stale-contract': {
    CONTRACT_NOT_FOUND: 'the contract is archived, unknown, or not visible to the acting party',
    CONTRACT_NOT_ACTIVE: 'the contract is no longer active',
    LOCAL_VERDICT_INACTIVE_CONTRACTS:
      'the contract was archived while the transaction was being confirmed',
    UNKNOWN_CONTRACT_SYNCHRONIZERS: 'the contract was archived while the command was being routed',
    UNKNOWN_CONTRACT_SYNCHRONIZER: 'the contract was archived while the command was being routed',
    INCONSISTENT: 'the transaction no longer fits the state of the ledger',
  },
  busy: {
    PARTICIPANT_BACKPRESSURE: 'the participant has too many commands in flight',
    PARTICIPANT_OVERLOADED: 'the participant is overloaded',
    SERVER_OVERLOADED: 'the participant is overloaded',
    HEAP_MEMORY_OVER_LIMIT: 'the participant is short of memory',
    THREADPOOL_OVERLOADED: 'the participant is short of threads',
    MAXIMUM_NUMBER_OF_STREAMS: 'the participant has too many open streams',
    SEQUENCER_BACKPRESSURE: 'the network asks for less load',
    SEQUENCER_REQUEST_FAILED: 'the network did not take the transaction',
    SUBMISSION_DURING_SHUTDOWN: 'the participant was stopping and did not send the transaction',
    CHOSEN_MEDIATOR_IS_INACTIVE: 'the part of the network that should have confirmed was replaced',
    SERVICE_NOT_RUNNING: 'the participant is starting or stopping',
    NOT_CONNECTED_TO_ANY_SYNCHRONIZER: 'the participant is not connected to the network',
    NOT_CONNECTED_TO_SYNCHRONIZER: 'the participant is not connected to the network',
  },
  unknown: {
    REQUEST_TIME_OUT: 'the participant did not learn the outcome in time',
    REQUEST_DEADLINE_EXCEEDED: 'the participant did not learn the outcome in time',
    ABORTED_DUE_TO_SHUTDOWN: 'the participant stopped before it knew the outcome',
    NODE_IS_PASSIVE_REPLICA: 'another replica of the participant is taking over',
    // Shortening the period would hide an acceptance of an earlier attempt: nobody but a person may decide that.
    INVALID_DEDUPLICATION_PERIOD:
      'the participant no longer remembers far enough back to rule out an earlier acceptance',
  },
  credentials: {
    UNAUTHENTICATED: 'the participant did not accept the token',
    ACCESS_TOKEN_EXPIRED: 'the token ran out',
    STALE_STREAM_AUTHORIZATION: 'the rights of the ledger user changed',
    INVALID_TOKEN: 'the token names no valid ledger user',
  },
  refused: {
    PERMISSION_DENIED: 'the ledger user lacks a right, is unknown, or is deactivated',
    DAML_FAILURE: 'a rule of the contract was not met',
    UNHANDLED_EXCEPTION: 'a rule of the contract was not met',
    INTERPRETATION_USER_ERROR: 'the contract refused the choice',
    DAML_INTERPRETATION_ERROR: 'the contract could not carry out the choice',
    DAML_AUTHORIZATION_ERROR: 'the acting party may not do this alone: an authorisation is missing',
    TEMPLATE_PRECONDITION_VIOLATED: 'the contract would break its own precondition',
    WRONGLY_TYPED_CONTRACT: 'the contract is of another template',
    CONTRACT_DOES_NOT_IMPLEMENT_INTERFACE: 'the contract does not implement the interface',
    DUPLICATE_CONTRACT_KEY: 'a contract with the same key exists',
    DISCLOSED_CONTRACT_AUTHENTICATION_FAILED: 'a disclosed contract is not authentic',
    COMMAND_PREPROCESSING_FAILED: 'the command does not fit the template or choice',
    MISSING_FIELD: 'a field of the command is missing',
    INVALID_FIELD: 'a field of the command is not valid',
    INVALID_ARGUMENT: 'the command is not valid',
    NEGATIVE_OFFSET: 'an offset is negative',
    NON_POSITIVE_OFFSET: 'an offset is not positive',
    NO_SYNCHRONIZER_ON_WHICH_ALL_SUBMITTERS_CAN_SUBMIT:
      'the participant does not host the acting party with the right to submit',
    UNKNOWN_SUBMITTERS: 'the acting party is not known to the network',
    UNKNOWN_INFORMEES: 'a party of the contract is not known to the network',
    SUBMITTERS_NOT_ACTIVE: 'the acting party is not active on the network',
    NO_SYNCHRONIZER_FOR_SUBMISSION: 'no part of the network can take the transaction',
    INVALID_PRESCRIBED_SYNCHRONIZER_ID: 'the part of the network that was asked for cannot be used',
    PACKAGE_NOT_FOUND: 'the participant does not know the package',
    PACKAGE_NAMES_NOT_FOUND: 'the participant does not know the package',
    UNRESOLVED_PACKAGE_NAME: 'the participant does not know the package',
    TEMPLATES_OR_INTERFACES_NOT_FOUND: 'the participant does not know the template',
    NO_TEMPLATES_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME: 'the package has no such template',
    PACKAGE_SELECTION_FAILED: 'no version of the package is accepted by all parties',
    PACKAGE_NOT_VETTED_BY_RECIPIENTS: 'a participant of a party does not accept the package',
    OFFSET_AFTER_LEDGER_END: 'the position lies after the end of the ledger',
    OFFSET_OUT_OF_RANGE: 'the end of the range lies before its begin',
    PARTICIPANT_PRUNED_DATA_ACCESSED: 'the participant no longer keeps what was asked for',
    UPDATE_NOT_FOUND: 'there is no such update, or it is not visible',
    CONTRACT_EVENTS_NOT_FOUND: 'there is no such contract, or it is not visible',
    CONTRACT_PAYLOAD_NOT_FOUND: 'there is no such contract, or it is not visible',
    USER_NOT_FOUND: 'the ledger user is unknown',
    PARTY_NOT_FOUND: 'the party is unknown',
  },
} as const satisfies Record<AnswerClass, Record<string, string>>;

export const ALL_CLASSES = Object.keys(OUTCOMES) as readonly AnswerClass[];

const BY_CODE: ReadonlyMap<string, { readonly class: AnswerClass; readonly explanation: string }> =
  new Map(
    ALL_CLASSES.flatMap((name) =>
      Object.entries(OUTCOMES[name]).map(([code, explanation]) => [
        code,
        { class: name, explanation },
      ]),
    ),
  );
assert(
  BY_CODE.size === Object.values(OUTCOMES).flatMap((codes) => Object.keys(codes)).length,
  'a code has one meaning',
);

/** Codes that we make ourselves, where the ledger gave none or was not asked. */
const OURS: ReadonlyMap<string, AnswerClass> = new Map([
  ['NO_ERROR_INFO:UNAUTHENTICATED', 'credentials'],
  ['NO_ERROR_INFO:PERMISSION_DENIED', 'refused'],
  ['TOKEN_REFUSED', 'credentials'],
  ['ALLOCATION_NOT_FOUND', 'contention'],
  ['REGISTRY_REFUSED', 'refused'],
  ['LICENSE_ENDED', 'refused'],
]);

/** Refusals that are not about the contract: rights, hosting, packages. Who is refused so is refused with every other one. */
const OF_EVERYTHING: ReadonlySet<string> = new Set([
  'PERMISSION_DENIED',
  'NO_ERROR_INFO:PERMISSION_DENIED',
  'USER_NOT_FOUND',
  'PARTY_NOT_FOUND',
  'NO_SYNCHRONIZER_ON_WHICH_ALL_SUBMITTERS_CAN_SUBMIT',
  'NO_SYNCHRONIZER_FOR_SUBMISSION',
  'INVALID_PRESCRIBED_SYNCHRONIZER_ID',
  'UNKNOWN_SUBMITTERS',
  'SUBMITTERS_NOT_ACTIVE',
  'PACKAGE_NOT_FOUND',
  'PACKAGE_NAMES_NOT_FOUND',
  'PACKAGE_SELECTION_FAILED',
  'UNRESOLVED_PACKAGE_NAME',
  'TEMPLATES_OR_INTERFACES_NOT_FOUND',
  'NO_TEMPLATES_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME',
  'REGISTRY_REFUSED',
]);

/** Whether a code says nothing of the contract that was acted on: it would have come with any other. */
export const isOfEverything = (code: string): boolean =>
  OF_EVERYTHING.has(code) || classOf(code) === 'busy';

/** What a code means, with the words for it; `undefined` where it is not in the table. */
export const meaningOf = (code: string) => BY_CODE.get(code);

/** What a code means; one that is not known here is undecided. */
export const classOf = (code: string): AnswerClass =>
  BY_CODE.get(code)?.class ?? OURS.get(code) ?? 'unknown';

/** All codes of these classes; of class `unknown` every other code is one too. */
export const codesOf = (classes: ReadonlySet<AnswerClass>): string[] =>
  [...[...BY_CODE].map(([code, row]) => [code, row.class] as const), ...OURS].flatMap(
    ([code, kind]) => (classes.has(kind) ? [code] : []),
  );
