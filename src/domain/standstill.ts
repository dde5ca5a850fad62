/*
 * Why a participant tells nothing more that is of use: it is behind its synchronizer, nothing happens on that one, the
 * participant has left it, or what it tells of the time cannot be believed. Or requests are held until it has told what
 * took effect before the database started anew.
 */

export const STANDSTILLS = ['behind', 'quiet', 'gone', 'clock', 'replay'] as const;

/** What a participant's answers wait for. Times are ISO 8601. */
export interface Standstill {
  readonly kind: (typeof STANDSTILLS)[number];
  readonly since: string;
  readonly detail: string;
}
