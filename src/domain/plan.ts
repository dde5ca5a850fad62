import { isJsonRecord } from './json.ts';
import type { Json, JsonRecord } from './json.ts';

/*
 * The plans that a provider sells. A licence keeps the version of the plan under which it was sold: the metadata of its
 * first contract names the version, and a renewal under another plan names that plan in its description. Both parties
 * sign the metadata and the description.
 */

/** How licences under a plan renew themselves. */
export type PlanRenewal = {
  /** How long before the end of a period the next period is offered. */
  readonly offerBefore: string;
  /** The maximum number of unpaid offers in one period. */
  readonly tries: number;
  /** Whether the licence ends after the last unpaid offer. */
  readonly endUnpaid: boolean;
};

/** Terms of a plan. Durations are ISO 8601, as the provider entered them. */
export interface PlanTerms {
  readonly name: string;
  /** `P30D` is a fixed duration; `P1M` and `P1Y` are calendar months. */
  readonly period: string;
  /** A decimal as text. */
  readonly fee: string;
  /** The instrument in which the fee is paid, at the configured registry. */
  readonly instrument: string;
  /** How long the user may take to set the fee aside, and how long the renewal may be completed. */
  readonly prepareUntilDuration: string;
  readonly settleBeforeDuration: string;
  /** How long a licence that was never renewed may be used after its creation. */
  readonly trial: string;
  /** How long a licence may be used after `expiresAt`. */
  readonly grace: string;
  /** The maximum validity of an offline licence file. */
  readonly offlineTime: string;
  /** A machine without a heartbeat for this time frees its seat. */
  readonly heartbeatTime: string;
  /** `null`: unlimited. */
  readonly seats: number | null;
  readonly entitlements: Readonly<Record<string, string>>;
  /** `null`, or missing in older rows: a licence renews itself only if a person sets this up. */
  readonly renews?: PlanRenewal | null;
}

/** One version of a plan. */
export interface PlanVersion {
  readonly version: number;
  readonly terms: PlanTerms;
  readonly createdAt: string;
  /** When a newer version replaced this one, or the plan was archived; `null` while the version is sold. */
  readonly archivedAt: string | null;
}

/** A plan with its newest version. */
export interface Plan extends PlanVersion {
  readonly id: string;
  readonly revision: number;
}

export interface PlanRef {
  readonly id: string;
  readonly version: number;
}

/** The terms under which a licence was sold, and their source. */
export interface SoldTerms {
  readonly seats: number | null;
  readonly entitlements: Readonly<Record<string, string>>;
  /** `contract`: the metadata that both parties signed. `tenure`: the version of the plan that Tenure has stored. */
  readonly from: 'contract' | 'tenure';
}

/** Keys in the metadata of a contract. */
export const PLAN_KEYS = {
  plan: 'tenure/plan',
  version: 'tenure/plan-version',
  seats: 'tenure/seats',
  entitlements: 'tenure/entitlements',
} as const;

export const PLAN_KEY_PREFIX = 'tenure/';

const PLAN_ID = /^[a-z0-9][a-z0-9-]{0,62}$/u;
export const isPlanId = (text: string): boolean => PLAN_ID.test(text);

/** Returns the metadata entries for a contract that name the sold plan and its terms. */
export function soldEntries({ id, version }: PlanRef, terms: PlanTerms): Record<string, string> {
  return {
    [PLAN_KEYS.plan]: id,
    [PLAN_KEYS.version]: String(version),
    ...(terms.seats === null ? {} : { [PLAN_KEYS.seats]: String(terms.seats) }),
    [PLAN_KEYS.entitlements]: JSON.stringify(terms.entitlements),
  };
}

function entitlementsIn(text: unknown): Readonly<Record<string, string>> | null {
  if (typeof text !== 'string') return null;
  try {
    const value = JSON.parse(text) as Json;
    if (!isJsonRecord(value)) return null;
    const entries = Object.entries(value);
    return entries.every(([, held]) => typeof held === 'string')
      ? (value as Readonly<Record<string, string>>)
      : null;
  } catch {
    return null; // Another client may write any text here.
  }
}

/** Reads the terms of sale from the metadata of a contract; `null` if the metadata has none that can be read. */
export function soldIn(entries: JsonRecord): SoldTerms | null {
  const entitlements = entitlementsIn(entries[PLAN_KEYS.entitlements]);
  if (entitlements === null) return null;
  const seats = entries[PLAN_KEYS.seats];
  if (seats === undefined) return { seats: null, entitlements, from: 'contract' };
  const isCount = typeof seats === 'string' && /^[1-9]\d{0,8}$/u.test(seats);
  return isCount ? { seats: Number(seats), entitlements, from: 'contract' } : null;
}

/** Returns the text at the end of a renewal's description that names the plan. A database trigger reads it. */
export const planWords = ({ id, version }: PlanRef): string => `[plan ${id} version ${version}]`;
