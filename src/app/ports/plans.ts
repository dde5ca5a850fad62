import type { Actor } from '../../domain/caller.ts';
import type { Party } from '../../domain/ids.ts';
import type { Plan, PlanTerms, PlanVersion } from '../../domain/plan.ts';
import type { Io } from './io.ts';

/** Terms, with the numbers that policies and subscriptions use, in the form in which they are stored. */
export interface TermsToKeep {
  readonly terms: PlanTerms;
  readonly trialMs: number;
  readonly graceMs: number;
  /** `null` if licences under these terms do not renew themselves. */
  readonly offerBeforeMs: number | null;
}

export interface PlanQuery {
  readonly provider: Party;
  readonly withArchived: boolean;
  /** The ID after which the page begins. */
  readonly after?: string;
  readonly limit: number;
}

/** The current plan; the revision that it has instead of the expected ones; or `null` if there is no such plan. */
export type PlanChanged = Plan | { readonly isAt: number } | null;

/** A provider's plans. Each change adds a row to the audit log, and nothing is ever deleted. */
export interface Plans {
  /** Returns `null` if the provider already has a plan with this ID. */
  add(id: string, kept: TermsToKeep, by: Actor, io: Io): Promise<Plan | null>;
  /** Adds a version and archives the previous one. If the plan was archived, it is sold again. */
  change(
    id: string,
    kept: TermsToKeep,
    by: Actor,
    ifRevisions: readonly number[] | undefined,
    io: Io,
  ): Promise<PlanChanged>;
  /** Stops the sale of a plan, or starts it again. */
  archive(
    id: string,
    isArchived: boolean,
    by: Actor,
    ifRevisions: readonly number[] | undefined,
    io: Io,
  ): Promise<PlanChanged>;
  byId(id: string, provider: Party, io: Io): Promise<Plan | null>;
  list(query: PlanQuery, io: Io): Promise<readonly Plan[]>;
  /**
   * Yields the versions, newest first, in chunks of bounded memory; `io` bounds each chunk.
   *
   * @param from the first version to yield, by default the newest
   */
  versions(id: string, provider: Party, io: Io, from?: number): AsyncIterable<PlanVersion>;
}
