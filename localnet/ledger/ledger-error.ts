/**
 * Error categories of the Canton error model, by their number. The category alone decides the gRPC status, whether a
 * retry hint is given and whether the details are redacted.
 */
export type ErrorCategory = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 14;

/** Every error that the simulated participant can give, with its category. */
export const ERROR_CATEGORIES = {
  SERVICE_NOT_RUNNING: 1,
  ABORTED_DUE_TO_SHUTDOWN: 1,
  NODE_IS_PASSIVE_REPLICA: 1,
  SUBMISSION_ALREADY_IN_FLIGHT: 2,
  LOCAL_VERDICT_LOCKED_CONTRACTS: 2,
  LOCAL_VERDICT_LEDGER_TIME_OUT_OF_BOUND: 2,
  LOCAL_VERDICT_TIMEOUT: 2,
  MEDIATOR_SAYS_TX_TIMED_OUT: 2,
  NOT_SEQUENCED_TIMEOUT: 2,
  PARTICIPANT_BACKPRESSURE: 2,
  PARTICIPANT_OVERLOADED: 2,
  SERVER_OVERLOADED: 2,
  HEAP_MEMORY_OVER_LIMIT: 2,
  THREADPOOL_OVERLOADED: 2,
  MAXIMUM_NUMBER_OF_STREAMS: 2,
  FAILED_TO_DETERMINE_LEDGER_TIME: 2,
  INTERPRETATION_TIME_EXCEEDED: 2,
  SUBMISSION_DURING_SHUTDOWN: 2,
  CHOSEN_MEDIATOR_IS_INACTIVE: 2,
  SEQUENCER_BACKPRESSURE: 2,
  SEQUENCER_REQUEST_FAILED: 2,
  ACCESS_TOKEN_EXPIRED: 2,
  STALE_STREAM_AUTHORIZATION: 2,
  CONCURRENT_USER_UPDATE_DETECTED: 2,
  CONCURRENT_PARTY_DETAILS_UPDATE_DETECTED: 2,
  REQUEST_TIME_OUT: 3,
  REQUEST_DEADLINE_EXCEEDED: 3,
  LEDGER_API_INTERNAL_ERROR: 4,
  UNAUTHENTICATED: 6,
  PERMISSION_DENIED: 7,
  MISSING_FIELD: 8,
  INVALID_FIELD: 8,
  INVALID_ARGUMENT: 8,
  NEGATIVE_OFFSET: 8,
  NON_POSITIVE_OFFSET: 8,
  INVALID_TOKEN: 8,
  COMMAND_PREPROCESSING_FAILED: 8,
  DAML_AUTHORIZATION_ERROR: 8,
  TEMPLATE_PRECONDITION_VIOLATED: 8,
  VALUE_NESTING: 8,
  CONTRACT_DOES_NOT_IMPLEMENT_INTERFACE: 8,
  DISCLOSED_CONTRACT_AUTHENTICATION_FAILED: 8,
  INVALID_CONTINUATION_TOKEN: 8,
  INVALID_UPDATES_PAGE_TOKEN: 8,
  INVALID_ACS_PAGE_TOKEN: 8,
  INVALID_DAR: 8,
  INVALID_ZIP_ENTRY: 8,
  ZIP_BOMB: 8,
  DAR_PARSE_ERROR: 8,
  ALLOWED_LANGUAGE_VERSIONS: 8,
  KNOWN_PACKAGE_VERSION: 8,
  DAML_FAILURE: 9,
  WRONGLY_TYPED_CONTRACT: 9,
  DAML_INTERPRETATION_ERROR: 9,
  INVALID_DEDUPLICATION_PERIOD: 9,
  INVALID_PRESCRIBED_SYNCHRONIZER_ID: 9,
  UNKNOWN_CONTRACT_SYNCHRONIZERS: 9,
  UNKNOWN_CONTRACT_SYNCHRONIZER: 9,
  INCONSISTENT: 9,
  INCONSISTENT_CONTRACT_KEY: 9,
  NOT_CONNECTED_TO_ANY_SYNCHRONIZER: 9,
  NOT_CONNECTED_TO_SYNCHRONIZER: 9,
  SUBMITTERS_NOT_ACTIVE: 9,
  NO_SYNCHRONIZER_FOR_SUBMISSION: 9,
  PACKAGE_SELECTION_FAILED: 9,
  PACKAGE_NOT_VETTED_BY_RECIPIENTS: 9,
  UNHANDLED_EXCEPTION: 9,
  INTERPRETATION_USER_ERROR: 9,
  OFFSET_OUT_OF_RANGE: 9,
  PARTICIPANT_PRUNED_DATA_ACCESSED: 9,
  UNSAFE_TO_PRUNE: 9,
  TOO_MANY_USER_RIGHTS: 9,
  DUPLICATE_COMMAND: 10,
  DUPLICATE_CONTRACT_KEY: 10,
  USER_ALREADY_EXISTS: 10,
  CONTRACT_NOT_FOUND: 11,
  CONTRACT_NOT_ACTIVE: 11,
  LOCAL_VERDICT_INACTIVE_CONTRACTS: 11,
  NO_SYNCHRONIZER_ON_WHICH_ALL_SUBMITTERS_CAN_SUBMIT: 11,
  UNKNOWN_SUBMITTERS: 11,
  UNKNOWN_INFORMEES: 11,
  PACKAGE_NOT_FOUND: 11,
  PACKAGE_NAMES_NOT_FOUND: 11,
  UNRESOLVED_PACKAGE_NAME: 11,
  TEMPLATES_OR_INTERFACES_NOT_FOUND: 11,
  NO_TEMPLATES_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME: 11,
  UPDATE_NOT_FOUND: 11,
  CONTRACT_EVENTS_NOT_FOUND: 11,
  CONTRACT_PAYLOAD_NOT_FOUND: 11,
  COMPLETION_NOT_FOUND: 11,
  USER_NOT_FOUND: 11,
  PARTY_NOT_FOUND: 11,
  IDP_CONFIG_NOT_FOUND: 11,
  OFFSET_AFTER_LEDGER_END: 12,
  UNSUPPORTED_OPERATION: 14,
} as const satisfies Readonly<Record<string, ErrorCategory>>;

export type ErrorCode = keyof typeof ERROR_CATEGORIES;

/** A thing that an error is about: `type` is a resource type such as `CONTRACT_ID` or `PARTY`. */
export interface ErrorResource {
  readonly type: string;
  readonly name: string;
}

export interface LedgerErrorDetail {
  /** Code-specific keys; `category`, `tid` and `definite_answer` are added where the error leaves. */
  readonly metadata?: Readonly<Record<string, string>>;
  readonly resources?: readonly ErrorResource[];
  /** True when the submission is certainly decided and can never be accepted later. */
  readonly definiteAnswer?: boolean;
}

/**
 * A refusal that a client of the participant may see. Everything else that is thrown inside the ledger is a bug.
 * `text` is the part of the wire message after `CODE(category,id): `.
 */
export class LedgerError extends Error {
  override readonly name = 'LedgerError';
  readonly code: ErrorCode;
  readonly text: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly resources: readonly ErrorResource[];
  readonly definiteAnswer: boolean;

  constructor(code: ErrorCode, text: string, detail: LedgerErrorDetail = {}) {
    super(`${code}: ${text}`);
    this.code = code;
    this.text = text;
    this.metadata = detail.metadata ?? {};
    this.resources = detail.resources ?? [];
    this.definiteAnswer = detail.definiteAnswer ?? false;
  }

  get category(): ErrorCategory {
    return ERROR_CATEGORIES[this.code];
  }
}
