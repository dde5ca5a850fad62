import type { ContractId, LifecycleId, Party, UpdateId } from '../../domain/ids.ts';
import type { JsonRecord } from '../../domain/json.ts';
import type { Lifecycle } from '../../domain/lifecycle.ts';

/** Money that a user has set aside, as defined by the token standard's interface. */
export interface Allocation {
  readonly contractId: ContractId;
  readonly view: JsonRecord;
  readonly isActive: boolean;
}

/** A lifecycle with its contract's payload, as in lists and single reads. */
export interface LifecycleView {
  readonly lifecycle: Lifecycle;
  readonly payload: JsonRecord;
  /**
   * For licences: the licence's open renewal requests, and open requests with the same number and parties whose licence
   * is unknown; oldest first. If there are many, the requests whose windows close last.
   */
  readonly renewals: readonly RenewalView[];
  /** For renewals: some active allocations that name the renewal's request, newest first; the number is bounded. */
  readonly allocations: readonly Allocation[];
  /** The ledger update that ended the lifecycle; `null` while it is active, or if the update is unknown. */
  readonly endedBy: UpdateId | null;
}

export type RenewalView = Pick<LifecycleView, 'lifecycle' | 'payload' | 'allocations' | 'endedBy'>;

/** The direction of a list. */
export type Order = 'ascending' | 'descending';

export interface ListQuery {
  readonly kind: Lifecycle['kind'];
  /** Only lifecycles in which this party is provider or user. */
  readonly party: Party;
  /** Only lifecycles in which this party is the other party. */
  readonly other?: Party;
  readonly provider?: Party;
  readonly appUser?: Party;
  readonly state?: string;
  /** If given, returns lifecycles that have ended in one of these states, instead of active ones. */
  readonly endedAs?: readonly string[];
  /** Only lifecycles with this number. */
  readonly listNo?: bigint;
  /** Expires at or after the first instant, and before the second. ISO 8601. */
  readonly expiresAfter?: string;
  readonly expiresBefore?: string;
  /** Only lifecycles of these users, and lifecycles with these IDs. */
  readonly among?: { readonly appUsers: readonly Party[]; readonly ids: readonly LifecycleId[] };
  /** The default is `ascending`, by user. */
  readonly order?: Order;
  readonly after?: ListKey;
  readonly limit: number;
}

/** A number of rows. With `more`, the number is only a lower bound. */
export interface Count {
  readonly count: number;
  readonly more: boolean;
}

/** A contract in the projection, active or archived. Times are ISO 8601. */
export interface ContractView {
  readonly contractId: ContractId;
  /** `package-name:Module:Entity` of the contract's template, or of an interface if only its view is known. */
  readonly templateFqn: string;
  readonly packageId: string;
  readonly payload: JsonRecord;
  readonly signatories: readonly Party[];
  readonly observers: readonly Party[];
  readonly createdAt: string;
  /** Offset on the participant whose updates are projected. */
  readonly createdAtOffset: bigint;
  readonly archived: { readonly at: string; readonly offset: bigint } | null;
  /**
   * The lifecycle for which an operation created the contract; `null` for a lifecycle's own contract, and if another
   * client created it.
   */
  readonly originId: LifecycleId | null;
}

/**
 * Selects the comments on a licence: comments that operations made for the licence, and comments of other clients that
 * name the number and parties of the licence.
 */
export interface CommentQuery {
  readonly licenseId: LifecycleId;
  readonly provider: Party;
  readonly appUser: Party;
  readonly licenseNum: bigint;
}

/** Position in the order of comments. `createdAt` is the time in the payload. */
export interface CommentKey {
  readonly createdAt: string;
  readonly contractId: string;
}

/** Selects active contracts of a template in whose payload a party is provider or user. */
export interface PartyContractQuery {
  readonly templateFqn: string;
  readonly party: Party;
  /** Only contracts in which this party is the other party. */
  readonly other?: Party;
  readonly provider?: Party;
  readonly appUser?: Party;
  readonly after?: ContractKey;
  readonly limit: number;
}

/** Position in the order (offset, contract ID). */
export type ContractKey = Pick<ContractView, 'createdAtOffset' | 'contractId'>;

/** Position in the order (user, number, id). */
export interface ListKey {
  readonly appUser: string;
  readonly listNo: string;
  readonly id: string;
}

/** Returns the position after this entry of a list. The number of lifecycles without a number is 0. */
export const listKeyOf = ({ appUser, licenseNum, id }: Lifecycle): ListKey => ({
  appUser,
  listNo: String(licenseNum ?? 0n),
  id,
});

/** Returns the lifecycles that belong to this one and are shown with it. */
export const shownAround = ({ lifecycle: { id }, renewals }: LifecycleView): Lifecycle[] =>
  renewals.flatMap(({ lifecycle }) => (lifecycle.originId === id ? lifecycle : []));
