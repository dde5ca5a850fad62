import type { Party } from './ids.ts';
import { DAY_MS, isoAfter } from './time.ts';

/** The answers to the question whether a program may run. A closed set; docs/VALIDATION.md lists each code. */
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

/** The rights that a plan grants a licence, or Tenure where there is no plan. Times are milliseconds. */
export interface LicenseTerms {
  readonly plan: {
    readonly id: string;
    readonly version: number;
    /** `null`: Tenure does not have this version. */
    readonly name: string | null;
  } | null;
  /** Values by the names of entitlements. */
  readonly entitlements: Readonly<Record<string, string>>;
  /** `null`: any number of machines, up to the limit of all licences. */
  readonly seats: number | null;
  readonly trialMs: number;
  readonly graceMs: number;
  /** The longest life of a licence file. */
  readonly offlineMs: number;
  /** A machine that is not seen for this time frees its seat; `null`: a machine keeps its seat. */
  readonly heartbeatMs: number | null;
}

/** The terms of a licence that was sold without a plan. */
export const WITHOUT_PLAN: LicenseTerms = {
  plan: null,
  entitlements: {},
  seats: null,
  trialMs: 0,
  graceMs: 0,
  offlineMs: 7 * DAY_MS,
  heartbeatMs: null,
};

/** A machine of a licence as a validation needs it. Times are ledger time. */
export interface MachineState {
  readonly id: string;
  readonly seenAtMs: number;
}

/** The store's data about one licence for one validation. Times are ledger time. */
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
  /** The reason of a suspension; `null`: the licence is not suspended. */
  readonly suspendedFor: string | null;
  readonly terms: LicenseTerms;
  /** Machines that hold a seat. */
  readonly seatsUsed: number;
  /** The machine of the question, also after its seat was freed; `null`: the machine is not known. */
  readonly machine: MachineState | null;
  /** The ledger time up to which the projection follows the ledger. */
  readonly followedToMs: number;
}

/** A question of a program about its licence. */
export interface ValidationQuestion {
  readonly fingerprint: string | null;
  readonly entitlements: readonly string[];
}

export interface Verdict {
  readonly valid: boolean;
  readonly code: ValidationCode;
  /** When the licence stops being valid, grace included; `null` unless it is valid. */
  readonly validUntilMs: number | null;
  readonly trialUntilMs: number | null;
  readonly graceUntilMs: number | null;
  /** The next instant at which the verdict is known to change; `null`: none is known. */
  readonly changesAtMs: number | null;
}

interface Standing {
  readonly code: ValidationCode;
  readonly untilMs: number | null;
}

const neverRenewed = ({ createdAtMs, expiresAtMs }: LicenseFacts): boolean =>
  expiresAtMs <= createdAtMs;

/** When the trial ends. A licence that was paid has no trial any more. */
const trialUntil = (facts: LicenseFacts): number | null =>
  neverRenewed(facts) && facts.terms.trialMs > 0 ? facts.createdAtMs + facts.terms.trialMs : null;

/** When the grace after the paid time ends. An unpaid licence has no grace. */
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

/** The first instant at which a machine without another heartbeat holds no seat; `null`: none. */
export const seatUntil = (seenAtMs: number, { heartbeatMs }: LicenseTerms): number | null =>
  heartbeatMs === null ? null : seenAtMs + heartbeatMs;

/** A machine that was last seen at this instant or before holds no seat; `null`: each machine holds its seat. */
export const seatlessSince = ({ heartbeatMs }: LicenseTerms, nowMs: number): string | null =>
  heartbeatMs === null ? null : isoAfter(nowMs - heartbeatMs);

/** Whether the machine of the question holds a seat. */
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
