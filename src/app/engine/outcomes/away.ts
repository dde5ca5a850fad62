import type { LedgerAnswer } from '../../../domain/answer.ts';
import { MAY_NOT_ACT_AS } from '../../../domain/ledger-codes.ts';

/* Answers that mean the participant is unreachable; they say nothing about the command. */

/** The participant sent no response. */
const NO_WORD: ReadonlySet<string> = new Set([
  'NO_ERROR_INFO:UNAVAILABLE',
  'NO_ERROR_INFO:DEADLINE_EXCEEDED',
]);

/** The command was not sent: no connection, no response to a request before the command, or no access token. */
const NO_WAY: ReadonlySet<string> = new Set([...NO_WORD, 'TOKEN_UNAVAILABLE']);

/**
 * Returns whether no command reaches the participant: the participant is unreachable, or refuses our ledger user. All
 * commands use the same address and ledger user, so the next command would fail as well. A missing right to act as one
 * party is the exception: commands of other parties reach the participant.
 */
export const isAway = ({ class: kind, code, takesNoTry }: LedgerAnswer): boolean =>
  (kind === 'credentials' && code !== MAY_NOT_ACT_AS) || (takesNoTry && NO_WAY.has(code));

/**
 * Returns whether a participant that received a command did not answer. One lost answer does not prove a network
 * failure; two do, if no other answer arrived in between.
 */
export const isSilent = ({ class: kind, code, takesNoTry }: LedgerAnswer): boolean =>
  kind === 'unknown' && !takesNoTry && NO_WORD.has(code);
