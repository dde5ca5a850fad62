import type { PolicyOrigin } from '../../domain/automatic.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Change, Operation, Submitter } from '../../domain/change.ts';
import type { CommandId, Party } from '../../domain/ids.ts';
import type { JsonRecord } from '../../domain/json.ts';
import type { TrafficCount } from './traffic.ts';
import type { Quotas } from '../../domain/quota.ts';
import type { ContractModel } from '../contract/model.ts';
import type { LedgerClock, WallClock } from '../ports/clocks.ts';
import type { Hosting } from '../ports/ledger.ts';
import type { Store } from '../ports/transaction.ts';

/** What a caller asks for; syntax has been checked, rights and state have not. */
export interface ChangeRequest {
  readonly operation: Operation;
  /** A contract ID that the lifecycle ever had, or its own id; `null` for a create. */
  readonly target: string | null;
  /** What the target is reached through, where an address names that too. */
  readonly within?: string;
  /** What the entity tag is of, where that is not the target. */
  readonly tagOf?: 'within';
  readonly commandId: CommandId;
  readonly body: JsonRecord;
  /** Lifecycle versions of which it must be at one, from `If-Match`. */
  readonly ifVersions?: readonly number[];
  /** The trace that asks for it. */
  readonly traceparent?: string;
  /** Where nobody asks at the moment. Not part of what the command ID stands for. */
  readonly policy?: PolicyOrigin;
  /** Only while the policy is at the version that decided it: a change of the policy takes effect at once. */
  readonly onlyIfPolicyStands?: true;
  /** Only under this term of the clock's lease: whoever was stopped and wakes up asks for nothing. */
  readonly clockEpoch?: bigint;
}

export interface RequestedChange {
  readonly change: Change;
  /** The command ID was known with the same meaning: nothing new was recorded. */
  readonly replayed: boolean;
}

export interface RequestChangeDeps {
  readonly store: Store;
  readonly hosting: Hosting;
  readonly model: ContractModel;
  readonly wallClock: WallClock;
  readonly ledgerClock: LedgerClock;
  /**
   * The number of operations that may wait in a lane: a caller that asks for one more is refused. A policy is not: a
   * policy has at most one operation for each lifecycle.
   *
   * @default LIMITS.mailboxMax
   */
  readonly mailboxMax?: number;
  /** @default none */
  readonly quotas?: Quotas;
  /** @default a count that forgets */
  readonly traffic?: TrafficCount;
}

/** Whom a change acts as, and through whom it goes if it is new. What is recorded stays where it went. */
export interface Route {
  readonly actAs: Party;
  /** @throws ProblemError `PARTY_NOT_HOSTED`; what kept the participants from being asked */
  readonly submitter: () => Submitter;
}

/** What one caller asks of a transaction, and where it goes. */
export interface Asked {
  readonly request: ChangeRequest;
  readonly caller: Caller;
  readonly route: Route;
}
