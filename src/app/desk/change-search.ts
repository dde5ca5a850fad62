import type { AnswerClass } from '../../domain/answer.ts';
import type { PolicyName } from '../../domain/automatic.ts';
import type { Change, ChangeState, Operation } from '../../domain/change.ts';
import type { ChangeId, CommandId, ContractId, LifecycleId, Party } from '../../domain/ids.ts';
import type { Grouping } from '../../domain/grouping.ts';
import type { OpsScope } from '../ports/ops-scope.ts';
import type { Io } from '../ports/io.ts';

/** Which changes are meant: those for which everything that is given holds. */
export interface ChangeFilter {
  readonly states?: readonly ChangeState[];
  /** What the ledger's answer means with which they ended, or which an open one had last. */
  readonly classes?: readonly AnswerClass[];
  /** Ours or the ledger's, as the classes. */
  readonly code?: string;
  /** Whose licences and installs they are about, whoever asked: the provider, or a user. */
  readonly party?: Party;
  /** The lifecycle's id, or any contract ID that it ever had. */
  readonly lifecycle?: LifecycleId | ContractId;
  /** The contract that an attempt of theirs named, or, until there is one, that of their lifecycle now. */
  readonly contractId?: ContractId;
  readonly command?: { readonly id: CommandId } | { readonly prefix: string };
  /** ISO 8601: accepted before, and at or after. */
  readonly before?: string;
  readonly from?: string;
  /** The identity that asked; that of all policies is `POLICY_SUBJECT`. */
  readonly by?: string;
  /** What this policy asked for, and what persons had done again of that. */
  readonly policy?: PolicyName;
  readonly operations?: readonly Operation[];
  /** The fingerprint of the failure that they ended with. */
  readonly failure?: string;
}

/** Position in the order of acceptance. */
export interface ChangePosition {
  /** ISO 8601. */
  readonly acceptedAt: string;
  readonly id: string;
}

export interface ChangeQuery {
  readonly scope: OpsScope;
  readonly filter: ChangeFilter;
  readonly order: 'newest' | 'oldest';
  readonly after?: ChangePosition;
  readonly limit: number;
}

export interface FoundChange {
  readonly change: Change;
  /** The fingerprint of the failure that it ended with. */
  readonly failure: string | null;
  /** Submissions, counted against the budget or not. */
  readonly submissions: number;
  /** The ledger's code: of its error, or of the newest answer while it is open. */
  readonly ledgerCode: string | null;
}

/** Exact, or with `more` the least that it is. */
export interface Count {
  readonly count: number;
  readonly more: boolean;
}

export interface ChangeCounts {
  readonly total: Count;
  /** The largest first; `null` is what has none, such as changes that the ledger has not refused. */
  readonly groups: readonly (Count & { readonly key: string | null })[];
}

export interface CountQuery extends Pick<ChangeQuery, 'scope' | 'filter'> {
  readonly groupBy: Grouping | null;
}

/**
 * Finds changes. Each call is bounded in time.
 *
 * @throws ProblemError `SEARCH_TOO_BROAD` when that was too little
 */
export interface ChangeSearch {
  find(query: ChangeQuery, io: Io): Promise<readonly FoundChange[]>;
  count(query: CountQuery, io: Io): Promise<ChangeCounts>;
  /** When a change reached the head of its lane, and so the outbox: ISO 8601. `null`: not yet, or long ago. */
  turnOf(change: ChangeId, io: Io): Promise<string | null>;
}
