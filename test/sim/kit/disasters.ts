import type { Cluster } from './cluster.ts';
import { MEMBER_NAMES } from './cluster.ts';
import { retryFailed } from './desk.ts';
import type { Side } from './ledger.ts';
import { PARTICIPANTS } from './ledger.ts';
import type { Fault } from './weather.ts';
import type { World } from './world.ts';

/*
 * Faults that happen at a certain time and not to a certain call: processes are killed, stopped and paused, machines
 * restart, queues are wiped, the ledger is unreachable or loses data.
 */

type Disaster = (world: World, cluster: Cluster) => Promise<void>;

const kill: Disaster = async (world, cluster) => {
  cluster.kill(world.random.pick(MEMBER_NAMES));
};

const restart: Disaster = (world, cluster) => cluster.restart(world.random.pick(MEMBER_NAMES));

const pause: Disaster = async (world, cluster) => {
  const process = cluster.processOf(world.random.pick(MEMBER_NAMES));
  if (process === undefined) return;
  await world.pause(process, 'at some moment');
};

/** The queue takes a slow worker for dead, so its jobs also run on other workers. */
const jobDuplicated: Disaster = async (world, cluster) => {
  const process = cluster.processOf(world.random.pick(['worker-1', 'worker-2']));
  if (process !== undefined) world.queue.loseLocks(process.name);
};

const databaseRestart: Disaster = async (world, cluster) => {
  world.trace.add('database', 'crashes');
  world.isDatabaseAway = true;
  world.watcher.life += 1;
  world.database.crash({ losing: world.random.chance(0.5) });
  cluster.cutDatabase();
  await world.clock.pass(world.random.pick([50, 1_000, 8_000]));
  world.isDatabaseAway = false;
};

const queueWiped: Disaster = async (world) => {
  world.trace.add('queue', 'wiped');
  world.queue.wipe();
  if (!world.random.chance(0.5)) return;
  world.isQueueAway = true;
  await world.clock.pass(world.random.pick([500, 5_000, 20_000]));
  world.isQueueAway = false;
};

/** Makes these participants unreachable for a while. They still process requests that they have already received. */
async function away(
  world: World,
  sides: readonly Side[],
  meanwhile: () => Promise<unknown>,
): Promise<void> {
  world.trace.add('ledger', `${sides.join(' and ')} cannot be reached`);
  for (const side of sides) world.links[side].isAway = true;
  world.breakConnections(sides);
  await meanwhile();
  for (const side of sides) world.links[side].isAway = false;
  world.trace.add('ledger', `${sides.join(' and ')} can be reached again`);
}

const ledgerAway: Disaster = (world) =>
  away(world, PARTICIPANTS, () => world.clock.pass(world.random.pick([500, 4_000, 20_000])));

const MINUTE_MS = 60_000;

/**
 * Waits for seconds, minutes, or an hour. Some histories simulate a whole hour. The others simulate only its first and
 * last minutes, because simulating a whole hour takes as long as twenty histories.
 */
async function aWhile(world: World): Promise<void> {
  const { clock, random, weather } = world;
  const forMs = Number(
    random.weighted({ 500: 3, 4_000: 3, 20_000: 3, [2.5 * MINUTE_MS]: 1, [60 * MINUTE_MS]: 0.5 }),
  );
  const isLived = forMs > 2.5 * MINUTE_MS && world.hasTime;
  if (isLived) {
    world.hasTime = false;
    weather.count('hour', 'lived');
  }
  const awakeMs = isLived ? forMs : Math.min(forMs, 2.5 * MINUTE_MS);
  await clock.pass(awakeMs / 2);
  if (forMs > awakeMs) clock.leap(forMs - awakeMs);
  await clock.pass(awakeMs / 2);
}

/** Makes one participant unreachable. */
const participantAway: Disaster = (world) =>
  away(world, [world.random.pick(PARTICIPANTS)], () => aWhile(world));

/** Makes one participant fall behind its synchronizer: it answers, but does not see new transactions. */
const participantBehind: Disaster = async (world) => {
  const side = world.random.pick(PARTICIPANTS);
  const sends = world.random.chance(0.8);
  world.trace.add('ledger', `${side} stays behind${sends ? '' : ', and cannot send'}`);
  world.ledger.network.hold(side, { sends });
  await aWhile(world);
  world.ledger.network.release(side);
  world.trace.add('ledger', `${side} catches up`);
};

/** Stops one participant as `SIGSTOP` does. It receives requests, but reads them only when it resumes. */
const participantStopped: Disaster = async (world) => {
  const side = world.random.pick(PARTICIPANTS);
  world.trace.add('ledger', `${side} is stopped`);
  world.ledger.network.stopReading(side);
  await aWhile(world);
  world.ledger.network.resumeReading(side);
  world.trace.add('ledger', `${side} goes on`);
};

/** Leaves one participant without traffic credit, until an operator buys some. */
const trafficOut: Disaster = async (world) => {
  const { random, ledger, clock, trace } = world;
  const side = random.pick(PARTICIPANTS);
  const refusedAt = random.pick(['sending', 'sequencing'] as const);
  trace.add('ledger', `${side} has run out of traffic, said when ${refusedAt}`);
  ledger.network.setTraffic(side, 0n, refusedAt);
  await clock.pass(random.pick([2_000, 20_000, 2 * MINUTE_MS]));
  ledger.network.setTraffic(side, null);
  trace.add('ledger', `${side} has traffic again`);
};

/**
 * Kills both participants, and starts them again with the journal that they have written. Everything in flight is lost.
 */
const ledgerRestart: Disaster = (world) =>
  away(world, PARTICIPANTS, async () => {
    await world.restartLedger();
    await world.clock.pass(world.random.pick([200, 3_000, 15_000]));
  });

/**
 * No process runs for days or weeks, and then all of them continue. In that time, licences have lapsed, payment
 * deadlines have passed, tokens have expired, and participants have forgotten their data for deduplication.
 */
const timeLeap: Disaster = async (world) => {
  const days = world.random.pick([1, 8, 31, 62]);
  world.trace.add('time', `leaps by ${days} days`);
  world.clock.leap(days * 86_400_000);
};

/** Connects one participant to another synchronizer for a while; then it leaves that synchronizer for good. */
const synchronizerLeft: Disaster = async (world) => {
  const { random, clock, trace, otherSynchronizers } = world;
  const side = random.pick(PARTICIPANTS);
  const { joined, left } = otherSynchronizers[side];
  const name = `other-${joined.size + left.size + 1}::1220dd`;
  trace.add('ledger', `${side} joins ${name}`);
  joined.add(name);
  await clock.pass(random.pick([5_000, 30_000, 2 * MINUTE_MS]));
  joined.delete(name);
  left.add(name);
  trace.add('ledger', `${side} leaves ${name}`);
};

/**
 * Replaces the ledger user on one side, right after a person has retried an operation. The processes are restarted one
 * by one, or all are killed at once. Each of them uses the new user after its restart.
 */
const userRotated: Disaster = async (world, cluster) => {
  const side = world.random.pick(PARTICIPANTS);
  await retryFailed(world, cluster);
  world.trace.add('ledger', `${side} has a new ledger user ${world.ledger.rotateUser(side)}`);
  const isAtOnce = world.random.chance(0.5);
  for (const name of MEMBER_NAMES) {
    if (isAtOnce || world.random.chance(0.5)) cluster.kill(name);
    else await cluster.restart(name);
  }
};

const connectionsBroken: Disaster = async (world) => world.breakConnections();

/** Prunes a participant up to its deduplication window, as far as the projector has read. */
const pruned: Disaster = async (world) => {
  const side = world.random.pick(['app-provider', 'app-user'] as const);
  const offset = world.prunableTo(side);
  if (offset === null) return;
  world.trace.add('ledger', `${side} forgets up to ${offset}`);
  world.ledger.network.participants[side].prune(offset);
};

const DISASTERS = {
  kill,
  restart,
  pause,
  'job-duplicated': jobDuplicated,
  'database-restart': databaseRestart,
  'queue-wiped': queueWiped,
  'ledger-away': ledgerAway,
  'ledger-restart': ledgerRestart,
  'participant-away': participantAway,
  'participant-behind': participantBehind,
  'participant-stopped': participantStopped,
  'traffic-out': trafficOut,
  'synchronizer-left': synchronizerLeft,
  'user-rotated': userRotated,
  'connections-broken': connectionsBroken,
  pruned,
  'time-leap': timeLeap,
} as const satisfies Partial<Record<Fault, Disaster>>;
type DisasterName = keyof typeof DISASTERS;

/** The mean time between two disasters of one kind at rate 1. */
const MEAN_MS = 20_000;

/** Starts all kinds of disasters. Each of them happens from time to time, until the faults end. */
export function startDisasters(world: World, cluster: Cluster): void {
  for (const name of Object.keys(DISASTERS) as DisasterName[]) {
    const rate = world.weather.rateOf(name);
    if (rate > 0) void repeat(world, cluster, name, MEAN_MS / rate);
  }
}

async function repeat(
  world: World,
  cluster: Cluster,
  name: DisasterName,
  meanMs: number,
): Promise<void> {
  for (;;) {
    await world.clock.pass(-Math.log(1 - world.random.fraction()) * meanMs);
    if (world.weather.isFair) return;
    world.weather.count(name);
    world.disasters += 1;
    await DISASTERS[name](world, cluster);
    world.disasters -= 1;
  }
}
