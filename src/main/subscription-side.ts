import { judgeSubscription } from '../app/subscriptions/judge.ts';
import { openDoor } from '../app/engine/requests/request-change.ts';
import type { Duty } from '../ops/scheduler.ts';
import { keepSubscriptions } from '../ops/subscriptions.ts';
import { isDatabaseUnavailable } from '../store/sql/deadline.ts';
import { createSubscriptions } from '../store/subscriptions/subscriptions.ts';
import type { SchedulerSide } from './scheduler-side.ts';
import { openProduct } from './product-side.ts';

/** Returns the duty of the scheduler that renews licences. */
export function subscriptionDuty(side: SchedulerSide): Duty {
  const { config, ledger, store, wallClock, policies, tracer, log } = side;
  const { hosting, model, ledgerClock } = ledger;
  const { projected } = ledger.streams;
  const deps = { store, hosting, model, wallClock, ledgerClock };
  return keepSubscriptions({
    ...openProduct(side.pool),
    policies,
    timeZone: config.books.timeZone,
    lookMs: config.books.subscriptionLookMs,
    provider: ledger.providerParty,
    door: openDoor({ ...deps, isUnavailable: isDatabaseUnavailable, waitsForBreath: true }),
    tracer,
    reads: store.reads,
    ledgerEnd: (io) => ledger.gateway.ledgerEnd(projected, io),
    ledgerClock,
    wallClock,
    log,
  });
}

/** Returns the function that judges changes of subscriptions once more before they are submitted. */
export const subscriptionJudge = ({
  pool,
  policies,
  store,
  ledger,
}: Pick<SchedulerSide, 'pool' | 'policies' | 'store' | 'ledger'>) =>
  judgeSubscription({
    subscriptions: createSubscriptions(pool),
    policies,
    reads: store.reads,
    ledgerClock: ledger.ledgerClock,
  });
