import type { Party } from './ids.ts';
import { DAY_MS, isoAfter } from './time.ts';

/** The possible answers when a program asks whether it may run. The list is complete: see docs/VALIDATION.md. */
export const VALIDATION_CODES = [
  'VALID',
  'TRIAL',
  'IN_GRACE',
  'EXPIRED',
  'NOT_ACTIVE_YET',
  'SUSPENDED',
  'ENDED',
  'NOT_ENTITLED',
  'TOO_MANY_MACHINES',
  'MACHINE_NOT_ACTIVATED',
  'UNKNOWN_KEY',
  'KEY_REVOKED',
] as const;
export type ValidationCode = (typeof VALIDATION_CODES)[number];

const VALID_CODES: ReadonlySet<ValidationCode> = new Set(['VALID', 'TRIAL', 'IN_GRACE']);

/** The rights of a licence, as granted by its plan or, without a plan, by Tenure's defaults. Times are milliseconds. */
export interface LicenseTerms {
  readonly plan: {
    readonly id: string;
    readonly version: number;
    /** `null` if Tenure does not have this version of the plan. */
    readonly name: string | null;
  } | null;
  /** Values keyed by the names of entitlements. */
  readonly entitlements: Readonly<Record<string, string>>;
  /** `null`: any number of machines, up to the limit that applies to all licences. */
  readonly seats: number | null;
  /** Whether seats and entitlements were read from the contract or from Tenure's plan. */
  readonly from: 'contract' | 'tenure';
  readonly trialMs: number;
  readonly graceMs: number;
  /** The maximum validity of a licence file. */
  readonly offlineMs: number;
  /** A machine without a heartbeat for this time frees its seat; `null`: a machine keeps its seat. */
  readonly heartbeatMs: number | null;
}

/** The terms of a licence that was sold without a plan. */
export const WITHOUT_PLAN: LicenseTerms = {
  plan: null,
  entitlements: {},
  seats: null,
  from: 'contract',
  trialMs: 0,
  graceMs: 0,
  offlineMs: 7 * DAY_MS,
  heartbeatMs: null,
};

/** The data about a machine of a licence that a validation needs. Times are ledger time. */
export interface MachineState {
  readonly id: string;
  readonly seenAtMs: number;
}

/** The store's data about one licence that a validation needs. Times are ledger time. */
export interface LicenseFacts {
  readonly lifecycleId: string;
  readonly contractId: string;
  readonly licenseNum: string;
  readonly reference: string | null;
  readonly provider: Party;
  readonly user: Party;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly isEnded: boolean;
  /** The reason of a suspension; `null` if the licence is not suspended. */
  readonly suspendedFor: string | null;
  readonly terms: LicenseTerms;
  /** Number of machines that hold a seat. */
  readonly seatsUsed: number;
  /** The machine that the program names, even if its seat was freed; `null` if this machine is unknown. */
  readonly machine: MachineState | null;
  /** The ledger time up to which the projection has followed the ledger. */
  readonly followedToMs: number;
}

/** A program's request to find out whether it may run under its licence. */
export interface ValidationQuestion {
  readonly fingerprint: string | null;
  readonly entitlements: readonly string[];
}

export interface Verdict {
  readonly valid: boolean;
  readonly code: ValidationCode;
  /** When the licence stops being valid, including its grace; `null` unless it is valid now. */
  readonly validUntilMs: number | null;
  readonly trialUntilMs: number | null;
  readonly graceUntilMs: number | null;
  /** The next instant at which the verdict will change; `null` if no such instant is known. */
  readonly changesAtMs: number | null;
}

interface Standing {
  readonly code: ValidationCode;
  readonly untilMs: number | null;
}

const neverRenewed = ({ createdAtMs, expiresAtMs }: LicenseFacts): boolean =>
  expiresAtMs <= createdAtMs;

/** Returns when the trial ends. A licence that was paid for has no trial any more. */
const trialUntil = (facts: LicenseFacts): number | null =>
  neverRenewed(facts) && facts.terms.trialMs > 0 ? facts.createdAtMs + facts.terms.trialMs : null;

/** Returns when the grace after the paid time ends; `null` if the licence has no grace, or was never paid for. */
const graceUntil = (facts: LicenseFacts): number | null =>
  neverRenewed(facts) || facts.terms.graceMs === 0 ? null : facts.expiresAtMs + facts.terms.graceMs;

function standingOf(facts: LicenseFacts, nowMs: number): Standing {
  if (facts.isEnded) return { code: 'ENDED', untilMs: null };
  if (facts.suspendedFor !== null) return { code: 'SUSPENDED', untilMs: null };
  if (neverRenewed(facts)) {
    const trialMs = trialUntil(facts);
    if (trialMs === null) return { code: 'NOT_ACTIVE_YET', untilMs: null };
    return nowMs < trialMs
      ? { code: 'TRIAL', untilMs: trialMs }
      : { code: 'EXPIRED', untilMs: null };
  }
  if (nowMs < facts.expiresAtMs) return { code: 'VALID', untilMs: facts.expiresAtMs };
  const graceMs = graceUntil(facts);
  return graceMs !== null && nowMs < graceMs
    ? { code: 'IN_GRACE', untilMs: graceMs }
    : { code: 'EXPIRED', untilMs: null };
}

/** Returns when a machine frees its seat if it sends no further heartbeat; `null` if it keeps its seat. */
export const seatUntil = (seenAtMs: number, { heartbeatMs }: LicenseTerms): number | null =>
  heartbeatMs === null ? null : seenAtMs + heartbeatMs;

/**
 * Returns the instant that decides about seats: a machine last seen then or earlier holds no seat. Returns `null` if
 * machines keep their seats.
 */
export const seatlessSince = ({ heartbeatMs }: LicenseTerms, nowMs: number): string | null =>
  heartbeatMs === null ? null : isoAfter(nowMs - heartbeatMs);

/** Returns whether the machine that the program names holds a seat. */
export function holdsSeat({ machine, terms }: LicenseFacts, nowMs: number): boolean {
  if (machine === null) return false;
  const until = seatUntil(machine.seenAtMs, terms);
  return until === null || nowMs < until;
}

function refusalOf(
  facts: LicenseFacts,
  { fingerprint, entitlements }: ValidationQuestion,
  nowMs: number,
): ValidationCode | null {
  const { terms, seatsUsed } = facts;
  if (entitlements.some((name) => !Object.hasOwn(terms.entitlements, name))) return 'NOT_ENTITLED';
  if (fingerprint === null || holdsSeat(facts, nowMs)) return null;
  const isFull = terms.seats !== null && seatsUsed >= terms.seats;
  return isFull ? 'TOO_MANY_MACHINES' : 'MACHINE_NOT_ACTIVATED';
}

const earliest = (...instants: readonly (number | null)[]): number | null => {
  const known = instants.filter((instant) => instant !== null);
  return known.length === 0 ? null : Math.min(...known);
};

/** Judges a licence at an instant of ledger time. */
export function judgeLicense(
  facts: LicenseFacts,
  question: ValidationQuestion,
  nowMs: number,
): Verdict {
  const { code: standing, untilMs } = standingOf(facts, nowMs);
  const isStanding = VALID_CODES.has(standing);
  const code = isStanding ? (refusalOf(facts, question, nowMs) ?? standing) : standing;
  const seatMs =
    question.fingerprint !== null && facts.machine !== null && holdsSeat(facts, nowMs)
      ? seatUntil(facts.machine.seenAtMs, facts.terms)
      : null;
  return {
    valid: VALID_CODES.has(code),
    code,
    validUntilMs: isStanding ? (graceUntil(facts) ?? untilMs) : null,
    trialUntilMs: trialUntil(facts),
    graceUntilMs: graceUntil(facts),
    changesAtMs: earliest(untilMs, seatMs),
  };
}
