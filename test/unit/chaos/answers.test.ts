import { expect, test } from 'vitest';
import { contentOf, saysTheSame } from '../../../chaos/records.ts';

const refusal = { code: 'STEP_NOT_ALLOWED', detail: 'a renewal is open', traceId: 'a' };

test('answers to one command say the same whichever request they answer', () => {
  const first = { status: 409, body: refusal };
  expect(saysTheSame(first, { status: 409, body: { ...refusal, traceId: 'b' } })).toBe(true);
  expect(contentOf(refusal)).not.toContain('traceId');
});

test.each([
  ['another status', { status: 400, body: refusal }],
  ['another code', { status: 409, body: { ...refusal, code: 'GONE' } }],
  ['another detail', { status: 409, body: { ...refusal, detail: 'closed' } }],
  ['a success', { status: 201, body: { licenseId: '1' } }],
  ['nothing', { status: 409, body: '' }],
])('%s is a contradiction', (_what, other) => {
  expect(saysTheSame({ status: 409, body: refusal }, other)).toBe(false);
});

test('what is no object is compared as it is', () => {
  expect(saysTheSame({ status: 204, body: '' }, { status: 204, body: '' })).toBe(true);
  expect(saysTheSame({ status: 200, body: ['a'] }, { status: 200, body: ['b'] })).toBe(false);
});
