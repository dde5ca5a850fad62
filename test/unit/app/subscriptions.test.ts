import { describe, expect, test } from 'vitest';
import { subscriptionState } from '../../../machines/subscription.machine.ts';
import type { RenewalFact } from '../../../src/app/ports/subscriptions.ts';
import type { SubscriptionFacts } from '../../../src/app/subscriptions/decide.ts';
import { decide, eventsOf, offerPrefix } from '../../../src/app/subscriptions/decide.ts';
import type { ContractId, LifecycleId, Party } from '../../../src/domain/ids.ts';
import { trusted } from '../../../src/domain/ids.ts';
import { DAY_MS, isoAfter, isoToMs } from '../../../src/domain/time.ts';

/* The state of a subscription and its next step depend on nothing but facts. */

const END = '2026-02-28T12:00:00.000000Z';
const endMs = isoToMs(END);
const at = (days: number) => ({ nowMs: endMs + days * DAY_MS, certainMs: endMs + days * DAY_MS });

const FACTS: SubscriptionFacts = {
  subscription: {
    licenseId: trusted<LifecycleId>('license-1'),
    provider: trusted<Party>('provider'),
    appUser: trusted<Party>('user'),
    planId: null,
    offerBeforeMs: 7 * DAY_MS,
    tries: 2,
    endsUnpaid: true,
    anchor: null,
    cancelledAt: null,
    version: 1,
  },
  expiresAt: END,
  createdAt: '2026-01-01T00:00:00.000000Z',
  endedAt: null,
  isUnderWay: false,
  isSuspended: false,
  trialUntilMs: null,
  graceMs: 3 * DAY_MS,
  renewals: [],
};

const renewal = (requestId: string, over: Partial<RenewalFact> = {}): RenewalFact => ({
  renewalId: trusted<LifecycleId>(`renewal of ${requestId}`),
  state: 'requested',
  endedAt: null,
  settleBefore: isoAfter(endMs - 3 * DAY_MS),
  payload: { requestId },
  allocations: [],
  ...over,
});

const offer = (number: number, over: Partial<RenewalFact> = {}) =>
  renewal(`${offerPrefix(FACTS)}${number}`, over);

const unpaid = (number: number, over: Partial<RenewalFact> = {}) =>
  offer(number, { state: 'withdrawn', endedAt: isoAfter(endMs - 3 * DAY_MS), ...over });

/** Returns a renewal with an allocation that pays the offer. */
function paid(of: RenewalFact): RenewalFact {
  const meta = {
    values: {
      'splice.lfdecentralizedtrust.org/reason': '',
      'cn-quickstart.example.org/licenseNum': '',
    },
  };
  const view = {
    allocation: {
      transferLegId: 'licenseFeePayment',
      transferLeg: { amount: '1.0', meta },
      settlement: { settlementRef: { id: of.payload['requestId']! }, meta },
    },
  };
  const allocations = [{ contractId: trusted<ContractId>('00aa'), view }];
  return { ...of, payload: { ...of.payload, licenseFeeAmount: '1.0' }, allocations };
}

const cancelled = { ...FACTS.subscription, cancelledAt: '2026-02-01T00:00:00.000000Z' };
const last = { ...FACTS.subscription, tries: 1 };

describe('a subscription', () => {
  test.each<[string, Partial<SubscriptionFacts>, number, object]>([
    ['waits until the offer has its time', {}, -8, { kind: 'wait', untilMs: endMs - 7 * DAY_MS }],
    ['offers the next period', {}, -7, { kind: 'offer' }],
    ['offers late', {}, 30, { kind: 'offer' }],
    ['waits for an operation', { isUnderWay: true }, -1, { kind: 'under-way' }],
    ['offers nothing once it has ended', { endedAt: END }, 1, { kind: 'wait', untilMs: null }],
    [
      'offers nothing once cancelled',
      { subscription: cancelled },
      -1,
      { kind: 'wait', untilMs: null },
    ],
    ['offers nothing while suspended', { isSuspended: true }, -1, { kind: 'wait', untilMs: null }],
    [
      'lets a manual renewal take its place',
      { renewals: [renewal('by hand')] },
      -4,
      { kind: 'wait' },
    ],
    ['goes on once that has closed', { renewals: [renewal('by hand')] }, -3, { kind: 'offer' }],
    ['waits for the payment', { renewals: [offer(1)] }, -4, { kind: 'wait' }],
    [
      'settles what is paid',
      { renewals: [paid(offer(1))] },
      -4,
      { kind: 'settle', allocation: '00aa' },
    ],
    ['withdraws what is not paid', { renewals: [offer(1)] }, -3, { kind: 'retract' }],
    [
      'withdraws once suspended',
      { renewals: [offer(1)], isSuspended: true },
      -4,
      { kind: 'retract' },
    ],
    [
      'leaves money of a suspended licence alone',
      { renewals: [paid(offer(1))], isSuspended: true },
      -4,
      { kind: 'wait' },
    ],
    [
      'withdraws once cancelled',
      { renewals: [offer(1)], subscription: cancelled },
      -4,
      { kind: 'retract' },
    ],
    [
      'takes no second payment for a period',
      { renewals: [paid(renewal('tenure:offer:license-1:2026-01-28T12:00:00_000000Z:1'))] },
      -4,
      { kind: 'wait', why: expect.stringContaining('paid already') },
    ],
    ['tries again', { renewals: [unpaid(1)] }, -3, { kind: 'offer' }],
    [
      'tries again when the window of a rejected offer is over',
      { renewals: [unpaid(1, { state: 'rejected', endedAt: isoAfter(endMs - 5 * DAY_MS) })] },
      -4,
      { kind: 'wait', untilMs: endMs - 3 * DAY_MS },
    ],
    [
      'does not count an offer that was withdrawn early',
      { renewals: [unpaid(1, { endedAt: isoAfter(endMs - 5 * DAY_MS) })], subscription: last },
      -4,
      { kind: 'offer' },
    ],
    [
      'keeps the grace',
      { renewals: [unpaid(2), unpaid(1)] },
      2,
      { kind: 'wait', untilMs: endMs + 3 * DAY_MS },
    ],
    ['ends what is not paid', { renewals: [unpaid(2), unpaid(1)] }, 3, { kind: 'end' }],
    [
      'ends nothing unless it was told to',
      { renewals: [unpaid(1)], subscription: { ...last, endsUnpaid: false } },
      30,
      { kind: 'wait', untilMs: null },
    ],
    [
      'does not count offers of another period',
      { renewals: [unpaid(1)], expiresAt: isoAfter(endMs + DAY_MS), subscription: last },
      -3,
      { kind: 'offer' },
    ],
    [
      'offers before the end of the trial',
      { createdAt: END, trialUntilMs: endMs + 14 * DAY_MS },
      6,
      { kind: 'wait', untilMs: endMs + 7 * DAY_MS },
    ],
  ])('%s', (_, over, days, expected) => {
    expect(decide({ ...FACTS, ...over }, at(days))).toMatchObject(expected);
  });

  test.each<[string, Partial<SubscriptionFacts>, number]>([
    ['trial', { createdAt: END, trialUntilMs: endMs + 14 * DAY_MS }, 13],
    ['pastDue', { createdAt: END, trialUntilMs: endMs + 14 * DAY_MS }, 14],
    ['active', {}, -1],
    ['active', { renewals: [unpaid(1)] }, -1],
    ['active', { renewals: [renewal('by hand')] }, -1],
    ['offerOpen', { renewals: [offer(1)] }, -1],
    ['pastDue', { renewals: [offer(1)] }, 0],
    ['cancelled', { renewals: [offer(1)], subscription: cancelled }, -1],
    ['ended', { subscription: cancelled }, 0],
    ['ended', { endedAt: END }, 0],
  ])('is %s', (state, over, days) => {
    expect(subscriptionState(eventsOf({ ...FACTS, ...over }, at(days).nowMs))).toBe(state);
  });
});
