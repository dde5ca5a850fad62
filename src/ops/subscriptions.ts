import type { LookDeps } from '../app/subscriptions/look.ts';
import { lookAtSubscriptions } from '../app/subscriptions/look.ts';
import { sleep } from '../app/ports/wakeup.ts';
import type { Duty } from './scheduler.ts';

export interface SubscriptionDutyDeps extends LookDeps {
  /** The interval between two checks. */
  readonly lookMs: number;
}

/** Returns the duty that makes, completes and withdraws the offers of licences that renew themselves. */
export const keepSubscriptions = (deps: SubscriptionDutyDeps): Duty => ({
  name: 'subscriptions',
  async run(term) {
    while (!term.signal.aborted) {
      await lookAtSubscriptions(deps, term);
      await sleep(deps.lookMs, term.signal);
    }
  },
});
