import type { Actor } from '../../domain/caller.ts';
import type { LifecycleId, Party } from '../../domain/ids.ts';
import type { LicenseRecord } from '../../domain/license-record.ts';
import type { Lifecycle } from '../../domain/lifecycle.ts';
import type { Io } from './io.ts';

/** What a search among licences has found: parties by their customers, licences by their references. */
export interface LicenseSearch {
  readonly parties: readonly Party[];
  readonly licenses: readonly LifecycleId[];
}

/** What Tenure keeps of licences beside the ledger. */
export interface LicenseRecords {
  /** Reference, plan, terms and suspension of these licences, in one statement. A licence without a record is absent. */
  of(ids: readonly LifecycleId[], io: Io): Promise<ReadonlyMap<LifecycleId, LicenseRecord>>;
  /** By a whole reference, as `ACME-0007`. */
  byReference(provider: Party, reference: string, io: Io): Promise<LicenseRecord | null>;
  /** Parties whose customers match, and licences whose reference begins with the text; as many as are shown at most. */
  search(party: Party, text: string, io: Io): Promise<LicenseSearch>;
  /**
   * Suspends or reinstates, with a row of the audit log and an event.
   *
   * @returns the record, and whether it was changed by this call; `null` when the licence has ended or is not there
   */
  suspend(
    license: Pick<Lifecycle, 'id' | 'provider' | 'appUser'>,
    isSuspended: boolean,
    reason: string,
    by: Actor,
    io: Io,
  ): Promise<{ readonly record: LicenseRecord; readonly isChanged: boolean } | null>;
}
