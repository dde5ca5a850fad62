import { Status as GrpcStatus } from 'nice-grpc';
import { describe, expect, test } from 'vitest';
import { grpcStatusOf, wireStatus } from '../../../localnet/grpc/errors.ts';
import { ERROR_CATEGORIES, UNREDACTED_ALARMS } from '../../../localnet/ledger/ledger-error.ts';
import type { ErrorCode } from '../../../localnet/ledger/ledger-error.ts';
import type { Rejection } from '../../../localnet/ledger/update.ts';
import {
  ErrorInfo,
  RequestInfo,
  ResourceInfo,
  RetryInfo,
} from '../../../proto/gen/google/rpc/error_details.ts';

const IDS = { traceId: '0123456789abcdef0123456789abcdef', submissionId: 'my-submission' };

const rejection = (code: ErrorCode, changes: Partial<Rejection> = {}): Rejection => ({
  code,
  text: 'what happened',
  metadata: {},
  resources: [],
  definiteAnswer: false,
  ...changes,
});

function detailsOf(error: Rejection) {
  const { details } = wireStatus(error, IDS);
  const find = (name: string) =>
    details.filter(({ typeUrl }) => typeUrl === `type.googleapis.com/google.rpc.${name}`);
  const first = <T>(name: string, decode: (value: Uint8Array) => T) =>
    find(name).map(({ value }) => decode(value))[0];
  return {
    error: first('ErrorInfo', (value) => ErrorInfo.decode(value)),
    retry: first('RetryInfo', (value) => RetryInfo.decode(value)),
    request: first('RequestInfo', (value) => RequestInfo.decode(value)),
    resources: find('ResourceInfo').map(({ value }) => ResourceInfo.decode(value)),
  };
}

const CODES = Object.keys(ERROR_CATEGORIES) as ErrorCode[];

describe('an error on the wire', () => {
  test('starts with its name, its category and eight characters to find it by', () => {
    expect(wireStatus(rejection('CONTRACT_NOT_FOUND'), IDS)).toMatchObject({
      code: GrpcStatus.NOT_FOUND,
      message: 'CONTRACT_NOT_FOUND(11,01234567): what happened',
    });
  });

  test('carries reason, category, trace, answer, request and resources', () => {
    const details = detailsOf(
      rejection('DUPLICATE_COMMAND', {
        metadata: { accepted: 'true' },
        resources: [{ type: 'COMMAND_ID', name: 'c' }],
        definiteAnswer: true,
      }),
    );
    expect(details.error).toEqual({
      reason: 'DUPLICATE_COMMAND',
      domain: '',
      metadata: { accepted: 'true', category: '10', tid: IDS.traceId, definite_answer: 'true' },
    });
    expect(details.request).toMatchObject({ requestId: 'my-submission' });
    expect(details.resources).toMatchObject([{ resourceType: 'COMMAND_ID', resourceName: 'c' }]);
    expect(details.retry).toBeUndefined();
  });

  test.each(CODES)('%s tells all or nothing, and whether to try again, by its category', (code) => {
    const category = ERROR_CATEGORIES[code];
    const isAlarm = category === 5 && !UNREDACTED_ALARMS.has(code);
    const isRedacted =
      isAlarm || category === 4 || category === 6 || category === 7 || category === 14;
    const { message } = wireStatus(rejection(code), IDS);
    const details = detailsOf(rejection(code));
    expect(message.includes('what happened')).toBe(!isRedacted);
    expect(message.includes(code)).toBe(!isRedacted);
    expect(details.error === undefined).toBe(isRedacted);
    expect(details.request).toBeDefined();
    const isRetryable = category === 1 || category === 2 || category === 3 || category === 12;
    expect(details.retry !== undefined).toBe(isRetryable);
    expect(grpcStatusOf(code)).toBeGreaterThan(0);
  });

  test('of a stale stream says to come back at once', () => {
    const seconds = (code: ErrorCode) => detailsOf(rejection(code)).retry?.retryDelay?.seconds;
    expect([seconds('STALE_STREAM_AUTHORIZATION'), seconds('ACCESS_TOKEN_EXPIRED')]).toEqual([
      0n,
      1n,
    ]);
  });

  test('fits into a trailer, however long its parts are', () => {
    const long = 'x'.repeat(20_000);
    const metadata = { exercise_trace: long, error_id: 'short' };
    const { message } = wireStatus(rejection('DAML_FAILURE', { text: long, metadata }), IDS);
    const { error } = detailsOf(rejection('DAML_FAILURE', { metadata }));
    expect(message.length).toBeLessThan(600);
    expect(error!.metadata['error_id']).toBe('short');
    expect(error!.metadata['category']).toBe('9');
    expect(JSON.stringify(error).length).toBeLessThan(5000);
  });
});
