/** The period in which a package may be used, microseconds. An absent bound is open. */
export interface VettedPeriod {
  readonly validFrom?: bigint;
  readonly validUntil?: bigint;
}

/** A package and its new period; `null` means that the package is unvetted. */
export interface VettingChange {
  readonly packageId: string;
  readonly period: VettedPeriod | null;
}

/** Returns whether a package is vetted without a time limit. */
export const isForever = (period: VettedPeriod | undefined): boolean =>
  period !== undefined && period.validFrom === undefined && period.validUntil === undefined;

/** The packages that one participant allows its parties to use, which are by default all known packages. */
export class Vetting {
  readonly #changes = new Map<string, VettedPeriod | null>();
  /** The number of changes so far, plus one. */
  serial = 1;

  get isUntouched(): boolean {
    return this.#changes.size === 0;
  }

  /** Returns the period of a package; `undefined` if the package is not vetted, although it may be known. */
  periodOf(packageId: string): VettedPeriod | undefined {
    const period = this.#changes.get(packageId);
    if (period === undefined) return {};
    return period ?? undefined;
  }

  isVetted(packageId: string, at: bigint): boolean {
    // In the usual case, vetting was never changed.
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
