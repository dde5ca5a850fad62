import type { Draws } from './draws.ts';
import { drawsOf } from './draws.ts';
import type { QueueKind, Service } from './world.ts';

/** Where processes of Tenure run in a chaos, and what they play. */
export const PLACES = {
  api: 'api',
  'worker-1': 'worker',
  'worker-2': 'worker',
  'projector-1': 'projector,clock',
  'projector-2': 'projector,clock',
} as const;
export type PlaceName = keyof typeof PLACES;

/** What a place is for: its name without its number. */
export const roleAt = (place: string): string => place.replace(/-\d+$/u, '');
const PLACE_NAMES = Object.keys(PLACES) as PlaceName[];

/**
 * One thing that is done. `ms` is how long it lasts: how long a process stays away, how long a way is blocked.
 *
 * - `kill`: SIGKILL, and a new process after `ms`
 * - `stop`: SIGTERM; the process ends in order, and a new one follows
 * - `pause`: SIGSTOP, and SIGCONT after `ms`
 * - `cut`: all connections of one way end
 * - `refuse`: one way is cut and takes no connections for `ms`
 * - `freeze`: one way stays open and silent; new connections go through after `ms`
 * - `slow`: everything on one way takes `delayMs` longer, for `ms`
 * - `lose-answer`: a process does not hear that its next transaction was committed
 * - `wipe`: the queue forgets everything
 * - `postgres`: the database's server is stopped in its immediate mode, which is a crash, and started again
 * - `ledger-kill`: SIGKILL to LocalNet, and a new one on its journal after `ms`
 * - `ledger-pause`: SIGSTOP to LocalNet, and SIGCONT after `ms`
 * - `ledger-faults`: LocalNet loses, delays, repeats and refuses calls for `ms`
 * - `ledger-streams`: all streams of the ledger end
 * - `ledger-behind`: one participant stays behind its synchronizer for `ms`, and answers
 * - `ledger-stopped`: one participant takes what it is asked and reads it after `ms`
 * - `ledger-traffic`: one participant has nothing left to pay with for `ms`
 * - `ledger-away`: one participant cannot be reached for `ms`: for two minutes once the script is a minute old
 * - `tokens`: all streams end because their token has expired, and calls are refused once as unauthenticated
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
  | { readonly kind: 'wipe' | 'postgres' | 'ledger-streams' | 'tokens' }
  | { readonly kind: 'ledger-kill' | 'ledger-pause'; readonly ms: number }
  | { readonly kind: 'ledger-faults'; readonly seed: number; readonly ms: number }
  | {
      readonly kind: 'ledger-behind' | 'ledger-stopped' | 'ledger-traffic' | 'ledger-away';
      readonly participant: ParticipantOfChaos;
      readonly ms: number;
    }
);
/** Those that Tenure uses. */
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
  'ledger-pause',
  'ledger-faults',
  'ledger-streams',
  'ledger-behind',
  'ledger-stopped',
  'ledger-traffic',
  'ledger-away',
  'tokens',
] as const satisfies readonly FaultKind[];

export interface ScriptOptions {
  readonly seed: number;
  /** How long there are new faults. */
  readonly durationMs: number;
  readonly queue: QueueKind;
  readonly kinds: readonly FaultKind[];
}

/** From one act to the next. */
const GAP_MS = [600, 2_200] as const;
/** Before the first: something must be on its way. */
const QUIET_MS = 1_500;
/** How long a process is left alone after a start: a start is no fault. */
const START_MS = 5_000;
const STARTED_ANEW: ReadonlySet<FaultKind> = new Set<FaultKind>([
  'kill',
  'stop',
  'postgres',
  'ledger-kill',
]);

/** What a process of each kind has connections to. */
function servicesOf(place: PlaceName, queue: QueueKind): Service[] {
  const all: Service[] = ['postgres', 'provider-ledger', 'user-ledger', 'auth'];
  if (PLACES[place] !== 'worker') return all;
  return queue === 'redis' ? [...all, 'redis', 'registry'] : [...all, 'registry'];
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

/** Longer than an attempt is waited for. */
const LONG_AWAY_MS = 120_000;
/** A short script has no time for that; in a long one, something else has to happen too. */
const LONG_AWAY = { fromMs: 60_000, everyMs: 600_000 };

/** An act of a kind, with everything about it drawn. */
function draw(
  kind: FaultKind,
  atMs: number,
  place: PlaceName,
  draws: Draws,
  queue: QueueKind,
): Act {
  const service = draws.pick(servicesOf(place, queue));
  const ms = draws.between(300, 4_000);
  switch (kind) {
    case 'kill':
      return { kind, atMs, place, ms: draws.between(0, 2_000) };
    case 'pause':
      // Longer than a lease now and then: whoever wakes up must find itself replaced.
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
    case 'wipe':
    case 'postgres':
    case 'ledger-streams':
    case 'tokens':
      return { kind, atMs };
    default:
      return kind satisfies never;
  }
}

/** How long what an act is done to is left alone. */
const busyMs = (act: Act): number =>
  ('ms' in act ? act.ms : 0) + (STARTED_ANEW.has(act.kind) ? START_MS : 0);

/** What a kind of act that is done to no place is done to: whoever is away cannot be told to misbehave. */
function sharedTargets(kind: FaultKind): readonly string[] {
  if (OF_ONE_PARTICIPANT.has(kind)) return ['one participant'];
  // LocalNet that is started again has forgotten what was to be done to one of its participants.
  if (kind === 'ledger-kill') return ['participant', 'one participant'];
  return [kind === 'tokens' || kind.startsWith('ledger-') ? 'participant' : 'postgres'];
}

/** One thing at a time. */
const OF_ONE_PARTICIPANT: ReadonlySet<FaultKind> = new Set<FaultKind>([
  'ledger-behind',
  'ledger-stopped',
  'ledger-traffic',
  'ledger-away',
]);

/**
 * The acts of a seed, by time. Each kind comes once before any comes again, so that a short script has all of them; one
 * that would hit what still suffers from another waits, and others come meanwhile.
 */
export function scriptOf(options: ScriptOptions): readonly Act[] {
  const draws = drawsOf(`script ${options.seed}`);
  const acts: Act[] = [];
  const freeAtMs = new Map<string, number>();
  let deck: FaultKind[] = [];
  let longAwayFromMs = LONG_AWAY.fromMs;
  for (let atMs = QUIET_MS; atMs < options.durationMs; atMs += draws.between(...GAP_MS)) {
    const isFree = (what: string): boolean => (freeAtMs.get(what) ?? 0) <= atMs;
    const places = draws.shuffled(PLACE_NAMES);
    const place = places.find(isFree) ?? places[0] ?? 'api';
    const targetsOf = (kind: FaultKind): readonly string[] => {
      return PLACED.has(kind) ? [place] : sharedTargets(kind);
    };
    const isPossible = (kind: FaultKind): boolean => targetsOf(kind).every(isFree);
    if (!deck.some(isPossible)) {
      deck = [...deck, ...draws.shuffled(options.kinds.filter((kind) => !deck.includes(kind)))];
    }
    const kind = deck.find(isPossible);
    if (kind === undefined) continue;
    deck = deck.filter((one) => one !== kind);
    let act = draw(kind, atMs, place, draws, options.queue);
    if (act.kind === 'ledger-away' && atMs >= longAwayFromMs) {
      longAwayFromMs = atMs + LONG_AWAY.everyMs;
      act = { ...act, ms: LONG_AWAY_MS };
    }
    acts.push(act);
    for (const target of targetsOf(kind)) freeAtMs.set(target, atMs + busyMs(act));
  }
  return acts;
}

const words = (act: Act): string =>
  Object.entries(act)
    .filter(([name]) => name !== 'atMs' && name !== 'kind')
    .map(([name, value]) => (name === 'ms' ? `${value} ms` : String(value)))
    .join(' ');

/** One line for people. */
export const lineOfAct = (act: Act): string =>
  `${(act.atMs / 1_000).toFixed(1).padStart(7)} s  ${act.kind.padEnd(15)} ${words(act)}`.trimEnd();
