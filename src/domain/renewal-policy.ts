/** The automatic steps of a provider's renewals. */
export interface RenewalPolicy {
  /** Complete a renewal as soon as a matching allocation exists. */
  readonly complete: boolean;
  /** Withdraw a renewal whose window has closed without an allocation. */
  readonly withdrawLapsed: boolean;
}

export const DEFAULT_RENEWAL_POLICY: RenewalPolicy = { complete: false, withdrawLapsed: false };
