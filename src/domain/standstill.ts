/*
 * Why a participant no longer reports times that help: the participant is behind its synchronizer (`behind`), the
 * synchronizer has no activity (`quiet`), the participant has left the synchronizer (`gone`), or the reported times
 * cannot be trusted (`clock`). With `replay`, requests are held until the participant has replayed what took effect
 * before the database was restored.
 */

export const STANDSTILLS = ['behind', 'quiet', 'gone', 'clock', 'replay'] as const;

/** Why a participant's answers are late. Times are ISO 8601. */
export interface Standstill {
  readonly kind: (typeof STANDSTILLS)[number];
  readonly since: string;
  readonly detail: string;
}
