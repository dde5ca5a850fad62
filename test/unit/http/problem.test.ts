import { expect, test } from 'vitest';
import { PROBLEMS, ProblemError, problem } from '../../../src/domain/problems.ts';
import { clientErrorAnswer } from '../../../src/http/kit/client-error.ts';
import {
  problemBody,
  problemHeaders,
  problemPath,
  toProblem,
} from '../../../src/http/kit/problem.ts';
import { loggedError } from '../../../src/http/kit/request-log.ts';

const place = {
  instance: '/licenses/x:expire',
  prefix: '/api',
  traceId: 'trace-1',
  commandId: 'c-1',
};
const nothingIsDown = { databaseOutage: () => null };

test('a problem says all that RFC 9457, the reference’s clients and ours read', () => {
  const details = problem('LEDGER_REFUSED', 'no', {
    ledgerCode: 'DAML_FAILURE',
    extra: { ledgerText: 'text', state: 'active' },
  });
  expect(problemBody(details, place)).toEqual({
    type: '/api/errors/ledger-refused',
    title: PROBLEMS.LEDGER_REFUSED.title,
    status: 409,
    detail: 'no',
    message: 'no',
    instance: '/licenses/x:expire',
    code: 'LEDGER_REFUSED',
    ledgerCode: 'DAML_FAILURE',
    retryable: false,
    commandId: 'c-1',
    traceId: 'trace-1',
    ledgerText: 'text',
    state: 'active',
  });
});

test('extras stand beside the members that everyone relies on, never in their place', () => {
  const extra = { status: 200, message: 'fine', code: 'OK', traceId: 'x', retryable: true };
  const body = problemBody(problem('NOT_FOUND', 'gone', { extra }), { ...place, commandId: null });
  expect(body).toMatchObject({
    status: 404,
    message: 'gone',
    code: 'NOT_FOUND',
    traceId: 'trace-1',
  });
  expect(body['retryable']).toBe(false);
  expect(body).not.toHaveProperty('commandId');
});

test('each code has a type of its own', () => {
  const types = Object.keys(PROBLEMS).map((code) => problemPath(code as keyof typeof PROBLEMS));
  expect(new Set(types).size).toBe(types.length);
});

test('503 says when to come back, 401 what was wrong with the token', () => {
  expect(problemHeaders(problem('DATABASE_UNAVAILABLE', 'down'))).toEqual({ 'retry-after': '1' });
  expect(problemHeaders(problem('UNAUTHENTICATED', 'a bearer token is required'))).toEqual({
    'www-authenticate': 'Bearer realm="tenure"',
  });
  const bad = problem('UNAUTHENTICATED', 'the token has expired', {
    extra: { reason: 'invalid_token' },
  });
  expect(problemHeaders(bad)).toEqual({
    'www-authenticate':
      'Bearer realm="tenure", error="invalid_token", error_description="the token has expired"',
  });
  expect(problemHeaders(problem('NOT_FOUND', 'gone'))).toEqual({});
});

test('errors are translated once, by what they are', () => {
  class Unreachable extends Error {}
  const outages = {
    databaseOutage: (error: unknown) => (error instanceof Unreachable ? 'it is away' : null),
    isLedgerUnavailable: (error: unknown) => error instanceof RangeError,
  };
  const codeOf = (error: unknown) => toProblem(error, outages).code;
  const coded = (code: string, statusCode: number) =>
    Object.assign(new Error('private'), { code, statusCode });
  expect(codeOf(new ProblemError(problem('FORBIDDEN', 'no')))).toBe('FORBIDDEN');
  expect(codeOf(new Unreachable())).toBe('DATABASE_UNAVAILABLE');
  expect(codeOf(new Error('outer', { cause: new Unreachable() }))).toBe('DATABASE_UNAVAILABLE');
  expect(codeOf(new RangeError('down'))).toBe('LEDGER_UNAVAILABLE');
  expect(codeOf(coded('FST_ERR_CTP_BODY_TOO_LARGE', 413))).toBe('BODY_TOO_LARGE');
  expect(codeOf(coded('FST_ERR_CTP_INVALID_MEDIA_TYPE', 415))).toBe('MEDIA_TYPE_UNSUPPORTED');
  expect(codeOf(coded('FST_ERR_SOMETHING_NEW', 422))).toBe('REQUEST_INVALID');
  expect(codeOf(coded('FST_ERR_SOMETHING_NEW', 500))).toBe('INTERNAL');
  expect(codeOf('thrown text')).toBe('INTERNAL');
  expect(codeOf(undefined)).toBe('INTERNAL');
});

test('a bug tells its caller nothing', () => {
  const error = new Error('password=hunter2 at /srv/secret.ts');
  const body = JSON.stringify(problemBody(toProblem(error, nothingIsDown), place));
  expect(body).not.toMatch(/hunter2|secret|stack/u);
});

test('the log gets the whole error, but no token', () => {
  const token = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJtZSJ9.c2lnbmF0dXJl';
  const error = new Error(`bad ${token}`, { cause: new TypeError(`inner ${token}`) });
  const logged = loggedError(error);
  expect(logged).toMatchObject({
    type: 'Error',
    message: 'bad [token]',
    cause: { type: 'TypeError' },
  });
  expect(JSON.stringify(logged)).not.toContain('eyJ');
  expect(String(logged['stack'])).toContain('problem.test.ts');
});

test.each([
  ['HPE_HEADER_OVERFLOW', 431, 'HEADERS_TOO_LARGE'],
  ['ERR_HTTP_REQUEST_TIMEOUT', 408, 'REQUEST_TIMEOUT'],
  ['HPE_INVALID_METHOD', 400, 'REQUEST_INVALID'],
  ['', 400, 'REQUEST_INVALID'],
])('what is no request (%s) is answered as HTTP all the same', (code, status, problemCode) => {
  const [head = '', body = ''] = clientErrorAnswer(code).split('\r\n\r\n');
  const [line = '', ...headers] = head.split('\r\n');
  expect(line).toMatch(new RegExp(`^HTTP/1\\.1 ${status} \\w+`, 'u'));
  expect(headers).toContain(`Content-Length: ${Buffer.byteLength(body)}`);
  expect(headers).toContain('Connection: close');
  expect(JSON.parse(body)).toMatchObject({ status, code: problemCode });
});
