import * as fc from 'fast-check';
import { ClientError, Status as GrpcStatus } from 'nice-grpc-common';
import { describe, expect, test } from 'vitest';
import { ErrorInfo } from '../../../proto/gen/google/rpc/error_details.ts';
import { Status } from '../../../proto/gen/google/rpc/status.ts';
import type { AnswerClass } from '../../../src/domain/answer.ts';
import { OUTCOMES } from '../../../src/domain/ledger-codes.ts';
import {
  LedgerCallError,
  TokenError,
  classify,
  classifyStatus,
} from '../../../src/ledger/outcome.ts';

/** The codes that creates, exercises and reads can give, and what each means for a change: written down twice. */
const EXPECTED: Readonly<Record<AnswerClass, string>> = {
  done: 'DUPLICATE_COMMAND',
  'in-flight': 'SUBMISSION_ALREADY_IN_FLIGHT',
  contention: `LOCAL_VERDICT_LOCKED_CONTRACTS MEDIATOR_SAYS_TX_TIMED_OUT LOCAL_VERDICT_TIMEOUT
    NOT_SEQUENCED_TIMEOUT LOCAL_VERDICT_LEDGER_TIME_OUT_OF_BOUND FAILED_TO_DETERMINE_LEDGER_TIME
    INTERPRETATION_TIME_EXCEEDED INCONSISTENT_CONTRACT_KEY`,
  'stale-contract': `CONTRACT_NOT_FOUND CONTRACT_NOT_ACTIVE LOCAL_VERDICT_INACTIVE_CONTRACTS
    UNKNOWN_CONTRACT_SYNCHRONIZERS UNKNOWN_CONTRACT_SYNCHRONIZER INCONSISTENT`,
  busy: `PARTICIPANT_BACKPRESSURE PARTICIPANT_OVERLOADED SERVER_OVERLOADED SEQUENCER_BACKPRESSURE
    SEQUENCER_REQUEST_FAILED SUBMISSION_DURING_SHUTDOWN CHOSEN_MEDIATOR_IS_INACTIVE
    HEAP_MEMORY_OVER_LIMIT THREADPOOL_OVERLOADED MAXIMUM_NUMBER_OF_STREAMS SERVICE_NOT_RUNNING
    NOT_CONNECTED_TO_ANY_SYNCHRONIZER NOT_CONNECTED_TO_SYNCHRONIZER`,
  unknown: `REQUEST_TIME_OUT REQUEST_DEADLINE_EXCEEDED ABORTED_DUE_TO_SHUTDOWN
    NODE_IS_PASSIVE_REPLICA INVALID_DEDUPLICATION_PERIOD`,
  credentials: 'UNAUTHENTICATED ACCESS_TOKEN_EXPIRED STALE_STREAM_AUTHORIZATION INVALID_TOKEN',
  refused: `PERMISSION_DENIED DAML_FAILURE UNHANDLED_EXCEPTION INTERPRETATION_USER_ERROR
    DAML_INTERPRETATION_ERROR DAML_AUTHORIZATION_ERROR TEMPLATE_PRECONDITION_VIOLATED
    WRONGLY_TYPED_CONTRACT CONTRACT_DOES_NOT_IMPLEMENT_INTERFACE DUPLICATE_CONTRACT_KEY
    DISCLOSED_CONTRACT_AUTHENTICATION_FAILED COMMAND_PREPROCESSING_FAILED MISSING_FIELD
    INVALID_FIELD INVALID_ARGUMENT NEGATIVE_OFFSET NON_POSITIVE_OFFSET
    NO_SYNCHRONIZER_ON_WHICH_ALL_SUBMITTERS_CAN_SUBMIT UNKNOWN_SUBMITTERS UNKNOWN_INFORMEES
    SUBMITTERS_NOT_ACTIVE NO_SYNCHRONIZER_FOR_SUBMISSION INVALID_PRESCRIBED_SYNCHRONIZER_ID
    PACKAGE_NOT_FOUND PACKAGE_NAMES_NOT_FOUND UNRESOLVED_PACKAGE_NAME
    TEMPLATES_OR_INTERFACES_NOT_FOUND NO_TEMPLATES_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME
    PACKAGE_SELECTION_FAILED PACKAGE_NOT_VETTED_BY_RECIPIENTS OFFSET_AFTER_LEDGER_END
    OFFSET_OUT_OF_RANGE PARTICIPANT_PRUNED_DATA_ACCESSED UPDATE_NOT_FOUND CONTRACT_EVENTS_NOT_FOUND
    CONTRACT_PAYLOAD_NOT_FOUND USER_NOT_FOUND PARTY_NOT_FOUND`,
};

const rows = Object.entries(EXPECTED).flatMap(([name, codes]) =>
  codes.split(/\s+/).map((code) => [code, name as AnswerClass] as const),
);

/** A status as a participant makes it. The gRPC status and the text are misleading on purpose. */
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
    expect(answer).toMatchObject({ class: name, code, unsent: false });
    expect(answer.explanation).toMatch(/^[a-z].*[^.]$/);
    expect(answer.text).toContain(code);
  });

  test('is in this list too', () => {
    const listed = Object.values(OUTCOMES).flatMap((codes) => Object.keys(codes));
    expect(listed.toSorted()).toEqual(rows.map(([code]) => code).toSorted());
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
    [GrpcStatus.PERMISSION_DENIED, 'refused'],
    [GrpcStatus.UNAVAILABLE, 'unknown'],
    [GrpcStatus.DEADLINE_EXCEEDED, 'unknown'],
    [GrpcStatus.INTERNAL, 'unknown'],
    [GrpcStatus.INVALID_ARGUMENT, 'unknown'],
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

  test('is undecided when its ErrorInfo cannot be read', () => {
    const broken = statusWith('CONTRACT_NOT_FOUND');
    const details = [{ typeUrl: 'x/google.rpc.ErrorInfo', value: new Uint8Array([0x0a, 0xff]) }];
    expect(classifyStatus({ ...broken, details }).class).toBe('unknown');
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

describe('a failed call', () => {
  const callError = (code: GrpcStatus, reason: string | null, unsent: boolean) =>
    new LedgerCallError(new ClientError('/a.B/C', code, 'text'), {
      errorInfo: reason === null ? null : { reason, domain: '', metadata: {} },
      unsent,
    });

  test('that was never sent is undecided and costs nothing', () => {
    expect(classify(callError(GrpcStatus.UNAVAILABLE, null, true))).toMatchObject({
      class: 'unknown',
      unsent: true,
      code: 'NO_ERROR_INFO:UNAVAILABLE',
    });
  });

  test('that was given up by this process is undecided', () => {
    const abort = new Error('aborted');
    abort.name = 'AbortError';
    expect(classify(abort)).toMatchObject({ class: 'unknown', unsent: false });
  });

  test('without a token was not sent', () => {
    expect(classify(new TokenError('unreachable', 'x'))).toMatchObject({
      class: 'unknown',
      unsent: true,
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
