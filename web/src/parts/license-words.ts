import type { components } from '../../../client/schema.ts';

/* The words for a licence, and for the things that Tenure keeps of a licence beside the ledger. */

type License = components['schemas']['License'];

/** The reference of a licence: `ACME-0007`. Its number, where it has no reference yet. */
export const licenseName = ({
  reference,
  licenseNum,
}: Pick<License, 'reference' | 'licenseNum'>): string => reference ?? `№ ${licenseNum}`;

/** Since when and why the provider has suspended a licence; null: it is not suspended. */
export const suspensionOf = ({ suspended }: License): NonNullable<License['suspended']> | null =>
  suspended ?? null;

/** The plan of a licence in words; null: it has none. */
export function planOf({ plan }: License): string | null {
  if (plan === null || plan === undefined) return null;
  return `${plan.name ?? plan.id}, version ${plan.version}`;
}
