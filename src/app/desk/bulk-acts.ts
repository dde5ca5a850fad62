import { randomUUID } from 'node:crypto';
import type { Caller } from '../../domain/caller.ts';
import type { Change } from '../../domain/change.ts';
import type { ChangeId, Party } from '../../domain/ids.ts';
import { LIMITS } from '../../domain/limits.ts';
import { ProblemError, fail } from '../../domain/problems.ts';
import { unreachable } from '../../domain/unreachable.ts';
import type { CancelChangeDeps } from './cancel-change.ts';
import { cancelWithin } from './cancel-change.ts';
import type { ChangeFilter } from '../../domain/change-filter.ts';
import type { DecideDoubtDeps, DoubtDecision } from './decide-doubt.ts';
import { decideWithin } from './decide-doubt.ts';
import type { Times } from '../engine/lanes/lane.ts';
import { timesOf } from '../engine/lanes/lane.ts';
import type { OpsScope } from '../ports/ops-scope.ts';
import type { Io } from '../ports/io.ts';
import type { Tx } from '../ports/transaction.ts';
import type { RequestChangeDeps } from '../engine/requests/change-request.ts';
import type { Act } from '../../domain/act.ts';
import { hashOf, newToken } from './preview-token.ts';
import { retryRoute, retryWithin, rootOf } from './retry-change.ts';
import type { Order } from '../ports/views.ts';

export const BULK_ACTIONS = ['retry', 'cancel', 'decide'] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];

/** An act on all changes that match a filter, with the reason. */
export interface BulkRequest {
  readonly action: BulkAction;
  /** Only for the action `decide`. */
  readonly decision: DoubtDecision | null;
  readonly filter: ChangeFilter;
  readonly reason: string;
}

/** Number of matching changes to which the action does not apply for the same reason. */
export interface Refused {
  readonly reason: string;
  readonly count: number;
}

/** The result of judging all changes that currently match the filter. */
export interface Judged {
  readonly count: number;
  readonly refused: readonly Refused[];
  /** Some of the changes to which the action applies. */
  readonly sample: readonly Change[];
}

export const ACT_STATES = ['running', 'done', 'stopped'] as const;

/** A bulk act that has been applied. Times are ISO 8601. */
export interface BulkAct extends BulkRequest {
  readonly id: string;
  readonly byParty: Party;
  readonly bySubject: string;
  readonly state: (typeof ACT_STATES)[number];
  readonly count: number;
  readonly appliedAt: string;
  readonly finishedAt: string | null;
  /** Numbers of items that are done, were refused, and remain. */
  readonly done: number;
  readonly refused: number;
  readonly left: number;
}

/** Items that were refused with the same code, with one item's message. */
export interface RefusedItems {
  readonly code: string;
  readonly reason: string;
  readonly count: number;
}

/** One item of a bulk act, to be performed next. */
export interface BulkItem {
  readonly actId: string;
  readonly n: number;
  readonly changeId: ChangeId;
  readonly action: BulkAction;
  readonly decision: DoubtDecision | null;
  readonly reason: string;
  /** The person who applied the act, with the roles at that time. */
  readonly by: Caller;
}

/** The result of an item: done, with the operation that it made, if any, or refused. */
export type ItemEnd =
  | { readonly state: 'done'; readonly result: ChangeId | null }
  | { readonly state: 'refused'; readonly code: string; readonly message: string };

/** A preview, stored until it is applied. */
export interface Preview extends BulkRequest {
  readonly id: string;
  readonly scope: OpsScope;
  readonly by: Caller;
  readonly tokenHash: string;
  readonly count: number;
  readonly expiresInMs: number;
}

/** Position in the list of acts, which is sorted by time. */
export interface ActPosition {
  readonly appliedAt: string;
  readonly id: string;
}

export interface BulkActs {
  /** @throws ProblemError `SEARCH_TOO_BROAD`; `BULK_TOO_LARGE` for more than `LIMITS.bulkItemsMax` */
  judge(request: BulkRequest & { readonly scope: OpsScope }, io: Io): Promise<Judged>;
  remember(preview: Preview, io: Io): Promise<void>;
  /**
   * Turns a preview into a running act with its items, in one transaction with its audit row.
   *
   * @throws ProblemError `PREVIEW_OVER` for a token that is unknown, expired, used or another person's;
   * `COUNT_MISMATCH` if the count is not the preview's, or if another number of changes matches the filter now;
   * `BULK_TOO_LARGE` as for `judge`; `ACTS_LIMITED` if the party has too many running acts. In each of these cases
   * nothing has changed.
   */
  apply(
    token: { readonly hash: string; readonly count: number },
    by: Caller,
    io: Io,
  ): Promise<BulkAct>;
  /**
   * Lists the acts of operators of the scope's party. Operators of the provider also see acts of tenants'
   * operators.
   */
  list(
    query: {
      readonly scope: OpsScope;
      readonly order?: Order;
      readonly after?: ActPosition;
      readonly limit: number;
    },
    io: Io,
  ): Promise<readonly BulkAct[]>;
  find(
    id: string,
    scope: OpsScope,
    io: Io,
  ): Promise<{ readonly act: BulkAct; readonly refused: readonly RefusedItems[] } | null>;
  /**
   * Stops an act: once this returns, no further item begins. @returns `null` for an unknown act @throws ProblemError
   * `ACT_OVER`
   */
  stop(
    id: string,
    scope: OpsScope,
    why: { readonly by: Caller; readonly reason: string },
    io: Io,
  ): Promise<BulkAct | null>;
  /**
   * Returns the next items of the running acts, a fair share of each act, in the act's order. If cancelling a change
   * would start another change that a second act cancels as well, the first cancel waits for the second one.
   *
   * @param resting acts to leave out
   */
  next(limit: number, resting: readonly string[], io: Io): Promise<readonly BulkItem[]>;
  /**
   * Performs an item and records its result in the same transaction, so that a killed process has done nothing.
   *
   * @returns `null` if the item must no longer be done: another process has the lease, the act was stopped, or the item
   * is done
   */
  perform(
    item: BulkItem,
    leaseEpoch: bigint,
    work: (tx: Tx) => Promise<ItemEnd>,
    io: Io,
  ): Promise<ItemEnd | null>;
  /** Marks running acts as ended if no items are waiting. */
  finish(io: Io): Promise<void>;
}

/**
 * Previews a bulk act. Returns the token with which the same person may apply the act once, within minutes.
 *
 * @throws ProblemError like {@link BulkActs.judge}
 */
export async function previewBulk(
  acts: BulkActs,
  by: Caller,
  scope: OpsScope,
  request: BulkRequest,
  io: Io,
): Promise<Judged & { readonly token: string; readonly expiresInMs: number }> {
  const judged = await acts.judge({ ...request, scope }, io);
  const token = newToken();
  const expiresInMs = LIMITS.previewMs;
  const { count } = judged;
  const preview = { ...request, scope, by, count, expiresInMs };
  await acts.remember({ ...preview, id: randomUUID(), tokenHash: hashOf(token) }, io);
  return { ...judged, token, expiresInMs };
}

/** @throws ProblemError like {@link BulkActs.apply} */
export const applyBulk = (
  acts: BulkActs,
  by: Caller,
  asked: { readonly token: string; readonly count: number },
  io: Io,
): Promise<BulkAct> => acts.apply({ hash: hashOf(asked.token), count: asked.count }, by, io);

export interface WorkItemDeps extends RequestChangeDeps, CancelChangeDeps, DecideDoubtDeps {
  readonly acts: Pick<BulkActs, 'perform'>;
  readonly hosting: RequestChangeDeps['hosting'];
}

/** Converts an error to the result of an item. Temporary errors are thrown instead. */
function refusalOf(error: unknown): ItemEnd {
  if (!(error instanceof ProblemError) || error.details.status >= 500) throw error;
  const { code, message } = error.details;
  return { state: 'refused', code, message };
}

/**
 * Performs one item of a bulk act, as if a person had acted on that change alone.
 *
 * @returns `null` if the item must no longer be done
 * @throws a temporary error, such as an unreachable ledger; the item remains to be done
 */
export async function workItem(
  deps: WorkItemDeps,
  item: BulkItem,
  leaseEpoch: bigint,
  io: Io,
): Promise<ItemEnd | null> {
  const act: Act = { by: item.by, reason: item.reason, actId: item.actId };
  const times = timesOf(deps);
  const work = await workOf(deps, item, act, times, io);
  return deps.acts.perform(item, leaseEpoch, (tx) => work(tx).catch(refusalOf), io);
}

type Work = (tx: Tx) => Promise<ItemEnd>;

const refusing =
  (refusal: ItemEnd): Work =>
  () =>
    Promise.resolve(refusal);

/** Prepares the work of an item. Calls to other services are made here, before the transaction. */
async function workOf(
  deps: WorkItemDeps,
  item: BulkItem,
  act: Act,
  times: Times,
  io: Io,
): Promise<Work> {
  const { changeId, action } = item;
  switch (action) {
    case 'cancel':
      return async (tx) => {
        await cancelWithin(tx, deps, changeId, act, times);
        return { state: 'done', result: null };
      };
    case 'decide': {
      const { decision } = item;
      if (decision === null) return fail('REQUEST_INVALID', 'the request contains no decision');
      return async (tx) => {
        await decideWithin(tx, deps, { changeId, decision }, act, times);
        return { state: 'done', result: null };
      };
    }
    case 'retry':
      try {
        const root = await rootOf(deps.store.reads, changeId, io);
        const route = await retryRoute(deps, root, act.by, io);
        await deps.ledgerClock.refresh(io);
        return async (tx) => {
          const made = await retryWithin(tx, deps, { root, changeId, route }, act);
          return { state: 'done', result: made.change.id };
        };
      } catch (error) {
        return refusing(refusalOf(error));
      }
    default:
      return unreachable(action);
  }
}
