import type { LedgerAnswer, Reach } from './answer.ts';
import type { ParticipantName } from './ids.ts';
import { MAY_NOT_ACT_AS, blamedBy } from './ledger-codes.ts';

/*
 * The health of a participant: one state, which changes with what Tenure observes. `NEXT` is the only table of these
 * changes. Pure.
 */

/**
 * If several causes apply at the same time, the participant has the state that is first in this list.
 *
 * - `foreign`: its history is not the store's. Nothing is submitted until the history matches again.
 * - `unreachable`: it does not accept connections, or does not answer.
 * - `out-of-traffic`: it cannot pay for its submissions.
 * - `slow`: it is overloaded.
 * - `behind`: its reports are late, or cannot be used yet.
 * - `quiet`: it reports nothing, because nothing happens on its synchronizer.
 */
export const HEALTH_STATES = [
  'foreign',
  'unreachable',
  'out-of-traffic',
  'slow',
  'behind',
  'quiet',
  'reachable',
] as const;
export type HealthState = (typeof HEALTH_STATES)[number];

const WORSE = {
  'other-ledger': 'foreign',
  'not-reached': 'unreachable',
  'not-paid': 'out-of-traffic',
  overloaded: 'slow',
} as const;

/**
 * An observation about a participant. `answered`: it answered an attempt; `sequenced`: it sent an attempt to the
 * network; `rested`: it was left alone for a while; `timely`: its reports are current.
 */
export type HealthSign =
  | keyof typeof WORSE
  | 'same-ledger'
  | 'answered'
  | 'sequenced'
  | 'rested'
  | 'late'
  | 'idle'
  | 'timely';

/** An observation that is missing for a state does not change the state. */
const NEXT: Readonly<Record<HealthState, Readonly<Partial<Record<HealthSign, HealthState>>>>> = {
  reachable: { ...WORSE, late: 'behind', idle: 'quiet' },
  quiet: { ...WORSE, late: 'behind', timely: 'reachable' },
  behind: { ...WORSE, idle: 'quiet', timely: 'reachable' },
  slow: { ...WORSE, rested: 'reachable' },
  // An answer without payment does not show that a submission can be paid for.
  'out-of-traffic': { ...WORSE, overloaded: 'out-of-traffic', sequenced: 'reachable' },
  unreachable: {
    ...WORSE,
    overloaded: 'unreachable',
    answered: 'reachable',
    sequenced: 'reachable',
  },
  foreign: { 'same-ledger': 'reachable' },
};

export const healthAfter = (state: HealthState, sign: HealthSign): HealthState =>
  NEXT[state][sign] ?? state;

/**
 * Why nothing, or only one attempt at a time, is dispatched to a participant. The reason and its state are stored in
 * the participant's *circuit*.
 */
export const CIRCUIT_REASONS = ['busy', 'traffic', 'unreachable'] as const;
export type CircuitReason = (typeof CIRCUIT_REASONS)[number];

/**
 * Why the reported times of a participant do not help: the participant is behind its synchronizer (`behind`), the
 * synchronizer has no activity (`quiet`), the participant has left the synchronizer (`gone`), or the reported times
 * cannot be trusted (`clock`). With `replay`, requests are held until the participant has replayed what took effect
 * before the database was restored.
 */
export const STANDSTILLS = ['behind', 'quiet', 'gone', 'clock', 'replay'] as const;

/** Why a participant's answers are late. Times are ISO 8601. */
export interface Standstill {
  readonly kind: (typeof STANDSTILLS)[number];
  readonly since: string;
  readonly detail: string;
}

const SIGNS = {
  foreign: 'other-ledger',
  unreachable: 'not-reached',
  traffic: 'not-paid',
  busy: 'overloaded',
  replay: 'late',
  clock: 'late',
  gone: 'late',
  behind: 'late',
  quiet: 'idle',
} as const satisfies Readonly<Record<string, HealthSign>>;

/** A stored reason why a participant is not healthy. Operators see these names. */
export type HealthCause = keyof typeof SIGNS;

export const isStandstill = (cause: HealthCause): cause is Standstill['kind'] =>
  STANDSTILLS.some((kind) => kind === cause);

/** A reason with the participant that it concerns. */
export interface ParticipantCause {
  readonly participant: ParticipantName;
  readonly kind: HealthCause;
  /** ISO 8601, by the database's clock. */
  readonly since: string;
  /** In words, or the participant's error code for the reason of a circuit. */
  readonly detail: string;
  /** The stream that is not the store's; only for `foreign`. */
  readonly stream: string | null;
}

/** Returns the state that a cause gives to a participant which was healthy before. */
export const stateOf = (cause: HealthCause): HealthState => healthAfter('reachable', SIGNS[cause]);

const rankOf = ({ kind }: ParticipantCause): number => HEALTH_STATES.indexOf(stateOf(kind));

/** Returns the cause that determines the state of a participant; `undefined` if the participant is healthy. */
export const worstOf = (
  causes: readonly ParticipantCause[],
  participant: string,
): ParticipantCause | undefined =>
  causes
    .filter((cause) => cause.participant === participant)
    .toSorted((a, b) => rankOf(a) - rankOf(b))[0];

/** Returns whether only a probe can close the circuit: after `until`, one attempt at a time is dispatched. */
export const isProbed = (reason: CircuitReason): boolean =>
  healthAfter(stateOf(reason), 'rested') !== 'reachable';

/** Returns whether an open circuit keeps its reason when a second reason is observed. */
export const outlasts = (reason: CircuitReason, second: CircuitReason): boolean =>
  reason !== second && healthAfter(stateOf(reason), SIGNS[second]) === stateOf(reason);

/** Returns whether an attempt that came this far closes a circuit. */
export const isClosedBy = (reason: CircuitReason, reached: Reach): boolean =>
  reached !== 'nobody' &&
  healthAfter(stateOf(reason), reached === 'network' ? 'sequenced' : 'answered') === 'reachable';

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

/** The participant sent no response. */
const NO_RESPONSE: ReadonlySet<string> = new Set([
  'NO_ERROR_INFO:UNAVAILABLE',
  'NO_ERROR_INFO:DEADLINE_EXCEEDED',
]);

/**
 * Returns whether no command reaches the participant: the participant is unreachable, or refuses our ledger user. All
 * commands use the same address and ledger user, so the next command would fail as well. A missing right to act as one
 * party is the exception: commands of other parties reach the participant.
 */
export const isUnreachable = ({ class: kind, code, takesNoTry }: LedgerAnswer): boolean =>
  (kind === 'credentials' && code !== MAY_NOT_ACT_AS) ||
  (takesNoTry && (NO_RESPONSE.has(code) || code === 'TOKEN_UNAVAILABLE'));

/**
 * Returns the circuit that an answer opens; `null` if other commands to the participant need not wait. One lost answer
 * to a command that was sent does not prove a network failure; two do, if no other answer arrived in between.
 */
export function circuitOf(
  answer: LedgerAnswer,
): Pick<CircuitOpening, 'reason' | 'atSecond'> | null {
  const { class: kind, code, takesNoTry } = answer;
  if (kind === 'busy') return { reason: 'busy' };
  // If one party has no traffic left, other parties are not affected.
  if (kind === 'no-traffic') {
    return blamedBy(code) === 'participant' ? { reason: 'traffic' } : null;
  }
  if (isUnreachable(answer)) return { reason: 'unreachable' };
  const isUnanswered = kind === 'unknown' && !takesNoTry && NO_RESPONSE.has(code);
  return isUnanswered ? { reason: 'unreachable', atSecond: true } : null;
}
