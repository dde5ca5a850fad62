import { expect, test } from 'vitest';
import { PreparedTransaction } from '../../../proto/gen/com/daml/ledger/api/v2/interactive/interactive_submission_service.ts';
import { Unhashable, hashesOf } from '../../../localnet/interactive/hash.ts';

/** Returns a prepared transaction with this number of exercises, each within another. */
const nested = (count: number): PreparedTransaction => {
  const numbers = Array.from({ length: count }, (_, number) => number);
  return PreparedTransaction.fromPartial({
    metadata: {},
    transaction: {
      version: '2.1',
      roots: ['0'],
      nodes: numbers.map((number) => ({
        nodeId: String(number),
        versionedNode: {
          $case: 'v1',
          value: {
            nodeType: {
              $case: 'exercise',
              value: { children: number + 1 < count ? [String(number + 1)] : [] },
            },
          },
        },
      })),
      nodeSeeds: numbers.map((nodeId) => ({ nodeId, seed: new Uint8Array(32) })),
    },
  });
};

test('a transaction of nodes in each other has a hash, unless they are too many', () => {
  expect(hashesOf(nested(200), 2).whole).toHaveLength(32);
  expect(() => hashesOf(nested(50_000), 2)).toThrow(Unhashable);
});
