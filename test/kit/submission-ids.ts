import { randomUUID } from 'node:crypto';
import type { SubmissionId } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';

/** For tests that do not ask whose a submission is. */
export const newSubmissionId = (): SubmissionId => trusted<SubmissionId>(randomUUID());
