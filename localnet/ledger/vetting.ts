/** The period in which a package may be used; absent bounds are open. Microseconds. */
export interface VettedPeriod {
  readonly validFrom?: bigint;
  readonly validUntil?: bigint;
}

/** A package and its new period; `null`: it is unvetted. */
export interface VettingChange {
  readonly packageId: string;
  readonly period: VettedPeriod | null;
}

/** Whether a package is vetted without bounds. */
export const isForever = (period: VettedPeriod | undefined): boolean =>
  period !== undefined && period.validFrom === undefined && period.validUntil === undefined;

/** The packages that one participant lets its parties use: every known package by default. */
export class Vetting {
  readonly #changes = new Map<string, VettedPeriod | null>();
  /** Counts the changes. */
  serial = 1;

  get isUntouched(): boolean {
    return this.#changes.size === 0;
  }

  /** `undefined`: the package is not vetted. The package may be known nevertheless. */
  periodOf(packageId: string): VettedPeriod | undefined {
    const period = this.#changes.get(packageId);
    if (period === undefined) return {};
    return period ?? undefined;
  }

  isVetted(packageId: string, at: bigint): boolean {
    // The usual case: no changes.
    if (this.#changes.size === 0) return true;
    const period = this.periodOf(packageId);
    if (period === undefined) return false;
    const { validFrom, validUntil } = period;
    return (
      (validFrom === undefined || validFrom <= at) && (validUntil === undefined || at < validUntil)
    );
  }

  apply(changes: readonly VettingChange[]): void {
    for (const { packageId, period } of changes) this.#changes.set(packageId, period);
    this.serial += 1;
  }
}
