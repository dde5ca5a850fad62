import type { components } from '../../../client/schema.ts';
import * as t from '../texts/licensing.ts';
import type { Tone } from './tone.ts';
import { endingOf, stateBadge } from './life-words.ts';

type Renewal = components['schemas']['LicenseRenewalRequest'];

/**
 * The phase of a renewal for people. It depends on the renewal's state, its two deadlines and the user's allocation.
 *
 * - `requested`: the user may pay.
 * - `late`: the time to allocate the fee is over, and nothing is allocated.
 * - `allocated`: the fee is allocated as requested, and the renewal can be completed.
 * - `differs`: there is an allocation that the ledger would refuse.
 * - `lapsed`: the whole window has closed.
 * - `moving`: one of our operations is in progress.
 * - `settled`, `over`: the renewal has ended, with or without payment.
 */
export type Phase =
  | 'requested'
  | 'late'
  | 'allocated'
  | 'differs'
  | 'lapsed'
  | 'moving'
  | 'settled'
  | 'over';

export function phaseOf(renewal: Renewal): Phase {
  const { state, allocationMatches } = renewal;
  if (state === 'renewed') return 'settled';
  if (endingOf('renewal', state) !== null) return 'over';
  if (state === 'completing' || state === 'withdrawing') return 'moving';
  if (renewal.settleDeadlinePassed) return 'lapsed';
  if (allocationMatches === true) return 'allocated';
  if (allocationMatches === false) return 'differs';
  return renewal.prepareDeadlinePassed ? 'late' : 'requested';
}

/** The order of the phases; those that need an act come first. */
const ORDER: readonly Phase[] = [
  'requested',
  'differs',
  'late',
  'allocated',
  'moving',
  'lapsed',
  'settled',
  'over',
];

export const byUrgency = (a: Renewal, b: Renewal): number =>
  ORDER.indexOf(phaseOf(a)) - ORDER.indexOf(phaseOf(b)) ||
  a.prepareUntil.localeCompare(b.prepareUntil);

const WORDS: Readonly<Partial<Record<Phase, readonly [Tone, string]>>> = {
  requested: ['info', t.toBePaid],
  late: ['warn', t.notPaidInTime],
  allocated: ['good', t.paidToBeCompleted],
  differs: ['bad', t.paymentDiffers],
  lapsed: ['warn', t.expired],
};

export const phaseBadge = (renewal: Renewal): readonly [Tone, string] =>
  WORDS[phaseOf(renewal)] ?? stateBadge('renewal', renewal.state);

/** Returns a prefix that distinguishes the acts of one renewal from those of others on the same page. */
export const renewalScope = ({ lifecycleId, contractId }: Renewal): string =>
  `${lifecycleId ?? contractId}.`;
