import type { components } from '../../../client/schema.ts';
import { durationMs } from './duration.ts';

/* The words for a licence, and for the things that Tenure keeps of a licence beside the ledger. */

type License = components['schemas']['License'];

/** The reference of a licence: `ACME-0007`. Its number, where it has no reference yet. */
export const licenseName = ({
  reference,
  licenseNum,
}: {
  readonly reference?: string | null | undefined;
  readonly licenseNum: number;
}): string => reference ?? `№ ${licenseNum}`;

/** The description of a renewal, without the mark by which Tenure finds its plan. */
export const descriptionWords = (description: string): string =>
  description.replace(/\s*\[plan \S+ version \d+\]$/u, '');

/** Since when and why the provider has suspended a licence; null: it is not suspended. */
export const suspensionOf = ({ suspended }: License): NonNullable<License['suspended']> | null =>
  suspended ?? null;

/** The plan of a licence in words; null: it has none. */
export function planOf({ plan }: License): string | null {
  if (plan === null || plan === undefined) return null;
  return `${plan.name ?? plan.id}, version ${plan.version}`;
}

/** Whether a current licence gives its user a right, and why not. */
export type LicenseStatus = 'valid' | 'trial' | 'expired' | 'not-active' | 'suspended';

/** The length of a trial in the answer: its value has the form `P14D`. */
function trialMs(terms: License['terms']): number {
  const trial = (terms as { readonly trial?: { readonly value?: unknown } } | null)?.trial?.value;
  return typeof trial === 'string' ? (durationMs(trial) ?? 0) : 0;
}

/**
 * The end of the trial of a licence; null: it was paid for, or its plan has no trial. The contract of an unpaid licence
 * has the time of its creation as its end, and the trial begins then.
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
