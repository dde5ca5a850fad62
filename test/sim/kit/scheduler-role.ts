import type { Tracer } from '../../../src/app/ports/tracing.ts';
import { NEWEST_MODEL } from '../../../src/app/licensing/model.ts';
import { watchBulkActs } from '../../../src/ops/bulk-duty.ts';
import { createHear } from '../../../src/app/engine/doubts/proof.ts';
import { startScheduler } from '../../../src/ops/scheduler.ts';
import { watchOverdue } from '../../../src/ops/overdue.ts';
import { createPolicyDuty } from '../../../src/ops/policy-duty.ts';
import { keepTidy } from '../../../src/ops/retention.ts';
import { startSequencer } from '../../../src/ops/sequencer.ts';
import type { Life, Running } from './roles.ts';
import { BOUNDS, leasesOf, openSide, storeOf } from './roles.ts';
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
