import { firingOf } from '../../../src/domain/automatic.ts';
import { isOpen } from '../../../src/domain/change.ts';
import { retryIn } from '../../../src/domain/retries.ts';
import { completionsStream } from '../../../src/app/ports/streams.ts';
import { Callers } from './callers.ts';
import { Cluster } from './cluster.ts';
import { giveUpLeft, isExpiryDue, letGo, openDesk } from './desk.ts';
import { startDisasters } from './disasters.ts';
import { installGlobals } from './globals.ts';
import type { Finding } from './judge.ts';
import { judgeEnd } from './judge.ts';
import { PARTICIPANTS } from './ledger.ts';
import { fillMailboxOnce } from './long-mailbox.ts';
import { Lookout } from './lookout.ts';
import { Market } from './market.ts';
import { Operator } from './operator.ts';
import { restoreOnce } from './restore.ts';
import { populate, settleIn } from './population.ts';
import { Random } from './random.ts';
import { judgeOffers, subscribe } from './subscriber.ts';
import type { Plants } from './roles.ts';
import { isFannedOut } from './targets.ts';
import { VirtualClock } from './virtual-clock.ts';
import type { Fault } from './weather.ts';
import { World } from './world.ts';

export interface HistoryOptions {
  readonly seed: number;
  /** Whether to keep every line of the trace. */
  readonly keepTrace?: boolean;
  /** The faults that may happen. @default the seed decides */
  readonly faults?: readonly Fault[];
  readonly plants?: Plants;
  /** Whether the rules are also checked during the history, not only at its end. @default true */
  readonly looksOut?: boolean;
}

export interface History {
  readonly seed: number;
  /** A hash of the whole trace. It is the same for the same seed. */
  readonly digest: string;
  readonly findings: readonly Finding[];
  /** How often each kind of fault happened. */
  readonly injected: ReadonlyMap<string, number>;
  readonly counts: Readonly<Record<string, number>>;
  readonly trace: readonly string[] | null;
}

const START_MS = Date.UTC(2026, 0, 1);
/** The longest time for which faults happen, no matter how busy the callers are. */
const WEATHER_MS = 180_000;
/** The time after the last fault within which every accepted operation must end. */
const QUIET_MS = 15 * 60_000;
const TIMERS_MAX = 2_000_000;

/** Runs one history of the whole system. It depends only on its seed. */
export async function runHistory(options: HistoryOptions): Promise<History> {
  const clock = new VirtualClock(START_MS);
  using _globals = installGlobals(clock, new Random(`entropy ${options.seed}`));
  let outcome: { readonly history: History } | { readonly error: unknown } | null = null;
  const live = async () => {
    try {
      outcome = { history: await livedThrough(options, clock) };
    } catch (error) {
      outcome = { error };
    }
  };
  void live();
  const isOver = await clock.run(() => outcome !== null, TIMERS_MAX);
  const reached = outcome as { readonly history: History } | { readonly error: unknown } | null;
  if (!isOver || reached === null) throw new Error(`seed ${options.seed} does not come to an end`);
  if ('error' in reached) throw reached.error;
  return reached.history;
}

async function livedThrough(options: HistoryOptions, clock: VirtualClock): Promise<History> {
  const { seed, keepTrace = false, plants = {}, looksOut = true } = options;
  const world = await World.open({
    seed,
    clock,
    keepTrace,
    ...(options.faults === undefined ? {} : { faults: options.faults }),
  });
  const cluster = new Cluster(world, plants);
  const callers = new Callers(world, cluster);
  const lookout = new Lookout(world, seed);
  if (looksOut) world.onRecord(() => lookout.count());
  // The history ends at the first violation, because its consequences would hide it.
  const findings = await Promise.race([lookout.broken, liveOut(world, cluster, callers)]);
  return {
    seed,
    digest: world.trace.digest(),
    findings,
    injected: world.weather.injected,
    counts: { ...countsOf(world, callers), looks: lookout.looks },
    trace: world.trace.lines,
  };
}

/** Runs from the first start until every accepted operation has ended. Returns the findings. */
async function liveOut(
  world: World,
  cluster: Cluster,
  callers: Callers,
): Promise<readonly Finding[]> {
  const { clock } = world;
  const market = new Market(world.ledger);
  await settleIn(world, market);
  cluster.startAll();
  startDisasters(world, cluster);
  void restoreOnce(world, cluster);
  void fillMailboxOnce(world, cluster, callers, market);
  void subscribe(world, cluster);
  const desk = openDesk(world, cluster);
  const populated = populate(world, callers, market, world.random.integer(4, 12));
  await Promise.race([populated, awake(clock, WEATHER_MS)]);
  world.trace.add('weather', 'clears up');
  world.weather.clearUp();
  world.setClocks();
  await populated;
  await desk;
  await letGo(world, cluster);
  while (world.disasters > 0) await clock.pass(1_000);
  // A process that was paused may put a pause when it continues, long after its caller has given up.
  await letGo(world, cluster);
  const operator = new Operator(world, cluster);
  const isQuiet = await settle(world, callers, async () => {
    await giveUpLeft(world, cluster);
    await operator.look();
  });
  const findings: Finding[] = [
    ...judgeEnd(world),
    ...judgeOffers(world),
    ...world.outsiders.map((what) => ({ invariant: 'lease', what })),
    ...world.bugs.map((what) => ({ invariant: 'bug', what })),
    ...callers.complaints.map((what) => ({ invariant: 'callers', what })),
  ];
  if (!isQuiet) findings.push({ invariant: 'I3', what: 'the system did not become quiet in time' });
  return findings;
}

/** Waits for this time in steps of a second, so that a leap of the clock does not count as waiting. */
async function awake(clock: VirtualClock, forMs: number): Promise<void> {
  for (let leftMs = forMs; leftMs > 0; leftMs -= 1_000) await clock.pass(1_000);
}

/** Lets callers that do not know whether their request was accepted repeat it. After that, every operation must end. */
async function settle(
  world: World,
  callers: Callers,
  lookAfter: () => Promise<void>,
): Promise<boolean> {
  const { clock } = world;
  const untilMs = clock.nowMs + QUIET_MS;
  for (const asked of callers.asked) {
    const isUnknown = asked.changeId === null && asked.problem === null;
    if (isUnknown && (asked.isLost || world.random.chance(0.5))) {
      await callers.insist(asked, 5);
    }
  }
  while (!isQuiet(world)) {
    if (clock.nowMs > untilMs) return false;
    await clock.pass(1_000);
    await lookAfter();
  }
  // Much later, all callers repeat their requests. They must get the same answers.
  for (const asked of callers.asked) if (asked.changeId !== null) await callers.insist(asked, 5);
  return true;
}

function isQuiet(world: World): boolean {
  const { database, ledger } = world;
  const { contents } = database;
  const isDone = contents.changes().every(({ change: { state } }) => !isOpen(state));
  if (!isDone || isExpiryDue(world) || contents.runningActs() > 0) return false;
  if (contents.isRebuildAsked()) return false;
  // The start of each delayed policy must have been recorded by the role `clock`.
  if (contents.policyStartsAtMs(ledger.provider) !== null) return false;
  if (!isFannedOut(world)) return false;
  const cursors = new Map(contents.cursors().map(({ stream, offset }) => [stream, offset]));
  return PARTICIPANTS.every((side) => {
    const end = ledger.network.participants[side].state.ledgerEnd;
    const streams = [
      completionsStream(side as never),
      ...(side === 'app-provider' ? ['updates'] : []),
    ];
    return streams.every((stream) => (cursors.get(stream) ?? 0n) >= end);
  });
}

function countsOf(world: World, callers: Callers): Record<string, number> {
  const counts: Record<string, number> = {
    virtualMs: Math.round(world.clock.nowMs - START_MS),
    timers: world.clock.fired,
    asked: callers.asked.length,
    transactions: world.truth.transactions.length,
    attempts: world.database.contents.attempts().length,
  };
  for (const { change } of world.database.contents.changes()) {
    if (firingOf(change.commandId) !== null) counts['byPolicy'] = (counts['byPolicy'] ?? 0) + 1;
    if (retryIn(change.commandId) !== null) counts['retried'] = (counts['retried'] ?? 0) + 1;
    counts[change.state] = (counts[change.state] ?? 0) + 1;
  }
  return counts;
}
