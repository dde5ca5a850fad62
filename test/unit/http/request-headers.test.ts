import { describe, expect, test } from 'vitest';
import { HTTP_LIMITS } from '../../../src/http/limits.ts';
import { ProblemError } from '../../../src/domain/problems.ts';
import { accepts } from '../../../src/http/kit/accept.ts';
import { readCommandId } from '../../../src/http/kit/command-id.ts';
import {
  appliedPreferences,
  entityTag,
  entityTagOfBody,
  isKnown,
  readIfMatch,
  readPreferences,
} from '../../../src/http/kit/request-headers.ts';
import { NO_TRACER, readTraceparent } from '../../../src/app/ports/tracing.ts';

const refused = (read: () => unknown): { code: string; message: string } | null => {
  try {
    read();
    return null;
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return { code: error.details.code, message: error.details.message };
  }
};

describe('commandId', () => {
  test.each([
    ['accept-1', undefined],
    ['A/b#c: d_e', undefined],
    ['a'.repeat(255), undefined],
    ['given', 'given'],
    ['given', '"given"'],
  ])('%s is taken from the query', (parameter, header) => {
    expect(readCommandId(parameter, header)).toBe(parameter);
  });

  test.each([
    ['key-1', 'key-1'],
    ['"key 1"', 'key 1'],
  ])('header %s is taken where the query has none', (header, id) => {
    expect(readCommandId(undefined, header)).toBe(id);
  });

  test('missing is said in the reference’s words', () => {
    expect(refused(() => readCommandId(undefined, undefined))).toEqual({
      code: 'COMMAND_ID_MISSING',
      message: `Required parameter 'commandId' is not present.`,
    });
  });

  test.each([
    ['', undefined],
    ['a'.repeat(256), undefined],
    ['ä', undefined],
    ['a\0', undefined],
    ['a\n', undefined],
    ['tenure:expire:x', undefined],
    [['a', 'b'], undefined],
    [['a', 'a'], undefined],
    ['given', 'other'],
    ['given', ''],
    [undefined, ''],
    [undefined, '""'],
    [undefined, 'a,b'],
    [undefined, ['a', 'b']],
    [undefined, '"tenure:x"'],
  ])('%j, %j is refused', (parameter, header) => {
    expect(refused(() => readCommandId(parameter, header))?.code).toBe('COMMAND_ID_INVALID');
  });
});

describe('If-Match', () => {
  test.each([
    [undefined, undefined],
    ['*', undefined],
    [' * ', undefined],
    ['"3"', [3]],
    [entityTag(17), [17]],
    ['"0"', [0]],
    ['"3", "4"', [3, 4]],
    // A proxy that compresses the body changes its entity tag: https://github.com/fastify/fastify-etag/issues/108 and
    // https://github.com/kubernetes/ingress-nginx/issues/1390.
    ['W/"3" ,"4"', [3, 4]],
    ['W/"3"', [3]],
    ['w/"3"', [3]],
    ['"3-gzip"', [3]],
    ['W/"3--gzip"', [3]],
    ['"3;br"', [3]],
    [', "3",, "4",', [3, 4]],
    [entityTagOfBody(3, { some: 'body' }), [3]],
    // Tags that this server cannot have sent match no version.
    ['"3-other"', []],
    ['"03"', []],
    ['"abc"', []],
    ['"3, 4"', []],
    ['""', []],
  ])('%s asks for versions %j', (header, versions) => {
    expect(readIfMatch(header)).toEqual(versions);
  });

  test.each(['3', '', '"3', '"3" "4"', '*, "3"', '"3", 4', ','])('%s is refused', (header) => {
    expect(refused(() => readIfMatch(header))?.code).toBe('REQUEST_INVALID');
  });
});

describe('If-None-Match', () => {
  const tag = entityTagOfBody(3, { some: 'body' });
  test.each([
    [tag, true],
    [`W/${tag}`, true],
    [tag.replace(/"$/u, '-gzip"'), true],
    [`"0", ${tag}`, true],
    ['*', true],
    [undefined, false],
    // The version is the same, but something else in the body differs.
    [entityTagOfBody(3, { some: 'other body' }), false],
    ['"3"', false],
  ])('%s is known: %s', (header, known) => {
    expect(isKnown(header, tag)).toBe(known);
  });
});

describe('Prefer', () => {
  const wait = { default: HTTP_LIMITS.httpWaitMsDefault, max: HTTP_LIMITS.httpWaitMsMax };
  test.each([
    [undefined, false, wait.default, null],
    ['', false, wait.default, null],
    ['respond-async', true, 0, null],
    ['Respond-Async', true, 0, null],
    ['wait=5', false, 5_000, 5],
    ['wait="5"', false, 5_000, 5],
    ['wait = 5', false, 5_000, 5],
    ['respond-async, wait=5', true, 5_000, 5],
    ['return=minimal; foo="a,wait=9", wait=1', false, 1_000, 1],
    ['wait=1, wait=9', false, 1_000, 1],
    ['wait=0', false, 0, 0],
    [`wait=999999999`, false, wait.max, wait.max / 1_000],
    // Preferences that cannot be parsed are ignored.
    ['wait=-1', false, wait.default, null],
    ['wait=1.5', false, wait.default, null],
    ['wait', false, wait.default, null],
    ['wait=soon', false, wait.default, null],
    [',,;="', false, wait.default, null],
    [['respond-async', 'wait=2'], true, 2_000, 2],
  ])('%j', (header, respondAsync, waitMs, waitSeconds) => {
    expect(readPreferences(header)).toEqual({ respondAsync, waitMs, waitSeconds });
  });

  test('is applied as far as it made a difference', () => {
    const applied = (header: string, isAsync: boolean) =>
      appliedPreferences(readPreferences(header), isAsync);
    expect(applied('respond-async', true)).toBe('respond-async');
    expect(applied('respond-async', false)).toBeNull();
    expect(applied('respond-async, wait=2', true)).toBe('respond-async, wait=2');
    expect(applied('wait=999999999', true)).toBe(`wait=${wait.max / 1_000}`);
    expect(applied('handling=lenient', true)).toBeNull();
  });
});

describe('Accept', () => {
  test.each([
    [undefined, true],
    ['', true],
    ['*/*', true],
    ['text/plain', true],
    ['Text/Plain;charset=UTF-8', true],
    ['text/*', true],
    ['application/json, */*;q=0.1', true],
    ['application/json, text/plain, */*', true],
    ['what is this', true],
    ['application/json', false],
    ['application/json, application/problem+json', false],
    ['*/*, text/plain;q=0', false],
    ['text/*;q=0.0, */*', false],
    ['text/html, application/xhtml+xml', false],
  ])('%s takes text/plain: %s', (header, taken) => {
    expect(accepts(header, 'text/plain')).toBe(taken);
  });
});

describe('traceparent', () => {
  const id = '4bf92f3577b34da6a3ce929d0e0e4736';
  test.each([`00-${id}-00f067aa0ba902b7-01`, `01-${id}-00f067aa0ba902b7-00-later`])(
    '%s is kept',
    (header) => {
      const span = NO_TRACER.start('a request', { kind: 'server', parent: header });
      expect(span.traceId).toBe(id);
      expect(readTraceparent(span.traceparent)).toEqual(readTraceparent(header));
    },
  );

  test.each([
    undefined,
    '',
    id,
    `ff-${id}-00f067aa0ba902b7-01`,
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `00-${id}-${'0'.repeat(16)}-01`,
    `00-${id.toUpperCase()}-00f067aa0ba902b7-01`,
    `00-${id}-00f067aa0ba902b7-01, 00-${id}-00f067aa0ba902b7-01`,
  ])('%j begins a new trace', (header) => {
    const begin = () => NO_TRACER.start('a request', { kind: 'server', parent: header ?? null });
    const { traceId, traceparent } = begin();
    expect(traceId).toMatch(/^[0-9a-f]{32}$/u);
    expect([id, begin().traceId]).not.toContain(traceId);
    expect(readTraceparent(traceparent)).toMatchObject({ traceId, flags: '00' });
  });
});
