import type { SynchronizerTimes } from '../domain/ledger.ts';
import { isoToMs } from '../domain/time.ts';

/*
 * Why a participant tells nothing more: it is behind its synchronizer, nothing happens on that one, or the
 * participant has left it.
 */

/** What a participant's answers wait for. Times are ISO 8601. */
export interface Standstill {
  readonly kind: 'behind' | 'quiet' | 'gone';
  readonly since: string;
  readonly detail: string;
}

/** The transaction that was submitted last to move a participant's time. Milliseconds since 1970. */
export interface Tick {
  readonly sentMs: number;
  /** Why the ledger did not take it, in words; `null` where it did. */
  readonly refusal: string | null;
}

/** What is known of a participant at one moment. Milliseconds since 1970. */
export interface Sight {
  readonly nowMs: number;
  /** How far it has told of each synchronizer; without those that a person has given up. */
  readonly times: SynchronizerTimes;
  /** Those that it is connected to; `null` where it cannot be asked. */
  readonly connected: readonly string[] | null;
  /** When it last told something, and how long that had happened before. */
  readonly arrival: { readonly atMs: number; readonly ageMs: number } | null;
  readonly tick: Tick | null;
  /** Whether something waits for its time to move. */
  readonly isAwaited: boolean;
}

/** News this old tell that a participant is behind: a few times what a transaction takes to be told. */
const BEHIND_MS = 10_000;
/** For so long what arrived last says how things are. */
const FRESH_MS = 30_000;

const ago = (ms: number): string => `${Math.round(ms / 1_000)} s`;

function found({ nowMs, times, connected, arrival, tick, isAwaited }: Sight) {
  const left = [...times.keys()].filter((id) => connected !== null && !connected.includes(id));
  if (connected !== null && connected.length > 0 && left.length > 0) {
    return {
      kind: 'gone' as const,
      sinceMs: nowMs,
      detail: `it is no longer connected to ${left.join(', ')}; a person has to say whether it will be: \`tenure ops synchronizers\``,
    };
  }
  const toldMs = Math.min(...[...times.values()].map(isoToMs));
  if (arrival !== null && arrival.ageMs > BEHIND_MS && nowMs - arrival.atMs < FRESH_MS) {
    const detail = `it catches up and is ${ago(arrival.ageMs)} behind`;
    return { kind: 'behind' as const, sinceMs: arrival.atMs - arrival.ageMs, detail };
  }
  if (!isAwaited || !(nowMs - toldMs > BEHIND_MS)) return null;
  if (tick !== null && tick.refusal === null && tick.sentMs > toldMs) {
    if (nowMs - tick.sentMs < BEHIND_MS) return null;
    const detail = `it has told nothing since ${new Date(toldMs).toISOString()}, ${ago(nowMs - toldMs)} ago, although something has happened since`;
    return { kind: 'behind' as const, sinceMs: toldMs, detail };
  }
  const why = tick?.refusal == null ? '' : `, and it cannot be moved: ${tick.refusal}`;
  const detail = `nothing has happened on its synchronizer for ${ago(nowMs - toldMs)}${why}`;
  return { kind: 'quiet' as const, sinceMs: toldMs, detail };
}

/** What the participant's answers wait for, beyond the ordinary; `null` when nothing. Pure. */
export function standstillOf(sight: Sight, before: Standstill | null): Standstill | null {
  const now = found(sight);
  if (now === null) return null;
  const { kind, detail } = now;
  const since = before?.kind === kind ? before.since : new Date(now.sinceMs).toISOString();
  return { kind, detail, since };
}
