import * as fc from 'fast-check';
import { ClientError, Status as GrpcStatus } from 'nice-grpc-common';
import { describe, expect, test } from 'vitest';
import { ErrorInfo } from '../../../proto/gen/google/rpc/error_details.ts';
import { Status } from '../../../proto/gen/google/rpc/status.ts';
import type { AnswerClass } from '../../../src/domain/answer.ts';
import { classOf } from '../../../src/domain/ledger-codes.ts';
import { LEDGER_CODES } from '../../../src/domain/ledger-code-table.ts';
import {
  LedgerCallError,
  TokenError,
  classify,
  classifyStatus,
} from '../../../src/ledger/outcome.ts';

/**
 * The codes with which creates, exercises and reads can be answered, and what each means for a change. They are written
 * here again, independently of the code.
 */
const EXPECTED: Readonly<Record<AnswerClass, string>> = {
  done: 'DUPLICATE_COMMAND',
  'in-flight': 'SUBMISSION_ALREADY_IN_FLIGHT',
  contention: `LOCAL_VERDICT_LOCKED_CONTRACTS LOCAL_VERDICT_CREATES_EXISTING_CONTRACTS
    LOCAL_VERDICT_ACTIVATES_EXISTING_CONTRACTS
    FAILED_TO_DETERMINE_LEDGER_TIME INCONSISTENT_CONTRACT_KEY CANNOT_PERFORM_ALL_VALIDATIONS
    DISCLOSED_CONTRACTS_SYNCHRONIZER_ID_MISMATCH AUTOMATIC_REASSIGNMENT_FOR_TRANSACTION_FAILED
    NOT_CONNECTED_TO_ALL_CONTRACT_SYNCHRONIZERS PARTY_CURRENTLY_ONBOARDING
    INTERPRETATION_TIME_EXCEEDED SUBMISSION_SYNCHRONIZER_NOT_READY
    UNABLE_TO_GET_STATIC_PARAMETERS UNABLE_TO_GET_TOPOLOGY_SNAPSHOT SEQUENCER_SENDER_UNKNOWN
    REQUEST_ALREADY_IN_FLIGHT PARTICIPANT_PRUNING_IN_PROGRESS INDEX_DB_SQL_TRANSIENT_ERROR
    INDEX_DB_SQL_NON_TRANSIENT_ERROR INDEX_DB_LOCK_TIMEOUT_ERROR
    INDEX_DB_SQL_NETWORK_TIMEOUT_ERROR SERVICE_INTERNAL_ERROR LEDGER_API_INTERNAL_ERROR
    INTERNAL_AUTHORIZATION_ERROR COMMAND_INJECTION_FAILURE SUBMISSION_INTERNAL_ERROR
    ROUTING_INTERNAL_ERROR INTERNALLY_INCONSISTENT_KEYS INTERNALLY_DUPLICATE_KEYS
    LOCAL_VERDICT_TIMEOUT MEDIATOR_SAYS_TX_TIMED_OUT MEDIATOR_INVALID_MESSAGE
    MEDIATOR_INTERNAL_ERROR DUPLICATE_CONFIRMATION_REQUEST_UUID NOT_SEQUENCED_TIMEOUT
    MAX_SEQUENCING_TIME_EXCEEDED LOCAL_VERDICT_LEDGER_TIME_OUT_OF_BOUND
    LOCAL_VERDICT_PREPARATION_TIME_OUT_OF_BOUND LOCAL_VERDICT_MAX_RECORD_TIME_EXCEEDED
    NO_VIEW_WITH_VALID_RECIPIENTS SYNCHRONIZER_WITHOUT_MEDIATOR OUTDATED_TRAFFIC_COST
    SEQUENCER_SUBMISSION_REQUEST_REFUSED SEQUENCER_SUBMISSION_AFTER_UPGRADE_TIME
    SEQUENCER_UNKNOWN_RECIPIENTS SEQUENCER_MAX_SEQUENCING_TIME_TOO_FAR
    SEQUENCER_TOPOLOGY_TIMESTAMP_TOO_EARLY
    SEQUENCER_TOPOLOGY_TIMESTAMP_AFTER_SEQUENCING_TIMESTAMP SEQUENCER_AGGREGATE_INVALID_RULE
    SEQUENCER_AGGREGATE_SUBMISSION_ALREADY_SENT SEQUENCER_AGGREGATE_SUBMISSION_STUFFING
    SEQUENCER_TOMBSTONE_PERSISTED SEQUENCER_INTERNAL`,
  'stale-contract': `CONTRACT_NOT_FOUND CONTRACT_NOT_ACTIVE CONTRACT_KEY_NOT_FOUND
    LOCAL_VERDICT_INACTIVE_CONTRACTS UNKNOWN_CONTRACT_SYNCHRONIZERS
    UNKNOWN_CONTRACT_SYNCHRONIZER INCONSISTENT`,
  'no-traffic': 'SEQUENCER_NOT_ENOUGH_TRAFFIC_CREDIT TRAFFIC_ACCOUNT_VALIDATION_FAILED',
  busy: `PARTICIPANT_BACKPRESSURE PARTICIPANT_OVERLOADED SERVER_OVERLOADED HEAP_MEMORY_OVER_LIMIT
    THREADPOOL_OVERLOADED MAXIMUM_NUMBER_OF_STREAMS SUBMISSION_DURING_SHUTDOWN
    NOT_CONNECTED_TO_ANY_SYNCHRONIZER NOT_CONNECTED_TO_SYNCHRONIZER SERVICE_NOT_RUNNING
    SEQUENCER_BACKPRESSURE SEQUENCER_OVERLOADED SEQUENCER_UNAVAILABLE SEQUENCER_REQUEST_FAILED
    CHOSEN_MEDIATOR_IS_INACTIVE`,
  unknown: `REQUEST_TIME_OUT REQUEST_DEADLINE_EXCEEDED ABORTED_DUE_TO_SHUTDOWN NODE_IS_PASSIVE_REPLICA
    INVALID_DEDUPLICATION_PERIOD`,
  credentials: `UNAUTHENTICATED ACCESS_TOKEN_EXPIRED STALE_STREAM_AUTHORIZATION INVALID_TOKEN
    PERMISSION_DENIED USER_NOT_FOUND`,
  refused: `COMMAND_PREPROCESSING_FAILED MISSING_FIELD INVALID_FIELD INVALID_ARGUMENT MALFORMED_REQUEST
    NEGATIVE_OFFSET NON_POSITIVE_OFFSET OFFSET_OUT_OF_RANGE DESCENDING_ORDER_MISSING_END
    INVALID_ACS_PAGE_TOKEN INVALID_UPDATES_PAGE_TOKEN INVALID_CONTINUATION_TOKEN
    LEDGER_TIME_OUTSIDE_BOUNDS INVALID_PARTY_IDENTIFIER INVALID_READER
    INVALID_EXTERNAL_SIGNATURE INVALID_EXTERNAL_TRANSACTION FAILED_TO_PREPARE_TRANSACTION
    FAILED_TO_EXECUTE_TRANSACTION DAML_AUTHORIZATION_ERROR TEMPLATE_PRECONDITION_VIOLATED
    DAML_INTERPRETER_INVALID_ARGUMENT MALFORMED_TEXT VALUE_NESTING NON_COMPARABLE_VALUES
    CONTRACT_ID_COMPARABILITY CONTRACT_ID_IN_CONTRACT_KEY CREATE_EMPTY_CONTRACT_KEY_MAINTAINERS
    FETCH_EMPTY_CONTRACT_KEY_MAINTAINERS INTERPRETATION_CRYPTO_ERROR_MALFORMED_BYTE_ENCODING
    INTERPRETATION_CRYPTO_ERROR_MALFORMED_KEY INTERPRETATION_CRYPTO_ERROR_MALFORMED_SIGNATURE
    INTERPRETATION_CRYPTO_ERROR_MALFORMED_CONTRACT_ID DAML_FAILURE UNHANDLED_EXCEPTION
    INTERPRETATION_USER_ERROR DAML_INTERPRETATION_ERROR DAML_EFFECTFUL_ROLLBACK_ERROR
    INTERPRETATION_DEV_ERROR INTERPRETATION_UPGRADE_ERROR_VALIDATION_FAILED
    INTERPRETATION_UPGRADE_ERROR_TRANSLATION_FAILED
    INTERPRETATION_UPGRADE_ERROR_AUTHENTICATION_FAILED CONTRACT_HASHING_ERROR
    WRONGLY_TYPED_CONTRACT CONTRACT_DOES_NOT_IMPLEMENT_INTERFACE
    CONTRACT_DOES_NOT_IMPLEMENT_REQUIRING_INTERFACE DUPLICATE_CONTRACT_KEY
    INVALID_DISCLOSED_CONTRACT DISCLOSED_CONTRACT_AUTHENTICATION_FAILED
    DISCLOSED_CONTRACT_KEY_HASHING_ERROR DISCLOSED_CONTRACTS_CONFLICTING_PAYLOADS
    CONTRACT_AUTHENTICATION_FAILED LOCAL_VERDICT_FAILED_MODEL_CONFORMANCE_CHECK
    UNKNOWN_INFORMEES INFORMEES_NOT_ACTIVE NO_COMMON_SYNCHRONIZER
    PACKAGE_NOT_VETTED_BY_RECIPIENTS CONTRACT_EVENTS_NOT_FOUND CONTRACT_PAYLOAD_NOT_FOUND
    PARTY_NOT_FOUND PARTY_NOT_KNOWN_ON_LEDGER
    SUBMITTING_PARTY_NOT_KNOWN_ON_LEDGER SUBMITTER_CANNOT_ACT_VIA_PARTICIPANT
    NO_SYNCHRONIZER_ON_WHICH_ALL_SUBMITTERS_CAN_SUBMIT UNKNOWN_SUBMITTERS SUBMITTERS_NOT_ACTIVE
    SUBMITTER_ALWAYS_STAKEHOLDER PACKAGE_NOT_FOUND PACKAGE_SELECTION_FAILED
    PACKAGE_NAMES_NOT_FOUND UNRESOLVED_PACKAGE_NAME
    PACKAGE_NAME_DISCARDED_DUE_TO_UNVETTED_PACKAGES PACKAGE_VALIDATION_FAILED
    ALLOWED_LANGUAGE_VERSIONS TEMPLATES_OR_INTERFACES_NOT_FOUND
    NO_TEMPLATES_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME
    NO_INTERFACE_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME NO_VETTED_INTERFACE_IMPLEMENTATION_PACKAGE
    UNSUPPORTED_OPERATION LOCAL_VERDICT_MALFORMED_REQUEST LOCAL_VERDICT_MALFORMED_PAYLOAD
    LOCAL_VERDICT_BAD_ROOT_HASH_MESSAGES MEDIATOR_RECEIVED_MALFORMED_MESSAGE
    SEQUENCER_SUBMISSION_REQUEST_MALFORMED MAX_REQUEST_SIZE_EXCEEDED OFFSET_AFTER_LEDGER_END
    PARTICIPANT_DATA_ACCESSED_AFTER_LEDGER_END PARTICIPANT_PRUNED_DATA_ACCESSED UPDATE_NOT_FOUND
    UNKNOWN_RESOURCE NO_SYNCHRONIZER_FOR_SUBMISSION INVALID_PRESCRIBED_SYNCHRONIZER_ID
    PRESCRIBED_SYNCHRONIZER_ID_MISMATCH MEDIATOR_PARTICIPANT_EQUIVOCATION
    SEQUENCER_UNIMPLEMENTED COMPLETION_NOT_FOUND SYNCHRONIZER_NOT_FOUND PARTY_SIGNING_KEYS_NOT_FOUND
    LOCAL_VERDICT_EXTERNAL_CALL_RESULT_DISAGREEMENT
    INTERPRETATION_EXTERNAL_CALL_ERROR_EXECUTION_FAILED
    INTERPRETATION_EXTERNAL_CALL_ERROR_INVALID_OUTPUT
    INTERPRETATION_EXTERNAL_CALL_ERROR_PREPARATION_FAILED UNSUPPORTED_CONTRACT_ID
    PROTO_SERIALIZATION_FAILURE`,
};

const rows = Object.entries(EXPECTED).flatMap(([name, codes]) =>
  codes.split(/\s+/).map((code) => [code, name as AnswerClass] as const),
);

/** Returns a status as a participant creates it. Its gRPC status and its text are misleading on purpose. */
function statusWith(reason: string, metadata: Record<string, string> = {}): Status {
  return {
    code: GrpcStatus.ALREADY_EXISTS,
    message: `DUPLICATE_COMMAND(10,abc): not what ${reason} says`,
    details: [
      { typeUrl: 'type.googleapis.com/google.rpc.RequestInfo', value: new Uint8Array([1, 2, 3]) },
      {
        typeUrl: 'type.googleapis.com/google.rpc.ErrorInfo',
        value: ErrorInfo.encode({ reason, domain: '', metadata }).finish(),
      },
    ],
  };
}

const bare = (code: GrpcStatus): Status => ({
  code,
  message: 'CONTRACT_NOT_FOUND(11,abc): x',
  details: [],
});

describe('every listed code', () => {
  test.each(rows)('%s is %s', (code, name) => {
    const answer = classifyStatus(statusWith(code));
    expect(answer).toMatchObject({ class: name, code, takesNoTry: false });
    expect(answer.explanation).toMatch(/^[a-z].*[^.]$/);
    expect(answer.text).toContain(code);
  });

  test('is in this list too', () => {
    expect([...LEDGER_CODES.keys()].toSorted()).toEqual(rows.map(([code]) => code).toSorted());
  });
});

describe('an answer that nothing is known about', () => {
  test('is undecided, whatever code it gives', () => {
    const known = new Set(rows.map(([code]) => code));
    const code = fc
      .string({ minLength: 1 })
      .filter((text) => !known.has(text) && text.isWellFormed());
    fc.assert(
      fc.property(code, (reason) => {
        expect(classifyStatus(statusWith(reason))).toMatchObject({
          class: 'unknown',
          code: reason,
        });
      }),
    );
  });

  test.each(['toString', 'constructor', '__proto__'])('is undecided with code %s', (reason) => {
    expect(classifyStatus(statusWith(reason)).class).toBe('unknown');
  });

  test.each([
    [GrpcStatus.UNAUTHENTICATED, 'credentials'],
    [GrpcStatus.PERMISSION_DENIED, 'credentials'],
    [GrpcStatus.UNAVAILABLE, 'unknown'],
    [GrpcStatus.DEADLINE_EXCEEDED, 'unknown'],
    [GrpcStatus.INTERNAL, 'unknown'],
    [GrpcStatus.NOT_FOUND, 'unknown'],
    [GrpcStatus.ALREADY_EXISTS, 'unknown'],
    [GrpcStatus.ABORTED, 'unknown'],
    [GrpcStatus.FAILED_PRECONDITION, 'unknown'],
    [GrpcStatus.UNIMPLEMENTED, 'unknown'],
  ])('without ErrorInfo and with gRPC status %s it is %s', (status, name) => {
    expect(classifyStatus(bare(status))).toMatchObject({
      class: name,
      code: `NO_ERROR_INFO:${GrpcStatus[status]}`,
    });
  });

  // A participant redacts LOCAL_VERDICT_FAILED_MODEL_CONFORMANCE_CHECK, for example.
  test('is a definite no when a completion has the status of a redacted alarm', () => {
    const code = 'REDACTED_VERDICT:INVALID_ARGUMENT';
    const answer = classifyStatus(bare(GrpcStatus.INVALID_ARGUMENT));
    expect(answer).toMatchObject({ class: 'refused', code, definite: true });
    expect(classOf(code)).toBe('refused');
  });

  test('is undecided when its ErrorInfo cannot be read', () => {
    const broken = statusWith('CONTRACT_NOT_FOUND');
    const details = [{ typeUrl: 'x/google.rpc.ErrorInfo', value: new Uint8Array([0x0a, 0xff]) }];
    expect(classifyStatus({ ...broken, details }).class).toBe('unknown');
  });
});

/** Returns the sequencer's refusal as the participant's client reports it: as text in one field of another error. */
const refusedBySequencer = (code: string): Status =>
  statusWith('SEQUENCER_REQUEST_FAILED', {
    definite_answer: 'true',
    category: '2',
    sendError: `RequestRefused(Request failed for sequencer. Is the server initialized or is the server incompatible?
  GrpcRequestRefusedByServer: FAILED_PRECONDITION/${code}(9,4bf92f35): Submission was rejected because no traffic is available
  Request: send-async-versioned)`,
  });

describe('a code that nobody has written down', () => {
  const call = (metadata: Record<string, string>) =>
    classify(
      new LedgerCallError(new ClientError('/a.B/C', GrpcStatus.ABORTED, 'text'), {
        errorInfo: { reason: 'A_NEW_ONE', domain: '', metadata },
        unsent: false,
      }),
    );

  test('is a definite no where a completion says so of itself', () => {
    const answer = classifyStatus(statusWith('A_NEW_ONE', { definite_answer: 'true' }));
    expect(answer).toMatchObject({ class: 'refused', definite: true, heard: true });
    expect(answer.text).toContain('A_NEW_ONE');
  });

  test.each([{}, { definite_answer: 'false' }])('is none with %j', (metadata) => {
    expect(classifyStatus(statusWith('A_NEW_ONE', metadata))).toMatchObject({
      class: 'unknown',
      definite: false,
      heard: true,
    });
  });

  test('is none as the answer to a call, whatever it says of itself', () => {
    expect(call({ definite_answer: 'true' })).toMatchObject({
      class: 'unknown',
      definite: false,
      heard: true,
    });
  });
});

describe('a definite no', () => {
  const call = (reason: string | null, unsent = false) =>
    classify(
      new LedgerCallError(new ClientError('/a.B/C', GrpcStatus.UNAVAILABLE, 'text'), {
        errorInfo: reason === null ? null : { reason, domain: '', metadata: {} },
        unsent,
      }),
    );

  test.each([
    ['LOCAL_VERDICT_TIMEOUT', true, true],
    ['SEQUENCER_NOT_ENOUGH_TRAFFIC_CREDIT', true, true],
    ['INVALID_DEDUPLICATION_PERIOD', true, true],
    // A participant that is stopping may give this answer after it has passed on the command.
    ['SERVICE_NOT_RUNNING', false, true],
    ['SUBMISSION_INTERNAL_ERROR', false, true],
    ['REQUEST_TIME_OUT', false, true],
    // This code says something about another attempt.
    ['SUBMISSION_ALREADY_IN_FLIGHT', false, false],
  ])('%s: to a call %s, by completion %s', (code, asAnswer, asCompletion) => {
    expect(call(code).definite).toBe(asAnswer);
    expect(classifyStatus(statusWith(code)).definite).toBe(asCompletion);
  });

  test('is not said by nobody, nor by a completion without a code', () => {
    expect(call(null)).toMatchObject({ definite: false, heard: false });
    expect(classifyStatus(bare(GrpcStatus.INTERNAL))).toMatchObject({
      definite: false,
      heard: true,
    });
    expect(call(null, true)).toMatchObject({ definite: true, heard: false });
    expect(classify(new TokenError('refused', 'x'))).toMatchObject({
      definite: true,
      heard: false,
    });
  });
});

describe('what a sequencer refuses at once', () => {
  test.each([
    ['SEQUENCER_NOT_ENOUGH_TRAFFIC_CREDIT', 'no-traffic'],
    ['OUTDATED_TRAFFIC_COST', 'contention'],
    ['SEQUENCER_SUBMISSION_REQUEST_MALFORMED', 'refused'],
    ['MAX_SEQUENCING_TIME_EXCEEDED', 'contention'],
  ])('is %s, named in the text of what could not be sent', (code, name) => {
    const answer = classifyStatus(refusedBySequencer(code));
    expect(answer).toMatchObject({ class: name, code, definite: true });
  });

  test.each(['SEQUENCER_OF_TOMORROW', 'CONTRACT_NOT_FOUND', 'SEQUENCER_REQUEST_FAILED'])(
    'stays one code for everything where that names %s',
    (code) => {
      expect(classifyStatus(refusedBySequencer(code))).toMatchObject({
        class: 'busy',
        code: 'SEQUENCER_REQUEST_FAILED',
      });
    },
  );

  test('is looked for in no other answer', () => {
    const metadata = { why: 'SEQUENCER_NOT_ENOUGH_TRAFFIC_CREDIT(9,x): y' };
    expect(classifyStatus(statusWith('DAML_FAILURE', metadata)).class).toBe('refused');
  });
});

describe('DUPLICATE_COMMAND', () => {
  test.each([
    [{ completion_offset: '12', accepted: 'true' }, 'done', { accepted: true, offset: 12n }],
    [{ completionOffset: '12', accepted: 'true' }, 'done', { accepted: true, offset: 12n }],
    [{ completion_offset: '12' }, 'done', { accepted: true, offset: 12n }],
    [{ accepted: 'true' }, 'done', { accepted: true, offset: null }],
    [{ completion_offset: 'x' }, 'done', { accepted: true, offset: null }],
    [{ completion_offset: '12', accepted: 'false' }, 'refused', { accepted: false, offset: 12n }],
  ])('with %j is %s', (metadata, name, duplicateOf) => {
    const answer = classifyStatus(statusWith('DUPLICATE_COMMAND', metadata));
    expect(answer).toMatchObject({ class: name, duplicateOf });
  });

  test('alone says what it is a duplicate of', () => {
    const answer = classifyStatus(statusWith('CONTRACT_NOT_FOUND', { completion_offset: '12' }));
    expect(answer.duplicateOf).toBeNull();
  });
});

test.each([
  [{ existingSubmissionId: 'Some(s-1)' }, ': submission s-1 is in flight'],
  [{ existing_submission_id: 's-1' }, ': submission s-1 is in flight'],
  [{ existingSubmissionId: 'None' }, ''],
  [{ existingSubmissionId: 'Some(a\nb)' }, ''],
  [{}, ''],
])('what is in flight is named where the ledger says so: %j', (metadata, named) => {
  const { explanation } = classifyStatus(statusWith('SUBMISSION_ALREADY_IN_FLIGHT', metadata));
  expect(explanation).toBe(`an attempt of this command is still being processed${named}`);
});

describe('a failed call', () => {
  const callError = (code: GrpcStatus, reason: string | null, unsent: boolean) =>
    new LedgerCallError(new ClientError('/a.B/C', code, 'text'), {
      errorInfo: reason === null ? null : { reason, domain: '', metadata: {} },
      unsent,
    });

  test('that was never sent is undecided and costs nothing', () => {
    expect(classify(callError(GrpcStatus.UNAVAILABLE, null, true))).toMatchObject({
      class: 'unknown',
      takesNoTry: true,
      code: 'NO_ERROR_INFO:UNAVAILABLE',
    });
  });

  test('that was given up by this process is undecided', () => {
    const abort = new Error('aborted');
    abort.name = 'AbortError';
    expect(classify(abort)).toMatchObject({ class: 'unknown', takesNoTry: false });
  });

  test('without a token was not sent', () => {
    expect(classify(new TokenError('unreachable', 'x'))).toMatchObject({
      class: 'unknown',
      takesNoTry: true,
    });
    expect(classify(new TokenError('refused', 'x'))).toMatchObject({ class: 'credentials' });
  });

  test('that is a bug is not an answer', () => {
    for (const bug of [new TypeError('x is not a function'), 'text', undefined]) {
      expect(() => classify(bug)).toThrow(bug instanceof Error ? bug.message : undefined);
    }
  });

  test('an accepted completion is not to be classified', () => {
    expect(() => classifyStatus(bare(GrpcStatus.OK))).toThrow('broken assumption');
  });
});

test('a status from the wire is read as it is', () => {
  const sent = Status.decode(Status.encode(statusWith('INCONSISTENT')).finish());
  expect(classifyStatus(sent).class).toBe('stale-contract');
});
