import type { PolicyOrigin } from '../../domain/automatic.ts';
import type { Operation } from '../../domain/change.ts';
import type { CommandId, LifecycleId, Party } from '../../domain/ids.ts';
import type { JsonRecord } from '../../domain/json.ts';
import { textAt } from '../../domain/json.ts';
import { LIMITS } from '../../domain/limits.ts';
import { ProblemError } from '../../domain/problems.ts';
import type { SubscriptionStep } from '../../domain/subscription.ts';
import { allocationName, stepCommandId, stepPrefix } from '../../domain/subscription.ts';
import { DAY_MS, MINUTE_MS, isoAfter, isoToMs } from '../../domain/time.ts';
import type { Term } from '../engine/lanes/leased.ts';
import { LeaseLostError } from '../engine/lanes/leased.ts';
import type { Door } from '../engine/requests/request-change.ts';
import { providerItself } from '../policies/fire-timer.ts';
import type { LedgerClock, WallClock } from '../ports/clocks.ts';
import type { Io, Log } from '../ports/io.ts';
import type { Reads } from '../ports/reads.ts';
import type { DueSubscription, Looked, Tried } from '../ports/subscriptions.ts';
import type { Tracer } from '../ports/tracing.ts';
import { sleep } from '../ports/wakeup.ts';
import type { Decision, SubscriptionFacts, Times } from './decide.ts';
import { decide, offerNumber, offerPrefix, openOffer } from './decide.ts';
import type { GatherDeps } from './gather.ts';
import { gather, offerOf, planOf } from './gather.ts';

export interface LookDeps extends GatherDeps {
  readonly provider: Party;
  readonly door: Door;
  readonly tracer: Tracer;
  readonly reads: Pick<Reads, 'ledgerTime'>;
  /** Returns the current end of the projected participant's ledger. */
  readonly ledgerEnd: (io: Io) => Promise<bigint>;
  readonly ledgerClock: LedgerClock;
  readonly wallClock: WallClock;
  readonly log: Log;
}

/** The pause after the first failed operation; it doubles with each further failure. */
const PAUSE_MS = MINUTE_MS;
/** The state of one check of all due subscriptions. */
interface Look {
  readonly deps: LookDeps;
  readonly epoch: bigint;
  readonly io: Io;
}

/** An operation that a decision requires. */
interface Wanted {
  readonly step: SubscriptionStep;
  readonly operation: Operation;
  readonly target: LifecycleId;
  readonly prefix: string;
  readonly reason: string;
  /** The time that the operation concerns: the end of the period, or the end of the offer's window. */
  readonly lapsesAt: string;
}

type Act = Exclude<Decision, { readonly kind: 'wait' | 'under-way' }>;

function wantedOf(facts: SubscriptionFacts, decision: Act): Wanted {
  const { expiresAt, subscription } = facts;
  const reason = decision.why;
  const ofLicense = { target: subscription.licenseId, reason, lapsesAt: expiresAt };
  if (decision.kind === 'offer') {
    const prefix = offerPrefix(facts);
    return { step: 'offer', operation: 'renew-license', prefix, ...ofLicense };
  }
  if (decision.kind === 'end') {
    const prefix = stepPrefix('end', { of: subscription.licenseId, when: expiresAt });
    return { step: 'end', operation: 'expire-license', prefix, ...ofLicense };
  }
  const { renewalId } = decision;
  const lapsesAt = openOffer(facts)?.settleBefore ?? expiresAt;
  const ofRenewal = { target: renewalId, reason, lapsesAt };
  if (decision.kind === 'retract') {
    const prefix = stepPrefix('retract', { of: renewalId, when: lapsesAt });
    return { step: 'retract', operation: 'withdraw-renewal', prefix, ...ofRenewal };
  }
  const prefix = stepPrefix('settle', { of: renewalId, when: allocationName(decision.allocation) });
  return { step: 'settle', operation: 'complete-renewal', prefix, ...ofRenewal };
}

const timesOf = ({ ledgerClock }: LookDeps): Times => ({
  nowMs: ledgerClock.nowMs(),
  certainMs: ledgerClock.certainMs(),
});

/**
 * Returns the number of the next try. It is after the numbers of earlier operations, and of offers that are known only
 * from the ledger.
 */
function nextNumber(facts: SubscriptionFacts, { step }: Wanted, tried: readonly Tried[]): number {
  const offers = facts.renewals.map((renewal) => offerNumber(facts, renewal) ?? 0);
  const onLedger = step === 'offer' ? offers : [];
  return 1 + Math.max(0, ...onLedger, ...tried.map(({ number }) => number));
}

/** Returns the wall time until which nothing is tried after failures; 0 if there was no failure. */
function pausedUntilMs(tried: readonly Tried[]): number {
  const last = tried.at(-1);
  if (last === undefined || !last.isFailed || last.finishedAt === null) return 0;
  const failures = tried.length - 1 - tried.findLastIndex(({ isFailed }) => !isFailed);
  return isoToMs(last.finishedAt) + Math.min(DAY_MS, PAUSE_MS * 2 ** (failures - 1));
}

async function bodyOf(
  { deps, io }: Look,
  facts: SubscriptionFacts,
  decision: Act,
  requestId: string,
): Promise<{ readonly body: JsonRecord; readonly anchor?: string } | null> {
  if (decision.kind === 'settle') return { body: { allocationContractId: decision.allocation } };
  if (decision.kind !== 'offer') return { body: {} };
  const plan = await planOf(deps, facts.subscription, io);
  const at = { nowMs: deps.ledgerClock.nowMs(), timeZone: deps.timeZone };
  return plan === null ? null : offerOf(facts, plan, requestId, at);
}

/** Requests the operation as every request is made: a repeated request is the same operation. */
async function request(
  { deps, epoch, io }: Look,
  { subscription, graceMs }: SubscriptionFacts,
  { step, operation, target, reason, lapsesAt }: Wanted,
  { commandId, body }: { readonly commandId: CommandId; readonly body: JsonRecord },
): Promise<void> {
  const span = deps.tracer.start(`subscription ${step}`, {
    kind: 'internal',
    parent: null,
    attributes: { 'tenure.operation': operation, 'tenure.policy': 'subscription' },
  });
  const policy: PolicyOrigin = {
    name: 'subscription',
    version: subscription.version,
    reason,
    lapsesAt,
    graceMs: step === 'end' ? graceMs : null,
  };
  const { traceparent } = span;
  const asked = { operation, target, commandId, body, policy, schedulerEpoch: epoch, traceparent };
  try {
    await deps.door(providerItself(deps.provider), asked, io);
  } catch (error) {
    span.fail(error instanceof ProblemError ? error.details.code : 'unknown');
    if (!(error instanceof ProblemError)) throw error;
    const { code, message } = error.details;
    // Another process has made this offer with a different extension; that offer counts.
    if (code === 'COMMAND_ID_REUSED') return;
    deps.log.warn({ code, why: message, commandId }, 'a step of a subscription is not taken');
  } finally {
    span.end();
  }
}

/** A step with its earlier tries, and the facts, which were read after those tries. */
interface Asked {
  readonly facts: SubscriptionFacts;
  readonly decision: Act;
  readonly wanted: Wanted;
  readonly tried: readonly Tried[];
}

/**
 * Reads the earlier tries before the facts. So an operation of another process either is in both, with its effect, or
 * is in neither; in the second case, this process's operation gets the same number.
 */
async function askedBy(
  { deps, io }: Look,
  before: SubscriptionFacts,
  decision: Act,
): Promise<Asked | null> {
  const { subscription } = before;
  const wanted = wantedOf(before, decision);
  const found = await deps.subscriptions.tried(subscription.provider, [wanted.prefix], io);
  const facts = await gather(deps, subscription, io);
  if (facts === null) return null;
  const again = decide(facts, timesOf(deps));
  if (again.kind === 'wait' || again.kind === 'under-way') return null;
  const isSame = wantedOf(facts, again).prefix === wanted.prefix;
  return isSame ? { facts, decision: again, wanted, tried: found.get(wanted.prefix) ?? [] } : null;
}

/** Takes the step, unless it failed a moment ago. */
async function act(look: Look, before: SubscriptionFacts, first: Act): Promise<Partial<Looked>> {
  const { deps } = look;
  const { licenseId } = before.subscription;
  const asked = await askedBy(look, before, first);
  if (asked === null || pausedUntilMs(asked.tried) > deps.wallClock.nowMs()) return {};
  const { facts, decision, wanted, tried } = asked;
  const number = nextNumber(facts, wanted, tried);
  if (number > LIMITS.subscriptionStepsMax) {
    deps.log.warn({ licenseId, step: wanted.step }, 'a subscription has tried too often');
    return { dueAt: null };
  }
  const commandId = stepCommandId(wanted.prefix, number);
  const made = await bodyOf(look, facts, decision, commandId);
  if (made === null) {
    deps.log.warn({ licenseId }, 'a subscription has no plan to offer');
    return { dueAt: null };
  }
  await request(look, facts, wanted, { commandId, body: made.body });
  return made.anchor === undefined ? {} : { anchor: made.anchor, offerId: commandId };
}

async function resultOf(look: Look, facts: SubscriptionFacts): Promise<Partial<Looked>> {
  const offer = openOffer(facts);
  const offerId = textAt(offer?.payload ?? {}, 'requestId') ?? null;
  const decision = decide(facts, timesOf(look.deps));
  if (decision.kind === 'under-way') return { offerId };
  if (decision.kind !== 'wait') return { offerId, ...(await act(look, facts, decision)) };
  const dueAt = decision.untilMs === null ? null : isoAfter(decision.untilMs);
  // If money must not be taken now, the offer is checked again only when something changes, not at each check.
  return { dueAt, offerId: offer?.allocations.length === 0 ? offerId : null };
}

async function lookAt(look: Look, { subscription, wakes }: DueSubscription): Promise<void> {
  const { deps, epoch, io } = look;
  const nowMs = deps.ledgerClock.nowMs();
  const soon: Looked = {
    licenseId: subscription.licenseId,
    wakes,
    // Due again at the next check, after subscriptions that have waited longer.
    dueAt: isoAfter(nowMs),
    offerId: null,
    anchor: subscription.anchor,
  };
  const facts = await gather(deps, subscription, io);
  const looked = facts === null ? soon : { ...soon, ...(await resultOf(look, facts)) };
  if (!(await deps.subscriptions.looked(looked, epoch, io))) throw new LeaseLostError();
}

/** Announces changed prices before they are offered. Costs one statement if there are none. @throws LeaseLostError */
async function announcePrices({ deps, epoch, io }: Look): Promise<void> {
  for (let hasMore: boolean | null = true; hasMore && !io.signal.aborted;) {
    hasMore = await deps.subscriptions.announcePrices(deps.provider, epoch, io);
    if (hasMore === null) throw new LeaseLostError();
  }
}

/**
 * Waits until the projection has reached the ledger end that was current at the call; returns false if that takes too
 * long.
 */
async function readUp({ deps, io }: Look): Promise<boolean> {
  const end = await deps.ledgerEnd(io);
  const untilMs = performance.now() + LIMITS.subscriptionReadUpMs;
  for (;;) {
    const at = await deps.subscriptions.projectedUpTo(io);
    if (at !== null && at >= end) break;
    if (performance.now() > untilMs || io.signal.aborted) return false;
    await sleep(LIMITS.subscriptionAskMs, io.signal);
  }
  const ledgerTime = await deps.reads.ledgerTime(io);
  if (ledgerTime !== null) deps.ledgerClock.observe(isoToMs(ledgerTime));
  return true;
}

/**
 * Takes the steps of all due subscriptions. Costs one statement if none is due.
 *
 * @throws LeaseLostError
 */
export async function lookAtSubscriptions(deps: LookDeps, { epoch, signal }: Term): Promise<void> {
  const io: Io = { signal, deadlineMs: LIMITS.databaseStatementMs };
  const look: Look = { deps, epoch, io };
  const seen = new Set<LifecycleId>();
  await announcePrices(look);
  await deps.ledgerClock.refresh(io);
  while (!signal.aborted) {
    const now = isoAfter(deps.ledgerClock.nowMs());
    const due = await deps.subscriptions.due(
      deps.provider,
      now,
      LIMITS.subscriptionBatchMax,
      epoch,
      io,
    );
    if (due === null) throw new LeaseLostError();
    const fresh = due.filter(({ subscription }) => !seen.has(subscription.licenseId));
    if (fresh.length === 0) return;
    if (!(await readUp(look))) {
      deps.log.warn({}, 'subscriptions wait until Tenure has read the ledger to its end');
      return;
    }
    for (let from = 0; from < fresh.length; from += LIMITS.recordedTogetherMax) {
      const some = fresh.slice(from, from + LIMITS.recordedTogetherMax);
      for (const { subscription } of some) seen.add(subscription.licenseId);
      await Promise.all(some.map((each) => lookAt(look, each)));
    }
  }
}
