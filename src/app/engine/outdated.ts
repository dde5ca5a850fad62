import type { PolicyOrigin } from '../../domain/automatic.ts';
import type { Change } from '../../domain/change.ts';
import type { Lifecycle } from '../../domain/lifecycle.ts';
import { isoToMs } from '../../domain/time.ts';

/* What a policy asked for and would not ask for any more. */

/** Why a policy's change was not submitted: as a problem, and as what is recorded of the attempt. */
export const POLICY_OUTDATED = 'POLICY_OUTDATED';

export const outdatedMessage = ({ operation }: Pick<Change, 'operation'>, why: string): string =>
  `${operation} is not done any more: ${why}`;

/** Whether a licence lapses at another time than that for which a policy wanted to end it; in words, or `null`. */
export function anotherLapse(
  { expiresAt }: Pick<Lifecycle, 'expiresAt'>,
  { lapsesAt }: Pick<PolicyOrigin, 'lapsesAt'>,
): string | null {
  if (lapsesAt === null || expiresAt === null || isoToMs(lapsesAt) === isoToMs(expiresAt)) {
    return null;
  }
  return `it was to end because it lapsed at ${lapsesAt}, and now it lapses at ${expiresAt}`;
}
