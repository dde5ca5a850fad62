import type { ParticipantName } from './ids.ts';
import { isoToMs } from './time.ts';

/**
 * Scopes that an operator can stop: everything that goes through a participant, everything of one operation, everything
 * of a provider. There is one queue; operators think of these scopes as its lanes.
 */
export const PAUSE_SCOPES = ['participant', 'operation', 'provider'] as const;
export type PauseScope = (typeof PAUSE_SCOPES)[number];

/**
 * - `pause`: no effect in the scope is dispatched.
 * - `drain`: changes that had reached the head of their lane continue, and no other change starts.
 */
export const PAUSE_MODES = ['pause', 'drain'] as const;
export type PauseMode = (typeof PAUSE_MODES)[number];

/** A pause or a drain that a person started. Times are ISO 8601, the database's. */
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

/** The properties of an effect that decide whether a pause blocks it. Times are ISO 8601. */
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
 * Why dispatch to a participant stops.
 *
 * - `busy`: the participant is overloaded. Ends when its time is over.
 * - `traffic`: the participant has no traffic credit left. Ends when a submission of the participant was sequenced.
 * - `unreachable`: there is no connection to the participant, or no answer from it. Ends when the participant has
 *   answered.
 */
export const CIRCUIT_REASONS = ['busy', 'traffic', 'unreachable'] as const;
export type CircuitReason = (typeof CIRCUIT_REASONS)[number];

/** Whether only a probe can end the circuit: when its time is over, one attempt at a time is dispatched. */
export const isProbed = (reason: CircuitReason): boolean => reason !== 'busy';

/** The opening of a participant's circuit. */
export interface CircuitOpening {
  readonly participant: ParticipantName;
  readonly reason: CircuitReason;
  /** The participant's error code, or the cause that was found. */
  readonly ledgerCode: string;
  /** One occurrence proves nothing: the circuit opens at the second, if the participant answered nothing in between. */
  readonly atSecond?: boolean;
}

/** An open circuit of a participant. Times are ISO 8601, the database's. */
export interface Circuit {
  readonly participant: string;
  readonly reason: CircuitReason;
  readonly probe: boolean;
  /** How often in a row the reason was the same. */
  readonly level: number;
  readonly since: string;
  /**
   * Nothing is dispatched to the participant before this time; after it, one attempt where only a probe can end the
   * circuit.
   */
  readonly until: string;
  readonly ledgerCode: string;
}
