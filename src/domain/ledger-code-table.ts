import type { AnswerClass, Blame, DefiniteAs } from './answer.ts';
import { assert } from './unreachable.ts';

/** The meaning of a ledger error code for a change. */
export interface CodeMeaning {
  readonly class: AnswerClass;
  readonly blames: Blame;
  /** The explanation of the code for operators and callers. */
  readonly explanation: string;
  readonly definiteAs: DefiniteAs;
}

type Codes = Readonly<Record<string, string>>;

const rows = (
  kind: AnswerClass,
  blames: Blame,
  codes: Codes,
  definiteAs: DefiniteAs = 'any',
): (readonly [string, CodeMeaning])[] =>
  Object.entries(codes).map(([code, explanation]) => [
    code,
    { class: kind, blames, explanation, definiteAs },
  ]);

/**
 * Source: the error definitions of Canton 3.4, 3.5 and 3.6. The table has every code that can be in the answer or the
 * completion of a submission, and in answers to the other calls that Tenure makes. If the versions differ, a row is
 * correct for all of them. Canton sends errors that it redacts without their code, even if the table has a row for it.
 */
const ROWS = [
  ...rows('done', 'command', {
    DUPLICATE_COMMAND: 'an earlier submission with this command ID was accepted',
  }),
  ...rows(
    'in-flight',
    'command',
    {
      SUBMISSION_ALREADY_IN_FLIGHT: 'an attempt of this command is still being processed',
    },
    'nothing',
  ),

  ...rows('contention', 'contracts', {
    LOCAL_VERDICT_LOCKED_CONTRACTS: 'another transaction on the same contract is being confirmed',
    LOCAL_VERDICT_CREATES_EXISTING_CONTRACTS: 'the ID of a contract that it creates is taken',
    LOCAL_VERDICT_ACTIVATES_EXISTING_CONTRACTS: 'a contract that it activates is active already',
    FAILED_TO_DETERMINE_LEDGER_TIME: 'the participant could not choose a ledger time',
    INCONSISTENT_CONTRACT_KEY: 'a contract key changed while the transaction was being confirmed',
    CANNOT_PERFORM_ALL_VALIDATIONS: 'a participant could not check all of the transaction',
    DISCLOSED_CONTRACTS_SYNCHRONIZER_ID_MISMATCH:
      'the disclosed contracts are on different parts of the network',
    AUTOMATIC_REASSIGNMENT_FOR_TRANSACTION_FAILED:
      'a contract could not be moved to the part of the network that the transaction needs',
    NOT_CONNECTED_TO_ALL_CONTRACT_SYNCHRONIZERS:
      'the participant is not connected to the part of the network that a contract is on',
  }),
  ...rows('contention', 'party', {
    PARTY_CURRENTLY_ONBOARDING: 'the acting party is still being set up on the participant',
  }),
  ...rows('contention', 'participant', {
    INTERPRETATION_TIME_EXCEEDED: 'the participant took too long to run the command',
    SUBMISSION_SYNCHRONIZER_NOT_READY: 'the participant is not ready to send to the network yet',
    UNABLE_TO_GET_STATIC_PARAMETERS: 'the participant does not know the network yet',
    UNABLE_TO_GET_TOPOLOGY_SNAPSHOT: 'the participant does not know the network yet',
    SEQUENCER_SENDER_UNKNOWN: 'the network does not know the participant at this moment',
    REQUEST_ALREADY_IN_FLIGHT: 'the same request is being processed',
    PARTICIPANT_PRUNING_IN_PROGRESS: 'the participant is being pruned',
  }),
  ...rows(
    'contention',
    'participant',
    {
      INDEX_DB_SQL_TRANSIENT_ERROR: 'the database of the participant failed',
      INDEX_DB_SQL_NON_TRANSIENT_ERROR: 'the database of the participant failed',
      INDEX_DB_LOCK_TIMEOUT_ERROR: 'the database of the participant did not answer in time',
      INDEX_DB_SQL_NETWORK_TIMEOUT_ERROR: 'the database of the participant did not answer in time',
      SERVICE_INTERNAL_ERROR: 'the participant failed',
      LEDGER_API_INTERNAL_ERROR: 'the participant failed',
      INTERNAL_AUTHORIZATION_ERROR: 'the participant failed to check the token',
      COMMAND_INJECTION_FAILURE: 'the participant failed while it took the command',
      SUBMISSION_INTERNAL_ERROR: 'the participant failed while it sent the transaction',
      ROUTING_INTERNAL_ERROR: 'the participant failed to choose a part of the network',
      INTERNALLY_INCONSISTENT_KEYS: 'the participant made a transaction that contradicts itself',
      INTERNALLY_DUPLICATE_KEYS: 'the participant made a transaction that contradicts itself',
    },
    'completion',
  ),
  ...rows('contention', 'network', {
    LOCAL_VERDICT_TIMEOUT: 'the transaction was not confirmed in time',
    MEDIATOR_SAYS_TX_TIMED_OUT: 'a participant that had to confirm did not answer in time',
    MEDIATOR_INVALID_MESSAGE: 'the part of the network that should have confirmed was replaced',
    MEDIATOR_INTERNAL_ERROR: 'the part of the network that confirms failed',
    DUPLICATE_CONFIRMATION_REQUEST_UUID: 'the network has seen the message before',
    NOT_SEQUENCED_TIMEOUT: 'the network did not take the transaction in time',
    MAX_SEQUENCING_TIME_EXCEEDED: 'the network did not take the transaction in time',
    LOCAL_VERDICT_LEDGER_TIME_OUT_OF_BOUND:
      'ledger time and record time of the transaction are too far apart',
    LOCAL_VERDICT_PREPARATION_TIME_OUT_OF_BOUND:
      'the transaction was prepared too long before it was sent',
    LOCAL_VERDICT_MAX_RECORD_TIME_EXCEEDED: 'the transaction was recorded later than it may be',
    NO_VIEW_WITH_VALID_RECIPIENTS: 'parties moved between participants meanwhile',
    SYNCHRONIZER_WITHOUT_MEDIATOR: 'the network has nobody who confirms at this moment',
    OUTDATED_TRAFFIC_COST: 'the price of traffic changed meanwhile',
    SEQUENCER_SUBMISSION_REQUEST_REFUSED: 'the network did not take the transaction',
    SEQUENCER_SUBMISSION_AFTER_UPGRADE_TIME: 'the network is being upgraded',
    SEQUENCER_UNKNOWN_RECIPIENTS: 'the network does not know a recipient at this moment',
    SEQUENCER_MAX_SEQUENCING_TIME_TOO_FAR: 'the network is behind the participant',
    SEQUENCER_TOPOLOGY_TIMESTAMP_TOO_EARLY: 'the participant is behind the network',
    SEQUENCER_TOPOLOGY_TIMESTAMP_AFTER_SEQUENCING_TIMESTAMP:
      'the network is behind the participant',
    SEQUENCER_AGGREGATE_INVALID_RULE: 'the network was changed meanwhile',
    SEQUENCER_AGGREGATE_SUBMISSION_ALREADY_SENT: 'the network has seen the message before',
    SEQUENCER_AGGREGATE_SUBMISSION_STUFFING: 'the network has seen the message before',
    SEQUENCER_TOMBSTONE_PERSISTED: 'the network could not keep the message',
    SEQUENCER_INTERNAL: 'the network failed',
  }),

  ...rows('stale-contract', 'contracts', {
    CONTRACT_NOT_FOUND: 'the contract is archived, unknown, or not visible to the acting party',
    CONTRACT_NOT_ACTIVE: 'the contract is no longer active',
    CONTRACT_KEY_NOT_FOUND: 'no active contract has the key',
    LOCAL_VERDICT_INACTIVE_CONTRACTS:
      'the contract was archived while the transaction was being confirmed',
    UNKNOWN_CONTRACT_SYNCHRONIZERS: 'the contract was archived while the command was being routed',
    UNKNOWN_CONTRACT_SYNCHRONIZER: 'the contract was archived while the command was being routed',
    INCONSISTENT: 'the transaction no longer fits the state of the ledger',
  }),

  ...rows('no-traffic', 'participant', {
    SEQUENCER_NOT_ENOUGH_TRAFFIC_CREDIT:
      'the participant has no traffic left to pay the network with',
  }),
  ...rows('no-traffic', 'party', {
    TRAFFIC_ACCOUNT_VALIDATION_FAILED: 'the traffic account of the acting party does not cover it',
  }),

  ...rows('busy', 'participant', {
    PARTICIPANT_BACKPRESSURE: 'the participant has too many commands in flight',
    PARTICIPANT_OVERLOADED: 'the participant is overloaded',
    SERVER_OVERLOADED: 'the participant is overloaded',
    HEAP_MEMORY_OVER_LIMIT: 'the participant is short of memory',
    THREADPOOL_OVERLOADED: 'the participant is short of threads',
    MAXIMUM_NUMBER_OF_STREAMS: 'the participant has too many open streams',
    SUBMISSION_DURING_SHUTDOWN: 'the participant was stopping and did not send the transaction',
    NOT_CONNECTED_TO_ANY_SYNCHRONIZER: 'the participant is not connected to the network',
    NOT_CONNECTED_TO_SYNCHRONIZER: 'the participant is not connected to the network',
  }),
  // Error category 1, "transient server failure": a participant that is stopping may give this answer after it has
  // forwarded a command.
  ...rows(
    'busy',
    'participant',
    { SERVICE_NOT_RUNNING: 'the participant is starting or stopping' },
    'completion',
  ),
  ...rows('busy', 'network', {
    SEQUENCER_BACKPRESSURE: 'the network asks for less load',
    SEQUENCER_OVERLOADED: 'the network asks for less load',
    SEQUENCER_UNAVAILABLE: 'the network cannot be reached',
    SEQUENCER_REQUEST_FAILED: 'the network did not take the transaction',
    CHOSEN_MEDIATOR_IS_INACTIVE: 'the part of the network that should have confirmed was replaced',
  }),

  ...rows(
    'unknown',
    'participant',
    {
      REQUEST_TIME_OUT: 'the participant did not learn the outcome in time',
      REQUEST_DEADLINE_EXCEEDED: 'the participant did not learn the outcome in time',
      ABORTED_DUE_TO_SHUTDOWN: 'the participant stopped before it knew the outcome',
      NODE_IS_PASSIVE_REPLICA: 'another replica of the participant is taking over',
    },
    'completion',
  ),
  // A retry with a shorter period could hide that an earlier attempt was accepted: see `decide`.
  ...rows('unknown', 'participant', {
    INVALID_DEDUPLICATION_PERIOD:
      'the participant no longer remembers far enough back to rule out an earlier acceptance',
  }),

  ...rows('credentials', 'participant', {
    UNAUTHENTICATED: 'the participant did not accept the token',
    ACCESS_TOKEN_EXPIRED: 'the token ran out',
    STALE_STREAM_AUTHORIZATION: 'the rights of the ledger user changed',
    INVALID_TOKEN: 'the token names no valid ledger user',
    PERMISSION_DENIED: 'the ledger user lacks a right, is unknown, or is deactivated',
    USER_NOT_FOUND: 'the ledger user is unknown',
  }),

  ...rows('refused', 'command', {
    COMMAND_PREPROCESSING_FAILED: 'the command does not fit the template or choice',
    MISSING_FIELD: 'a field of the command is missing',
    INVALID_FIELD: 'a field of the command is not valid',
    INVALID_ARGUMENT: 'the command is not valid',
    MALFORMED_REQUEST: 'no transaction for the network could be made of the command',
    NEGATIVE_OFFSET: 'an offset is negative',
    NON_POSITIVE_OFFSET: 'an offset is not positive',
    OFFSET_OUT_OF_RANGE: 'the end of the range lies before its begin',
    DESCENDING_ORDER_MISSING_END: 'a range that is read backwards needs an end',
    INVALID_ACS_PAGE_TOKEN: 'the page is not one that the participant has given',
    INVALID_UPDATES_PAGE_TOKEN: 'the page is not one that the participant has given',
    INVALID_CONTINUATION_TOKEN: 'the page is not one that the participant has given',
    LEDGER_TIME_OUTSIDE_BOUNDS: 'the ledger time that was asked for is out of bounds',
    INVALID_PARTY_IDENTIFIER: 'a party is not valid',
    INVALID_READER: 'a party to read as is not valid',
    INVALID_EXTERNAL_SIGNATURE: 'the signature of an external party is not valid',
    INVALID_EXTERNAL_TRANSACTION: 'the transaction of an external party is not valid',
    FAILED_TO_PREPARE_TRANSACTION: 'the transaction could not be prepared',
    FAILED_TO_EXECUTE_TRANSACTION: 'the prepared transaction could not be carried out',
    DAML_AUTHORIZATION_ERROR: 'the acting party may not do this alone: an authorisation is missing',
    TEMPLATE_PRECONDITION_VIOLATED: 'the contract would break its own precondition',
    DAML_INTERPRETER_INVALID_ARGUMENT: 'an argument of the choice is not valid',
    UNSUPPORTED_CONTRACT_ID: 'a contract ID of the command has a format that is not supported',
    PROTO_SERIALIZATION_FAILURE: 'the transaction could not be encoded',
    MALFORMED_TEXT: 'a text of the command is not valid',
    VALUE_NESTING: 'a value of the command is nested too deeply',
    NON_COMPARABLE_VALUES: 'values that cannot be compared were compared',
    CONTRACT_ID_COMPARABILITY: 'a contract ID of the command cannot be compared',
    CONTRACT_ID_IN_CONTRACT_KEY: 'a contract key may hold no contract ID',
    CREATE_EMPTY_CONTRACT_KEY_MAINTAINERS: 'a contract key would have no maintainer',
    FETCH_EMPTY_CONTRACT_KEY_MAINTAINERS: 'a contract key has no maintainer',
    INTERPRETATION_CRYPTO_ERROR_MALFORMED_BYTE_ENCODING: 'bytes to be checked are not valid',
    INTERPRETATION_CRYPTO_ERROR_MALFORMED_KEY: 'a key to check with is not valid',
    INTERPRETATION_CRYPTO_ERROR_MALFORMED_SIGNATURE: 'a signature to be checked is not valid',
    INTERPRETATION_CRYPTO_ERROR_MALFORMED_CONTRACT_ID: 'a contract ID is not valid',
  }),
  ...rows('refused', 'contracts', {
    DAML_FAILURE: 'a rule of the contract was not met',
    UNHANDLED_EXCEPTION: 'a rule of the contract was not met',
    INTERPRETATION_USER_ERROR: 'the contract refused the choice',
    DAML_INTERPRETATION_ERROR: 'the contract could not carry out the choice',
    DAML_EFFECTFUL_ROLLBACK_ERROR: 'the contract undid what cannot be undone',
    INTERPRETATION_DEV_ERROR: 'the contract uses what the ledger does not offer yet',
    INTERPRETATION_UPGRADE_ERROR_VALIDATION_FAILED: 'the contract does not fit the newer package',
    INTERPRETATION_UPGRADE_ERROR_TRANSLATION_FAILED: 'the contract does not fit the newer package',
    INTERPRETATION_UPGRADE_ERROR_AUTHENTICATION_FAILED:
      'the contract does not fit the newer package',
    CONTRACT_HASHING_ERROR: 'the contract could not be authenticated',
    WRONGLY_TYPED_CONTRACT: 'the contract is of another template',
    CONTRACT_DOES_NOT_IMPLEMENT_INTERFACE: 'the contract does not implement the interface',
    CONTRACT_DOES_NOT_IMPLEMENT_REQUIRING_INTERFACE:
      'the contract does not implement an interface that another one requires',
    DUPLICATE_CONTRACT_KEY: 'a contract with the same key exists',
    INVALID_DISCLOSED_CONTRACT: 'a disclosed contract is not valid',
    DISCLOSED_CONTRACT_AUTHENTICATION_FAILED: 'a disclosed contract is not authentic',
    DISCLOSED_CONTRACT_KEY_HASHING_ERROR: 'the key of a disclosed contract is not valid',
    DISCLOSED_CONTRACTS_CONFLICTING_PAYLOADS: 'two disclosed contracts contradict each other',
    CONTRACT_AUTHENTICATION_FAILED: 'a contract is not authentic',
    LOCAL_VERDICT_FAILED_MODEL_CONFORMANCE_CHECK:
      'another participant came to another transaction than this one',
    LOCAL_VERDICT_EXTERNAL_CALL_RESULT_DISAGREEMENT:
      'participants got different results of a call to another system',
    INTERPRETATION_EXTERNAL_CALL_ERROR_EXECUTION_FAILED:
      'a call of the contract to another system failed',
    INTERPRETATION_EXTERNAL_CALL_ERROR_INVALID_OUTPUT:
      'another system that the contract called gave an invalid result',
    INTERPRETATION_EXTERNAL_CALL_ERROR_PREPARATION_FAILED:
      'a call of the contract to another system could not be prepared',
    UNKNOWN_INFORMEES: 'a party of the contract is not known to the network',
    INFORMEES_NOT_ACTIVE: 'a party of the contract is not active on the network',
    NO_COMMON_SYNCHRONIZER: 'no part of the network has all parties of the transaction',
    PACKAGE_NOT_VETTED_BY_RECIPIENTS: 'a participant of a party does not accept the package',
    CONTRACT_EVENTS_NOT_FOUND: 'there is no such contract, or it is not visible',
    CONTRACT_PAYLOAD_NOT_FOUND: 'there is no such contract, or it is not visible',
  }),
  ...rows('refused', 'party', {
    PARTY_NOT_FOUND: 'the party is unknown',
    PARTY_SIGNING_KEYS_NOT_FOUND: 'the party has no keys that can sign',
    PARTY_NOT_KNOWN_ON_LEDGER: 'a party is not known to the network',
    SUBMITTING_PARTY_NOT_KNOWN_ON_LEDGER: 'the acting party is not known to the network',
    SUBMITTER_CANNOT_ACT_VIA_PARTICIPANT:
      'the participant does not host the acting party with the right to submit',
    NO_SYNCHRONIZER_ON_WHICH_ALL_SUBMITTERS_CAN_SUBMIT:
      'the participant does not host the acting party with the right to submit',
    UNKNOWN_SUBMITTERS: 'the acting party is not known to the network',
    SUBMITTERS_NOT_ACTIVE: 'the acting party is not active on the network',
    SUBMITTER_ALWAYS_STAKEHOLDER: 'the acting party is no party of a contract that has to be moved',
  }),
  ...rows('refused', 'participant', {
    PACKAGE_NOT_FOUND: 'the participant does not know the package',
    PACKAGE_SELECTION_FAILED: 'no version of the package is accepted by all parties',
    PACKAGE_NAMES_NOT_FOUND: 'the participant does not know the package',
    UNRESOLVED_PACKAGE_NAME: 'the participant does not know the package',
    PACKAGE_NAME_DISCARDED_DUE_TO_UNVETTED_PACKAGES: 'the participant does not accept the package',
    PACKAGE_VALIDATION_FAILED: 'the participant cannot use the package',
    ALLOWED_LANGUAGE_VERSIONS:
      'the participant does not run packages of this version of the language',
    TEMPLATES_OR_INTERFACES_NOT_FOUND: 'the participant does not know the template',
    NO_TEMPLATES_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME: 'the package has no such template',
    NO_INTERFACE_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME: 'the package has no such interface',
    NO_VETTED_INTERFACE_IMPLEMENTATION_PACKAGE:
      'the participant accepts no package that shows the contract by the interface',
    UNSUPPORTED_OPERATION: 'the participant does not offer this',
    LOCAL_VERDICT_MALFORMED_REQUEST: 'the participant sent a message that others do not accept',
    LOCAL_VERDICT_MALFORMED_PAYLOAD: 'the participant sent a message that others do not accept',
    LOCAL_VERDICT_BAD_ROOT_HASH_MESSAGES:
      'the participant sent a message that others do not accept',
    MEDIATOR_RECEIVED_MALFORMED_MESSAGE: 'the participant sent a message that others do not accept',
    SEQUENCER_SUBMISSION_REQUEST_MALFORMED:
      'the participant sent a message that others do not accept',
    MAX_REQUEST_SIZE_EXCEEDED: 'the transaction is larger than the network takes',
    OFFSET_AFTER_LEDGER_END: 'the position lies after the end of the ledger',
    PARTICIPANT_DATA_ACCESSED_AFTER_LEDGER_END: 'the position lies after the end of the ledger',
    PARTICIPANT_PRUNED_DATA_ACCESSED: 'the participant no longer keeps what was asked for',
    COMPLETION_NOT_FOUND: 'there is no such completion, or it is not visible',
    UPDATE_NOT_FOUND: 'there is no such update, or it is not visible',
    UNKNOWN_RESOURCE: 'the participant does not know what was asked for',
  }),
  ...rows('refused', 'network', {
    SYNCHRONIZER_NOT_FOUND: 'the participant does not know this part of the network',
    NO_SYNCHRONIZER_FOR_SUBMISSION: 'no part of the network can take the transaction',
    INVALID_PRESCRIBED_SYNCHRONIZER_ID: 'the part of the network that was asked for cannot be used',
    PRESCRIBED_SYNCHRONIZER_ID_MISMATCH:
      'the disclosed contracts are on another part of the network than was asked for',
    MEDIATOR_PARTICIPANT_EQUIVOCATION: 'a participant has told others different things',
    SEQUENCER_UNIMPLEMENTED: 'the network does not offer this',
  }),
];

/** Every ledger code that Tenure knows. */
export const LEDGER_CODES: ReadonlyMap<string, CodeMeaning> = new Map(ROWS);
assert(LEDGER_CODES.size === ROWS.length, 'a code has one meaning');
