import type { components } from '../../../client/schema.ts';
import * as t from '../texts/licensing.ts';
import { Badge } from './badge.tsx';
import type { Tone } from './tone.ts';

type State = components['schemas']['Subscription']['state'];

const WORDS: Readonly<Record<NonNullable<State>, readonly [tone: Tone, words: string]>> = {
  trial: ['info', t.trial],
  active: ['good', t.active],
  offerOpen: ['info', t.renewalOffered],
  pastDue: ['bad', t.pastDue],
  cancelled: ['plain', t.cancelled],
  ended: ['plain', t.ended],
};

/** The state of a subscription, which is unknown while its licence is not projected. */
export function SubscriptionBadge({ state }: { readonly state: State }) {
  const [tone, words] = state === null ? (['plain', t.notKnownYet] as const) : WORDS[state];
  return <Badge tone={tone}>{words}</Badge>;
}
