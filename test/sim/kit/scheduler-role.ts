import type { Tracer } from '../../../src/app/ports/tracing.ts';
import { NEWEST_MODEL } from '../../../src/app/licensing/model.ts';
import { watchBulkActs } from '../../../src/ops/bulk-duty.ts';
import { createHear } from '../../../src/app/engine/doubts/proof.ts';
import { startScheduler } from '../../../src/ops/scheduler.ts';
import { watchOverdue } from '../../../src/ops/overdue.ts';
import { createPolicyDuty } from '../../../src/ops/policy-duty.ts';
import { keepTidy } from '../../../src/ops/retention.ts';
import { startSequencer } from '../../../src/ops/sequencer.ts';
import { openDoor } from '../../../src/app/engine/requests/request-change.ts';
import type { Duty } from '../../../src/ops/scheduler.ts';
import { keepSubscriptions } from '../../../src/ops/subscriptions.ts';
import { PROJECTED } from './side.ts';
import { PLANS } from './subscriber.ts';
import type { Life, Running, TimedSide } from './roles.ts';
import { BOUNDS, leasesOf, openSide, storeOf, subscriptionsOf } from './roles.ts';
import { isDatabaseUnavailable } from '../../../src/store/sql/deadline.ts';

/* The background tasks of the role `clock`, composed as in `src/main/scheduler-side.ts` and `event-side.ts`. */

const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00';

/** The number of items of bulk acts that are done per second. It is low, so that an act takes some time. */
const BULK_RATE = 5;

const SOURCE = 'https://tenure.example.org';

/** A tracer without effect, because the simulation records no spans. */
const UNTRACED: Tracer = {
  isRecording: false,
  start: () => ({
    traceId: TRACEPARENT.slice(3, 35),
    traceparent: TRACEPARENT,
    rename: () => undefined,
    note: () => undefined,
    fail: () => undefined,
    end: () => undefined,
  }),
};

/** Returns the duty that renews licences, in histories in which licences renew themselves. */
function subscriptionDuties(life: Life, ledger: TimedSide): readonly Duty[] {
  const { world, process, database } = life;
  if (world.weather.rateOf('subscribed') === 0) return [];
  const store = storeOf(life);
  const { policies } = database;
  const wallClock = { nowMs: () => Date.now() };
  return [
    keepSubscriptions({
      subscriptions: subscriptionsOf(life),
      policies,
      plans: PLANS,
      licenseRecords: { of: async () => new Map() },
      timeZone: 'UTC',
      lookMs: 1_000,
      provider: ledger.hosting.provider,
      door: openDoor({
        ...ledger,
        store,
        model: NEWEST_MODEL,
        wallClock,
        isUnavailable: isDatabaseUnavailable,
        waitsForBreath: true,
      }),
      tracer: UNTRACED,
      reads: store.reads,
      ledgerEnd: (io) => ledger.gateway.ledgerEnd(PROJECTED, io),
      ledgerClock: ledger.ledgerClock,
      wallClock,
      log: world.logOf(process),
    }),
  ];
}

export async function startSchedulerRole(life: Life): Promise<Running> {
  const { world, process, database, plants } = life;
  const ledger = await openSide(life);
  const store = storeOf(life);
  const log = world.logOf(process);
  const leases = leasesOf(life, ledger);
  const wallClock = { nowMs: () => Date.now() };
  const random = Math.random;
  const shared = { leases, log, random, holder: process.name };
  const policies = createPolicyDuty({
    ...ledger,
    store,
    policies: plants.policies?.(database.policies) ?? database.policies,
    timers: database.timers,
    model: NEWEST_MODEL,
    wallClock,
    log,
    random,
    tracer: UNTRACED,
    isUnavailable: isDatabaseUnavailable,
    isTimeStatic: false,
  });
  const bulk = watchBulkActs({
    ...ledger,
    hear: createHear(ledger.gateway, wallClock, BOUNDS),
    store,
    model: NEWEST_MODEL,
    wallClock,
    acts: database.bulkActs,
    log,
    random,
    itemsPerSecond: BULK_RATE,
  });
  const scheduler = startScheduler({
    ...shared,
    duties: [
      watchOverdue({ reads: store.reads, alarms: database.alarms, wallClock, log }),
      policies,
      bulk,
      ...subscriptionDuties(life, ledger),
      keepTidy({ retention: database.retention, policy: world.retention, log }),
    ],
  });
  const sequencer = startSequencer({
    ...shared,
    events: database.events,
    fanOut: (epoch, io) => database.deliveries.fanOut(SOURCE, epoch, io),
  });
  const silence = database.listen({
    onTimers: () => policies.wake(),
    onChanges: (ids) => policies.onChanges(ids),
  });
  return {
    stop: async () => {
      silence();
      await sequencer.stop();
      await scheduler.stop();
      await ledger.clocks.stop();
    },
  };
}
