import { BULK_ACTIONS } from '../app/desk/bulk-acts.ts';
import type { Figures } from '../app/desk/figures.ts';
import type { Io } from '../app/ports/io.ts';
import type { LedgerGateway } from '../app/ports/ledger.ts';
import { UPDATES_STREAM } from '../app/ports/streams.ts';
import { CHANGE_STATES, WAITS, isOpen } from '../domain/change.ts';
import type { ParticipantName } from '../domain/ids.ts';
import { PAUSE_SCOPES } from '../domain/pause.ts';
import { CIRCUIT_REASONS, STANDSTILLS, isStandstill } from '../domain/participant-health.ts';
import { Lag } from './lag.ts';
import type { Metrics } from './metrics.ts';
import { OPS_LIMITS } from './limits.ts';

/*
 * Values that are read when metrics are requested, because this process does not observe them itself. Each source has a
 * timeout, and its answer is cached for a short time. A source that does not answer is omitted and reported as down.
 */

interface Source {
  readonly name: 'database' | 'queue' | 'ledger' | 'replica';
  /** Updates the gauges of the source. */
  readonly read: (io: Io) => Promise<void>;
  /** Removes the gauges, because an old value would look like a current one. */
  readonly forget: () => void;
}

/** Returns a function that reads a source before every exposition, and reports whether the source answered. */
function readFrom(
  metrics: Metrics,
  isUp: (name: string, up: boolean) => void,
  source: Source,
): void {
  let freshUntilMs = 0;
  metrics.onRead(async () => {
    const nowMs = performance.now();
    if (nowMs < freshUntilMs) return;
    freshUntilMs = nowMs + OPS_LIMITS.readingFreshMs;
    const over = new AbortController();
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      late.reject(new Error('no answer in time'));
      over.abort();
    }, OPS_LIMITS.readingMs);
    try {
      const io = { signal: over.signal, deadlineMs: OPS_LIMITS.readingMs };
      await Promise.race([source.read(io), late.promise]);
      isUp(source.name, true);
    } catch {
      source.forget();
      isUp(source.name, false);
    } finally {
      clearTimeout(timer);
    }
  });
}

/** Gauges of the whole deployment. They have the same values in every process that exports them. */
const databaseGauges = (metrics: Metrics) => ({
  operations: metrics.gauge(
    'tenure_operations_open',
    'Operations without an outcome, by state; at most 20000 of a state are counted.',
    ['state'],
  ),
  oldest: metrics.gauge(
    'tenure_operation_oldest_seconds',
    'Age of the oldest counted operation in a state; 0 if there is none.',
    ['state'],
  ),
  effects: metrics.gauge(
    'tenure_effects',
    'Rows of the outbox: open rows, open rows that are due and not yet dispatched, and open rows that a pause or a foreign ledger blocks.',
    ['state'],
  ),
  late: metrics.gauge(
    'tenure_effect_late_seconds',
    'How long the oldest due effect has waited for a relay.',
    [],
  ),
  timers: metrics.gauge(
    'tenure_timers',
    'Timers that have not fired, timers that a policy allows to fire now, and timers given up after failures; at most 20000 are counted.',
    ['kind', 'state'],
  ),
  timerLate: metrics.gauge(
    'tenure_timer_late_seconds',
    'How long the oldest due timer has been due, by ledger time.',
    ['kind'],
  ),
  pauses: metrics.gauge('tenure_pauses', 'Pauses set by operators, by scope.', ['scope']),
  circuits: metrics.gauge(
    'tenure_circuit_open',
    '1 while Tenure does not submit to a participant because the participant is busy, has no traffic credit, or is unreachable.',
    ['participant', 'reason'],
  ),
  foreign: metrics.gauge(
    'tenure_ledger_foreign',
    '1 while Tenure sends nothing to a participant because its ledger is not the one in the query store.',
    ['participant'],
  ),
  standstills: metrics.gauge(
    'tenure_standstill',
    '1 while operations wait because a participant reports no new times: it is behind, its synchronizer is quiet or gone, or its clock differs too much.',
    ['participant', 'kind'],
  ),
  lost: metrics.gauge(
    'tenure_lost_operations',
    'Operations that took effect on the ledger and were lost from the database by a restore or failover, found within 30 days.',
    [],
  ),
  standbys: metrics.gauge(
    'tenure_standbys_asynchronous',
    'Standbys that stream the database log while commits wait for no standby; a failover to one of them loses operations.',
    [],
  ),
  alarms: metrics.gauge('tenure_alarms', 'Operations that wait too long, by reason.', ['kind']),
  offsets: metrics.gauge('tenure_stream_offset', 'Applied offset of a stream.', ['stream']),
  recordAge: metrics.gauge(
    'tenure_stream_record_age_seconds',
    'Time since the record time of the newest applied update; grows while nothing happens on the ledger.',
    ['stream'],
  ),
  leases: metrics.gauge(
    'tenure_lease_expires_seconds',
    'Time until a lease expires; negative if no process holds the lease.',
    ['lease'],
  ),
});

/** Gauges of webhooks and bulk acts. They have the same values in every process that exports them. */
const actGauges = (metrics: Metrics) => ({
  webhooks: metrics.gauge(
    'tenure_webhooks',
    'Webhooks: enabled, enabled with a failed last try, disabled because of the target or by the party, and failing for three days (failing-long).',
    ['state'],
  ),
  deliveries: metrics.gauge(
    'tenure_webhook_deliveries_waiting',
    'Open deliveries to enabled webhooks, neither accepted nor given up; at most 20000 are counted.',
    [],
  ),
  oldestDelivery: metrics.gauge(
    'tenure_webhook_delivery_oldest_seconds',
    'Age of the oldest open delivery; 0 if there is none.',
    [],
  ),
  acts: metrics.gauge('tenure_bulk_acts', 'Bulk actions that are running.', ['action']),
  items: metrics.gauge(
    'tenure_bulk_items_left',
    'Operations of running bulk actions that are not processed yet; at most 20000 of an action are counted.',
    ['action'],
  ),
});

type DatabaseGauges = ReturnType<typeof databaseGauges>;
type ActGauges = ReturnType<typeof actGauges>;

function showWork({ operations, oldest, effects, late, alarms }: DatabaseGauges, found: Figures) {
  for (const state of CHANGE_STATES.filter(isOpen)) {
    operations.set({ state }, 0);
    oldest.set({ state }, 0);
  }
  for (const { state, number, oldestSeconds } of found.operations) {
    operations.set({ state }, number);
    if (oldestSeconds !== null) oldest.set({ state }, Math.max(0, oldestSeconds));
  }
  effects.set({ state: 'open' }, found.effects.open);
  effects.set({ state: 'due' }, found.effects.due);
  effects.set({ state: 'held' }, found.effects.held);
  late.set(found.effects.lateSeconds);
  for (const kind of WAITS) alarms.set({ kind }, 0);
  for (const { kind, number } of found.alarms) alarms.set({ kind }, number);
}

function showWays(
  {
    timers,
    timerLate,
    pauses,
    circuits,
    foreign,
    standstills,
    lost,
    standbys,
    ...ways
  }: DatabaseGauges,
  found: Figures,
  participants: readonly ParticipantName[],
) {
  for (const { kind, waiting, due, lateSeconds, givenUp } of found.timers) {
    timers.set({ kind, state: 'waiting' }, waiting);
    timers.set({ kind, state: 'due' }, due);
    timers.set({ kind, state: 'given-up' }, givenUp);
    timerLate.set({ kind }, lateSeconds);
  }
  for (const scope of PAUSE_SCOPES) pauses.set({ scope }, 0);
  for (const { scope, number } of found.pauses) pauses.set({ scope }, number);
  for (const participant of participants) {
    for (const reason of CIRCUIT_REASONS) circuits.set({ participant, reason }, 0);
    foreign.set({ participant }, 0);
    for (const kind of STANDSTILLS) standstills.set({ participant, kind }, 0);
  }
  for (const { participant, kind } of found.participantCauses) {
    if (kind === 'foreign') foreign.set({ participant }, 1);
    else if (isStandstill(kind)) standstills.set({ participant, kind }, 1);
    else circuits.set({ participant, reason: kind }, 1);
  }
  lost.set(found.lostOperations);
  standbys.set(found.asynchronousStandbys);
  const { offsets, recordAge, leases } = ways;
  for (const { stream, offset, recordAgeSeconds } of found.streams) {
    offsets.set({ stream }, offset);
    if (recordAgeSeconds !== null) recordAge.set({ stream }, Math.max(0, recordAgeSeconds));
  }
  for (const { name, leftSeconds } of found.leases) leases.set({ lease: name }, leftSeconds);
}

function showActs(
  { webhooks, deliveries, oldestDelivery, acts, items }: ActGauges,
  { webhooks: hooks, bulkActs }: Figures,
) {
  webhooks.set({ state: 'enabled' }, hooks.enabled);
  webhooks.set({ state: 'failing' }, hooks.failing);
  webhooks.set({ state: 'disabled' }, hooks.disabled);
  webhooks.set({ state: 'disabled-by-party' }, hooks.disabledByParty);
  webhooks.set({ state: 'failing-long' }, hooks.failingLong);
  deliveries.set(hooks.waiting);
  oldestDelivery.set(hooks.oldestSeconds);
  for (const action of BULK_ACTIONS) {
    const found = bulkActs.find((each) => each.action === action);
    acts.set({ action }, found?.running ?? 0);
    items.set({ action }, found?.left ?? 0);
  }
}

function databaseSource(metrics: Metrics, read: (io: Io) => Promise<Figures>): Source {
  const gauges = { ...databaseGauges(metrics), ...actGauges(metrics) };
  const forget = () => {
    for (const gauge of Object.values(gauges)) gauge.reset();
    // Removed rather than reset: a gauge without labels would be 0 after a reset, which looks like a value.
    const { late, lost, standbys, deliveries, oldestDelivery } = gauges;
    for (const gauge of [late, lost, standbys, deliveries, oldestDelivery]) gauge.remove();
  };
  return {
    name: 'database',
    forget,
    read: async (io) => {
      const found = await read(io);
      forget();
      showWork(gauges, found);
      showWays(gauges, found, metrics.participants);
      showActs(gauges, found);
    },
  };
}

/** The projector's state, as far as the lag depends on it. */
export interface Following {
  readonly isFollowing: boolean;
  readonly broken: ReadonlySet<string>;
  readonly cursors: ReadonlyMap<string, bigint>;
  /** How long updates have been waiting while none was applied, in milliseconds. */
  readonly stalledMs: number;
}

export interface LedgerReading {
  readonly gateway: Pick<LedgerGateway, 'ledgerEnd'>;
  /** The participant whose updates are projected. */
  readonly projected: ParticipantName;
  readonly following: () => Following;
}

const COMPLETIONS = 'completions:';

/** Gauges of how far streams are behind participants. Only the process that follows the streams exports them. */
function ledgerSource(metrics: Metrics, { gateway, projected, following }: LedgerReading): Source {
  const offsets = metrics.gauge(
    'tenure_projection_lag_offsets',
    'Number of offsets between a stream and the ledger end of its participant.',
    ['stream'],
  );
  const seconds = metrics.gauge(
    'tenure_projection_lag_seconds',
    'How long the participant has been ahead of the stream; 0 if it is not.',
    ['stream'],
  );
  const broken = metrics.gauge('tenure_stream_broken', '1 while a stream is stopped by an error.', [
    'stream',
  ]);
  const lags = new Map<string, Lag>();
  const forget = () => {
    for (const gauge of [offsets, seconds, broken]) gauge.reset();
  };
  const participantOf = (stream: string): ParticipantName =>
    stream === UPDATES_STREAM ? projected : (stream.slice(COMPLETIONS.length) as ParticipantName);
  return {
    name: 'ledger',
    forget,
    read: async (io) => {
      const { isFollowing, broken: brokenNow, cursors } = following();
      const streams = isFollowing ? [...cursors.keys()] : [];
      const ends = await Promise.all(
        streams.map((stream) => gateway.ledgerEnd(participantOf(stream), io)),
      );
      forget();
      const nowMs = Date.now();
      for (const [i, stream] of streams.entries()) {
        // The ledger end was read first, so the stream may already have passed it.
        const reached = following().cursors.get(stream) ?? 0n;
        const end = ends[i] ?? reached;
        const lag = lags.get(stream) ?? new Lag();
        lags.set(stream, lag);
        offsets.set({ stream }, Number(end > reached ? end - reached : 0n));
        seconds.set({ stream }, lag.note(end, reached, nowMs) / 1_000);
        broken.set({ stream }, brokenNow.has(stream) ? 1 : 0);
      }
    },
  };
}

interface Queue {
  counts(io: Io): Promise<{ readonly waiting: number; readonly active: number }>;
}

function queueSource(metrics: Metrics, queue: Queue): Source {
  const jobs = metrics.gauge('tenure_queue_jobs', 'Jobs on the queue for commands.', ['state']);
  return {
    name: 'queue',
    forget: () => jobs.reset(),
    read: async (io) => {
      const { waiting, active } = await queue.counts(io);
      jobs.set({ state: 'waiting' }, waiting);
      jobs.set({ state: 'active' }, active);
    },
  };
}

/** How this process uses the replica of the database. */
interface ReplicaReading {
  readonly counts: Readonly<Record<'replica' | 'primary', number>>;
  behindBytes(io: Io): Promise<number>;
}

function replicaSource(metrics: Metrics, replica: ReplicaReading): Source {
  const behind = metrics.gauge(
    'tenure_replica_behind_bytes',
    'Bytes that the primary has written and the replica has not replayed.',
    [],
  );
  const searches = metrics.gauge(
    'tenure_replica_searches',
    'Searches and counts since the start of the process, by the server that answered.',
    ['server'],
  );
  return {
    name: 'replica',
    forget: () => behind.remove(),
    read: async (io) => {
      for (const server of ['replica', 'primary'] as const) {
        searches.set({ server }, replica.counts[server]);
      }
      behind.set(await replica.behindBytes(io));
    },
  };
}

/** The driver's counts of the pool's connections. */
interface PoolCounts {
  readonly totalCount: number;
  readonly idleCount: number;
}

/** The number of waiting calls, by the share of connections for which they wait. */
interface WaitingCalls {
  readonly waiting: readonly (readonly [share: string, calls: number])[];
}

/** Returns functions that add values of other sources to the metrics. */
export function createReadings(metrics: Metrics) {
  const up = metrics.gauge(
    'tenure_source_up',
    '1 if the source could be read; otherwise its metrics are missing.',
    ['source'],
  );
  const isUp = (source: string, is: boolean) => up.set({ source }, is ? 1 : 0);
  return {
    database: (read: (io: Io) => Promise<Figures>) =>
      readFrom(metrics, isUp, databaseSource(metrics, read)),
    ledger(reading: LedgerReading): void {
      readFrom(metrics, isUp, ledgerSource(metrics, reading));
      const stalled = metrics.gauge(
        'tenure_projector_stalled_seconds',
        'How long updates have waited while none was applied; 0 while updates are applied.',
        [],
      );
      metrics.onRead(async () => stalled.set(reading.following().stalledMs / 1_000));
    },
    queue: (queue: Queue) => readFrom(metrics, isUp, queueSource(metrics, queue)),
    /** Adds how far a replica is behind, and how often it has answered. */
    replica: (replica: ReplicaReading) => readFrom(metrics, isUp, replicaSource(metrics, replica)),
    pool(pool: PoolCounts, max: number, shares: WaitingCalls | undefined): void {
      const connections = metrics.gauge(
        'tenure_database_connections',
        'Connections of the pool: in use, idle, and the maximum.',
        ['state'],
      );
      const waiting = metrics.gauge(
        'tenure_database_waiting',
        'Calls that wait for a connection, by share of the pool: callers’ reads and writes, the engine, probes.',
        ['share'],
      );
      metrics.onRead(async () => {
        connections.set({ state: 'used' }, pool.totalCount - pool.idleCount);
        connections.set({ state: 'idle' }, pool.idleCount);
        connections.set({ state: 'max' }, max);
        for (const [share, calls] of shares?.waiting ?? []) waiting.set({ share }, calls);
      });
    },
  };
}
