import type { Tone } from './tone.ts';
import { lifecycleState } from './words.ts';

export type Kind = 'install-request' | 'install' | 'license' | 'renewal';

interface Ending {
  readonly title: string;
  readonly text: string;
}

const GONE: Ending = {
  title: 'The contract is no longer on the ledger.',
  text: 'The contract is not active any more. The ledger pruned its end before Tenure read it.',
};

/** How a lifecycle can end, by its final state. */
const ENDINGS: Readonly<Record<Kind, Readonly<Record<string, Ending>>>> = {
  'install-request': {
    accepted: {
      title: 'The request was accepted.',
      text: 'The request has become an installation, on which the provider creates licences.',
    },
    rejected: {
      title: 'The request was rejected.',
      text: 'The provider rejected the request. The user may send another one.',
    },
    cancelled: {
      title: 'The request was withdrawn.',
      text: 'The user withdrew the request before the decision. The user may send another one.',
    },
  },
  install: {
    cancelled: {
      title: 'The installation was cancelled.',
      text: 'No more licences are created on this installation. Its existing licences continue.',
    },
  },
  license: {
    expired: {
      title: 'The licence was ended.',
      text: 'The contract is archived on the ledger. The licence gives no rights any more and cannot be renewed.',
    },
  },
  renewal: {
    renewed: {
      title: 'The renewal is settled.',
      text: 'The fee went to the provider, and the licence was extended in the same transaction.',
    },
    withdrawn: {
      title: 'The renewal was withdrawn.',
      text: 'The provider withdrew the offer. A reserved fee stays with the user.',
    },
    rejected: {
      title: 'The user declined the renewal.',
      text: 'Nothing was paid. The provider may offer another one.',
    },
  },
};

/** Returns how a lifecycle ended; null if it is active. */
export function endingOf(kind: Kind, state: string | undefined): Ending | null {
  if (state === undefined) return null;
  return state === 'gone' ? GONE : (ENDINGS[kind][state] ?? null);
}

const GOOD_ENDS: ReadonlySet<string> = new Set(['accepted', 'renewed']);

const STATES: Readonly<Record<string, readonly [Tone, string]>> = {
  'license.expired': ['plain', 'Ended'],
  'license.renewing': ['info', 'Offering renewal'],
  'license.expiring': ['info', 'Ending'],
  'install-request.requested': ['warn', 'Pending'],
  'install-request.cancelled': ['plain', 'Withdrawn'],
  'renewal.rejected': ['plain', 'Declined'],
  'renewal.renewed': ['good', 'Settled'],
};

/** Returns the tone and the words of a state's badge. */
export function stateBadge(kind: Kind, state: string | undefined): readonly [Tone, string] {
  if (state === undefined) return ['plain', 'Unknown'];
  const said = STATES[`${kind}.${state}`];
  if (said !== undefined) return said;
  const [tone, words] = lifecycleState(state);
  return [GOOD_ENDS.has(state) ? 'good' : tone, words];
}
