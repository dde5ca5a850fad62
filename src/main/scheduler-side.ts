import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { BulkActs } from '../app/desk/bulk-acts.ts';
import type { Alarms } from '../app/ports/alarms.ts';
import type { WallClock } from '../app/ports/clocks.ts';
import type { Lanes } from '../app/ports/lanes.ts';
import type { Leases } from '../app/ports/leases.ts';
import type { Store } from '../app/ports/transaction.ts';
import type { Policies, Timers } from '../app/ports/policies.ts';
import { TrafficCount } from '../app/engine/lanes/traffic.ts';
import type { Hear } from '../app/engine/doubts/proof.ts';
import type { Tracer } from '../app/ports/tracing.ts';
import type { Retention } from '../app/ports/retention.ts';
import { keepBooks } from '../ops/books.ts';
import { watchBulkActs } from '../ops/bulk-duty.ts';
import type { ChangeId } from '../domain/ids.ts';
import { startScheduler } from '../ops/scheduler.ts';
import type { Metrics } from '../ops/metrics.ts';
import { observeBulkActs } from '../ops/observed.ts';
import { watchOverdue } from '../ops/overdue.ts';
import { createPolicyDuty } from '../ops/policy-duty.ts';
import { partLanes } from '../ops/lanes.ts';
import { keepTidy } from '../ops/retention.ts';
import { createBooks } from '../store/product/books.ts';
import { hearChanges } from '../store/engine/change-listener.ts';
import { ACTS_CHANNEL, TIMERS_CHANNEL, TIMER_FACTS } from '../store/sql/channels.ts';
import { isDatabaseUnavailable } from '../store/sql/deadline.ts';
import type { Listener } from '../store/sql/listen.ts';
import type { Config } from './config.ts';
import type { LedgerSide } from './ledger-side.ts';
import { subscriptionDuty } from './subscription-side.ts';

/** The parts of the process that the scheduler uses. */
export interface SchedulerSide {
  readonly config: Config;
  readonly log: Logger;
  readonly pool: Pool;
  readonly store: Store;
  readonly alarms: Alarms;
  readonly policies: Policies;
  readonly timers: Timers;
  readonly retention: Retention;
  readonly lanes: Lanes;
  readonly bulkActs: BulkActs;
  readonly leases: Leases;
  readonly ledger: LedgerSide;
  readonly hear: Hear;
  readonly listener: Listener;
  readonly wallClock: WallClock;
  readonly tracer: Tracer;
  readonly metrics: Metrics;
  /** The name of this process in the lease. */
  readonly holder: string;
}

/** Starts the scheduler (role `clock`). Only one process at a time performs its duties; the others stand by. */
export function openSchedulerSide(side: SchedulerSide, stack: AsyncDisposableStack): void {
  const { config, log, store, alarms, wallClock, ledger } = side;
  const policies = createPolicyDuty({
    store,
    policies: side.policies,
    timers: side.timers,
    hosting: ledger.hosting,
    model: ledger.model,
    wallClock,
    ledgerClock: ledger.ledgerClock,
    log,
    random: Math.random,
    tracer: side.tracer,
    isUnavailable: isDatabaseUnavailable,
    isTimeStatic: ledger.discovered.isTimeStatic,
  });
  const bulk = watchBulkActs({
    store,
    hosting: ledger.hosting,
    model: ledger.model,
    wallClock,
    ledgerClock: ledger.ledgerClock,
    hear: side.hear,
    acts: observeBulkActs(side.bulkActs, side.metrics),
    log,
    random: Math.random,
    itemsPerSecond: config.bulkRate,
    mailboxMax: config.mailboxMax,
    quotas: config.quotas,
    traffic: new TrafficCount(),
  });
  const scheduler = startScheduler({
    leases: side.leases,
    log,
    random: Math.random,
    holder: side.holder,
    duties: [
      watchOverdue({ reads: store.reads, alarms, wallClock, log }),
      policies,
      bulk,
      partLanes({ lanes: side.lanes, log }),
      keepBooks({
        books: createBooks(side.pool),
        provider: ledger.providerParty,
        reminderDays: config.books.reminderDays,
        log,
      }),
      subscriptionDuty(side),
      keepTidy({ retention: side.retention, policy: config.retention, log }),
    ],
  });
  stack.defer(() => scheduler.stop());
  const onActs = () => bulk.wake();
  stack.defer(side.listener.on(ACTS_CHANNEL, { onMessage: onActs, onGap: onActs }));
  const wake = () => policies.wake();
  const onMessage = (payload: string) =>
    payload === TIMER_FACTS ? policies.onFacts() : policies.wake();
  stack.defer(side.listener.on(TIMERS_CHANNEL, { onMessage, onGap: wake }));
  const onChanges = (ids: readonly ChangeId[]) => policies.onChanges(ids);
  stack.defer(hearChanges(side.listener, { onChanges, onGap: wake }));
}
