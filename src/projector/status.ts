import { PROJECTOR_LIMITS } from './limits.ts';
import type { Stall } from './batch.ts';
import type { Trouble } from './stream-pump.ts';

/**
 * - `starting`: does not hold the lease yet.
 * - `standby`: another process is the projector; this process takes over when that process's lease expires.
 * - `preparing`: compares the store with the ledger, or fills the store.
 * - `following`: applies the streams, except streams that cannot continue.
 * - `failed`: the updates belong to another ledger, and none is applied; `reason` explains this.
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
  /** Streams that currently cannot continue, by name. */
  readonly broken: ReadonlyMap<string, Trouble>;
  /** Streams whose starting position is not determined yet. */
  readonly awaited: ReadonlySet<string>;
  readonly cursors: ReadonlyMap<string, bigint>;
  readonly stall: Pick<Stall, 'ms' | 'reason'>;
}

export interface Projector {
  status(): ProjectorStatus;
  /** Finishes the current batch and releases the lease. */
  stop(): Promise<void>;
}

/**
 * Returns in one line why the projector does not follow all streams; `null` if it does, or if another process is the
 * projector.
 */
export function whyNotReady(status: ProjectorStatus): string | null {
  const { state, reason, broken, awaited, stall } = status;
  if (state === 'standby') return null;
  const [first] = broken;
  if (state !== 'failed' && first !== undefined) {
    const [stream, { code, reason: why, after }] = first;
    const where = after === null ? 'has stopped with an error' : `has stopped at offset ${after}`;
    return `${stream} ${where}: ${why.startsWith(code) ? why : `${code}: ${why}`}`;
  }
  // A failed batch ends the term, so the state alone does not show a stall.
  if (state !== 'failed' && stall.ms > PROJECTOR_LIMITS.stallMs) {
    const why = stall.reason ?? 'the current transaction has not ended';
    return `the projector has applied nothing for ${Math.round(stall.ms / 1_000)} s although updates wait: ${why}`;
  }
  if (state !== 'following') return reason ?? `the projector is ${state}`;
  return awaited.size === 0 ? null : `${[...awaited].join(', ')}: not followed yet`;
}
