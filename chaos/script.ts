import type { Draws } from './draws.ts';
import { drawsOf } from './draws.ts';
import type { PlaceName, Size } from './sizes.ts';
import { placesOf, roleAt } from './sizes.ts';
import type { QueueKind, Service } from './world.ts';

/**
 * One act of a script. `ms` is its duration, for example how long a process stays away or a proxy is blocked.
 *
 * - `kill`: SIGKILL, and a new process after `ms`
 * - `stop`: SIGTERM; the process ends its work and stops, and a new one follows
 * - `pause`: SIGSTOP, and SIGCONT after `ms`
 * - `cut`: all connections of one proxy end
 * - `refuse`: all connections of one proxy end, and it accepts none for `ms`
 * - `freeze`: connections of one proxy stay open and transfer nothing; new connections work after `ms`
 * - `slow`: all data of one proxy is delayed by `delayMs`, for `ms`
 * - `lose-answer`: a process does not receive the answer to its next commit
 * - `wipe`: the queue loses all its data
 * - `postgres`: the database's server is stopped in its immediate mode, which is a crash, and started again
 * - `ledger-kill`: SIGKILL to LocalNet, and a new LocalNet with its journal after `ms`
 * - `ledger-older`: LocalNet restarts with an older copy of its journal for `ms`, and then with the newest journal
 * - `ledger-pause`: SIGSTOP to LocalNet, and SIGCONT after `ms`
 * - `ledger-faults`: LocalNet loses, delays, repeats and refuses calls for `ms`
 * - `ledger-streams`: all streams of the ledger end
 * - `ledger-behind`: one participant stays behind its synchronizer for `ms`, and answers calls
 * - `ledger-stopped`: one participant accepts requests and processes them only after `ms`
 * - `ledger-traffic`: one participant has no traffic credit for `ms`
 * - `ledger-away`: one participant cannot be reached for `ms`; once in a long script, for two minutes
 * - `rotate`: the provider's ledger user is replaced, once in a script: every process is restarted
 * - `crowd`: `count` operations wait in the lane of an install that ends
 * - `tokens`: all streams end because their token has expired, and one call is refused as unauthenticated
 *
 * With the size `ha` only:
 *
 * - `failover`: the primary of the database dies, its standby is promoted, and after `ms` the old primary follows the
 *   new
 * - `standby`: the standby is down for `ms`, and commits wait
 * - `redis-primary`: a primary of the cluster dies, its replica takes over, and it returns after `ms`
 * - `redis-slot`: the slot of a queue moves to another primary
 * - `redis-clients`: the connections of all clients to the cluster end
 * - `redis-lost`: all nodes die, and a new cluster of empty nodes starts at their addresses
 * - `shards`: the number of queues becomes `count`
 * - `flood`: a user sends `count` requests at once
 */
export type Act = { readonly atMs: number } & (
  | { readonly kind: 'kill'; readonly place: PlaceName; readonly ms: number }
  | { readonly kind: 'pause'; readonly place: PlaceName; readonly ms: number }
  | { readonly kind: 'stop'; readonly place: PlaceName }
  | { readonly kind: 'cut' | 'lose-answer'; readonly place: PlaceName; readonly service: Service }
  | {
      readonly kind: 'refuse' | 'freeze';
      readonly place: PlaceName;
      readonly service: Service;
      readonly ms: number;
    }
  | {
      readonly kind: 'slow';
      readonly place: PlaceName;
      readonly service: Service;
      readonly delayMs: number;
      readonly ms: number;
    }
  | { readonly kind: 'wipe' | 'postgres' }
  | { readonly kind: 'ledger-streams' | 'tokens' | 'rotate' }
  | { readonly kind: 'ledger-kill' | 'ledger-older' | 'ledger-pause'; readonly ms: number }
  | { readonly kind: 'ledger-faults'; readonly seed: number; readonly ms: number }
  | {
      readonly kind: 'ledger-behind' | 'ledger-stopped' | 'ledger-traffic' | 'ledger-away';
      readonly participant: ParticipantOfChaos;
      readonly ms: number;
    }
  | { readonly kind: 'failover' | 'standby'; readonly ms: number }
  | { readonly kind: 'redis-primary'; readonly queue: number; readonly ms: number }
  | { readonly kind: 'redis-slot'; readonly queue: number }
  | { readonly kind: 'redis-clients' | 'redis-lost' }
  | { readonly kind: 'shards'; readonly count: number }
  | { readonly kind: 'flood' | 'crowd'; readonly count: number }
);
/** The participants that Tenure uses. */
export const PARTICIPANTS = ['app-provider', 'app-user'] as const;
export type ParticipantOfChaos = (typeof PARTICIPANTS)[number];
export type FaultKind = Act['kind'];

export const FAULT_KINDS = [
  'kill',
  'stop',
  'pause',
  'cut',
  'refuse',
  'freeze',
  'slow',
  'lose-answer',
  'wipe',
  'postgres',
  'ledger-kill',
  'ledger-older',
  'ledger-pause',
  'ledger-faults',
  'ledger-streams',
  'ledger-behind',
  'ledger-stopped',
  'ledger-traffic',
  'ledger-away',
  'tokens',
  'rotate',
  'crowd',
] as const satisfies readonly FaultKind[];

const HA_KINDS = ['failover', 'standby', 'shards', 'flood'] as const satisfies readonly FaultKind[];
const CLUSTER_KINDS = [
  'redis-primary',
  'redis-slot',
  'redis-clients',
  'redis-lost',
] as const satisfies readonly FaultKind[];

/** Kinds of acts that affect services with several servers. */
export const OF_SEVERAL_SERVERS: readonly FaultKind[] = ['failover', 'standby', ...CLUSTER_KINDS];

/** Returns the kinds of acts that are possible with a size and a kind of queue. */
export function kindsOf(size: Size, queue: QueueKind): readonly FaultKind[] {
  if (size === 'small') return FAULT_KINDS;
  return [...FAULT_KINDS, ...HA_KINDS, ...(queue === 'redis' ? CLUSTER_KINDS : [])];
}

export interface ScriptOptions {
  readonly size: Size;
  readonly seed: number;
  /** For how long faults are begun, in milliseconds. */
  readonly durationMs: number;
  readonly queue: QueueKind;
  readonly kinds: readonly FaultKind[];
  /** The number of operations that wait in the lane of the first install that ends. */
  readonly crowd: number;
}

/** The minimum and maximum time between two acts, in milliseconds. */
const GAP_MS = [600, 2_200] as const;
/** The time before the first act, so that operations are in progress when it happens. */
const QUIET_MS = 1_500;
/** How long no act affects a process after its start, because starting counts as no fault. */
const START_MS = 5_000;
const STARTED_ANEW: ReadonlySet<FaultKind> = new Set<FaultKind>([
  'kill',
  'stop',
  'postgres',
  'ledger-kill',
  'ledger-older',
  'failover',
  'redis-lost',
  'rotate',
]);

/** Returns the services to which a process of each role connects. */
function servicesOf(place: PlaceName, { size, queue }: ScriptOptions): Service[] {
  const all: Service[] = ['postgres', 'provider-ledger', 'user-ledger', 'auth'];
  if (size === 'ha') all.push('postgres-2');
  if (roleAt(place) !== 'worker') return all;
  // Cluster nodes tell clients their own addresses, so connections to them cannot go through a proxy.
  return queue === 'redis' && size === 'small'
    ? [...all, 'redis', 'registry']
    : [...all, 'registry'];
}

const PLACED: ReadonlySet<FaultKind> = new Set<FaultKind>([
  'kill',
  'stop',
  'pause',
  'cut',
  'refuse',
  'freeze',
  'slow',
  'lose-answer',
]);

/** The largest number of queues that a run can have. */
const QUEUES_MAX = 6;

/** How long a participant is unreachable in a long script. It is longer than the time limit of an attempt. */
const LONG_AWAY_MS = 120_000;
/**
 * When a participant is unreachable for `LONG_AWAY_MS`. A short script has no time for this. In a long script it
 * happens rarely, so that there is time for other acts.
 */
const LONG_AWAY = { fromMs: 60_000, lateMs: 35_000, everyMs: 600_000 };

/** The number of operations that wait for the first install that ends. It is more than one transaction can end. */
export const FIRST_CROWD = 20_000;
/** The number of operations that wait for each later install that ends. Several transactions are needed to end them. */
export const LATER_CROWD = 500;

/** Returns an act of this kind with random details. */
function draw(
  kind: FaultKind,
  atMs: number,
  place: PlaceName,
  draws: Draws,
  options: ScriptOptions,
): Act {
  const service = draws.pick(servicesOf(place, options));
  const ms = draws.between(300, 4_000);
  switch (kind) {
    case 'kill':
      return { kind, atMs, place, ms: draws.between(0, 2_000) };
    case 'pause':
      // The pause is sometimes longer than a lease, so that the process has to notice that another process has taken
      // its place.
      return { kind, atMs, place, ms: draws.between(1_000, 8_000) };
    case 'stop':
      return { kind, atMs, place };
    case 'cut':
      return { kind, atMs, place, service };
    case 'lose-answer':
      return { kind, atMs, place, service: 'postgres' };
    case 'refuse':
    case 'freeze':
      return { kind, atMs, place, service, ms };
    case 'slow':
      return { kind, atMs, place, service, delayMs: draws.between(20, 400), ms };
    case 'ledger-kill':
    case 'ledger-older':
    case 'ledger-pause':
      return { kind, atMs, ms };
    case 'ledger-faults':
      return { kind, atMs, seed: draws.between(1, 1_000_000), ms: ms + 2_000 };
    case 'ledger-behind':
    case 'ledger-stopped':
    case 'ledger-traffic':
      return { kind, atMs, participant: draws.pick(PARTICIPANTS), ms: ms + 1_000 };
    case 'ledger-away':
      return {
        kind,
        atMs,
        participant: draws.pick(PARTICIPANTS),
        ms: draws.between(6_000, 10_000),
      };
    case 'failover':
    case 'standby':
      return { kind, atMs, ms };
    case 'redis-primary':
      return { kind, atMs, queue: draws.between(0, QUEUES_MAX - 1), ms };
    case 'redis-slot':
      return { kind, atMs, queue: draws.between(0, QUEUES_MAX - 1) };
    case 'shards':
      return { kind, atMs, count: draws.between(1, QUEUES_MAX) };
    case 'flood':
      return { kind, atMs, count: draws.between(30, 80) };
    case 'crowd':
      return { kind, atMs, count: LATER_CROWD };
    case 'wipe':
    case 'postgres':
    case 'ledger-streams':
    case 'tokens':
    case 'rotate':
    case 'redis-clients':
    case 'redis-lost':
      return { kind, atMs };
    default:
      return kind satisfies never;
  }
}

/** Returns for how long no other act affects the target of an act. */
const busyMs = (act: Act): number =>
  ('ms' in act ? act.ms : 0) + (STARTED_ANEW.has(act.kind) ? START_MS : 0);

/**
 * For a kind of act that has no place, returns the targets that it shares with other kinds. Two acts on the same target
 * do not overlap.
 */
function sharedTargets(kind: FaultKind, size: Size): readonly string[] {
  if (OF_ONE_PARTICIPANT.has(kind)) return ['one participant'];
  // When LocalNet restarts, it forgets the faults of its participants, so this act also counts as one on them.
  if (kind === 'ledger-kill' || kind === 'ledger-older') return ['participant', 'one participant'];
  if (kind.startsWith('redis-')) return ['redis'];
  if (kind === 'flood' || kind === 'crowd') return ['callers'];
  // If a projector were killed at the same time, it could restart with the previous ledger user.
  if (kind === 'rotate') {
    return ['participant', ...placesOf(size).filter((place) => roleAt(place) === 'projector')];
  }
  return [kind === 'tokens' || kind.startsWith('ledger-') ? 'participant' : 'postgres'];
}

/** Kinds of acts that affect a single participant. Only one of them happens at a time. */
const OF_ONE_PARTICIPANT: ReadonlySet<FaultKind> = new Set<FaultKind>([
  'ledger-behind',
  'ledger-stopped',
  'ledger-traffic',
  'ledger-away',
]);

/**
 * Returns the acts for a seed, in order of time. Each kind occurs once before any kind occurs again, so that a short
 * script contains all kinds. If the target of an act is still affected by another act, the act is postponed, and acts
 * of other kinds come first.
 */
export function scriptOf(options: ScriptOptions): readonly Act[] {
  const draws = drawsOf(`script ${options.seed}`);
  const acts: Act[] = [];
  const freeAtMs = new Map<string, number>();
  let deck: FaultKind[] = [];
  let longAwayFromMs = LONG_AWAY.fromMs;
  let isRotated = false;
  for (let atMs = QUIET_MS; atMs < options.durationMs; atMs += draws.between(...GAP_MS)) {
    const isFree = (what: string): boolean => (freeAtMs.get(what) ?? 0) <= atMs;
    const places = draws.shuffled(placesOf(options.size));
    const place = places.find(isFree) ?? places[0] ?? 'worker-1';
    const targetsOf = (kind: FaultKind): readonly string[] => {
      return PLACED.has(kind) ? [place] : sharedTargets(kind, options.size);
    };
    const isPossible = (kind: FaultKind): boolean =>
      targetsOf(kind).every(isFree) && !(kind === 'rotate' && isRotated);
    if (!deck.some(isPossible)) {
      const dealt = draws.shuffled(options.kinds.filter((kind) => !deck.includes(kind)));
      // An act with several targets can begin only when all of them are free. In a script of one minute, there is only
      // enough time if it begins early.
      deck = [...deck, ...dealt.toSorted((a, b) => targetsOf(b).length - targetsOf(a).length)];
    }
    // Whether the long outage must begin now. It must end within four minutes.
    const isLate =
      atMs >= longAwayFromMs + LONG_AWAY.lateMs && options.kinds.includes('ledger-away');
    const first: readonly FaultKind[] = isLate ? ['ledger-away', ...deck] : deck;
    const kind = first.find(isPossible);
    if (kind === undefined) continue;
    deck = deck.filter((one) => one !== kind);
    let act = draw(kind, atMs, place, draws, options);
    if (act.kind === 'ledger-away' && atMs >= longAwayFromMs) {
      longAwayFromMs = atMs + LONG_AWAY.everyMs;
      act = { ...act, ms: LONG_AWAY_MS };
    }
    if (act.kind === 'crowd' && !acts.some((one) => one.kind === 'crowd')) {
      act = { ...act, count: options.crowd };
    }
    acts.push(act);
    isRotated ||= kind === 'rotate';
    for (const target of targetsOf(kind)) freeAtMs.set(target, atMs + busyMs(act));
  }
  return acts;
}

const words = (act: Act): string =>
  Object.entries(act)
    .filter(([name]) => name !== 'atMs' && name !== 'kind')
    .map(([name, value]) => (name === 'ms' ? `${value} ms` : String(value)))
    .join(' ');

/** Describes an act in one line. */
export const lineOfAct = (act: Act): string =>
  `${(act.atMs / 1_000).toFixed(1).padStart(7)} s  ${act.kind.padEnd(15)} ${words(act)}`.trimEnd();
