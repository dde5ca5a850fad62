/** The steps that a provider's policy takes automatically in renewals. */
export interface RenewalPolicy {
  /** Whether a renewal is completed as soon as a matching allocation exists. */
  readonly complete: boolean;
  /** Whether a renewal is withdrawn if its window has closed without an allocation. */
  readonly withdrawLapsed: boolean;
}

export const DEFAULT_RENEWAL_POLICY: RenewalPolicy = { complete: false, withdrawLapsed: false };
