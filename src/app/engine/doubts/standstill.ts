import type { Standstill } from '../../../domain/participant-health.ts';
import type { SynchronizerTimes } from '../../../domain/ledger.ts';
import { isoToMs } from '../../../domain/time.ts';
import { LIMITS } from '../../../domain/limits.ts';

/*
 * Why a participant reports no progress: it is behind its synchronizer, nothing happens on its synchronizer, it is no
 * longer connected to its synchronizer, or its times cannot be trusted.
 */

/** The last transaction that was submitted to advance a participant's time. Milliseconds since 1970. */
export interface Tick {
  readonly sentMs: number;
  /** Why the ledger refused the transaction; `null` if it was accepted. */
  readonly refusal: string | null;
}

/**
 * Synchronizers that a participant cannot send to, each with the time when this was first noticed. Milliseconds since
 * 1970.
 */
export type Missing = ReadonlyMap<string, number>;

/** The state of a participant at one moment. Milliseconds since 1970. */
export interface Sight {
  readonly nowMs: number;
  /** Latest reported record time of each synchronizer, without synchronizers that a person has given up. */
  readonly times: SynchronizerTimes;
  /** Synchronizers whose record time is awaited, but to which the participant cannot send. */
  readonly missing: Missing;
  /** When the participant's last report arrived, and how old that report was at least. */
  readonly arrival: { readonly atMs: number; readonly ageMs: number } | null;
  readonly tick: Tick | null;
  /** Difference between the participant's clock and ours in milliseconds, if it is too large for a proof. */
  readonly apartMs: number | null;
  /** Whether requests are held until the participant has reported the effects that a restored database lacks. */
  readonly isHeld: boolean;
  /** Whether a change waits for the participant's time to advance. */
  readonly isAwaited: boolean;
}

/** Stands for all synchronizers of a participant if none of them is known. */
const ANY = 'any synchronizer';

const iso = (ms: number): string => new Date(ms).toISOString();
const ago = (ms: number): string => `${Math.round(ms / 1_000)} s`;

/**
 * Returns the awaited synchronizers that are missing. A synchronizer that stays missing keeps its first time.
 *
 * @param connected synchronizers that the participant can send to; `null` if this is unknown, and then none is missing
 * @param awaitedAt the record time that is waited for; a synchronizer that has passed it is not missing
 */
export function missingOf(
  before: Missing,
  times: SynchronizerTimes,
  connected: readonly string[] | null,
  awaitedAt: string,
  nowMs: number,
): Missing {
  if (connected === null) return new Map();
  const awaited = [...times].filter(([, at]) => isoToMs(at) < isoToMs(awaitedAt));
  const ids = times.size === 0 && connected.length === 0 ? [ANY] : awaited.map(([id]) => id);
  const missing = ids.filter((id) => !connected.includes(id));
  return new Map(missing.map((id) => [id, before.get(id) ?? nowMs]));
}

function unbelieved({ nowMs, apartMs }: Sight) {
  if (apartMs === null) return null;
  const detail =
    `its times differ from ours by ${ago(apartMs)}, more than CLOCK_DIFFERENCE_MAX allows: nothing is believed to be over until ` +
    'something that is submitted now is sequenced at a time that agrees';
  return { kind: 'clock' as const, sinceMs: nowMs, detail };
}

function gone({ nowMs, missing }: Sight) {
  const left = [...missing].filter(([, sinceMs]) => nowMs - sinceMs >= LIMITS.goneMs);
  if (left.length === 0) return null;
  const sinceMs = Math.min(...left.map(([, ms]) => ms));
  const names = left.map(([id]) => id).join(', ');
  const detail =
    `it has not been connected to ${names} since ${iso(sinceMs)}, or that was not ready; all goes on by itself when it is again. ` +
    'Only if it never will be, a person gives it up: see `tenure ops synchronizers`';
  return { kind: 'gone' as const, sinceMs, detail };
}

function unconnected({ missing }: Sight) {
  if (missing.size === 0) return null;
  const names = [...missing.keys()].join(', ');
  const detail = `it is not connected to ${names}, or that is not ready; it goes on by itself`;
  return { kind: 'behind' as const, sinceMs: Math.min(...missing.values()), detail };
}

function catchingUp({ nowMs, arrival }: Sight) {
  if (arrival === null || arrival.ageMs <= LIMITS.behindMs) return null;
  if (nowMs - arrival.atMs >= LIMITS.newsFreshMs) return null;
  const detail = `it catches up and is ${ago(arrival.ageMs)} behind`;
  return { kind: 'behind' as const, sinceMs: arrival.atMs - arrival.ageMs, detail };
}

function still({ nowMs, times, tick, isAwaited }: Sight) {
  const toldMs = Math.min(...[...times.values()].map(isoToMs));
  if (!isAwaited || !(nowMs - toldMs > LIMITS.behindMs)) return null;
  if (tick !== null && tick.refusal === null && tick.sentMs > toldMs) {
    if (nowMs - tick.sentMs < LIMITS.behindMs) return null;
    const detail = `it has told nothing since ${iso(toldMs)}, ${ago(nowMs - toldMs)} ago, although something has happened since`;
    return { kind: 'behind' as const, sinceMs: toldMs, detail };
  }
  const why = tick?.refusal == null ? '' : `, and it cannot be moved: ${tick.refusal}`;
  const detail = `nothing has happened on its synchronizer for ${ago(nowMs - toldMs)}${why}`;
  return { kind: 'quiet' as const, sinceMs: toldMs, detail };
}

/** The detail of a hold includes the other cause, because that cause may prolong the hold. */
function held({ nowMs, isHeld }: Sight, other: Pick<Standstill, 'kind' | 'detail'> | null) {
  if (!isHeld) return null;
  const detail =
    'the database has started anew: requests are held until the participant has told what took effect, and until no lost submission can take effect any more';
  const more = other === null ? '' : `; it is ${other.kind}: ${other.detail}`;
  return { kind: 'replay' as const, sinceMs: nowMs, detail: `${detail}${more}` };
}

/** Returns the reason for an unusual delay of the participant's answers; `null` if there is none. Pure. */
export function standstillOf(sight: Sight, before: Standstill | null): Standstill | null {
  const other =
    unbelieved(sight) ?? gone(sight) ?? catchingUp(sight) ?? unconnected(sight) ?? still(sight);
  const now = held(sight, other) ?? other;
  if (now === null) return null;
  const { kind, detail } = now;
  const since = before?.kind === kind ? before.since : iso(now.sinceMs);
  return { kind, detail, since };
}
