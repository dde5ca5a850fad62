import type { LedgerAnswer } from '../../../domain/answer.ts';
import { UPPER_HALF, backoffDelayMs } from '../../../domain/backoff.ts';
import type { Change } from '../../../domain/change.ts';
import { CODES, blamedBy, meaningOf } from '../../../domain/ledger-codes.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { isUnreachable } from '../../../domain/participant-health.ts';
import type { ProblemDetails } from '../../../domain/problems.ts';
import { problem } from '../../../domain/problems.ts';
import { unreachable } from '../../../domain/unreachable.ts';
import { POLICY_OUTDATED } from '../lanes/outdated.ts';

/**
 * The reaction to an answer.
 *
 * - `retry`: the attempt definitely failed; submit again after `delayMs`. Counts against the budget unless `free`.
 * - `await`: the streams will deliver the outcome; if they do not, the effect is dispatched again.
 * - `resolve`: wait until the store knows everything that the participant knew; if no attempt was accepted, submit
 *   again on the current contract.
 * - `prove`: wait until the ledger's time proves that no attempt can take effect any more; if no attempt was accepted,
 *   end with `refusal`, or renew if `refusal` is `null`.
 * - `end`: the change is definitely refused, and no attempt is undecided.
 * - `renew`: no attempt can have taken effect, and the deduplication offset is older than the ledger remembers; submit
 *   again with a current deduplication offset.
 * - `readdress`: no attempt is undecided, and Tenure uses another ledger user now; submit again as that user.
 */
export type Decision =
  | { readonly kind: 'retry'; readonly delayMs: number; readonly free: boolean }
  | { readonly kind: 'await' }
  | { readonly kind: 'resolve' }
  | { readonly kind: 'prove'; readonly refusal: ProblemDetails | null }
  | {
      readonly kind: 'end';
      readonly refusal: ProblemDetails;
      readonly state: 'rejected' | 'failed';
    }
  | { readonly kind: 'renew' }
  | { readonly kind: 'readdress'; readonly ledgerUser: string; readonly delayMs: number };

/** Returns an exponential delay, its upper half random, so that competing retries spread out. `random` is in [0, 1). */
export function backoffMs(attempts: number, random: number): number {
  const { backoffMsMin: firstMs, backoffMsMax: maxMs } = LIMITS;
  return Math.round(backoffDelayMs({ firstMs, maxMs, jitter: UPPER_HALF }, attempts - 1, random));
}

/**
 * Returns the delay after a failure that does not count against the budget: not sent, not authorised, or no traffic
 * credit. Such a failure may last for days, so the delay grows.
 */
export function freeBackoffMs({
  timesInARow,
  random,
}: Pick<Again, 'timesInARow' | 'random'>): number {
  const { unavailableBackoffMs: firstMs, unavailableBackoffMsMax: maxMs } = LIMITS;
  return Math.round(backoffDelayMs({ firstMs, maxMs, jitter: UPPER_HALF }, timesInARow, random));
}

/** Retries without counting against the budget. If the participant is unreachable, its circuit determines when. */
const freeRetry = (answer: LedgerAnswer, again: Again): Decision => {
  const timesInARow = isUnreachable(answer) ? 0 : again.timesInARow;
  return { kind: 'retry', delayMs: freeBackoffMs({ ...again, timesInARow }), free: true };
};

/** The values from which the delay before the next attempt is computed. */
export interface Again {
  /** Number of attempts immediately before this one that had the same answer. */
  readonly timesInARow: number;
  /** In [0, 1). */
  readonly random: number;
  /** Whether the command names a contract, which may be archived. A command that creates a contract names none. */
  readonly namesContract: boolean;
}

/**
 * Returns the problem of a final refusal by the ledger. A refusal because of the command has status 422, one because of
 * the state 409.
 */
function ledgerRefusal(answer: LedgerAnswer): ProblemDetails {
  // Refused by Tenure before anything was sent.
  if (answer.code === POLICY_OUTDATED) return problem(POLICY_OUTDATED, answer.explanation);
  const invalid = blamedBy(answer.code) === 'command';
  return problem(invalid ? 'COMMAND_INVALID' : 'LEDGER_REFUSED', answer.explanation, {
    ledgerCode: answer.code,
    extra: { ledgerText: answer.text },
  });
}

function budgetSpent(change: Change, answer: LedgerAnswer): ProblemDetails {
  const message = `${change.attempts + 1} attempts were refused; the reason of the last refusal: ${answer.explanation}`;
  return problem('BUDGET_SPENT', message, { ledgerCode: answer.code });
}

/**
 * Decides how to react to an answer. Pure. While an attempt is undecided, no refusal ends the change: the ledger
 * interprets a command before it deduplicates it, so a second attempt can be refused because the first one succeeded.
 *
 * @param undecided number of attempts of the change without a definite refusal, including the answered one
 */
export function decide(
  change: Change,
  answer: LedgerAnswer,
  undecided: number,
  again: Again,
): Decision {
  const end = (refusal: ProblemDetails, state: 'rejected' | 'failed'): Decision =>
    undecided > 0 ? { kind: 'prove', refusal } : { kind: 'end', refusal, state };
  const isSpent = change.attempts + 1 >= LIMITS.attemptsMax;
  const counted = (): Decision =>
    isSpent
      ? end(budgetSpent(change, answer), 'failed')
      : { kind: 'retry', delayMs: backoffMs(change.attempts + 1, again.random), free: false };
  // The deduplication offset is older than the ledger remembers. A shorter period could let the ledger apply the change
  // twice, so it is not tried while an attempt is undecided; the streams still deliver that attempt's outcome. If every
  // attempt was definitely refused, no duplicate is possible: the change only waited longer than the ledger remembers.
  if (answer.code === CODES.deduplicationExceeded) {
    if (undecided > 0) return { kind: 'prove', refusal: null };
    return isSpent ? end(budgetSpent(change, answer), 'failed') : { kind: 'renew' };
  }
  if (answer.ledgerUser !== undefined) {
    // Without a delay, processes of the old and the new ledger user would pass the change back and forth without a
    // pause.
    const delayMs = backoffMs(again.timesInARow + 1, again.random);
    // The ledger deduplicates commands per ledger user, so a new user is safe only if no attempt is undecided.
    const isSafe = undecided === 0;
    return isSafe
      ? { kind: 'readdress', ledgerUser: answer.ledgerUser, delayMs }
      : { kind: 'prove', refusal: null };
  }
  switch (answer.class) {
    case 'in-flight':
      return { kind: 'await' };
    case 'unknown':
      if (answer.takesNoTry) return freeRetry(answer, again);
      if (answer.definite) return counted();
      if (!answer.heard || meaningOf(answer.code) !== undefined) return { kind: 'await' };
      // An unknown code may be a permanent refusal, so it is not retried forever.
      return isSpent || undecided === 0 ? counted() : { kind: 'prove', refusal: null };
    case 'contention':
    case 'busy':
      return counted();
    case 'no-traffic':
      // If it is the participant that cannot pay, the participant's circuit determines the delay.
      return {
        kind: 'retry',
        delayMs:
          blamedBy(answer.code) === 'participant'
            ? LIMITS.unavailableBackoffMs
            : freeBackoffMs(again),
        free: true,
      };
    case 'credentials':
      return freeRetry(answer, again);
    case 'stale-contract':
      // A command that creates a contract names none that could be archived, so this answer comes from a race.
      return again.namesContract ? { kind: 'resolve' } : counted();
    case 'refused':
      return end(ledgerRefusal(answer), 'rejected');
    case 'done':
      // Only duplicates have this class, and they are handled before `decide` is called.
      return { kind: 'await' };
    default:
      return unreachable(answer.class);
  }
}
