import type { ParticipantName } from './ids.ts';
import { isoToMs } from './time.ts';

/** The scopes of a pause: everything through a participant, all operations of a type, everything of a provider. */
export const PAUSE_SCOPES = ['participant', 'operation', 'provider'] as const;
export type PauseScope = (typeof PAUSE_SCOPES)[number];

/**
 * - `pause`: no effect in the scope is dispatched.
 * - `drain`: changes that had already reached the head of their lane continue, and no other change starts.
 */
export const PAUSE_MODES = ['pause', 'drain'] as const;
export type PauseMode = (typeof PAUSE_MODES)[number];

/** A pause or a drain that a person started. Times are ISO 8601, by the database's clock. */
export interface Pause {
  readonly id: string;
  readonly scope: PauseScope;
  /** The name of the participant or the operation, or the provider's party. */
  readonly name: string;
  readonly mode: PauseMode;
  readonly since: string;
  readonly byParty: string;
  readonly bySubject: string;
  readonly reason: string;
}

/** The properties of an effect by which it is decided whether a pause blocks it. Times are ISO 8601. */
interface Pausable {
  readonly participant: string;
  readonly operation: string;
  readonly provider: string;
  /** When the effect's change reached the head of its lane. */
  readonly madeAt: string;
}

/** Returns whether a pause or a drain prevents an effect from being dispatched. */
export function isBlockedBy(
  { scope, name, mode, since }: Pick<Pause, 'scope' | 'name' | 'mode' | 'since'>,
  effect: Pausable,
): boolean {
  return effect[scope] === name && (mode === 'pause' || isoToMs(effect.madeAt) >= isoToMs(since));
}

/**
 * Why nothing is dispatched to a participant.
 *
 * - `busy`: the participant is overloaded. Ends after a time.
 * - `traffic`: the participant has no traffic credit left. Ends when a submission of the participant has been
 *   sequenced.
 * - `unreachable`: the participant does not accept connections, or does not answer. Ends when it has answered.
 */
export const CIRCUIT_REASONS = ['busy', 'traffic', 'unreachable'] as const;
export type CircuitReason = (typeof CIRCUIT_REASONS)[number];

/** Returns whether only a probe can close the circuit: after `until`, one attempt at a time is dispatched. */
export const isProbed = (reason: CircuitReason): boolean => reason !== 'busy';

/** The opening of a participant's circuit. */
export interface CircuitOpening {
  readonly participant: ParticipantName;
  readonly reason: CircuitReason;
  /** The participant's error code, or the cause that Tenure determined. */
  readonly ledgerCode: string;
  /**
   * If true, one occurrence is not enough: the circuit opens at the second occurrence, if the participant answered
   * nothing in between.
   */
  readonly atSecond?: boolean;
}

/** An open circuit of a participant. Times are ISO 8601, by the database's clock. */
export interface Circuit {
  readonly participant: string;
  readonly reason: CircuitReason;
  readonly probe: boolean;
  /** How many times in a row the circuit was opened for this reason. */
  readonly level: number;
  readonly since: string;
  /**
   * Nothing is dispatched to the participant before this time. After it, a circuit that only a probe can close allows
   * one attempt.
   */
  readonly until: string;
  readonly ledgerCode: string;
}
