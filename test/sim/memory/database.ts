import type { ExpiryPolicy } from '../../../src/domain/expiry-policy.ts';
import { DEFAULT_EXPIRY_POLICY } from '../../../src/domain/expiry-policy.ts';
import type { ChangeId, ParticipantName, Party } from '../../../src/domain/ids.ts';
import { trusted } from '../../../src/domain/ids.ts';
import type { Timer } from '../../../src/app/ports/policies.ts';
import { createAlarms } from './alarms.ts';
import { createBulkActs } from './bulk-acts.ts';
import type { News } from './connection.ts';
import { Connection } from './connection.ts';
import type { After, Hooks } from './hooks.ts';
import { createEventLog } from './events.ts';
import { createPauses } from './pauses.ts';
import { createPolicies } from './policies.ts';
import { createLeases } from './leases.ts';
import { createOutbox, createStore, createTx } from './ports.ts';
import type {
  AlarmRow,
  AttemptRow,
  AuditRow,
  ChangeRow,
  ContractRow,
  CursorRow,
  EffectRow,
  ExerciseRow,
  HistoryRow,
  LeaseRow,
  LifecycleRow,
  LineageRow,
  InterruptedLaneRow,
  MailboxRow,
  ForeignLedgerRow,
  PauseRow,
  TombstoneRow,
  UpdateRow,
} from './rows.ts';
import { createDeliveries } from './deliveries.ts';
import { createClockReports, createTimeWanted } from './clock-reports.ts';
import type { RebuildAsks } from './rebuilds.ts';
import { createRebuildAsks, createRebuilds } from './rebuilds.ts';
import { createRetention } from './retention.ts';
import type { DeliveryRow, WebhookRow } from './webhooks.ts';
import { createWebhooks } from './webhooks.ts';
import type { Commit, CursorMoved, DatabaseCopy } from './server.ts';
import { Server } from './server.ts';
import { saveAudit } from './write.ts';
import type { MemorySubscriptions } from './subscriptions.ts';
import { createSubscriptions } from './subscriptions.ts';
import { createTimers } from './timers.ts';
import type { StorePorts } from '../../kit/store-under-test.ts';

/** The participant whose updates are projected. */
const PROJECTED = trusted<ParticipantName>('app-provider');

/** A notification on its way from the database to one listener. */
export interface Notice {
  /** The process whose transaction sent the notification, and the process that listens. */
  readonly from: string;
  readonly to: string;
  readonly news: News;
}

export interface MemoryDatabaseOptions {
  /** The clock of the database server's machine, in milliseconds since 1970. */
  readonly now: () => number;
  /**
   * The timers of the database server, with which it ends idle transactions. Without them, a transaction may be idle
   * for ever.
   */
  readonly after?: After;
  /** Delivers a notification now, later or never. @default at once */
  readonly deliver?: (notice: Notice, hand: () => void) => void;
  /** Called for every commit, before any process reacts to it. */
  readonly onCommit?: (commit: Commit) => void;
}

/**
 * The functions that a process registers for notifications. If a notification is lost, the process finds out at its
 * next poll.
 */
export interface Listener {
  /** Called with changes that have ended or are now in doubt. */
  readonly onChanges?: (ids: readonly ChangeId[]) => void;
  /** Called when effects may be due. */
  readonly onEffects?: () => void;
  /** Called when timers may be due, or due earlier than before. */
  readonly onTimers?: () => void;
}

/** The connections of one life of a simulated process to the database. */
export interface MemoryDatabaseConnection extends StorePorts {
  readonly process: string;
  readonly rebuildAsks: RebuildAsks;
  readonly subscriptions: MemorySubscriptions;
  /** See `Listener.session` of `src/store/sql/listen.ts`. */
  readonly session: () => string | null;
  /** Starts listening. Returns a function that stops listening. */
  listen(listener: Listener): () => void;
  /**
   * Ends the process. Its transactions are rolled back, its locks are released, and none of its calls is ever answered.
   */
  kill(): void;
  /** Breaks the process's connections. Its transactions are rolled back, and their callers get an error. */
  cut(): void;
}

/** Everything that is committed, so that checks can read it. Rows are immutable. */
export interface DatabaseContents {
  changes(): readonly ChangeRow[];
  attempts(): readonly AttemptRow[];
  effects(): readonly EffectRow[];
  lifecycles(): readonly LifecycleRow[];
  lineage(): readonly LineageRow[];
  history(): readonly HistoryRow[];
  audit(): readonly AuditRow[];
  mailboxes(): readonly MailboxRow[];
  interruptedLanes(): readonly InterruptedLaneRow[];
  contracts(): readonly ContractRow[];
  exercises(): readonly ExerciseRow[];
  updates(): readonly UpdateRow[];
  cursors(): readonly CursorRow[];
  /** Returns all moves of cursors that were ever committed, oldest first. */
  cursorMoves(): readonly CursorMoved[];
  leases(): readonly LeaseRow[];
  alarms(): readonly AlarmRow[];
  timers(): readonly Timer[];
  pauses(): readonly PauseRow[];
  foreignLedgers(): readonly ForeignLedgerRow[];
  expiryPolicy(provider: Party): ExpiryPolicy;
  /** Returns the start of a delayed expiry policy; `null` if the policy has no delay. */
  policyStartsAtMs(provider: Party): number | null;
  policyVersion(provider: Party): number;
  webhooks(): readonly WebhookRow[];
  deliveries(): readonly DeliveryRow[];
  tombstones(): readonly TombstoneRow[];
  /** Returns the number of the newest event. */
  lastEvent(): bigint;
  /** Returns how many events have no number yet. */
  unnumbered(): number;
  /** Whether the deliveries of all events have been made. */
  isFannedOut(): boolean;
  /** Whether a rebuild was requested that has no answer yet. */
  isRebuildAsked(): boolean;
  /** Returns how many bulk acts have not ended. */
  runningActs(): number;
  followedTypes(): readonly string[];
}

export interface MemoryDatabase {
  /** Connects a process, which may have the name of a process that is dead. */
  connect(process: string, hooks?: Hooks): MemoryDatabaseConnection;
  /** Kills every process of this name that is alive. */
  kill(process: string): void;
  /**
   * Restarts the server: open transactions fail. With `losing`, commits that did not wait for the disk are lost too,
   * unless a later commit that waited has written them.
   */
  crash(options: { readonly losing: boolean }): void;
  /** Returns everything that is committed at this moment. */
  copy(): DatabaseCopy;
  /** Restarts the server with a copy. Commits that were made after the copy are lost. */
  restore(copy: DatabaseCopy): void;
  readonly contents: DatabaseContents;
  /** The number of transactions that are open at this moment. */
  readonly openTransactions: number;
  /** The names of the locks for which transactions wait at this moment. */
  readonly waiting: readonly string[];
}

function contentsOf({ tables, cursorMoves }: Server): DatabaseContents {
  return {
    changes: () => tables.changes.all(null),
    attempts: () => tables.attempts.all(null),
    effects: () => tables.effects.all(null),
    lifecycles: () => tables.lifecycles.all(null),
    lineage: () => tables.lineage.all(null),
    audit: () => tables.audit.all(null),
    history: () => tables.history.all(null),
    mailboxes: () => tables.mailboxes.all(null),
    interruptedLanes: () => tables.interruptedLanes.all(null),
    contracts: () => tables.contracts.all(null),
    exercises: () => tables.exercises.all(null),
    updates: () => tables.updates.all(null),
    cursors: () => tables.cursors.all(null),
    cursorMoves: () => cursorMoves,
    leases: () => tables.leases.all(null),
    alarms: () => tables.alarms.all(null),
    timers: () => tables.timers.all(null),
    pauses: () => tables.pauses.all(null),
    foreignLedgers: () => tables.foreignLedgers.all(null),
    webhooks: () => tables.webhooks.all(null),
    deliveries: () => tables.deliveries.all(null),
    tombstones: () => tables.tombstones.all(null),
    lastEvent: () => tables.eventSequence.get(null, '')?.last ?? 0n,
    unnumbered: () => tables.arrivals.all(null).length,
    isFannedOut: () =>
      tables.webhookCursor.get(null, '')?.last === tables.eventSequence.get(null, '')?.last,
    isRebuildAsked: () => tables.rebuilds.find(null, 'open', '').length > 0,
    runningActs: () => tables.bulkActs.all(null).filter(({ state }) => state === 'running').length,
    expiryPolicy: (provider) =>
      tables.expiryPolicies.get(null, provider)?.policy ?? DEFAULT_EXPIRY_POLICY,
    policyStartsAtMs: (provider) =>
      tables.expiryPolicies.get(null, provider)?.pending?.startsAtMs ?? null,
    policyVersion: (provider) => tables.expiryPolicies.get(null, provider)?.version ?? 0,
    followedTypes: () => tables.followedTypes.all(null).map(({ type }) => type),
  };
}

interface Ear {
  readonly connection: Connection;
  readonly listener: Listener;
}

function hear({ connection, listener }: Ear, news: News): void {
  if (connection.isKilled) return;
  if (news.changes.length > 0) listener.onChanges?.(news.changes);
  if (news.effects) listener.onEffects?.();
  if (news.timers) listener.onTimers?.();
}

/**
 * PostgreSQL in memory, as the engine's ports use it: READ COMMITTED with row locks, constraints, leases, notifications
 * and crashes. All simulated processes use the same one. It has no clock and no randomness of its own, so what it does
 * depends only on the calls and their times.
 */
export function createMemoryDatabase(options: MemoryDatabaseOptions): MemoryDatabase {
  const server = new Server(options);
  const connections = new Set<Connection>();
  const ears = new Set<Ear>();
  const deliver = options.deliver ?? ((_notice: Notice, hand: () => void) => hand());
  const tell = (from: string, news: News): void => {
    for (const ear of ears) {
      deliver({ from, to: ear.connection.process, news }, () => hear(ear, news));
    }
  };
  const bury = (connection: Connection): void => {
    connection.kill();
    connections.delete(connection);
    for (const ear of ears) if (ear.connection === connection) ears.delete(ear);
  };
  return {
    connect(process, hooks = {}) {
      const connection = new Connection({
        process,
        server,
        hooks,
        tell: (news) => tell(process, news),
      });
      connections.add(connection);
      return {
        process,
        session: () => connection.session,
        store: createStore(connection),
        outbox: createOutbox(connection),
        leases: createLeases(connection),
        alarms: createAlarms(connection),
        bulkActs: createBulkActs(connection, createTx),
        events: createEventLog(connection),
        pauses: createPauses(connection, saveAudit),
        policies: createPolicies(connection),
        timers: createTimers(connection),
        subscriptions: createSubscriptions(connection),
        retention: createRetention(connection, PROJECTED),
        webhooks: createWebhooks(connection),
        deliveries: createDeliveries(connection),
        processClocks: createClockReports(connection),
        timeWanted: createTimeWanted(connection),
        rebuilds: createRebuilds(connection),
        rebuildAsks: createRebuildAsks(connection),
        listen(listener) {
          const ear = { connection, listener };
          ears.add(ear);
          return () => ears.delete(ear);
        },
        kill: () => bury(connection),
        cut: () => connection.cut(),
      };
    },
    kill(process) {
      for (const one of connections) if (one.process === process) bury(one);
    },
    crash: ({ losing }) => server.crash(losing),
    copy: () => server.copy(),
    restore: (copy) => server.restore(copy),
    contents: contentsOf(server),
    get openTransactions() {
      return server.openTransactions;
    },
    get waiting() {
      return server.locks.waiting;
    },
  };
}
