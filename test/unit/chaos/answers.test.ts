import { expect, test } from 'vitest';
import { contentOf, saysTheSame, standing } from '../../../chaos/records.ts';

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

test('a refusal at once is contradicted by what was accepted after it no more than by nothing', () => {
  const at = (status: number, body: unknown, answeredMs: number) => ({ status, body, answeredMs });
  const refused = at(409, refusal, 1_000);
  const accepted = at(201, '', 1_500);
  expect(standing(refused, accepted, 1_400)).toBe(accepted);
  expect(standing(accepted, refused, 1_400)).toBe(accepted);
  // The other change, which caused the refusal, was executed before the refusal.
  expect(standing(refused, accepted, 900)).toBeNull();
  expect(standing(refused, accepted, null)).toBeNull();
  const other = at(409, { ...refusal, code: 'LEDGER_REFUSED' }, 1_000);
  expect(standing(other, accepted, 1_400)).toBeNull();
  expect(standing(refused, { ...refused, answeredMs: 2_000 }, null)).toBe(refused);
});
