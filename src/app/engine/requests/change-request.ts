import type { PolicyOrigin } from '../../../domain/automatic.ts';
import type { Caller } from '../../../domain/caller.ts';
import type { Change, Operation, Submitter } from '../../../domain/change.ts';
import type { CommandId, Party } from '../../../domain/ids.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import type { TrafficCount } from '../lanes/traffic.ts';
import type { Quotas } from '../../../domain/quota.ts';
import type { ContractModel } from '../../contract/model.ts';
import type { LedgerClock, WallClock } from '../../ports/clocks.ts';
import type { Hosting } from '../../ports/ledger.ts';
import type { Store } from '../../ports/transaction.ts';

/** A caller's request. Its syntax has been checked; rights and state have not. */
export interface ChangeRequest {
  readonly operation: Operation;
  /**
   * A current or former contract ID of the lifecycle, or the lifecycle's ID; `null` if the operation begins a
   * lifecycle.
   */
  readonly target: string | null;
  /** ID of the lifecycle through which the target is addressed, if the address names one. */
  readonly within?: string;
  /** Set if the entity tag in `If-Match` belongs to `within` instead of the target. */
  readonly tagOf?: 'within';
  readonly commandId: CommandId;
  readonly body: JsonRecord;
  /** Lifecycle versions from `If-Match`; the current version must be one of them. */
  readonly ifVersions?: readonly number[];
  /** The trace context of the request. */
  readonly traceparent?: string;
  /** Set if a policy made the request. It does not count when a repeated command ID is compared. */
  readonly policy?: PolicyOrigin;
  /**
   * If set, the change is recorded only if the policy still has this version, so that an edit of the policy takes
   * effect at once.
   */
  readonly onlyIfPolicyStands?: true;
  /**
   * Records the change only in this term of the scheduler's lease, so that a process that was suspended does not
   * request anything when it resumes.
   */
  readonly schedulerEpoch?: bigint;
}

export interface RequestedChange {
  readonly change: Change;
  /** Whether the command ID was already recorded with the same meaning, so that nothing new was recorded. */
  readonly replayed: boolean;
}

export interface RequestChangeDeps {
  readonly store: Store;
  readonly hosting: Hosting;
  readonly model: ContractModel;
  readonly wallClock: WallClock;
  readonly ledgerClock: LedgerClock;
  /**
   * Maximum number of operations that wait in a lane; further requests are refused. Policies are exempt: a policy has
   * at most one operation for each lifecycle.
   *
   * @default LIMITS.mailboxMax
   */
  readonly mailboxMax?: number;
  /** @default none */
  readonly quotas?: Quotas;
  /** @default a new count in each transaction */
  readonly traffic?: TrafficCount;
}

/** The party that a change acts as, and the submitter of a new change. A recorded change keeps its submitter. */
export interface Route {
  readonly actAs: Party;
  /** @throws ProblemError `PARTY_NOT_HOSTED`, or the error because of which participants did not answer */
  readonly submitter: () => Submitter;
}

/** A caller's request and its route, as input of a transaction. */
export interface Asked {
  readonly request: ChangeRequest;
  readonly caller: Caller;
  readonly route: Route;
}
