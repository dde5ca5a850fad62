import { randomUUID } from 'node:crypto';
import { submissionIdOf } from '../../src/domain/cell.ts';
import type { SubmissionId } from '../../src/domain/ids.ts';

const CELL = { id: '0123456789abcdef' };

/** For tests that do not ask which cell a submission is of. */
export const newSubmissionId = (): SubmissionId => submissionIdOf(CELL, randomUUID());
