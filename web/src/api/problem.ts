export { ProblemError } from '../../../client/problem.ts';
export type { Problem } from '../../../client/problem.ts';

/** What a server says that takes no more requests of this person for a while. */
export const busyWords = (retryAfterS: number | null): string =>
  `The server takes no more requests ${retryAfterS === null ? 'for a moment' : `for ${retryAfterS} s`}.`;
