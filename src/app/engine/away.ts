import type { LedgerAnswer } from '../../domain/answer.ts';
import { MAY_NOT_ACT_AS } from '../../domain/ledger-codes.ts';

/* Answers that say nothing of their command but that its participant cannot be used by anybody. */

/** Nothing came back. */
const NO_WORD: ReadonlySet<string> = new Set([
  'NO_ERROR_INFO:UNAVAILABLE',
  'NO_ERROR_INFO:DEADLINE_EXCEEDED',
]);

/** No connection, no word to what was asked before a command was sent, or no token to call with. */
const NO_WAY: ReadonlySet<string> = new Set([...NO_WORD, 'TOKEN_UNAVAILABLE']);

/**
 * Whether no command gets to the participant: the participant cannot be reached, or refuses our ledger user. All
 * commands use the same address and the same ledger user, so the next command would fare no better. The right to act as
 * one party is the exception: commands of the other parties get to the participant.
 */
export const isAway = ({ class: kind, code, takesNoTry }: LedgerAnswer): boolean =>
  (kind === 'credentials' && code !== MAY_NOT_ACT_AS) || (takesNoTry && NO_WAY.has(code));

/**
 * Whether a participant that took a command is silent. One lost answer says nothing of a network; a second one does, if
 * no other answer came in between.
 */
export const isSilent = ({ class: kind, code, takesNoTry }: LedgerAnswer): boolean =>
  kind === 'unknown' && !takesNoTry && NO_WORD.has(code);
