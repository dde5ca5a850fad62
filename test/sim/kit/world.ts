import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Log } from '../../../src/app/ports/io.ts';
import { PROJECTOR_LEASE } from '../../../src/app/ports/leases.ts';
import type { RetentionPolicy } from '../../../src/ops/retention.ts';
import { QUEUE_LIMITS } from '../../../src/queue/limits.ts';
import { Adversary } from './adversary.ts';
import { Watcher, cursorsOf } from './evidence.ts';
import { PARTICIPANTS, SimLedger } from './ledger.ts';
import type { Side, SimLedgerOptions } from './ledger.ts';
import { DelayWatch } from './policy-delay.ts';
import { SimProcess } from './process.ts';
import { Random } from './random.ts';
import { Truth } from './truth.ts';
import { actingFor } from './virtual-clock.ts';
import type { VirtualClock } from './virtual-clock.ts';
import type { Fault } from './weather.ts';
import { Weather } from './weather.ts';
import type { CursorRow } from '../memory/rows.ts';
import type { Commit, DatabaseCopy } from '../memory/server.ts';
import type { MemoryDatabase } from '../memory/database.ts';
import { createMemoryLastAnswers } from '../memory/last-answers.ts';
import { createMemoryDatabase } from '../memory/database.ts';
import type { MemoryQueue } from '../memory/queue.ts';
import { createMemoryQueue } from '../memory/queue.ts';

/** A record of the history, line by line. If the lines are not kept, only their hash is computed. */
export class Trace {
  readonly lines: string[] | null;
  readonly #hash = createHash('sha256');
  readonly #clock: VirtualClock;
  readonly #startMs: number;

  constructor(clock: VirtualClock, keep: boolean) {
    this.#clock = clock;
    this.#startMs = clock.nowMs;
    this.lines = keep ? [] : null;
  }

  add(who: string, what: string): void {
    const line = `${this.elapsedMs().toFixed(3)} ${who} ${what}`;
    this.#hash.update(line);
    this.lines?.push(line);
  }

  /** Returns the virtual milliseconds since the beginning. */
  elapsedMs(): number {
    return this.#clock.nowMs - this.#startMs;
  }

  digest(): string {
    return this.#hash.copy().digest('hex');
  }
}

export interface WorldOptions {
  readonly seed: number;
  readonly clock: VirtualClock;
  readonly keepTrace: boolean;
  /** The faults that may happen. @default the seed decides */
  readonly faults?: readonly Fault[];
}

/**
 * Writes that a process may make without the projector's lease. They record facts about a participant that are the same
 * for all processes.
 */
const OF_PARTICIPANTS: Readonly<Record<string, readonly string[]>> = {
  attempt: ['overAt'],
  change: ['proofAt', 'waitingFor'],
  query_store_offset: ['times', 'givenUp'],
};

/** Returns whether a commit writes rows that only the holder of the projector's lease may write. */
function isProjecting({ call, changes }: Commit): boolean {
  if (call.startsWith('outbox.') || call === 'rebuilds.answer') return false;
  return !changes.every(({ table, before, after }) => {
    const free = OF_PARTICIPANTS[table];
    if (free === undefined || !isRow(before) || !isRow(after)) return false;
    const [was, is] = [before, after].map((row) => ('change' in row ? row['change'] : row) as Row);
    return Object.keys(is ?? {}).every(
      (name) => free.includes(name) || isDeepStrictEqual(is?.[name], was?.[name]),
    );
  });
}

type Row = Readonly<Record<string, unknown>>;
const isRow = (row: unknown): row is Row => typeof row === 'object' && row !== null;

/** The connections to one participant. */
interface Link {
  /** Aborted when all connections to the participant break, and then replaced. */
  connections: AbortController;
  isAway: boolean;
}

/** The share of histories in which the process that records a change also submits its first attempt. */
const EAGER = 0.5;
/** The share of histories that may simulate a whole hour. */
const HOURS_LIVED = 0.1;

/** Synchronizers about which participants report nothing, because nothing happens on them. */
interface OtherSynchronizers {
  /** The synchronizers to which a participant is connected now. */
  readonly joined: Set<string>;
  /** The synchronizers that a participant has left for good. */
  readonly left: Set<string>;
}

/**
 * The maximum error of a clock, ahead or behind. Two such clocks differ by no more than Tenure is configured to expect.
 */
const SKEW_MS_MAX = 4_500;

/**
 * For how many days changes, events and contracts are kept; 0 means for ever. The minimum is the deduplication period
 * of participants.
 */
const KEPT_FOR_DAYS = [
  [0, 0, 0],
  [30, 1, 30],
  [8, 1, 8],
] as const;
const daysOrEver = (days: number): number | null => (days === 0 ? null : days * 86_400_000);

/** Everything that the simulated processes use, and everything that affects them. */
export class World {
  readonly clock: VirtualClock;
  /**
   * Decides whether a user gets a second install. It is a separate source, so that all other random decisions stay the
   * same.
   */
  readonly installs: Random;
  /** Decides whether the database is restored. It is a separate source for the same reason. */
  readonly restoring: Random;
  /** Decides whether a lane gets a long mailbox. It is a separate source for the same reason. */
  readonly filling: Random;
  /** Decides whether policies are confirmed. It is a separate source for the same reason. */
  readonly confirming: Random;
  /** Decides about licences that renew themselves. It is a separate source for the same reason. */
  readonly subscribing: Random;
  /** Whether API processes are also workers, and submit the first attempts that they record. */
  readonly isEager: boolean;
  readonly random: Random;
  readonly weather: Weather;
  readonly adversary: Adversary;
  readonly trace: Trace;
  readonly ledger: SimLedger;
  readonly database: MemoryDatabase;
  readonly queue: MemoryQueue;
  readonly lastAnswers = createMemoryLastAnswers();
  /** Errors of the product that cannot be explained by a fault. */
  readonly bugs: string[] = [];
  /** Writes of projectors that had lost their lease before. */
  readonly outsiders: string[] = [];
  readonly links: Readonly<Record<Side, Link>> = {
    'app-provider': { connections: new AbortController(), isAway: false },
    'app-user': { connections: new AbortController(), isAway: false },
  };
  readonly otherSynchronizers: Readonly<Record<Side, OtherSynchronizers>> = {
    'app-provider': { joined: new Set(), left: new Set() },
    'app-user': { joined: new Set(), left: new Set() },
  };
  /** The number of milliseconds by which the database's clock is ahead of the world's. */
  readonly #databaseSkewMs: number;
  /** Whether updates can rarely be read by their offsets. */
  readonly isUnreadable: boolean;
  /** Whether a whole hour may still be simulated in this history. */
  hasTime: boolean;
  isDatabaseAway = false;
  isQueueAway = false;
  /** The positions of the streams in the copy that will be restored. */
  copied: readonly CursorRow[] = [];
  /** How often the database was restored, and the time of the last restore. */
  restores = 0;
  restoredAtMs = Number.NEGATIVE_INFINITY;
  /** The number of disasters that are in progress. */
  disasters = 0;
  readonly truth: Truth;
  /** How long finished rows are kept. */
  readonly retention: RetentionPolicy;
  readonly watcher = new Watcher();
  readonly delays = new DelayWatch();
  /** The deliveries that the targets of webhooks have accepted, by target address. */
  readonly taken = new Map<string, Set<string>>();
  readonly #living = new Map<string, SimProcess>();
  readonly #onKill = new Map<SimProcess, () => void>();
  #recorded: () => void = () => undefined;
  #restored: () => void = () => undefined;

  private constructor(options: WorldOptions, ledger: SimLedger) {
    const { seed, clock } = options;
    this.clock = clock;
    this.ledger = ledger;
    this.installs = new Random(`installs ${seed}`);
    this.isEager = new Random(`eager ${seed}`).chance(EAGER);
    this.random = new Random(`world ${seed}`);
    this.restoring = new Random(`restore ${seed}`);
    this.filling = new Random(`mailbox ${seed}`);
    this.confirming = new Random(`policy ${seed}`);
    this.subscribing = new Random(`subscription ${seed}`);
    const apart = new Map<Fault, Random>([
      ['database-restored', this.restoring],
      ['long-mailbox', this.filling],
      ['policy-delayed', this.confirming],
      ['subscribed', this.subscribing],
    ]);
    this.weather = new Weather(new Random(`weather ${seed}`), apart, options.faults);
    this.hasTime = this.random.chance(HOURS_LIVED);
    this.isUnreadable = this.weather.strikes('update-unreadable');
    this.adversary = new Adversary(this.weather, clock);
    this.#databaseSkewMs = this.#skewMs('database');
    ledger.skewMs = { 'app-provider': this.#skewMs('ledger'), 'app-user': this.#skewMs('ledger') };
    this.trace = new Trace(clock, options.keepTrace);
    const [changesMs, eventsMs, contractsMs] = this.random.pick(KEPT_FOR_DAYS).map(daysOrEver);
    this.retention = { changesMs, eventsMs, contractsMs, auditMs: null } as RetentionPolicy;
    this.truth = new Truth(ledger.network, (what) => {
      this.trace.add('ledger', what);
      this.#recorded();
    });
    this.database = createMemoryDatabase({
      now: () => this.databaseMs(),
      deliver: ({ to }, hand) => this.#deliver(to, hand),
      onCommit: (commit) => {
        const { process, call, changes } = commit;
        this.watcher.onCommit(commit, () => cursorsOf(this.database.contents));
        this.delays.onCommit(commit);
        const rows = changes.map(({ table, key }) => `${table} ${key}`);
        this.trace.add(process, `${call} commits ${rows.join(', ')}`);
        // Leases are renewed all the time, so such commits are not recorded.
        if (changes.every(({ table }) => table === 'lease')) return;
        if (process.startsWith('projector') && isProjecting(commit))
          this.#assertHolder(process, call);
        this.#recorded();
      },
    });
    this.queue = createMemoryQueue({
      after: (ms, run) => {
        const timer = actingFor(undefined, () => clock.set(run, ms));
        return () => {
          timer.isOver = true;
        };
      },
      deliver: (to, hand) => this.#deliver(to, hand),
    });
  }

  static async open(options: WorldOptions): Promise<World> {
    const random = new Random(`ledger ${options.seed}`);
    const ledgerOptions: SimLedgerOptions = {
      latencyMs: random.pick([1, 20, 150]),
      checkpointIntervalMs: random.pick([1_000, 3_000]),
      maxDeduplicationDurationMs: random.pick([30_000, 7 * 86_400_000]),
      moreUsers: random.integer(0, 2),
    };
    return new World(options, await SimLedger.open(ledgerOptions));
  }

  /** Checks that a process that projects holds the lease at the moment of its commit. */
  #assertHolder(process: string, call: string): void {
    const lease = this.database.contents.leases().find(({ name }) => name === PROJECTOR_LEASE);
    if (lease?.holder === process) return;
    this.outsiders.push(`${call} of ${process} commits under the lease of ${lease?.holder}`);
  }

  /** `notice` is called when the database has lost the commits that were made since its copy. */
  onRestore(notice: () => void): void {
    this.#restored = notice;
  }

  restoreDatabase(copy: DatabaseCopy): void {
    this.database.restore(copy);
    this.copied = [];
    this.restores += 1;
    this.restoredAtMs = this.clock.nowMs;
    this.watcher.onRestore(this.database.contents);
    this.delays.onRestore(this.database.contents, this.ledger.provider);
    this.#restored();
  }

  /** `look` is called after each commit and each record of the ledger, before any process has reacted to it. */
  onRecord(look: () => void): void {
    this.#recorded = look;
  }

  /** Returns the error of a clock, which is separate for each clock and usually small. */
  #skewMs(whose: string): number {
    if (!this.weather.strikes('clock-skew', whose)) return 0;
    const mostMs = this.random.chance(0.5) ? 900 : SKEW_MS_MAX;
    return this.random.integer(-mostMs, mostMs);
  }

  /**
   * Returns an error far greater than Tenure is configured to expect, which lasts until the faults end; `null` if the
   * clock has no such error.
   */
  #farOffMs(): number | null {
    if (!this.weather.strikes('clock-far-off')) return null;
    return this.random.pick([-3_600_000, -60_000, 60_000, 3_600_000]);
  }

  /** Corrects the clocks that were far off. */
  setClocks(): void {
    for (const process of this.#living.values()) {
      if (Math.abs(process.skewMs) > SKEW_MS_MAX) process.skewMs = 0;
    }
  }

  /** Starts a new life of a process. `onKill` is called when the process has been killed. */
  newProcess(name: string, onKill: () => void): SimProcess {
    const process = new SimProcess(name, this.#farOffMs() ?? this.#skewMs('process'));
    this.#onKill.set(process, onKill);
    this.#living.set(name, process);
    return process;
  }

  /** Sends a notification to a process. */
  #deliver(to: string, hand: () => void): void {
    if (this.weather.strikes('notification-lost')) return;
    actingFor(undefined, () =>
      this.clock.set(() => this.#living.get(to)?.tell(hand), this.weather.hopMs()),
    );
  }

  /**
   * Returns the offset up to which a participant may prune. Its deduplication window is kept, and everything that
   * Tenure has not read yet.
   */
  prunableTo(side: Side): bigint | null {
    const participant = this.ledger.network.participants[side];
    const { state } = participant;
    const cursors = [...this.database.contents.cursors(), ...this.copied];
    const read = cursors.filter(
      ({ stream }) =>
        stream === `completions:${side}` || (side === 'app-provider' && stream === 'updates'),
    );
    // The participant's own clock decides, which may be behind.
    const windowStart = participant.nowMicros() - BigInt(this.ledger.maxDeduplicationMs) * 1_000n;
    const { completions } = state;
    const firstUnsafe = completions.offsetAt(completions.indexSince(windowStart));
    const limits = [
      state.ledgerEnd - 1n,
      ...read.flatMap(({ offset, heldFrom }) => [offset, heldFrom ?? offset]),
      ...(firstUnsafe === undefined ? [] : [firstUnsafe - 1n]),
    ];
    const least = limits.reduce((a, b) => (a < b ? a : b));
    return read.length > 0 && least > state.prunedUpTo ? least : null;
  }

  kill(process: SimProcess, where: string): void {
    if (process.isKilled) return;
    this.trace.add(process.name, `killed ${where}`);
    this.#living.delete(process.name);
    process.kill();
    const told = this.#onKill.get(process);
    this.#onKill.delete(process);
    if (told !== undefined) actingFor(undefined, told);
  }

  /**
   * Pauses a process as `SIGSTOP` does: for a moment, or for longer than any lease, any lock or any wait for an attempt
   * lasts.
   */
  async pause(process: SimProcess, where: string): Promise<void> {
    if (process.isKilled || process.isPaused) return;
    this.trace.add(process.name, `paused ${where}`);
    this.disasters += 1;
    process.pause();
    const forMs = this.random.chance(0.05)
      ? 200_000
      : this.random.pick([200, 2_500, 7_000, 25_000]);
    const toLocksMs = QUEUE_LIMITS.lockMs + QUEUE_LIMITS.stalledCheckMs;
    await this.clock.pass(Math.min(forMs, toLocksMs));
    // The queue gives the jobs of a paused process to other processes. After the pause, the paused process continues
    // these jobs too.
    if (forMs > toLocksMs) {
      this.queue.loseLocks(process.name);
      await this.clock.pass(forMs - toLocksMs);
    }
    this.trace.add(process.name, 'goes on');
    process.goOn((missed) => void this.clock.set(missed, 0));
    this.disasters -= 1;
  }

  /** Ends the participants, and starts them again with their journal. */
  async restartLedger(): Promise<void> {
    await this.ledger.restart();
    this.truth.goOn(this.ledger.network);
  }

  /** Breaks every connection to these participants. */
  breakConnections(sides: readonly Side[] = PARTICIPANTS): void {
    this.trace.add('ledger', `connections to ${sides.join(' and ')} break`);
    for (const side of sides) {
      const before = this.links[side].connections;
      this.links[side].connections = new AbortController();
      before.abort();
    }
  }

  /** Returns the time of the database server's machine. */
  databaseMs(): number {
    return this.clock.nowMs + this.#databaseSkewMs;
  }

  logOf(process: SimProcess): Log {
    const write = (level: string) => (fields: object, message: string) => {
      this.trace.add(process.name, `${level} ${message} ${JSON.stringify(fields)}`);
    };
    const error = write('error');
    return {
      debug: write('debug'),
      info: write('info'),
      warn: write('warn'),
      error: (fields, message) => {
        error(fields, message);
        if (isBug(JSON.stringify(fields)))
          this.bugs.push(`${process.name}: ${message} ${JSON.stringify(fields)}`);
      },
    };
  }
}

const isBug = (text: string): boolean =>
  /is not a function|of undefined|of null|assert|unreachable|must not|\b(?:TN001|23514|23503)\b/iu.test(
    text,
  );
