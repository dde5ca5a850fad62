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
