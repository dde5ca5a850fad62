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

/** A participant that answered that it is busy. Times are ISO 8601, the database's. */
export interface Circuit {
  readonly participant: string;
  /** How often in a row it was busy again. */
  readonly level: number;
  readonly since: string;
  /** Nothing is dispatched to it before. */
  readonly until: string;
  readonly ledgerCode: string;
}
