import { QueryClient } from '@tanstack/react-query';
import { ProblemError } from './problem.ts';

const TRIES_MAX = 3;

/**
 * Whether to repeat a read that failed. A refused request would be refused again; a request without an answer may
 * succeed.
 */
const isWorthRetrying = (tries: number, error: unknown): boolean =>
  tries < TRIES_MAX && (!(error instanceof ProblemError) || error.isPassing);

const waitMs = (tries: number, error: unknown): number => {
  const asked = error instanceof ProblemError ? (error.retryAfterS ?? 0) * 1_000 : 0;
  return Math.max(asked, 500 * 2 ** tries);
};

export const queryClient = new QueryClient({
  defaultOptions: { queries: { retry: isWorthRetrying, retryDelay: waitMs } },
});
