import type { PolicyOrigin } from './automatic.ts';
import type { Lifecycle } from './lifecycle.ts';
import { MINUTE_MS, isoToMs } from './time.ts';
import type { LedgerTimes } from './time.ts';

/*
 * Decides when a provider's lapsed licences end automatically. Pure. Times are ledger time in milliseconds since 1970,
 * except quiet hours, which are wall time.
 */

/**
 * - `off`: no licence ends automatically.
 * - `dry-run`: due licences are listed, and none ends.
 * - `on`: due licences end.
 */
export const EXPIRY_MODES = ['off', 'dry-run', 'on'] as const;
export type ExpiryMode = (typeof EXPIRY_MODES)[number];

/** A part of each day in which no licence ends automatically. If `from` is after `to`, the part includes midnight. */
export interface QuietHours {
  /** `HH:MM`, inclusive. */
  readonly from: string;
  /** `HH:MM`, exclusive; `24:00` is the end of the day. */
  readonly to: string;
  /** The IANA name of the time zone in which `from` and `to` are local times. */
  readonly timeZone: string;
}

export interface ExpiryPolicy {
  readonly mode: ExpiryMode;
  /** How long the policy waits after `expiresAt`, as the ISO 8601 duration that the provider entered. */
  readonly grace: string;
  readonly graceMs: number;
  /**
   * Whether licences that were never renewed end as well. A new licence is created with a lapse time in the past: its
   * paid time has not begun yet.
   */
  readonly includeNeverRenewed: boolean;
  /** Whether the policy also ends licences that the provider has suspended. @default false */
  readonly includeSuspended?: boolean;
  readonly quietHours: readonly QuietHours[];
  readonly paused: boolean;
  /** The maximum number of expiries that the policy requests at the same time. */
  readonly maxInFlight: number;
}

export const DEFAULT_EXPIRY_POLICY: ExpiryPolicy = {
  mode: 'off',
  grace: 'PT0S',
  graceMs: 0,
  includeNeverRenewed: false,
  quietHours: [],
  paused: false,
  maxInFlight: 10,
};

/** Reasons for which no policy may end a licence. */
export interface LifecycleHold {
  readonly isSuspended: boolean;
  /** When the trial of the licence's plan ends; `null` without a trial. */
  readonly trialUntilMs: number | null;
  /** The grace of the licence's plan. */
  readonly graceMs: number;
}

/** The values of a licence by which the policy decides. */
export interface LapsingLicense {
  readonly expiresAtMs: number;
  readonly isNeverRenewed: boolean;
  /** When the last payment window among the licence's open renewals closes; `null` without an open renewal. */
  readonly openUntilMs: number | null;
  /** Reasons for which the licence may not end. @default none */
  readonly hold?: LifecycleHold | undefined;
}

/** Whether the licence must end now. If not, why not, and when this may change without intervention. */
export type ExpiryVerdict =
  | { readonly kind: 'due'; readonly sinceMs: number }
  | { readonly kind: 'later'; readonly atMs: number; readonly why: string }
  | { readonly kind: 'never'; readonly why: string };

const iso = (ms: number): string => new Date(ms).toISOString();

/**
 * Returns the ledger time with which the end of a licence's grace is compared. Without a grace, the estimated time is
 * enough: the ledger checks the lapse again, so a clock that is ahead only causes a refusal. The ledger does not know a
 * grace, so the end of a grace is compared with a time that has certainly passed.
 */
export const lapseClock = (graceMs: number, { nowMs, certainMs }: LedgerTimes): number =>
  graceMs === 0 ? nowMs : certainMs;

/** Judges whether one licence ends at one moment. Mode, pause and quiet hours apply to all licences: see `holdOf`. */
export function expiryVerdict(
  license: LapsingLicense,
  policy: ExpiryPolicy,
  times: LedgerTimes,
): ExpiryVerdict {
  const { nowMs, certainMs } = times;
  if (license.isNeverRenewed && !policy.includeNeverRenewed) {
    return { kind: 'never', why: 'it was never renewed' };
  }
  const { openUntilMs, hold } = license;
  if (hold?.isSuspended === true && policy.includeSuspended !== true) {
    return { kind: 'never', why: 'the licence is suspended' };
  }
  const graceMs = Math.max(policy.graceMs, hold?.graceMs ?? 0);
  const trialUntilMs = hold?.trialUntilMs ?? null;
  const isOnTrial = trialUntilMs !== null && trialUntilMs > certainMs;
  if (isOnTrial && trialUntilMs > license.expiresAtMs + graceMs) {
    return { kind: 'later', atMs: trialUntilMs, why: `the trial lasts until ${iso(trialUntilMs)}` };
  }
  const lapsesMs = license.expiresAtMs + graceMs;
  const dueMs = Math.max(lapsesMs, openUntilMs ?? lapsesMs);
  const isClosed = openUntilMs === null || openUntilMs <= certainMs;
  if (isClosed && lapsesMs <= lapseClock(graceMs, times)) {
    return { kind: 'due', sinceMs: dueMs };
  }
  const why =
    openUntilMs !== null && openUntilMs > lapsesMs
      ? `a renewal of the licence is open until ${iso(openUntilMs)}`
      : nowMs < license.expiresAtMs
        ? `the licence is valid until ${iso(license.expiresAtMs)}`
        : `the grace period lasts until ${iso(lapsesMs)}`;
  return { kind: 'later', atMs: dueMs, why };
}

/** Returns the reason, for a licence's history, why a due licence ends. */
export function expiryReason(
  { lapsesAt, openUntil }: { readonly lapsesAt: string; readonly openUntil: string | null },
  { grace, graceMs }: Pick<ExpiryPolicy, 'grace' | 'graceMs'>,
): string {
  const graced = graceMs === 0 ? '' : `, and the grace period of ${grace} has passed`;
  const open = openUntil === null ? '' : `; the time to pay for the renewal ended at ${openUntil}`;
  return `the licence expired at ${lapsesAt}${graced}${open}`;
}

/** Why a policy ends no licence at this moment; `untilMs` is the time at which this reason ends, if it is known. */
export interface Hold {
  readonly why: 'off' | 'dry-run' | 'paused' | 'quiet-hours';
  readonly untilMs: number | null;
}

const DAY_MINUTES = 24 * 60;

const CLOCK_TIME = /^(?:([01]\d|2[0-3]):([0-5]\d)|24:00)$/u;

/** Returns the minutes since midnight of `HH:MM`, or `null` if the text is not a time of day. */
export function minutesOf(text: string): number | null {
  if (!CLOCK_TIME.test(text)) return null;
  const [hours = '', minutes = ''] = text.split(':');
  return Number(hours) * 60 + Number(minutes);
}

/** Returns the local time of day in minutes since midnight. */
function localMinutes(nowMs: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(nowMs);
  const numberOf = (type: string): number =>
    Number(parts.find((part) => part.type === type)?.value ?? '0');
  return numberOf('hour') * 60 + numberOf('minute');
}

/**
 * Returns how long these quiet hours still last; 0 outside quiet hours. The result can be wrong by an hour across a
 * daylight saving change.
 */
function quietForMs({ from, to, timeZone }: QuietHours, wallNowMs: number): number {
  const [begin, end] = [minutesOf(from) ?? 0, minutesOf(to) ?? 0];
  const now = localMinutes(wallNowMs, timeZone);
  const lasts = (end - begin + DAY_MINUTES) % DAY_MINUTES || (end === begin ? 0 : DAY_MINUTES);
  const passed = (now - begin + DAY_MINUTES) % DAY_MINUTES;
  return passed < lasts ? (lasts - passed) * MINUTE_MS : 0;
}

/** Returns why a policy ends no licence at this moment of wall time, or `null` if it may end licences. */
export function holdOf(policy: ExpiryPolicy, wallNowMs: number): Hold | null {
  if (policy.mode !== 'on') return { why: policy.mode, untilMs: null };
  if (policy.paused) return { why: 'paused', untilMs: null };
  const quietMs = Math.max(0, ...policy.quietHours.map((hours) => quietForMs(hours, wallNowMs)));
  return quietMs > 0 ? { why: 'quiet-hours', untilMs: wallNowMs + quietMs } : null;
}

const isActive = ({ mode, paused }: ExpiryPolicy): boolean => mode === 'on' && !paused;

/** Returns whether all quiet hours of the old policy are also quiet in the new one. */
const keepsQuiet = (before: ExpiryPolicy, after: ExpiryPolicy): boolean =>
  before.quietHours.every((old) =>
    after.quietHours.some(
      ({ from, to, timeZone }) => from === old.from && to === old.to && timeZone === old.timeZone,
    ),
  );

/**
 * Returns whether the new policy can end a licence at a moment at which the old policy could not. The limit of
 * concurrent expiries is ignored, because it does not affect whether a licence can end.
 */
export const canEndMore = (before: ExpiryPolicy, after: ExpiryPolicy): boolean =>
  isActive(after) &&
  (!isActive(before) ||
    after.graceMs < before.graceMs ||
    (after.includeNeverRenewed && !before.includeNeverRenewed) ||
    (after.includeSuspended === true && before.includeSuspended !== true) ||
    !keepsQuiet(before, after));

/** Returns whether this runtime knows the time zone. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** Returns a message if the licence's lapse time is no longer the one for which a policy acted, otherwise `null`. */
export function anotherLapse(
  { expiresAt }: Pick<Lifecycle, 'expiresAt'>,
  { lapsesAt }: Pick<PolicyOrigin, 'lapsesAt'>,
): string | null {
  if (lapsesAt === null || expiresAt === null || isoToMs(lapsesAt) === isoToMs(expiresAt)) {
    return null;
  }
  return `the policy requested the end because the licence expired at ${lapsesAt}, but the licence now expires at ${expiresAt}`;
}
