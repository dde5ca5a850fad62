import { monthsAfter, monthsUpTo } from './calendar.ts';
import { microsOf } from './duration.ts';
import type { CommandId, ContractId, LifecycleId, Party } from './ids.ts';
import { OWN_COMMAND_PREFIX, parseCommandId } from './ids.ts';
import { monthsOf } from './period.ts';
import { isoAfter, isoToMs } from './time.ts';

/* The terms under which a licence renews itself, and the calculation of its periods. */

export interface SubscriptionTerms {
  /** The plan whose newest version is offered; `null` for the plan of the licence. */
  readonly planId: string | null;
  /** How long before the end of a period the next period is offered. */
  readonly offerBeforeMs: number;
  /** The maximum number of unpaid offers in one period. */
  readonly tries: number;
  /** Whether the licence ends after the last unpaid offer. */
  readonly endsUnpaid: boolean;
}

export interface Subscription extends SubscriptionTerms {
  readonly licenseId: LifecycleId;
  readonly provider: Party;
  readonly appUser: Party;
  /** The time from which the boundaries of periods are counted, ISO 8601; `null` if no offer was made yet. */
  readonly anchor: string | null;
  /** When the subscription was cancelled, by the database's clock; `null` while the licence renews itself. */
  readonly cancelledAt: string | null;
  /** Incremented with every change of the terms. */
  readonly version: number;
}

/** The steps of a subscription. Each is an ordinary operation of the provider. */
export type SubscriptionStep = 'offer' | 'settle' | 'retract' | 'end';

/**
 * Returns the common prefix of all command IDs of a step; the number of the try follows it.
 *
 * @param about the licence and the `expiresAt` that an offer extends, or the renewal that the step ends
 */
export const stepPrefix = (
  step: SubscriptionStep,
  about: { readonly of: LifecycleId; readonly when: string },
): string => `${OWN_COMMAND_PREFIX}${step}:${about.of}:${about.when.replace('.', '_')}:`;

/** Returns the common prefix of the request IDs of all offers of a licence. */
export const offersPrefix = (license: LifecycleId): string =>
  `${OWN_COMMAND_PREFIX}offer:${license}:`;

export const stepCommandId = (prefix: string, number: number): CommandId =>
  parseCommandId(`${prefix}${number}`);

/** Returns the number of the try in a command ID or request ID with this prefix; `null` for any other text. */
export function numberIn(of: { readonly prefix: string; readonly id: string }): number | null {
  const { prefix, id } = of;
  const rest = id.startsWith(prefix) ? id.slice(prefix.length) : '';
  return /^[1-9]\d{0,5}$/u.test(rest) ? Number(rest) : null;
}

/** Returns the end of an allocation's contract ID, which is unique to the allocation. */
export const allocationName = (id: ContractId): string => id.slice(-24);

export const microsAt = (iso: string): bigint => BigInt(Math.round(isoToMs(iso) * 1_000));

export interface Period {
  /** A plan's period: `P1M` is a calendar month, `P30D` a fixed duration. */
  readonly period: string;
  readonly timeZone: string;
  readonly expiresAt: string;
  /** The time from which the boundaries of earlier offers were counted. */
  readonly anchor: string | null;
  /** The extension by the newest completed renewal, in microseconds. */
  readonly lastExtension: bigint | null;
  readonly nowMs: number;
  /** While a trial lasts, the first period begins at the end of the trial. */
  readonly trialUntilMs: number | null;
}

/**
 * Returns the time from which the boundaries up to `expiresAt` are counted: the known anchor, otherwise the start of
 * the last period, otherwise `expiresAt` itself. A late payment moves `expiresAt` off the known boundaries; then new
 * boundaries are counted.
 */
export function anchorOf(period: Omit<Period, 'period'>): bigint {
  const { timeZone, expiresAt, anchor, lastExtension } = period;
  const end = microsAt(expiresAt);
  const known = anchor === null ? null : microsAt(anchor);
  if (known !== null && monthsUpTo(known, end, timeZone) !== null) return known;
  const start = lastExtension === null ? null : end - lastExtension;
  return start !== null && monthsUpTo(start, end, timeZone) !== null ? start : end;
}

/**
 * Returns the extension that an offer requests now, in microseconds, and the anchor from which it was counted. The
 * ledger extends from the payment or from `expiresAt`, whichever is later. So an offer that is paid in time ends at the
 * next boundary, and one that is paid late extends the licence by the same time from its payment.
 *
 * @throws Error if the period is not valid
 */
export function nextPeriod(asked: Period): { readonly extension: bigint; readonly anchor: bigint } {
  const { period, timeZone, expiresAt, nowMs, trialUntilMs } = asked;
  const months = monthsOf(period);
  const fixed = months === null ? microsOf(period) : null;
  const [now, end] = [BigInt(Math.floor(nowMs * 1_000)), microsAt(expiresAt)];
  const base = now > end ? now : end;
  const trialUntil = trialUntilMs === null ? base : BigInt(Math.ceil(trialUntilMs * 1_000));
  const start = trialUntil > base ? trialUntil : base;
  if (months === null) {
    if (fixed === null) throw new Error(`${period} is no period`);
    return { extension: start - base + fixed, anchor: start };
  }
  const anchor = start === end ? anchorOf(asked) : start;
  const done = monthsUpTo(anchor, start, timeZone) ?? 0;
  return { extension: monthsAfter(anchor, done + months, timeZone) - base, anchor };
}

export const isoOf = (micros: bigint): string => isoAfter(0, micros);
