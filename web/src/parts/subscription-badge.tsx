import type { components } from '../../../client/schema.ts';
import { Badge } from './badge.tsx';
import type { Tone } from './tone.ts';

type State = components['schemas']['Subscription']['state'];

const WORDS: Readonly<Record<NonNullable<State>, readonly [tone: Tone, words: string]>> = {
  trial: ['info', 'Trial'],
  active: ['good', 'Active'],
  offerOpen: ['info', 'Renewal offered'],
  pastDue: ['bad', 'Past due'],
  cancelled: ['plain', 'Cancelled'],
  ended: ['plain', 'Ended'],
};

/** The state of a subscription, which is unknown while its licence is not projected. */
export function SubscriptionBadge({ state }: { readonly state: State }) {
  const [tone, words] = state === null ? (['plain', 'Not known yet'] as const) : WORDS[state];
  return <Badge tone={tone}>{words}</Badge>;
}
