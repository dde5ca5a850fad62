import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decimalOf, unitsOf } from '../../../localnet/ledger/decimal.ts';
import { canonicalNumeric } from '../../../localnet/ledger/lf-values.ts';

const units = fc.bigInt({ min: -(10n ** 38n) + 1n, max: 10n ** 38n - 1n });

describe('a decimal', () => {
  test('is a whole number of its smallest units, and back', () => {
    fc.assert(
      fc.property(units, (many) => {
        const decimal = decimalOf(many)!;
        expect(unitsOf(decimal)).toBe(many);
        expect(canonicalNumeric(decimal, 10)).toBe(decimal);
      }),
    );
  });

  test.each([
    [0n, '0.0000000000'],
    [1n, '0.0000000001'],
    [-1n, '-0.0000000001'],
    [-12_500_000_000n, '-1.2500000000'],
    [10n ** 38n - 1n, '9999999999999999999999999999.9999999999'],
  ])('%s is %s', (many, decimal) => {
    expect(decimalOf(many)).toBe(decimal);
    expect(unitsOf(decimal)).toBe(many);
  });

  test.each([10n ** 38n, -(10n ** 38n)])('%s units are too many', (many) => {
    expect(decimalOf(many)).toBeUndefined();
  });
});
