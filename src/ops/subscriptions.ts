import type { LookDeps } from '../app/subscriptions/look.ts';
import { lookAtSubscriptions } from '../app/subscriptions/look.ts';
import { sleep } from '../app/ports/wakeup.ts';
import type { Duty } from './clock.ts';

export interface SubscriptionDutyDeps extends LookDeps {
  /** Interval between two looks. */
  readonly lookMs: number;
}

/** Makes, completes and withdraws the offers of licences that renew themselves. */
export const keepSubscriptions = (deps: SubscriptionDutyDeps): Duty => ({
  name: 'subscriptions',
  async run(term) {
    while (!term.signal.aborted) {
      await lookAtSubscriptions(deps, term);
      await sleep(deps.lookMs, term.signal);
    }
  },
});
