import type { LedgerAnswer } from '../domain/answer.ts';

/* Answers that say nothing of their command but that its participant cannot be used by anybody. */

/** No connection, or no token to call with: what there is instead of an answer when nothing could be sent. */
const NO_WAY: ReadonlySet<string> = new Set(['NO_ERROR_INFO:UNAVAILABLE', 'TOKEN_UNAVAILABLE']);

/** Sent, and nothing came back. */
const NO_WORD: ReadonlySet<string> = new Set([
  'NO_ERROR_INFO:UNAVAILABLE',
  'NO_ERROR_INFO:DEADLINE_EXCEEDED',
]);

/**
 * Whether nothing gets to the participant: it cannot be reached, or lets nobody in. All that goes to it uses the same
 * address and the same tokens, so the next command would fare no better.
 */
export const isAway = ({ class: kind, code, unsent }: LedgerAnswer): boolean =>
  kind === 'credentials' || (unsent && NO_WAY.has(code));

/**
 * Whether a participant that took commands is silent: to the same change for the second time, because one lost answer says
 * nothing of a network.
 *
 * @param timesInARow how often the newest attempts before this one have been answered the same
 */
export const isSilent = (
  { class: kind, code, unsent }: LedgerAnswer,
  timesInARow: number,
): boolean => kind === 'unknown' && !unsent && NO_WORD.has(code) && timesInARow > 0;
