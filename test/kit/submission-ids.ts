import { randomUUID } from 'node:crypto';
import { submissionIdOf } from '../../src/domain/cell.ts';
import type { SubmissionId } from '../../src/domain/ids.ts';

const CELL = { id: '0123456789abcdef' };

/** A submission ID for tests to which the cell does not matter. */
export const newSubmissionId = (): SubmissionId => submissionIdOf(CELL, randomUUID());
