import type { LifecycleId, Party } from './ids.ts';
import type { PlanRef, PlanTerms, SoldTerms } from './plan.ts';

/** The reason of a licence's suspension, and its beginning. */
export interface Suspension {
  /** ISO 8601, by the database's clock. */
  readonly at: string;
  readonly reason: string;
}

/** Data about a licence that Tenure keeps outside the ledger. */
export interface LicenseRecord {
  readonly lifecycleId: LifecycleId;
  readonly provider: Party;
  readonly appUser: Party;
  /** Ledger time at which the licence's first contract was created. Trials begin at this time. */
  readonly beganAt: string;
  /** The licence's reference, such as `ACME-0007`; `null` if the licence never got one. */
  readonly reference: string | null;
  /**
   * The plan that applies. `renewal`: the description of a completed renewal names it. `contract`: the first contract
   * names it.
   */
  readonly plan: (PlanRef & { readonly from: 'contract' | 'renewal' }) | null;
  /** The terms in the metadata of the first contract. */
  readonly contractTerms: SoldTerms | null;
  /** The terms of the plan's version as stored in Tenure; `null` if Tenure does not have this version. */
  readonly planTerms: PlanTerms | null;
  readonly suspension: Suspension | null;
}

/** Returns the seats and entitlements that apply: the contract's, until a renewal names another plan. */
export function soldTermsOf(record: LicenseRecord): SoldTerms | null {
  const { plan, contractTerms, planTerms } = record;
  if (plan === null) return null;
  if (plan.from === 'contract' && contractTerms !== null) return contractTerms;
  if (planTerms === null) return null;
  return { seats: planTerms.seats, entitlements: planTerms.entitlements, from: 'tenure' };
}
