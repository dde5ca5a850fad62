import type { components } from '../../../client/schema.ts';
import * as t from '../texts/licensing.ts';
import { durationMs } from './duration.ts';

/* Words for a licence, and for the data about it that Tenure keeps outside the ledger. */

type License = components['schemas']['License'];

/** Returns the reference of a licence, such as `ACME-0007`, or its number if it has no reference yet. */
export const licenseName = ({
  reference,
  licenseNum,
}: {
  readonly reference?: string | null | undefined;
  readonly licenseNum: number;
}): string => reference ?? `№ ${licenseNum}`;

/** Returns the description of a renewal, without the suffix by which Tenure recognises its plan. */
export const descriptionWords = (description: string): string =>
  description.replace(/\s*\[plan \S+ version \d+\]$/u, '');

/** Returns since when and why the provider has suspended a licence; null if it is not suspended. */
export const suspensionOf = ({ suspended }: License): NonNullable<License['suspended']> | null =>
  suspended ?? null;

/** Returns the plan of a licence in words; null if it has none. */
export function planOf({ plan }: License): string | null {
  if (plan === null || plan === undefined) return null;
  return t.version(plan.name ?? plan.id, plan.version);
}

/** Whether a licence is valid for its user at present and, if not, why. */
export type LicenseStatus = 'valid' | 'trial' | 'expired' | 'not-active' | 'suspended';

/** Returns the length of a licence's trial in milliseconds. In the API's answer it has the form `P14D`. */
function trialMs(terms: License['terms']): number {
  const trial = (terms as { readonly trial?: { readonly value?: unknown } } | null)?.trial?.value;
  return typeof trial === 'string' ? (durationMs(trial) ?? 0) : 0;
}

/**
 * Returns the end of a licence's trial; null if the licence was paid for, or its plan has no trial. The contract of an
 * unpaid licence has its creation time as its end, and the trial begins at that time.
 */
export function trialUntil(license: License): string | null {
  const ms = license.isNeverRenewed ? trialMs(license.terms) : 0;
  return ms === 0 ? null : new Date(Date.parse(license.expiresAt) + ms).toISOString();
}

export function statusOf(license: License, nowMs: number): LicenseStatus {
  if (suspensionOf(license) !== null) return 'suspended';
  if (!license.isExpired) return 'valid';
  if (!license.isNeverRenewed) return 'expired';
  const trialEnd = trialUntil(license);
  return trialEnd !== null && Date.parse(trialEnd) > nowMs ? 'trial' : 'not-active';
}
