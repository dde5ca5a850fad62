import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { packIds, unpackIds } from '../../../src/store/sql/channels.ts';

test.each([0, 1, 2, 213, 214, 2_000])('%i ids fit into messages, none is lost', (count) => {
  const ids = Array.from({ length: count }, () => randomUUID());
  const payloads = packIds(ids);
  expect(payloads.flatMap(unpackIds)).toEqual(ids);
  for (const payload of payloads) {
    expect(payload.length).toBeGreaterThan(0);
    expect(Buffer.byteLength(payload)).toBeLessThan(8_000);
  }
  // The IDs are in as few payloads as possible. A payload holds 213 IDs of 36 characters, with their commas.
  expect(payloads).toHaveLength(Math.ceil(count / 213));
});

test('an empty message names nobody', () => {
  expect(unpackIds('')).toEqual([]);
});
