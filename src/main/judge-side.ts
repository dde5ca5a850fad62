import { judgeAgain } from '../app/policies/judge-policy.ts';
import type { ClockCheck, WallClock } from '../app/ports/clocks.ts';
import type { Store } from '../app/ports/transaction.ts';
import { subscriptionJudge } from './subscription-side.ts';

interface JudgeParts {
  readonly wallClock: WallClock;
  readonly clocks: ClockCheck;
}

/** Returns the function that judges changes of policies and subscriptions once more before each attempt. */
export function openJudge(
  parts: JudgeParts & Parameters<typeof subscriptionJudge>[0],
  { reads }: Pick<Store, 'reads'>,
) {
  const { policies, wallClock, clocks } = parts;
  const { ledgerClock } = parts.ledger;
  const subscription = subscriptionJudge(parts);
  return judgeAgain.bind(null, { policies, reads, wallClock, ledgerClock, clocks, subscription });
}
