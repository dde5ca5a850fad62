import type { components } from '../api/schema.ts';
import type { Tone } from './tone.ts';
import { endingOf, stateBadge } from './life-words.ts';

type Renewal = components['schemas']['LicenseRenewalRequest'];

/**
 * Where a renewal stands, in the eyes of people: its state, its two windows and what the user has set aside.
 *
 * - `requested`: the user may pay.
 * - `late`: the time to set the fee aside is over, and nothing is set aside.
 * - `allocated`: the fee is set aside as asked for, and the renewal can be completed.
 * - `differs`: something is set aside that the ledger would refuse.
 * - `lapsed`: its whole window has closed.
 * - `moving`: an act of ours is on its way.
 * - `settled`, `over`: it has ended, with and without payment.
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

/** The phases that need an act first. */
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
  requested: ['info', 'To be paid'],
  late: ['warn', 'Not paid in time'],
  allocated: ['good', 'Paid, to be completed'],
  differs: ['bad', 'Payment differs'],
  lapsed: ['warn', 'Expired'],
};

export const phaseBadge = (renewal: Renewal): readonly [Tone, string] =>
  WORDS[phaseOf(renewal)] ?? stateBadge('renewal', renewal.state);

/** Returns a prefix that distinguishes the acts of one renewal from those of others on the same page. */
export const renewalScope = ({ lifecycleId, contractId }: Renewal): string =>
  `${lifecycleId ?? contractId}.`;
