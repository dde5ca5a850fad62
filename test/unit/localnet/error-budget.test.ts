import { expect, test } from 'vitest';
import { causeOf, fitting, idOf } from '../../../localnet/grpc/error-budget.ts';
import { wireStatus } from '../../../localnet/grpc/errors.ts';
import { LedgerError } from '../../../localnet/ledger/ledger-error.ts';
import { Status } from '../../../proto/gen/google/rpc/status.ts';

/* Sizes of errors, modelled on Canton's ErrorCodeSpec and SerializableErrorComponentsSpec. */

const LONG = 'x'.repeat(5_000);
const NOTHING = { texts: [], details: [] };

test('a cause of more than 512 characters ends with an ellipsis', () => {
  expect(causeOf('x'.repeat(512))).toBe('x'.repeat(512));
  expect(causeOf(LONG)).toBe(`${'x'.repeat(512)}...`);
});

test.each(['é', '€', '\u{10FFFF}', '\0', '%'])('a cause of %j fits into a header', (character) => {
  const cause = causeOf(character.repeat(5_000));
  expect(encodeURIComponent(cause).length).toBeLessThanOrEqual(2_048);
  expect(cause.isWellFormed()).toBe(true);
  expect(cause.endsWith('...')).toBe(true);
});

test('an ID has 256 characters at most', () => {
  expect(idOf('a')).toBe('a');
  expect(idOf(LONG)).toBe(`${'x'.repeat(253)}...`);
});

test('what is short is told whole beside what is cut', () => {
  const { metadata, resources } = fitting(
    {
      metadata: { small: 'a', large: LONG, empty: '', 'odd.key!': 'b' },
      resources: [
        { type: 'CONTRACT_ID', name: '00aa' },
        { type: 'PARTY', name: LONG },
      ],
    },
    NOTHING,
  );
  expect(metadata).toMatchObject({ small: 'a', oddkey: 'b' });
  expect(metadata['large']).toMatch(/^x{100,}\.\.\.$/u);
  expect(metadata).not.toHaveProperty('empty');
  expect(resources).toEqual([{ type: 'CONTRACT_ID', name: '00aa' }]);
});

test('however much there is, a status has at most 4096 bytes', () => {
  const error = new LedgerError('CONTRACT_NOT_FOUND', LONG, {
    metadata: Object.fromEntries(
      Array.from({ length: 40 }, (_, n) => [`key-${n}`, 'é'.repeat(n * 20)]),
    ),
    resources: Array.from({ length: 100 }, (_, n) => ({
      type: 'CONTRACT_ID',
      name: `${n}${LONG.slice(0, 70)}`,
    })),
  });
  const status = wireStatus(error, { traceId: 'a'.repeat(32), submissionId: LONG });
  expect(Status.encode(status).finish().length).toBeLessThanOrEqual(4_096);
  expect(status.details.length).toBeGreaterThan(10);
});
