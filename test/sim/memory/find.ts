import { STORE_LIMITS } from '../../../src/store/limits.ts';
import type { Tx } from '../../../src/app/ports/transaction.ts';
import type {
  CommandKey,
  InterruptedLane,
  LineageEntry,
  SubmissionRef,
} from '../../../src/app/ports/writes.ts';
import { UPDATES_STREAM, completionsStream } from '../../../src/app/ports/streams.ts';
import type { Attempt, Change, Operation } from '../../../src/domain/change.ts';
import { NOT_YET_KNOWN, isOpen } from '../../../src/domain/change.ts';
import type {
  ChangeId,
  ContractId,
  LaneId,
  LifecycleId,
  ParticipantName,
  Party,
} from '../../../src/domain/ids.ts';
import { isContractId } from '../../../src/domain/ids.ts';
import type { SynchronizerTimes } from '../../../src/domain/ledger.ts';
import { BEGIN_OF_TIME } from '../../../src/domain/ledger.ts';
import { textAt } from '../../../src/domain/json.ts';
import { isoToMs } from '../../../src/domain/time.ts';
import type {
  AwaitedProof,
  Creation,
  EndedChange,
  SynchronizerStanding,
} from '../../../src/app/ports/proofs.ts';
import { isProven, isUndecided } from '../../../src/app/engine/doubts/proof.ts';
import type { QuotaUse, Traffic } from '../../../src/app/ports/quotas.ts';
import type { Lifecycle, LifecycleKind } from '../../../src/domain/lifecycle.ts';
import { inRetryOrder, retryCommandIds } from '../../../src/domain/retries.ts';
import { instant, instantOf } from './instants.ts';
import type { ContractRow, CursorRow } from './rows.ts';
import type { Reader } from './table.ts';
import type { Tables } from './tables.ts';
import { commandText } from './tables.ts';

/* Look-ups by key, inside or outside a transaction. None of them locks. */

/** Compares by code points up to U+FFFF, as `collate "C"` does. */
export const byText = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

export const findChange = (tables: Tables, reader: Reader, id: ChangeId): Change | null =>
  tables.changes.get(reader, id)?.change ?? null;

export const findChangeByCommand = (
  tables: Tables,
  reader: Reader,
  key: CommandKey,
): Change | null => tables.changes.find(reader, 'key', commandText(key))[0]?.change ?? null;

export const findRetries = (tables: Tables, reader: Reader, root: ChangeId): Change[] =>
  inRetryOrder(
    retryCommandIds(root).flatMap((id) =>
      tables.changes.find(reader, 'command', id).map(({ change }) => change),
    ),
  );

/** Returns a lifecycle. @param id any contract ID that the lifecycle ever had, or the lifecycle's own ID */
export function findLifecycle(tables: Tables, reader: Reader, id: string): Lifecycle | null {
  const own = isContractId(id) ? tables.lineage.get(reader, id)?.lifecycleId : id;
  return own === undefined ? null : (tables.lifecycles.get(reader, own) ?? null);
}

export const findBegunThrough = (
  tables: Tables,
  reader: Reader,
  id: LifecycleId,
): LifecycleId | null =>
  tables.history
    .find(reader, 'lifecycle', id)
    .filter(({ entry }) => entry.seq === 1 && entry.kind === 'ledger.created')
    .map(({ entry }) => textAt(entry.detail, 'through') as LifecycleId | undefined)
    .findLast((through) => through !== undefined) ?? null;

export const findAlike = (
  tables: Tables,
  reader: Reader,
  kind: LifecycleKind,
  { provider, appUser, licenseNum }: Lifecycle,
): LifecycleId[] =>
  tables.lifecycles
    .find(reader, 'active', kind)
    .filter(
      (one) =>
        one.provider === provider && one.appUser === appUser && one.licenseNum === licenseNum,
    )
    .map(({ id }) => id)
    .toSorted(byText)
    .slice(0, STORE_LIMITS.alikeMax);

export const findQueued = (
  tables: Tables,
  reader: Reader,
  lane: LaneId,
  afterNo: number,
  limit: number,
): Change[] =>
  tables.changes
    .find(reader, 'queued', lane)
    .map(({ change }) => change)
    .filter(({ mailboxNo }) => mailboxNo > afterNo)
    .toSorted((a, b) => a.mailboxNo - b.mailboxNo)
    .slice(0, limit);

/** See `Tx.interruptedLanes`. */
export const findInterrupted = (tables: Tables, reader: Reader, limit: number): InterruptedLane[] =>
  tables.interruptedLanes
    .all(reader)
    .toSorted((a, b) => a.turnAtMs - b.turnAtMs || byText(a.lane, b.lane))
    .slice(0, limit)
    .map(({ lane, afterNo }) => ({ lane, afterNo }));

/** See `Tx.openIn`. */
export const findOpenIn = (
  tables: Tables,
  reader: Reader,
  lane: LaneId,
  lifecycleId: LifecycleId,
  operations: readonly Operation[],
): Change | null =>
  [
    ...tables.changes.find(reader, 'head', lane).map(({ change }) => change),
    ...findQueued(tables, reader, lane, -1, Infinity),
  ].find((change) => change.lifecycleId === lifecycleId && operations.includes(change.operation)) ??
  null;

/** Returns the attempts that the real store would return: those that are not refused, and the newest one. */
function newestAndUndecided(attempts: readonly Attempt[]): Attempt[] {
  const newest = attempts.at(-1)?.n ?? 0;
  return attempts.filter(
    ({ answer, n }) => answer?.verdict !== 'refused' || n > newest - STORE_LIMITS.attemptsShownMax,
  );
}

export const findAttempts = (tables: Tables, reader: Reader, id: ChangeId): Attempt[] =>
  newestAndUndecided(tables.attempts.find(reader, 'change', id).toSorted((a, b) => a.n - b.n));

type Lanes = Awaited<ReturnType<Tx['lanesOf']>>;

export function findLanes(
  tables: Tables,
  reader: Reader,
  query: Parameters<Tx['lanesOf']>[0],
): Lanes {
  const lineage = query.contracts.flatMap((contractId): LineageEntry[] => {
    const lifecycle = findLifecycle(tables, reader, contractId);
    return lifecycle === null
      ? []
      : [{ contractId, lifecycleId: lifecycle.id, lane: lifecycle.lane }];
  });
  const submissions = query.submissions.flatMap((submissionId): SubmissionRef[] => {
    const [attempt] = tables.attempts.find(reader, 'submission', submissionId);
    const change = attempt === undefined ? null : findChange(tables, reader, attempt.changeId);
    return change === null
      ? []
      : [{ submissionId, changeId: change.id, lane: change.lane, at: attempt?.at ?? '' }];
  });
  const waiting = query.updates.flatMap((updateId) =>
    tables.changes.find(reader, 'acceptedUpdate', updateId).map(({ change }) => ({
      changeId: change.id,
      lane: change.lane,
    })),
  );
  const carried = query.carried.flatMap((id) => {
    const change = findChange(tables, reader, id);
    return change === null || !isOpen(change.state) ? [] : [{ changeId: id, lane: change.lane }];
  });
  const unknown = query.carried.filter((id) => findChange(tables, reader, id) === null);
  // A change that one update carries and that waits for another update is found once.
  const found = new Map([...waiting, ...carried].map((one) => [one.changeId, one]));
  return { lineage, submissions, waiting: [...found.values()], unknown };
}

/**
 * Returns two kinds of lanes: those that wait until everything up to an offset is known, from the completions of their
 * participant or from the projection, and those whose accepted update the projection has reached.
 */
export function findLanesWaitingFor(
  tables: Tables,
  reader: Reader,
  cursors: ReadonlyMap<string, bigint>,
): LaneId[] {
  const projected = cursors.get(UPDATES_STREAM);
  const reaches = (to: bigint | undefined, offset: bigint | null | undefined): boolean =>
    to !== undefined && offset !== null && offset !== undefined && offset <= to;
  const provenOf = (participant: ParticipantName) =>
    findProvenTime(tables, reader, participant) ?? BEGIN_OF_TIME;
  const lanes = new Set<LaneId>();
  for (const { change } of tables.changes.find(reader, 'waiting', '')) {
    const { participant } = change.submitter;
    const completed = cursors.get(completionsStream(participant));
    const isWaiting =
      change.proofAt === null
        ? reaches(completed, change.verifyAt) || reaches(projected, change.verifyAt)
        : reaches(completed, change.verifyAt) && isProven(change.proofAt, provenOf(participant));
    if (isWaiting || reaches(projected, change.acceptance?.offset)) {
      lanes.add(change.lane);
    }
  }
  return [...lanes];
}

/** See `synchronizers_of` in the database. */
export function findSynchronizersOf(
  tables: Tables,
  reader: Reader,
  participant: ParticipantName,
): SynchronizerStanding[] {
  const row = tables.cursors.get(reader, completionsStream(participant));
  const updates = tables.cursors.get(reader, UPDATES_STREAM)?.times ?? new Map<string, string>();
  const earlier = (one: string, other: string) => (isoToMs(one) <= isoToMs(other) ? one : other);
  return [...(row?.times ?? [])]
    .toSorted(([one], [other]) => byText(one, other))
    .map(([synchronizer, at]) => ({
      synchronizer,
      toldAt: instant(at),
      passedAt: instant(earlier(at, updates.get(synchronizer) ?? at)),
      isGivenUp: isGivenUp(row, synchronizer, at),
    }));
}

function isGivenUp(row: CursorRow | undefined, synchronizer: string, at: string): boolean {
  const givenUp = row?.givenUp.get(synchronizer);
  return givenUp !== undefined && isoToMs(givenUp) >= isoToMs(at);
}

/** Returns the synchronizers and their times, without those that a person has given up. */
export const standing = (row: CursorRow | undefined): SynchronizerTimes =>
  new Map([...(row?.times ?? [])].filter(([id, at]) => !isGivenUp(row, id, at)));

/**
 * Returns the time up to which all synchronizers have reported; the database's time if no synchronizer reports any
 * more.
 */
function findTime(
  known: readonly SynchronizerStanding[],
  timeOf: (one: SynchronizerStanding) => string,
  nowMs: number,
): string | null {
  if (known.length === 0) return null;
  const standing = known.filter((one) => !one.isGivenUp);
  if (standing.length === 0) return instantOf(nowMs);
  return standing.map(timeOf).toSorted((a, b) => isoToMs(a) - isoToMs(b))[0] ?? null;
}

/** See `AWAITED_PROOFS` in `src/store/engine/proofs.ts`. */
export function findAwaitedProofs(
  tables: Tables,
  reader: Reader,
  participant: ParticipantName,
): AwaitedProof[] {
  const provenAt = findProvenTime(tables, reader, participant);
  const heads = tables.changes.find(reader, 'heads', '').map(({ change }) => change);
  const awaited = heads
    .filter(({ acceptance }) => acceptance === null)
    .filter(({ submitter }) => submitter.participant === participant)
    .flatMap(({ id, submitter, provider }) =>
      tables.attempts
        .find(reader, 'change', id)
        .filter(isUndecided)
        .flatMap(({ overAt }) =>
          overAt === null ? [] : [{ proofAt: instant(overAt), submitter, provider }],
        ),
    )
    .filter(({ proofAt }) => proofAt !== NOT_YET_KNOWN && !isProven(proofAt, provenAt))
    .toSorted(
      (a, b) =>
        byText(a.submitter.ledgerUser, b.submitter.ledgerUser) ||
        byText(a.submitter.actAs, b.submitter.actAs) ||
        isoToMs(a.proofAt) - isoToMs(b.proofAt) ||
        byText(a.provider, b.provider),
    );
  const first = new Map<string, AwaitedProof>();
  for (const one of awaited) {
    const submitter = `${one.submitter.ledgerUser}\n${one.submitter.actAs}`;
    if (!first.has(submitter)) first.set(submitter, one);
  }
  return [...first.values()];
}

/** See `told_time` in the database. */
export const findToldTime = (
  tables: Tables,
  reader: Reader,
  participant: ParticipantName,
): string | null =>
  findTime(findSynchronizersOf(tables, reader, participant), ({ toldAt }) => toldAt, tables.now());

/** See `proven_time` in the database. */
export function findProvenTime(
  tables: Tables,
  reader: Reader,
  participant: ParticipantName,
): string | null {
  const known = findSynchronizersOf(tables, reader, participant);
  const isStanding = known.some((one) => !one.isGivenUp);
  const row = tables.cursors.get(reader, completionsStream(participant));
  if (isStanding && (row?.clocksApart.size ?? 0) > 0) return null;
  return findTime(known, ({ passedAt }) => passedAt, tables.now());
}

export function findCreationOf(
  tables: Tables,
  reader: Reader,
  contract: ContractId,
): Creation | null {
  const [row] = tables.contracts.find(reader, 'contract', contract);
  if (row === undefined) return null;
  const update = tables.updates.get(reader, String(row.createdAtOffset));
  return {
    at: update?.recordTime ?? row.createdAt,
    synchronizer: update?.synchronizerId ?? null,
  };
}

export const findLanesUnheard = (
  tables: Tables,
  reader: Reader,
  participant: ParticipantName,
  before: string,
  limit: number,
): LaneId[] =>
  tables.changes
    .find(reader, 'heads', '')
    .filter(({ change }) => change.submitter.participant === participant)
    .filter(({ change }) => change.acceptance === null)
    .filter(({ change }) =>
      tables.attempts
        .find(reader, 'change', change.id)
        .some(
          (attempt) =>
            isUndecided(attempt) &&
            attempt.overAt === null &&
            isoToMs(attempt.at) < isoToMs(before),
        ),
    )
    .map(({ change }) => change.lane)
    .slice(0, limit);

export const findEndedWithoutEffect = (
  tables: Tables,
  reader: Reader,
  ...[participant, after, limit]: Parameters<Tx['endedWithoutEffect']>
): readonly EndedChange[] =>
  tables.changes
    .find(reader, 'withoutEffect', participant)
    .filter(({ change }) => after === null || byText(change.id, after) > 0)
    .toSorted((a, b) => byText(a.change.id, b.change.id))
    .slice(0, limit)
    .map(({ change: { id, lane } }) => ({
      id,
      lane,
      isUndecided: tables.attempts.find(reader, 'change', id).some(isUndecided),
    }));

export const isTemplate = (tables: Tables, reader: Reader, { templateFqn }: ContractRow): boolean =>
  tables.templates.get(reader, templateFqn)?.payloadType === 'template';

/** See `Tx.quotaUse`. Here, the count has no limit. */
export function findQuotaUse(
  tables: Tables,
  reader: Reader,
  ...[parties, { comments, since }]: Parameters<Tx['quotaUse']>
): Map<Party, QuotaUse> {
  const all = tables.changes.all(reader).map(({ change }) => change);
  return new Map(
    parties.map((party) => {
      const mine = all.filter(({ callerParty }) => callerParty === party);
      const made = mine.filter(
        ({ operation, acceptedAt, state }) =>
          comments.includes(operation) &&
          isoToMs(acceptedAt) >= isoToMs(since) &&
          (isOpen(state) || state === 'succeeded'),
      );
      const openOperations = mine.filter(({ state }) => isOpen(state)).length;
      return [party, { openOperations, commentsPerDay: made.length }];
    }),
  );
}

/** See `Tx.traffic`. Here, no sums are stored, so each read adds up the whole day. */
export function findTraffic(
  tables: Tables,
  reader: Reader,
  asked: Parameters<Tx['traffic']>[0],
): readonly Traffic[] {
  return asked.map(({ party, since }) => {
    const mine = tables.changes
      .all(reader)
      .filter(({ change }) => change.callerParty === party)
      .filter(({ change }) => isoToMs(change.acceptedAt) >= isoToMs(since));
    const attempts = mine.flatMap(({ change }) =>
      tables.attempts.find(reader, 'change', change.id),
    );
    const bytes = attempts.reduce((sum, { answer }) => sum + Number(answer?.cost ?? 0), 0);
    return { party, bytes, settledBytes: 0, settledUntil: since };
  });
}
