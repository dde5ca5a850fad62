import assert from 'node:assert/strict';

/** Asserts that two values are equal. Otherwise reports what differs and where. */
export function same(actual: unknown, expected: unknown, what: string): void {
  try {
    assert.deepEqual(actual, expected);
  } catch (error) {
    throw new Error(`${what}\n${(error as Error).message}`, { cause: error });
  }
}
