import { expect, test } from 'vitest';
import { BatchSize } from '../../../src/projector/batch.ts';
import { PROJECTOR_LIMITS } from '../../../src/projector/limits.ts';

const { batchElementsAtFirst, batchElementsMin, batchElementsMax, batchMs, batchMsMax } =
  PROJECTOR_LIMITS;

test('a batch grows while it is full and quick, as far as it may', () => {
  const size = new BatchSize();
  expect(size.elements).toBe(batchElementsAtFirst);
  size.took(size.elements - 1, 0);
  size.took(size.elements, batchMs);
  expect(size.elements).toBe(batchElementsAtFirst);
  size.took(size.elements, batchMs - 1);
  expect(size.elements).toBe(2 * batchElementsAtFirst);
  for (let n = 0; n < 9; n += 1) size.took(size.elements, 0);
  expect(size.elements).toBe(batchElementsMax);
});

test('a batch shrinks when it takes long, as far as it may, and grows again', () => {
  const size = new BatchSize();
  size.took(1, batchMsMax);
  expect(size.elements).toBe(batchElementsAtFirst);
  size.took(1, batchMsMax + 1);
  expect(size.elements).toBe(batchElementsAtFirst / 2);
  for (let n = 0; n < 9; n += 1) size.took(size.elements, batchMsMax + 1);
  expect(size.elements).toBe(batchElementsMin);
  size.took(size.elements, 0);
  expect(size.elements).toBe(2 * batchElementsMin);
});

test('a batch that fails is tried with half of it, down to one element, and grows again by steps', () => {
  const size = new BatchSize();
  size.failed();
  expect(size.elements).toBe(batchElementsAtFirst / 2);
  for (let n = 0; n < 20; n += 1) size.failed();
  expect(size.elements).toBe(1);
  size.took(1, batchMsMax + 1);
  expect(size.elements).toBe(1);
  size.took(1, 0);
  expect(size.elements).toBe(2);
});
