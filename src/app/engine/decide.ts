import type { LedgerAnswer } from '../../domain/answer.ts';
import { UPPER_HALF, backoffDelayMs } from '../../domain/backoff.ts';
import type { Change } from '../../domain/change.ts';
import { CODES, blamedBy, meaningOf } from '../../domain/ledger-codes.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { ProblemDetails } from '../../domain/problems.ts';
import { problem } from '../../domain/problems.ts';
import { unreachable } from '../../domain/unreachable.ts';
import { isAway } from './away.ts';
import { POLICY_OUTDATED } from './outdated.ts';

/**
 * What to do about an answer.
 *
 * - `retry`: the attempt definitely failed; submit again after `delayMs`. Counts against the budget unless
 *   `free`.
 * - `await`: the streams will tell; if they do not, the effect is dispatched again by itself.
 * - `resolve`: wait until everything is known that the participant knew; if no attempt turns out to have been accepted,
 *   submit again on the contract that there is then.
 * - `prove`: wait until the ledger's own time says that nothing is still to come; if no attempt turns out to have been
 *   accepted, end with `refusal`, or renew when it is `null`.
 * - `end`: definitely refused and no attempt is undecided.
 * - `renew`: nothing of it can have taken effect, and the ledger no longer remembers as far back as it asks; submit
 *   again with a deduplication offset of now.
 * - `readdress`: no attempt is undecided, and the ledger user that they went as is no longer ours; submit again as the
 *   one that is.
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

/** Exponential, with jitter over the upper half so that rivals part. `random` is in [0, 1). */
export function backoffMs(attempts: number, random: number): number {
  const { backoffMsMin: firstMs, backoffMsMax: maxMs } = LIMITS;
  return Math.round(backoffDelayMs({ firstMs, maxMs, jitter: UPPER_HALF }, attempts - 1, random));
}

/**
 * Of what costs no budget: nothing was sent, nobody was let in, or nothing was left to pay with. It may take days, so
 * the distance grows.
 */
export function freeBackoffMs({
  timesInARow,
  random,
}: Pick<Again, 'timesInARow' | 'random'>): number {
  const { unavailableBackoffMs: firstMs, unavailableBackoffMsMax: maxMs } = LIMITS;
  return Math.round(backoffDelayMs({ firstMs, maxMs, jitter: UPPER_HALF }, timesInARow, random));
}

/** The distance to the next try of what costs no budget; where the participant is away, its circuit says when. */
const freeRetry = (answer: LedgerAnswer, again: Again): Decision => {
  const timesInARow = isAway(answer) ? 0 : again.timesInARow;
  return { kind: 'retry', delayMs: freeBackoffMs({ ...again, timesInARow }), free: true };
};

/** What the distance to the next try follows from. */
export interface Again {
  /** How often the newest attempts before this one have been answered the same. */
  readonly timesInARow: number;
  /** In [0, 1). */
  readonly random: number;
  /** Whether the command names a contract, which may be gone. A create names none. */
  readonly namesContract: boolean;
}

/** The ledger says no for good. Refusals that blame the command are 422, those that blame the state 409. */
function ledgerRefusal(answer: LedgerAnswer): ProblemDetails {
  // Ours, before anything was sent.
  if (answer.code === POLICY_OUTDATED) return problem(POLICY_OUTDATED, answer.explanation);
  const invalid = blamedBy(answer.code) === 'command';
  return problem(invalid ? 'COMMAND_INVALID' : 'LEDGER_REFUSED', answer.explanation, {
    ledgerCode: answer.code,
    extra: { ledgerText: answer.text },
  });
}

function budgetSpent(change: Change, answer: LedgerAnswer): ProblemDetails {
  const message = `${change.attempts + 1} attempts were refused, the last one because: ${answer.explanation}`;
  return problem('BUDGET_SPENT', message, { ledgerCode: answer.code });
}

/**
 * Decides, purely. `undecided`: attempts of the change that have no definite no, the answered one included. While there
 * is one, no refusal ends the change: interpretation runs before deduplication on the ledger, so a second attempt can
 * be refused because the first one worked.
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
  // The ledger no longer reaches back to where the change was recorded. A shorter period could let it apply the change
  // twice, so it is never tried while an attempt is undecided: what became of that one the streams still tell. With a
  // definite no to each there is nothing to protect: the change waited longer than the ledger remembers.
  if (answer.code === CODES.deduplicationExceeded) {
    if (undecided > 0) return { kind: 'prove', refusal: null };
    return isSpent ? end(budgetSpent(change, answer), 'failed') : { kind: 'renew' };
  }
  if (answer.ledgerUser !== undefined) {
    // Where processes of both users run they would hand it to each other as fast as they can.
    const delayMs = backoffMs(again.timesInARow + 1, again.random);
    // Each ledger user's commands are deduplicated apart.
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
      // A code that nobody knows may be a refusal that stays: it is not asked for ever.
      return isSpent || undecided === 0 ? counted() : { kind: 'prove', refusal: null };
    case 'contention':
    case 'busy':
      return counted();
    case 'no-traffic':
      // What the participant cannot pay for waits for its circuit, which keeps the distance.
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
      // A create names no contract that could be gone: what it met is a race.
      return again.namesContract ? { kind: 'resolve' } : counted();
    case 'refused':
      return end(ledgerRefusal(answer), 'rejected');
    case 'done':
      // Only a duplicate is an answer of this class, and it is settled before anything is decided.
      return { kind: 'await' };
    default:
      return unreachable(answer.class);
  }
}
