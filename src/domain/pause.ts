import type { ParticipantName } from './ids.ts';
import { isoToMs } from './time.ts';

/**
 * What can be stopped: everything that goes through a participant, everything of one operation, everything of a
 * provider. There is one queue; these are its lanes as operators think of them.
 */
export const PAUSE_SCOPES = ['participant', 'operation', 'provider'] as const;
export type PauseScope = (typeof PAUSE_SCOPES)[number];

/**
 * - `pause`: nothing of it is dispatched.
 * - `drain`: what had reached the head of its lane before goes on, and nothing else starts.
 */
export const PAUSE_MODES = ['pause', 'drain'] as const;
export type PauseMode = (typeof PAUSE_MODES)[number];

/** What a person has stopped. Times are ISO 8601, the database's. */
export interface Pause {
  readonly id: string;
  readonly scope: PauseScope;
  /** Of the participant, of the operation, or the provider's party. */
  readonly name: string;
  readonly mode: PauseMode;
  readonly since: string;
  readonly byParty: string;
  readonly bySubject: string;
  readonly reason: string;
}

/** What of an effect decides whether a pause blocks it. Times are ISO 8601. */
interface Pausable {
  readonly participant: string;
  readonly operation: string;
  readonly provider: string;
  /** When its change reached the head of its lane. */
  readonly madeAt: string;
}

/** Whether a pause or a drain keeps an effect from being dispatched. */
export function isBlockedBy(
  { scope, name, mode, since }: Pick<Pause, 'scope' | 'name' | 'mode' | 'since'>,
  effect: Pausable,
): boolean {
  return effect[scope] === name && (mode === 'pause' || isoToMs(effect.madeAt) >= isoToMs(since));
}

/**
 * Why a participant is left alone.
 *
 * - `busy`: it has too much to do. It is over with its time.
 * - `traffic`: it has nothing left to pay the network with. It is over when something was sequenced for it.
 * - `unreachable`: no connection to it, or it says nothing. It is over when it has answered.
 */
export const CIRCUIT_REASONS = ['busy', 'traffic', 'unreachable'] as const;
export type CircuitReason = (typeof CIRCUIT_REASONS)[number];

/** Whether only a probe can end it: when its time is over, one attempt at a time is let through. */
export const isProbed = (reason: CircuitReason): boolean => reason !== 'busy';

/** A participant that is to be left alone. */
export interface CircuitOpening {
  readonly participant: ParticipantName;
  readonly reason: CircuitReason;
  /** What it said, or what was found. */
  readonly ledgerCode: string;
  /** Once proves nothing: it is left alone at the second time, if it has answered nothing in between. */
  readonly atSecond?: boolean;
}

/** A participant that is left alone. Times are ISO 8601, the database's. */
export interface Circuit {
  readonly participant: string;
  readonly reason: CircuitReason;
  readonly probe: boolean;
  /** How often in a row it was the same. */
  readonly level: number;
  readonly since: string;
  /** Nothing is dispatched to it before; and then, where only a probe can end it, one attempt. */
  readonly until: string;
  readonly ledgerCode: string;
}
