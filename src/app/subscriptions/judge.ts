import type { Operation } from '../../domain/change.ts';
import type { Io } from '../ports/io.ts';
import type { LedgerClock } from '../ports/clocks.ts';
import type { Reads } from '../ports/reads.ts';
import { MINUTE_MS, isoToMs } from '../../domain/time.ts';
import type { Judged } from '../engine/attempts/prepare-command.ts';
import type { Spared } from '../policies/judge-policy.ts';
import type { Decision, Times } from './decide.ts';
import { decide } from './decide.ts';
import type { GatherDeps } from './gather.ts';
import { gather, licenseOf } from './gather.ts';

export interface JudgeSubscriptionDeps extends Pick<GatherDeps, 'subscriptions' | 'policies'> {
  readonly reads: Pick<Reads, 'ledgerTime'>;
  readonly ledgerClock: LedgerClock;
}

type Act = 'offer' | 'settle' | 'retract' | 'end';

const ACTS: Readonly<Partial<Record<Operation, Act>>> = {
  'renew-license': 'offer',
  'complete-renewal': 'settle',
  'withdraw-renewal': 'retract',
  'expire-license': 'end',
};

/**
 * The clock of the process that made the decision may be ahead of this one. Only acts that cannot be undone are judged
 * without this tolerance.
 */
const AHEAD_MS = 10 * MINUTE_MS;

async function timesOf(
  { ledgerClock, reads }: JudgeSubscriptionDeps,
  act: Act,
  io: Io,
): Promise<Times> {
  const ledgerTime = await reads.ledgerTime(io);
  if (ledgerTime !== null) ledgerClock.observe(isoToMs(ledgerTime));
  const aheadMs = act === 'offer' || act === 'retract' ? AHEAD_MS : 0;
  return {
    nowMs: ledgerClock.nowMs() + aheadMs,
    certainMs: ledgerClock.certainMs() + aheadMs,
  };
}

function isSame(decision: Decision, act: Act, { lifecycle }: Judged): boolean {
  if (decision.kind !== act) return false;
  return !('renewalId' in decision) || decision.renewalId === lifecycle?.id;
}

/**
 * Judges a change of a subscription again before an attempt, as if the subscription were deciding again: while the
 * change waited, the subscription may have been cancelled or suspended, or the licence paid for manually.
 */
export const judgeSubscription =
  (deps: JudgeSubscriptionDeps) =>
  async (judged: Judged, io: Io): Promise<Spared | null> => {
    const { change, lifecycle } = judged;
    const license = lifecycle === null ? null : licenseOf(lifecycle);
    const act = ACTS[change.operation];
    if (license === null || act === undefined)
      return { why: 'the licence of the subscription is unknown' };
    const subscription = await deps.subscriptions.of(license, io);
    if (subscription === null) return { why: 'the licence has no subscription' };
    const facts = await gather(deps, subscription, io);
    if (facts === null) return { why: 'the licence of the subscription is unknown' };
    // This change itself is open, so `isUnderWay` must be ignored.
    const decision = decide({ ...facts, isUnderWay: false }, await timesOf(deps, act, io));
    if (isSame(decision, act, judged)) return null;
    const isTooEarly = act === 'end' && decision.kind === 'wait' && decision.untilMs !== null;
    return { why: decision.why, ...(isTooEarly ? { untilMs: decision.untilMs ?? 0 } : {}) };
  };
