import type { Change } from '../../../domain/change.ts';

/* Requests of a policy that the current policy would no longer make. */

/**
 * Code of a policy's change that was not submitted because it is outdated: in the change's problem, and in the answer
 * of its attempt.
 */
export const POLICY_OUTDATED = 'POLICY_OUTDATED';

export const outdatedMessage = ({ operation }: Pick<Change, 'operation'>, why: string): string =>
  `the policy no longer requests ${operation}: ${why}`;
