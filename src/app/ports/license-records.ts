import type { Actor } from '../../domain/caller.ts';
import type { LifecycleId, Party } from '../../domain/ids.ts';
import type { JsonRecord } from '../../domain/json.ts';
import type { LicenseRecord } from '../../domain/license-record.ts';
import type { Lifecycle } from '../../domain/lifecycle.ts';
import type { Io } from './io.ts';

/** The result of a search for licences: parties whose customer matches, and licences whose reference matches. */
export interface LicenseSearch {
  readonly parties: readonly Party[];
  readonly licenses: readonly LifecycleId[];
}

/** Tenure's own data about licences, which is not on the ledger. */
export interface LicenseRecords {
  /**
   * Returns the reference, plan, terms and suspension of these licences; omits licences without a record. One
   * statement.
   */
  of(ids: readonly LifecycleId[], io: Io): Promise<ReadonlyMap<LifecycleId, LicenseRecord>>;
  /** Finds a licence by its whole reference, such as `ACME-0007`. */
  byReference(provider: Party, reference: string, io: Io): Promise<LicenseRecord | null>;
  /**
   * Returns parties whose customer matches the text, and licences whose reference begins with it. The number is limited
   * to the number of entries that are shown.
   */
  search(party: Party, text: string, io: Io): Promise<LicenseSearch>;
  /**
   * Suspends or reinstates a licence, with a row in the audit log and an event.
   *
   * @returns the record, and whether this call changed it; `null` if the licence has ended or does not exist
   */
  suspend(
    license: Pick<Lifecycle, 'id' | 'provider' | 'appUser'>,
    isSuspended: boolean,
    reason: string,
    by: Actor,
    io: Io,
  ): Promise<{ readonly record: LicenseRecord; readonly isChanged: boolean } | null>;
  /** Adds to the audit log an act of a person on many licences. */
  recordAct(id: string, detail: JsonRecord, reason: string, by: Actor, io: Io): Promise<void>;
}
