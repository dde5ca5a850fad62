import { randomUUID } from 'node:crypto';
import { submissionIdOf } from '../../src/domain/cell.ts';
import type { SubmissionId } from '../../src/domain/ids.ts';

const CELL = { id: '0123456789abcdef' };

/** Returns a new submission ID, for tests in which the cell does not matter. */
export const newSubmissionId = (): SubmissionId => submissionIdOf(CELL, randomUUID());
