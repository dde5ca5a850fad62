/** What a provider's renewals do by themselves. */
export interface RenewalPolicy {
  /** Complete a renewal as soon as an allocation is there that is what it asked for. */
  readonly complete: boolean;
  /** Withdraw one whose window has closed without. */
  readonly withdrawLapsed: boolean;
}

export const DEFAULT_RENEWAL_POLICY: RenewalPolicy = { complete: false, withdrawLapsed: false };
