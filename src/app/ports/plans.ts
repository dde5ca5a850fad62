import type { Actor } from '../../domain/caller.ts';
import type { Party } from '../../domain/ids.ts';
import type { Plan, PlanTerms, PlanVersion } from '../../domain/plan.ts';
import type { Io } from './io.ts';

/** Terms with what policies need of them as numbers. */
export interface TermsToKeep {
  readonly terms: PlanTerms;
  readonly trialMs: number;
  readonly graceMs: number;
}

export interface PlanQuery {
  readonly provider: Party;
  readonly withArchived: boolean;
  /** The ID after which the page begins. */
  readonly after?: string;
  readonly limit: number;
}

/** The plan as it is now; the revision that it has instead of the expected ones; `null` for none. */
export type PlanChanged = Plan | { readonly isAt: number } | null;

/** A provider's plans. Every change leaves a row in the audit log, and nothing is ever deleted. */
export interface Plans {
  /** `null` when the provider has a plan of this ID. */
  add(id: string, kept: TermsToKeep, by: Actor, io: Io): Promise<Plan | null>;
  /** Makes another version; the one before is archived. A plan that was archived is sold again. */
  change(
    id: string,
    kept: TermsToKeep,
    by: Actor,
    ifRevisions: readonly number[] | undefined,
    io: Io,
  ): Promise<PlanChanged>;
  /** The plan is sold no more, or again. */
  archive(
    id: string,
    isArchived: boolean,
    by: Actor,
    ifRevisions: readonly number[] | undefined,
    io: Io,
  ): Promise<PlanChanged>;
  byId(id: string, provider: Party, io: Io): Promise<Plan | null>;
  list(query: PlanQuery, io: Io): Promise<readonly Plan[]>;
  /** The newest first. */
  versions(id: string, provider: Party, io: Io): Promise<readonly PlanVersion[]>;
}
