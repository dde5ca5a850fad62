import type { ContractId, LifecycleId, Party, UpdateId } from '../../domain/ids.ts';
import type { JsonRecord } from '../../domain/json.ts';
import type { Lifecycle } from '../../domain/lifecycle.ts';

/** Money that a user has set aside, as the token standard's interface shows it. */
export interface Allocation {
  readonly contractId: ContractId;
  readonly view: JsonRecord;
  readonly isActive: boolean;
}

/** A lifecycle with its contract's payload, as lists and single gets show it. */
export interface LifecycleView {
  readonly lifecycle: Lifecycle;
  readonly payload: JsonRecord;
  /**
   * For licences: open renewal requests, and those with the licence's number and parties whose licence is unknown;
   * oldest first; if there are many, those whose windows close last.
   */
  readonly renewals: readonly RenewalView[];
  /** For renewals: the newest few active allocations that name their request, newest first. */
  readonly allocations: readonly Allocation[];
  /** The ledger update that ended it; `null` while it is active, or if none is known. */
  readonly endedBy: UpdateId | null;
}

export type RenewalView = Pick<LifecycleView, 'lifecycle' | 'payload' | 'allocations' | 'endedBy'>;

export interface ListQuery {
  readonly kind: Lifecycle['kind'];
  /** Only lifecycles in which this party is provider or user. */
  readonly party: Party;
  /** Only lifecycles that the party shares with this one. */
  readonly other?: Party;
  readonly provider?: Party;
  readonly appUser?: Party;
  readonly state?: string;
  /** Returns lifecycles that have ended in one of these states instead of active ones. */
  readonly endedAs?: readonly string[];
  /** Only lifecycles with this number. */
  readonly listNo?: bigint;
  /** ISO 8601: at or after, and before. */
  readonly expiresAfter?: string;
  readonly expiresBefore?: string;
  /** Only lifecycles of these users, and these lifecycles. */
  readonly among?: { readonly appUsers: readonly Party[]; readonly ids: readonly LifecycleId[] };
  readonly after?: ListKey;
  readonly limit: number;
}

/** An exact count, or a lower bound with `more`. */
export interface Count {
  readonly count: number;
  readonly more: boolean;
}

/** A contract as projected, active or not. Times are ISO 8601. */
export interface ContractView {
  readonly contractId: ContractId;
  /** `package-name:Module:Entity` of its template, or of an interface if only a view of it is known. */
  readonly templateFqn: string;
  readonly packageId: string;
  readonly payload: JsonRecord;
  readonly signatories: readonly Party[];
  readonly observers: readonly Party[];
  readonly createdAt: string;
  /** Offset on the participant whose updates are projected. */
  readonly createdAtOffset: bigint;
  readonly archived: { readonly at: string; readonly offset: bigint } | null;
  /** The lifecycle whose operation made it; `null` if it stands for a lifecycle, or if another client made it. */
  readonly originId: LifecycleId | null;
}

/**
 * The comments on a licence: comments that operations made for the licence, and comments of other clients that name the
 * number and parties of the licence.
 */
export interface CommentQuery {
  readonly licenseId: LifecycleId;
  readonly provider: Party;
  readonly appUser: Party;
  readonly licenseNum: bigint;
}

/** Position in the order of comments. `createdAt` as in the payload. */
export interface CommentKey {
  readonly createdAt: string;
  readonly contractId: string;
}

/** The active contracts of a template of which a party is provider or user, as the payloads say. */
export interface PartyContractQuery {
  readonly templateFqn: string;
  readonly party: Party;
  /** Only contracts that the party shares with this one. */
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

/** Returns the position after this entry of a list. Lifecycles without a number have 0. */
export const listKeyOf = ({ appUser, licenseNum, id }: Lifecycle): ListKey => ({
  appUser,
  listNo: String(licenseNum ?? 0n),
  id,
});

/** Returns the lifecycles that are shown with it and belong to it. */
export const shownAround = ({ lifecycle: { id }, renewals }: LifecycleView): Lifecycle[] =>
  renewals.flatMap(({ lifecycle }) => (lifecycle.originId === id ? lifecycle : []));
