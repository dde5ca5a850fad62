import * as t from '../texts/shell.tsx';

export { ProblemError } from '../../../client/problem.ts';
export type { Problem } from '../../../client/problem.ts';

/** Returns the text for a server that temporarily accepts no further requests of this person. */
export const busyWords = (retryAfterS: number | null): string =>
  t.theServerTakesNoMoreRequests(retryAfterS);
