import { NEWEST_MODEL } from '../../../src/app/licensing/model.ts';
import type { BulkActs, BulkItem, ItemEnd, Preview } from '../../../src/app/desk/bulk-acts.ts';
import type { ChangeFilter } from '../../../src/domain/change-filter.ts';
import type { OpsScope } from '../../../src/app/ports/ops-scope.ts';
import { seesChange } from '../../../src/app/ports/ops-scope.ts';
import { isProven, isUndecided } from '../../../src/app/engine/doubts/proof.ts';
import type { Change } from '../../../src/domain/change.ts';
import { isOpen } from '../../../src/domain/change.ts';
import type { ChangeId } from '../../../src/domain/ids.ts';
import { isoToMs } from '../../../src/domain/time.ts';
import { LIMITS } from '../../../src/domain/limits.ts';
import { retryIn } from '../../../src/domain/retries.ts';
import { byText, findChange, findLifecycle, findProvenTime, findRetries } from './find.ts';
import { findUpdatesCarrying } from './carrying.ts';
import type { Reader } from './table.ts';
import type { Tables } from './tables.ts';

/*
 * Rows of bulk acts, and the changes that match a filter: see `src/store/desk/bulk-judgement.ts` and `bulk-turns.ts`.
 */

export interface BulkActRow extends Omit<Preview, 'tokenHash' | 'expiresInMs'> {
  readonly state: 'previewed' | 'running' | 'done' | 'stopped';
  readonly tokenHash: string | null;
  readonly expiresAtMs: number;
  readonly appliedAtMs: number | null;
  readonly finishedAtMs: number | null;
  readonly workedAtMs: number | null;
}

export interface BulkItemRow {
  readonly actId: string;
  readonly n: number;
  readonly changeId: ChangeId;
  readonly end: ItemEnd | null;
}

type Asked = Parameters<BulkActs['judge']>[0];

const MEANT_HERE: readonly (keyof ChangeFilter)[] = [
  'states',
  'operations',
  'party',
  'lifecycle',
  'command',
  'before',
  'from',
  'by',
];

/** Returns whether a change matches a filter. @throws Error for a filter that the simulation does not use */
function isMeant(filter: ChangeFilter, change: Change): boolean {
  const other = Object.keys(filter).find(
    (name) => !MEANT_HERE.includes(name as keyof ChangeFilter),
  );
  if (other !== undefined) throw new Error(`no filter by ${other} in memory`);
  const { states, operations, party, lifecycle, command, before, from, by } = filter;
  const isOf = (text: string): boolean =>
    command === undefined ||
    ('id' in command ? text === command.id : text.startsWith(command.prefix));
  return (
    (states?.includes(change.state) ?? true) &&
    (operations?.includes(change.operation) ?? true) &&
    (party === undefined || [change.provider, change.appUser].includes(party)) &&
    (lifecycle === undefined || change.lifecycleId === lifecycle) &&
    isOf(change.commandId) &&
    (before === undefined || isoToMs(change.acceptedAt) < isoToMs(before)) &&
    (from === undefined || isoToMs(change.acceptedAt) >= isoToMs(from)) &&
    (by === undefined || change.callerSubject === by)
  );
}

const isSeen = (scope: OpsScope, change: Change): boolean =>
  seesChange(scope, change) &&
  // Operators of a tenant see only operations that their party requested as a user.
  (isOpen(change.state) || scope.of === 'provider' || change.callerParty !== change.provider);

/** Returns whether an attempt of the change may still take effect, as far as the store knows. */
function mayTakeEffect(tables: Tables, reader: Reader, { id, submitter }: Change): boolean {
  const provenAt = findProvenTime(tables, reader, submitter.participant);
  return tables.attempts
    .find(reader, 'change', id)
    .filter(isUndecided)
    .some(({ overAt }) => overAt === null || !isProven(overAt, provenAt));
}

const hasTakenEffect = (tables: Tables, reader: Reader, { id }: Change): boolean =>
  tables.attempts.find(reader, 'change', id).some(({ answer }) => answer?.verdict === 'accepted');

function hasLifeEnded(tables: Tables, reader: Reader, { lifecycleId }: Change): boolean {
  const lifecycle = lifecycleId === null ? null : findLifecycle(tables, reader, lifecycleId);
  return lifecycle !== null && lifecycle.endedAt !== null;
}

function whyNotRetried(tables: Tables, reader: Reader, change: Change): string | null {
  if (change.state === 'succeeded') return 'the operation has succeeded';
  if (change.state === 'in-doubt') return 'the operation is in doubt: decide it first';
  if (isOpen(change.state)) return 'the operation has not ended';
  if (mayTakeEffect(tables, reader, change)) return 'an attempt of the operation may take effect';
  if (hasTakenEffect(tables, reader, change)) return 'the ledger has accepted the operation';
  if (hasLifeEnded(tables, reader, change)) return 'its lifecycle has ended';
  return whyNotOnceMore(tables, reader, findRetries(tables, reader, change.id));
}

function whyNotOnceMore(tables: Tables, reader: Reader, retries: readonly Change[]): string | null {
  const newest = retries.at(-1);
  if (newest === undefined) return null;
  if (newest.state === 'succeeded') return 'a retry of the operation has succeeded';
  if (newest.state === 'in-doubt') return 'a retry of the operation is in doubt';
  if (isOpen(newest.state)) return 'a retry is in progress';
  if (retries.some((retry) => mayTakeEffect(tables, reader, retry))) {
    return 'an attempt of a retry may take effect';
  }
  if (retries.some((retry) => hasTakenEffect(tables, reader, retry))) {
    return 'the ledger has accepted a retry of the operation';
  }
  return retries.length >= LIMITS.retriesMax
    ? 'the operation has reached its limit of retries'
    : null;
}

function whyNotCancelled(tables: Tables, reader: Reader, change: Change): string | null {
  if (!isOpen(change.state)) return 'it has ended';
  if (change.state === 'in-doubt') return 'the operation is in doubt: decide it first';
  if (change.state === 'queued') return null;
  if (change.acceptance !== null) return 'the ledger has accepted the operation';
  return mayTakeEffect(tables, reader, change)
    ? 'an attempt of the operation may take effect'
    : null;
}

function whyNotDecided(
  tables: Tables,
  reader: Reader,
  change: Change,
  { decision }: Asked,
): string | null {
  if (change.state !== 'in-doubt') return 'it is not in doubt';
  if (decision === 'took-effect') {
    return stands(tables, reader, change) ? 'the contract of the operation is still active' : null;
  }
  if (change.acceptance !== null && !change.acceptance.readBack) {
    return 'the ledger has accepted the operation';
  }
  if (findUpdatesCarrying(tables, reader, change.id).length > 0) {
    return 'an update has the workflow ID of the operation';
  }
  return mayTakeEffect(tables, reader, change)
    ? 'an attempt of the operation may take effect'
    : null;
}

/**
 * Returns whether every contract that the change may have ended is still active, and none of its attempts can take
 * effect any more.
 */
function stands(tables: Tables, reader: Reader, change: Change): boolean {
  const { id, lifecycleId, submitter } = change;
  const lifecycle = lifecycleId === null ? null : findLifecycle(tables, reader, lifecycleId);
  if (
    !NEWEST_MODEL.ending.includes(change.operation) ||
    lifecycle === null ||
    lifecycle.endedAt !== null
  )
    return false;
  const attempts = tables.attempts.find(reader, 'change', id);
  const undecided = attempts.filter(isUndecided);
  const possible = undecided.length > 0 ? undecided : attempts;
  const provenAt = findProvenTime(tables, reader, submitter.participant);
  return (
    possible.length > 0 &&
    possible.every((attempt) => {
      const overAt = isUndecided(attempt) ? attempt.overAt : (attempt.answer?.at ?? null);
      const isHere = attempt.contractId === lifecycle.contractId;
      return isHere && overAt !== null && isProven(overAt, provenAt);
    })
  );
}

const WHY_NOT: Readonly<Record<Asked['action'], typeof whyNotDecided>> = {
  retry: whyNotRetried,
  cancel: whyNotCancelled,
  decide: whyNotDecided,
};

export interface JudgedChange {
  readonly change: Change;
  readonly reason: string | null;
}

/** Replaces each retry by its original change, because a filter may match both. */
function rootsOf(tables: Tables, reader: Reader, changes: readonly Change[]): Change[] {
  const roots = new Map<ChangeId, Change>();
  for (const change of changes) {
    const root = findChange(tables, reader, retryIn(change.commandId)?.root ?? change.id);
    if (root !== null) roots.set(root.id, root);
  }
  return [...roots.values()];
}

/**
 * Returns the changes in the order of their lanes, and within a lane in its order, each with the reason why it cannot
 * be worked on, if there is one.
 */
export function judgedChanges(tables: Tables, reader: Reader, asked: Asked): JudgedChange[] {
  const { action, scope, filter } = asked;
  const meant = tables.changes
    .all(reader)
    .map(({ change }) => change)
    .filter((change) => isSeen(scope, change) && isMeant(filter, change));
  const judged = action === 'retry' ? rootsOf(tables, reader, meant) : meant;
  return judged
    .toSorted((a, b) => byText(a.lane, b.lane) || a.mailboxNo - b.mailboxNo)
    .map((change) => ({ change, reason: WHY_NOT[action](tables, reader, change, asked) }));
}

const waitingOf = (tables: Tables, actId: string): BulkItemRow[] =>
  tables.bulkItems
    .find(null, 'act', actId)
    .filter(({ end }) => end === null)
    .toSorted((a, b) => a.n - b.n);

/** Returns whether the end of a lane's head would make a change the head that another act is about to cancel. */
function isEarly(tables: Tables, act: BulkActRow, { changeId }: BulkItemRow): boolean {
  const head = findChange(tables, null, changeId);
  if (head === null || !isOpen(head.state) || head.state === 'queued') return false;
  const queued = new Set(
    tables.changes.find(null, 'queued', head.lane).map(({ change }) => change.id),
  );
  return tables.bulkActs
    .all(null)
    .filter(({ id, state, action }) => id !== act.id && state === 'running' && action === 'cancel')
    .some(({ id }) => waitingOf(tables, id).some((item) => queued.has(item.changeId)));
}

const itemOf = ({ id, action, decision, reason, by }: BulkActRow, row: BulkItemRow): BulkItem => ({
  actId: id,
  n: row.n,
  changeId: row.changeId,
  action,
  decision,
  reason,
  by: { ...by, roles: new Set(['operator']), via: 'bearer' },
});

/** See `BulkActs.next`. */
export function nextItems(tables: Tables, limit: number, resting: readonly string[]): BulkItem[] {
  const acts = tables.bulkActs
    .all(null)
    .filter(({ id, state }) => state === 'running' && !resting.includes(id))
    .toSorted(
      (a, b) =>
        (a.workedAtMs ?? -1) - (b.workedAtMs ?? -1) ||
        (a.appliedAtMs ?? 0) - (b.appliedAtMs ?? 0) ||
        byText(a.id, b.id),
    );
  const share = Math.max(1, Math.floor(limit / Math.max(1, acts.length)));
  const turns = acts.map((act) =>
    waitingOf(tables, act.id)
      .filter((item) => act.action !== 'cancel' || !isEarly(tables, act, item))
      .slice(0, share)
      .map((item) => itemOf(act, item)),
  );
  return Array.from({ length: share }, (_, turn) => turns.flatMap((items) => items[turn] ?? []))
    .flat()
    .slice(0, limit);
}
