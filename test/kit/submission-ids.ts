import { randomUUID } from 'node:crypto';
import type { SubmissionId } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';

/** Another one for each attempt, which does not say whose it is. */
export const newSubmissionId = (): SubmissionId => trusted<SubmissionId>(randomUUID());
