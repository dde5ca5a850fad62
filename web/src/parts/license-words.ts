import type { components } from '../api/schema.ts';

/* The words for a licence, and for the things that Tenure keeps of a licence beside the ledger. */

type License = components['schemas']['License'];

/** The reference of a licence: `ACME-0007`. Its number, where it has no reference yet. */
export const licenseName = ({
  reference,
  licenseNum,
}: Pick<License, 'reference' | 'licenseNum'>): string => reference ?? `№ ${licenseNum}`;

interface Suspension {
  /** RFC 3339. */
  readonly at: string;
  readonly reason: string;
}

/** Since when and why the provider has suspended a licence; null: it is not suspended. */
export const suspensionOf = ({ suspended }: License): Suspension | null =>
  (suspended ?? null) as unknown as Suspension | null;

interface SoldPlan {
  readonly id: string;
  readonly version: number;
  readonly name: string | null;
}

/** The plan of a licence in words; null: it has none. */
export function planOf({ plan }: License): string | null {
  if (plan === null || plan === undefined) return null;
  const { id, version, name } = plan as unknown as SoldPlan;
  return `${name ?? id}, version ${version}`;
}
