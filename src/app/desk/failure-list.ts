import type { ChangeId, CommandId, LifecycleId, Party } from '../../domain/ids.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Operation } from '../../domain/change.ts';
import type { Count, Order } from '../ports/views.ts';
import type { Failure } from './failures.ts';
import type { OpsScope } from '../ports/ops-scope.ts';
import type { Io } from '../ports/io.ts';

/**
 * The states that operators give a failure. A resolved failure is open again if it recurs. An expected conflict is
 * ignored unless an operator has resolved it.
 */
export const FAILURE_STATES = ['open', 'resolved', 'ignored'] as const;
export type FailureState = (typeof FAILURE_STATES)[number];

export const FAILURE_ACTS = ['resolve', 'ignore', 'reopen'] as const;
export type FailureAct = (typeof FAILURE_ACTS)[number];

/** The changes with the same failure that an operator can see: at least one. Times are ISO 8601. */
export interface FailureGroup {
  readonly failure: Failure;
  readonly state: FailureState;
  readonly count: Count;
  /** When the first and the last of these changes were accepted. */
  readonly firstAt: string;
  readonly lastAt: string;
  /** The last of these changes. */
  readonly example: {
    readonly id: ChangeId;
    readonly commandId: CommandId;
    readonly lifecycleId: LifecycleId | null;
    readonly appUser: Party;
  };
  /** The latest decision of the operator's party about the failure. */
  readonly decision: {
    readonly state: Exclude<FailureState, 'open'>;
    readonly at: string;
    readonly bySubject: string;
    readonly reason: string;
    /** When a resolved failure recurred. */
    readonly reopenedAt: string | null;
  } | null;
}

/** Position in the list of failures. */
export type FailurePosition = Pick<FailureGroup, 'lastAt'> & Pick<Failure, 'fingerprint'>;

export interface FailureQuery {
  readonly scope: OpsScope;
  readonly state?: FailureState;
  readonly operation?: Operation;
  /** An error code of Tenure or of the ledger. */
  readonly code?: string;
  /** The default is `descending`, by the last change of each failure. */
  readonly order?: Order;
  readonly after?: FailurePosition;
  readonly limit: number;
}

/** The failures that operators of one party can see, with that party's own decisions. */
export interface FailureList {
  /**
   * Lists failures.
   *
   * @throws ProblemError `SEARCH_TOO_BROAD`
   */
  list(query: FailureQuery, io: Io): Promise<readonly FailureGroup[]>;
  /** Records a decision, with a row in the audit log. @returns `null` if the operator sees no such failure */
  act(
    scope: OpsScope,
    fingerprint: string,
    what: { readonly act: FailureAct; readonly by: Caller; readonly reason: string },
    io: Io,
  ): Promise<FailureGroup | null>;
}
