import type { Change } from '../../domain/change.ts';

/* What a policy asked for and would not ask for any more. */

/** Why a policy's change was not submitted: as a problem, and as what is recorded of the attempt. */
export const POLICY_OUTDATED = 'POLICY_OUTDATED';

export const outdatedMessage = ({ operation }: Pick<Change, 'operation'>, why: string): string =>
  `${operation} is not done any more: ${why}`;
