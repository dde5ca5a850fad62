import * as t from '../texts/licensing.ts';
import type { Tone } from './tone.ts';
import { lifecycleState } from './words.ts';

export type Kind = 'install-request' | 'install' | 'license' | 'renewal';

interface Ending {
  readonly title: string;
  readonly text: string;
}

const GONE: Ending = {
  title: t.theContractIsNoLongerOn,
  text: t.theContractIsNotActiveAny,
};

/** How a lifecycle can end, by its final state. */
const ENDINGS: Readonly<Record<Kind, Readonly<Record<string, Ending>>>> = {
  'install-request': {
    accepted: {
      title: t.theRequestWasAccepted,
      text: t.theRequestHasBecomeAn,
    },
    rejected: {
      title: t.theRequestWasRejected,
      text: t.theProviderRejectedTheRequest,
    },
    cancelled: {
      title: t.theRequestWasWithdrawn,
      text: t.theUserWithdrewTheRequest,
    },
  },
  install: {
    cancelled: {
      title: t.theInstallationWasCancelled,
      text: t.noMoreLicencesAreCreatedOn,
    },
  },
  license: {
    expired: {
      title: t.theLicenceWasEnded,
      text: t.theContractIsArchivedOnThe,
    },
  },
  renewal: {
    renewed: {
      title: t.theRenewalIsSettled,
      text: t.theFeeWentToTheProvider,
    },
    withdrawn: {
      title: t.theRenewalWasWithdrawn,
      text: t.theProviderWithdrewTheOfferA,
    },
    rejected: {
      title: t.theUserDeclinedTheRenewal,
      text: t.nothingWasPaidTheProviderMay,
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
  'license.expired': ['plain', t.ended],
  'license.renewing': ['info', t.offeringRenewal],
  'license.expiring': ['info', t.ending],
  'install-request.requested': ['warn', t.pending],
  'install-request.cancelled': ['plain', t.withdrawn],
  'renewal.rejected': ['plain', t.declined],
  'renewal.renewed': ['good', t.settled],
};

/** Returns the tone and the words of a state's badge. */
export function stateBadge(kind: Kind, state: string | undefined): readonly [Tone, string] {
  if (state === undefined) return ['plain', t.unknown];
  const said = STATES[`${kind}.${state}`];
  if (said !== undefined) return said;
  const [tone, words] = lifecycleState(state);
  return [GOOD_ENDS.has(state) ? 'good' : tone, words];
}
