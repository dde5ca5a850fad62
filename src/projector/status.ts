import { PROJECTOR_LIMITS } from './limits.ts';
import type { Stall } from './batch.ts';
import type { Trouble } from './stream-pump.ts';

/**
 * - `starting`: not yet holder of the lease.
 * - `standby`: another process is the projector; this one takes over when its lease runs out.
 * - `preparing`: comparing the store with the ledger, or filling it.
 * - `following`: applying the streams, those that are in trouble aside.
 * - `failed`: the updates are another ledger's; `reason` says how that is known. Nothing of them is applied.
 * - `stopped`: ended on request.
 */
export type ProjectorState =
  | 'starting'
  | 'standby'
  | 'preparing'
  | 'following'
  | 'failed'
  | 'stopped';

export interface ProjectorStatus {
  readonly state: ProjectorState;
  readonly reason: string | null;
  /** Streams that cannot go on now, by name. */
  readonly broken: ReadonlyMap<string, Trouble>;
  /** Streams of which it is not known yet where they go on. */
  readonly awaited: ReadonlySet<string>;
  readonly cursors: ReadonlyMap<string, bigint>;
  readonly stall: Pick<Stall, 'ms' | 'reason'>;
}

export interface Projector {
  status(): ProjectorStatus;
  /** Finishes the batch in hand and gives the lease back. */
  stop(): Promise<void>;
}

/**
 * What keeps the projector from following everything, in one line; `null` when nothing does, or another one follows.
 */
export function whyNotReady(status: ProjectorStatus): string | null {
  const { state, reason, broken, awaited, stall } = status;
  if (state === 'standby') return null;
  const [first] = broken;
  if (state !== 'failed' && first !== undefined) {
    const [stream, { code, reason: why, after }] = first;
    const where = after === null ? 'cannot be followed' : `stands at offset ${after}`;
    return `${stream} ${where}: ${why.startsWith(code) ? why : `${code}: ${why}`}`;
  }
  // A batch that fails ends the term, and the state changes with each term.
  if (state !== 'failed' && stall.ms > PROJECTOR_LIMITS.stallMs) {
    const why = stall.reason ?? 'the transaction has not ended';
    return `nothing has been applied for ${Math.round(stall.ms / 1_000)} s although updates wait: ${why}`;
  }
  if (state !== 'following') return reason ?? `it is ${state}`;
  return awaited.size === 0 ? null : `${[...awaited].join(', ')}: not followed yet`;
}
