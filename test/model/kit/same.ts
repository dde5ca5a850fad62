import assert from 'node:assert/strict';

/** Says what is not the same, and where. */
export function same(actual: unknown, expected: unknown, what: string): void {
  try {
    assert.deepEqual(actual, expected);
  } catch (error) {
    throw new Error(`${what}\n${(error as Error).message}`, { cause: error });
  }
}
