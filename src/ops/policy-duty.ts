import type { Fire, Fired } from '../app/policies/fire-timer.ts';
import { fireTimer, isMovedOn } from '../app/policies/fire-timer.ts';
import type { Term } from '../app/engine/lanes/leased.ts';
import { LeaseLostError } from '../app/engine/lanes/leased.ts';
import type { Door, DoorDeps } from '../app/engine/requests/request-change.ts';
import { openDoor } from '../app/engine/requests/request-change.ts';
import type { Io, Log } from '../app/ports/io.ts';
import type { Tracer } from '../app/ports/tracing.ts';
import type {
  DueQuery,
  FailedTimer,
  Kept,
  Policies,
  Timer,
  TimerMove,
  Timers,
} from '../app/ports/policies.ts';
import { Wakeup, sleep } from '../app/ports/wakeup.ts';
import type { PolicyName, TimerKind } from '../domain/automatic.ts';
import { automaticPrefix } from '../domain/automatic.ts';
import type { ExpiryPolicy } from '../domain/expiry-policy.ts';
import { expiryReason, holdOf, lapseClock } from '../domain/expiry-policy.ts';
import type { ChangeId, ContractId } from '../domain/ids.ts';
import { OPS_LIMITS } from './limits.ts';
import { LIMITS } from '../domain/limits.ts';
import { allocationMismatch } from '../domain/renewal.ts';
import type { RenewalPolicy } from '../domain/renewal-policy.ts';
import { isoAfter, isoToMs } from '../domain/time.ts';
import { unreachable } from '../domain/unreachable.ts';
import type { Duty } from './scheduler.ts';
import type { IdleUntil } from './policy-idle.ts';
import {
  NOTHING,
  aheadOf,
  awaitTime,
  earlier,
  msOf,
  idleUntil,
  isOff,
  shorter,
  untilWall,
} from './policy-idle.ts';
import type { Cooldowns } from './policy-cooldowns.ts';
import { createCooldowns } from './policy-cooldowns.ts';
import { afterFailure } from './timer-failure.ts';

/*
 * Fires a provider's policies when their time has come. Timers contain only facts; the policy is read when a timer
 * fires. Each firing is an ordinary change whose command ID is derived from the timer. So after a stop, any process
 * continues with the same change.
 */

export interface PolicyDutyDeps extends DoorDeps {
  readonly tracer: Tracer;
  readonly policies: Pick<Policies, 'expiry' | 'renewal' | 'start'>;
  readonly timers: Timers;
  readonly log: Log;
  readonly random: () => number;
  /** Whether the ledger's time stands still until a person sets it. Tenure is not notified, so it polls the time. */
  readonly isTimeStatic: boolean;
}

export interface PolicyDuty extends Duty {
  /** Ends the wait for work. Called when a policy has changed. */
  wake(): void;
  /** Called when a lapse time has changed or an allocation has arrived. Does nothing while all policies are off. */
  onFacts(): void;
  /** Called when these changes have ended. */
  onChanges(ids: readonly ChangeId[]): void;
}

/** One pass over all timers that may be due. */
interface Look {
  readonly deps: PolicyDutyDeps;
  /** The policy clock's own request batcher, so that firings and callers' requests do not wait for each other. */
  readonly door: Door;
  readonly epoch: bigint;
  readonly io: Io;
  readonly cooldowns: Cooldowns;
  /** The open changes that count against a policy's maximum: the end of one triggers another pass. */
  readonly awaited: Set<ChangeId>;
  /** Policies that were changed during this pass, so that the policy and due timers read before are out of date. */
  readonly outdated: Set<PolicyName>;
  /** Whether more timers are due than may have open changes. */
  isFull: boolean;
  /** Called when the policies have been read, before due timers are. */
  readonly onRead: (areOff: boolean) => void;
}

/** Runs `work` for all items, in groups of the size that one transaction records. */
async function overAll<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let from = 0; from < items.length; from += LIMITS.recordedTogetherMax) {
    const some = items.slice(from, from + LIMITS.recordedTogetherMax);
    results.push(...(await Promise.all(some.map(work))));
  }
  return results;
}

async function move({ deps, epoch, io }: Look, moves: readonly TimerMove[]): Promise<void> {
  if (moves.length === 0) return;
  if (!(await deps.timers.move(moves, epoch, io))) throw new LeaseLostError();
}

const ours = <T>(found: T | null): T => {
  if (found === null) throw new LeaseLostError();
  return found;
};

const policyOfKind = (kind: TimerKind): PolicyName => (kind === 'expire' ? 'expiry' : 'renewal');

/**
 * Whether the ledger itself has reported a time after the lapse. This process's clock alone is not enough, because it
 * may be ahead of the ledger's.
 */
const hasLapsed = ({ ledgerClock }: PolicyDutyDeps, { lapsesAt }: Timer): boolean =>
  isoToMs(lapsesAt) <= ledgerClock.provenMs();

/** Whether the timer lapsed so long ago that a refusal cannot be caused by a clock that is ahead of the ledger's. */
const hasLapsedLongAgo = ({ ledgerClock }: PolicyDutyDeps, { lapsesAt }: Timer): boolean =>
  isoToMs(lapsesAt) + OPS_LIMITS.timerTooEarlyMs <= ledgerClock.provenMs();

/** Frees all timers whose change has failed. Each then fires again, fires later, or is given up. */
async function settleFailed(look: Look): Promise<void> {
  const { deps, io } = look;
  const { timerBatchMax } = OPS_LIMITS;
  let found = 0;
  do {
    const failed = await deps.timers.failed(deps.hosting.provider, timerBatchMax, io);
    await move(
      look,
      failed.map((each) => settled(look, each)),
    );
    found = failed.length;
  } while (found === timerBatchMax && !io.signal.aborted);
}

function settled({ deps, cooldowns }: Look, { timer, change }: FailedTimer): TimerMove {
  const wallNowMs = deps.wallClock.nowMs();
  const to = afterFailure(timer, change, hasLapsedLongAgo(deps, timer), wallNowMs);
  const { lifecycleId, generation } = timer;
  const code = change.error?.code;
  const fields = { lifecycleId, generation, commandId: change.commandId, code };
  deps.log.warn(
    fields,
    to.isGivenUp ? 'gave up a timer after repeated failures' : 'an operation of a policy failed',
  );
  const isFailed = change.state === 'rejected' || change.state === 'failed';
  if (isFailed && !isMovedOn(code)) cooldowns.begin(policyOfKind(timer.kind), wallNowMs);
  return { seen: timer, to };
}

/** Returns how a timer changes after its firing; `null` if it stays as it is. */
function movedBy(look: Look, timer: Timer, fired: Fired): TimerMove | null {
  const { deps, cooldowns, awaited } = look;
  const { generation, failures } = timer;
  const wallNowMs = deps.wallClock.nowMs();
  switch (fired.kind) {
    case 'change':
      awaited.add(fired.change.id);
      return {
        seen: timer,
        to: { generation, failures, notBefore: null, changeId: fired.change.id, isGivenUp: false },
      };
    case 'refused':
      return { seen: timer, to: putOff(timer, wallNowMs) };
    case 'unable':
      deps.log.warn({ code: fired.code, why: fired.message }, 'a policy waits: request refused');
      cooldowns.begin(policyOfKind(timer.kind), wallNowMs);
      return null;
    case 'outdated':
      look.outdated.add(policyOfKind(timer.kind));
      return null;
    default:
      return unreachable(fired);
  }
}

const putOff = ({ generation, failures }: Timer, wallNowMs: number): TimerMove['to'] => ({
  generation,
  failures,
  notBefore: new Date(wallNowMs + OPS_LIMITS.timerPutOffMs).toISOString(),
  changeId: null,
  isGivenUp: false,
});

/** The change that a timer requests. It does not depend on which process holds the lease. */
type Wanted = Omit<Fire, 'epoch'>;

/** Fires each of the timers once, and records the results. */
async function fireAll(
  look: Look,
  timers: readonly Timer[],
  fireOf: (timer: Timer) => Promise<Wanted | null>,
): Promise<void> {
  const { deps, door, io, epoch } = look;
  const moves = await overAll(timers, async (timer): Promise<TimerMove | null> => {
    const fire = await fireOf(timer);
    if (fire === null) return { seen: timer, to: putOff(timer, deps.wallClock.nowMs()) };
    return movedBy(
      look,
      timer,
      await fireTimer({ door, tracer: deps.tracer }, { ...fire, epoch }, io),
    );
  });
  await move(
    look,
    moves.flatMap((one) => one ?? []),
  );
}

/** Returns the query for due timers. The ledger knows no windows and grace, so their end must certainly be past. */
function queryOf(deps: PolicyDutyDeps, kind: TimerKind, graceMs: number): DueQuery {
  const { ledgerClock } = deps;
  const certainMs = ledgerClock.certainMs();
  const times = { nowMs: ledgerClock.nowMs(), certainMs };
  const byMs = kind === 'expire' ? lapseClock(graceMs, times) : certainMs;
  return {
    provider: deps.hosting.provider,
    kind,
    withNeverRenewed: true,
    lapsedBy: isoAfter(Math.max(0, byMs - graceMs)),
    closedBy: isoAfter(certainMs),
    wallNow: new Date(deps.wallClock.nowMs()).toISOString(),
  };
}

/** Returns how many more changes may be opened. The changes that are open now are added to `awaited`. */
async function roomFor(look: Look, steps: readonly string[], max: number): Promise<number> {
  const { deps, io, awaited } = look;
  const { changes, ledgerTime } = await deps.timers.underWay(deps.hosting.provider, steps, io);
  if (ledgerTime !== null) deps.ledgerClock.observe(isoToMs(ledgerTime));
  for (const id of changes) awaited.add(id);
  return max - changes.length;
}

/** The timers of one kind, and how they are fired when they are due. */
interface Firing {
  readonly name: PolicyName;
  readonly take: (limit: number) => Promise<readonly Timer[] | null>;
  readonly isCertain: (timer: Timer) => boolean;
  readonly fireOf: (timer: Timer) => Promise<Wanted | null>;
}

/**
 * Fires due timers in batches, until none is due or the maximum of open changes is reached. If timers are due only by
 * this process's clock, one of them fires alone, and only while no other change is open. If the clock is ahead, the
 * ledger then refuses only that change; otherwise that change shows the ledger's time.
 */
async function fireDue(
  look: Look,
  room: number,
  { name, take, isCertain, fireOf }: Firing,
): Promise<{ readonly isFull: boolean }> {
  const { awaited, outdated, cooldowns, deps, io } = look;
  let left = room;
  const isOver = () => outdated.has(name) || cooldowns.endOf(name, deps.wallClock.nowMs()) !== null;
  while (left > 0 && !io.signal.aborted) {
    const limit = Math.min(left, OPS_LIMITS.timerBatchMax);
    const due = ours(await take(limit));
    const certain = due.filter(isCertain);
    const fired = certain.length > 0 || awaited.size > 0 ? certain : due.slice(0, 1);
    await fireAll(look, fired, fireOf);
    left -= fired.length;
    const isWaiting = fired.length < due.length && awaited.size > 0;
    const isAll = fired.length === due.length && due.length < limit;
    if (isWaiting || isAll || isOver()) return { isFull: false };
  }
  return { isFull: true };
}

/** Returns the remaining delay of a confirmed policy, during which a person may still undo the confirmation. */
const waitMs = ({ startsInMs }: Kept<unknown>): number => Math.max(0, startsInMs ?? 0);

async function expire(look: Look, kept: Kept<ExpiryPolicy>): Promise<IdleUntil> {
  const { deps, io, cooldowns, awaited, epoch } = look;
  const { policy, version } = kept;
  const wallNowMs = deps.wallClock.nowMs();
  if (waitMs(kept) > 0) return untilWall(wallNowMs + waitMs(kept));
  const hold = holdOf(policy, wallNowMs);
  if (hold !== null) return untilWall(hold.untilMs);
  const coolsUntilMs = cooldowns.endOf('expiry', wallNowMs);
  if (coolsUntilMs !== null) return untilWall(coolsUntilMs);
  const room = await roomFor(look, [automaticPrefix('expire')], policy.maxInFlight);
  const query = {
    ...queryOf(deps, 'expire', policy.graceMs),
    withNeverRenewed: policy.includeNeverRenewed,
    withSuspended: policy.includeSuspended === true,
  };
  const { isFull } = await fireDue(look, room, {
    name: 'expiry',
    // Checked for each batch, because many timers may be due and quiet hours may begin before all have fired.
    take: async (limit) =>
      holdOf(policy, deps.wallClock.nowMs()) === null
        ? deps.timers.due(query, limit, epoch, io)
        : [],
    isCertain: (timer) => hasLapsed(deps, timer),
    fireOf: async (timer) => ({
      timer,
      step: 'expire',
      origin: {
        name: 'expiry',
        version,
        reason: expiryReason(timer, policy),
        lapsesAt: timer.lapsesAt,
        graceMs: policy.graceMs,
      },
    }),
  });
  const watchMs = awaited.size > 0 ? wallNowMs + OPS_LIMITS.timerWatchMs : null;
  look.isFull = isFull;
  if (isFull) return untilWall(watchMs ?? wallNowMs);
  const next = await deps.timers.nextDue(query, io);
  const wallMs = earlier(msOf(next.wall), cooldowns.endOf('expiry', deps.wallClock.nowMs()));
  return idleUntil(next, policy.graceMs, earlier(wallMs, watchMs));
}

/** Returns the allocation with which a renewal can be completed, or `null`. */
async function paymentOf({ deps, io }: Look, { lifecycleId }: Timer): Promise<ContractId | null> {
  const view = await deps.store.reads.lifecycle(lifecycleId, io);
  if (view === null || view.lifecycle.endedAt !== null) return null;
  const paid = view.allocations.find(
    (each) => allocationMismatch(view.payload, each.view).length === 0,
  );
  return paid?.contractId ?? null;
}

async function renew(look: Look, kept: Kept<RenewalPolicy>): Promise<IdleUntil> {
  const { deps, io, cooldowns, awaited, epoch } = look;
  const { policy, version } = kept;
  if (!policy.complete && !policy.withdrawLapsed) return NOTHING;
  const wallNowMs = deps.wallClock.nowMs();
  if (waitMs(kept) > 0) return untilWall(wallNowMs + waitMs(kept));
  const coolsUntilMs = cooldowns.endOf('renewal', wallNowMs);
  if (coolsUntilMs !== null) return untilWall(coolsUntilMs);
  const steps = [automaticPrefix('complete'), automaticPrefix('withdraw')];
  let room = await roomFor(look, steps, OPS_LIMITS.renewalsInFlightMax);
  const query = queryOf(deps, 'withdraw', 0);
  const origin = ({ lapsesAt }: Timer, reason: string) => ({
    name: 'renewal' as const,
    version,
    reason,
    lapsesAt,
    graceMs: null,
  });
  const before = awaited.size;
  if (policy.complete) {
    await fireDue(look, room, {
      name: 'renewal',
      take: (limit) => deps.timers.payable(query, limit, epoch, io),
      // Always certain, because a renewal in an open window does not depend on the time.
      isCertain: () => true,
      fireOf: async (timer) => {
        const allocation = await paymentOf(look, timer);
        if (allocation === null) return null;
        const reason = `allocation ${allocation} matches the renewal request`;
        return { timer, step: 'complete', origin: origin(timer, reason), allocation };
      },
    });
    room -= awaited.size - before;
  }
  if (policy.withdrawLapsed && !look.outdated.has('renewal')) {
    await fireDue(look, room, {
      name: 'renewal',
      take: (limit) => deps.timers.due(query, limit, epoch, io),
      isCertain: (timer) => hasLapsed(deps, timer),
      fireOf: async (timer) => ({
        timer,
        step: 'withdraw',
        origin: origin(timer, `the time to pay ended at ${timer.lapsesAt}`),
      }),
    });
  }
  const next = await deps.timers.nextDue(query, io);
  const watchMs = awaited.size > 0 ? wallNowMs + OPS_LIMITS.timerWatchMs : null;
  return {
    ...NOTHING,
    certainMs: policy.withdrawLapsed ? msOf(next.lapse) : null,
    wallMs: earlier(msOf(next.wall), watchMs),
  };
}

/** Refreshes the ledger's time if possible. A failure is harmless: a ledger that is down accepts no commands. */
async function refresh({ ledgerClock, log }: PolicyDutyDeps, signal: AbortSignal): Promise<void> {
  const io: Io = { signal, deadlineMs: LIMITS.ledgerTimeReadMs };
  await ledgerClock.refresh(io).catch((error: unknown) => {
    if (!signal.aborted) log.debug({ error: String(error) }, 'ledger time could not be refreshed');
  });
}

async function lookOnce(look: Look): Promise<IdleUntil> {
  const { deps, io } = look;
  const { provider } = deps.hosting;
  await refresh(deps, io.signal);
  const [expiry, renewal] = await Promise.all([
    deps.policies.expiry(provider, io),
    deps.policies.renewal(provider, io),
    settleFailed(look),
  ]);
  look.onRead(isOff(expiry, renewal, deps.wallClock.nowMs()));
  if ([expiry, renewal].some((one) => one.startsInMs !== null && waitMs(one) === 0)) {
    await deps.policies.start(provider, io);
  }
  const idles = [await expire(look, expiry), await renew(look, renewal)];
  if (look.outdated.size > 0) return untilWall(deps.wallClock.nowMs());
  return idles.reduce(shorter, NOTHING);
}

/** Waits until the due time or a wake-up, but at most for the poll interval, in case a wake-up was lost. */
async function waitWhileIdle(
  deps: PolicyDutyDeps,
  wakeup: Wakeup,
  idle: IdleUntil,
  signal: AbortSignal,
): Promise<void> {
  const untilMs = deps.wallClock.nowMs() + OPS_LIMITS.timerPollMs;
  while (!signal.aborted) {
    const wallNowMs = deps.wallClock.nowMs();
    const leftMs = Math.min(untilMs, idle.wallMs ?? untilMs) - wallNowMs;
    const aheadMs = aheadOf(deps, idle) ?? leftMs;
    if (leftMs <= 0 || aheadMs <= 0) return;
    const stepMs = deps.isTimeStatic ? Math.min(leftMs, OPS_LIMITS.timerWatchMs) : aheadMs;
    // Rounded up, because a timer of less than a millisecond would fire at once, again and again.
    if (await wakeup.wait(Math.ceil(Math.min(leftMs, stepMs)), signal)) return;
    if (deps.isTimeStatic && aheadOf(deps, idle) !== null) await refresh(deps, signal);
  }
}

/** Returns the duty that fires due timers for this deployment's provider, as its policies require. */
export function createPolicyDuty(deps: PolicyDutyDeps): PolicyDuty {
  const wakeup = new Wakeup();
  const door = openDoor({ ...deps, waitsForBreath: true });
  let awaited: ReadonlySet<ChangeId> = new Set();
  let areOff = false;
  const run = async ({ epoch, signal }: Term): Promise<void> => {
    const cooldowns = createCooldowns(deps.random);
    while (!signal.aborted) {
      wakeup.clear();
      const io: Io = { signal, deadlineMs: LIMITS.databaseStatementMs };
      const here = new Set<ChangeId>();
      const outdated = new Set<PolicyName>();
      const look: Look = {
        deps,
        door,
        epoch,
        io,
        cooldowns,
        awaited: here,
        outdated,
        isFull: false,
        onRead: (off) => (areOff = off),
      };
      const idle = await lookOnce(look);
      awaited = here;
      await waitWhileIdle(deps, wakeup, awaitTime(deps, idle), signal);
      const { timerGatherMs, timerGatherFullMs } = OPS_LIMITS;
      await sleep(look.isFull ? timerGatherFullMs : timerGatherMs, signal);
    }
  };
  return {
    name: 'policies',
    run,
    wake: () => wakeup.wake(),
    onFacts: () => (areOff ? undefined : wakeup.wake()),
    onChanges: (ids) => {
      if (ids.some((id) => awaited.has(id))) wakeup.wake();
    },
  };
}
