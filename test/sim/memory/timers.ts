import { textAt } from '../../../src/domain/json.ts';
import { isoToMs } from '../../../src/domain/time.ts';
import { isOpen } from '../../../src/domain/change.ts';
import { SCHEDULER_LEASE } from '../../../src/app/ports/leases.ts';
import { timerState } from '../../../src/app/ports/policies.ts';
import type { LifecycleId } from '../../../src/domain/ids.ts';
import type {
  DueQuery,
  Timer,
  TimerKey,
  TimerMove,
  TimerPageQuery,
  TimerView,
  Timers,
} from '../../../src/app/ports/policies.ts';
import type { Connection } from './connection.ts';
import { query, transact } from './connection.ts';
import { foreignKeyViolation } from './database-error.ts';
import { byText } from './find.ts';
import { instant, instantOrNull } from './instants.ts';
import type { ServerTransaction } from './server.ts';
import type { Tables } from './tables.ts';
import { allocationsNaming, payloadOf } from './views.ts';
import { ownsLease } from './write.ts';

/* Timers, with the operations of `src/store/policies/timers.ts`. */

const byKey = (a: TimerKey, b: TimerKey): number =>
  isoToMs(a.lapsesAt) - isoToMs(b.lapsesAt) || byText(a.lifecycleId, b.lifecycleId);

/** Returns whether an instant is absent or has passed. */
const hasCome = (at: string | null, now: string): boolean =>
  at === null || isoToMs(at) <= isoToMs(now);

const isOf = (timer: Timer, asked: DueQuery): boolean =>
  timer.provider === asked.provider &&
  timer.kind === asked.kind &&
  timer.changeId === null &&
  (asked.withNeverRenewed || !timer.isNeverRenewed);

/** Returns timers that no other transaction has locked, and locks them. */
function take(tx: ServerTransaction, limit: number, isTaken: (timer: Timer) => boolean): Timer[] {
  const { timers } = tx.tables;
  const taken: Timer[] = [];
  for (const timer of timers.all(tx).filter(isTaken).toSorted(byKey)) {
    if (taken.length === limit) break;
    if (tx.tryLock(timers, timer.lifecycleId)) taken.push(timer);
  }
  return taken;
}

function isPayable(tables: Tables, { lifecycleId }: Timer): boolean {
  const lifecycle = tables.lifecycles.get(null, lifecycleId);
  if (lifecycle === undefined) return false;
  const payload = payloadOf(tables, null, lifecycle.contractId);
  const requestId = payload === null ? undefined : textAt(payload, 'requestId');
  return requestId !== undefined && allocationsNaming(tables, requestId).length > 0;
}

/** See `Tx.timer`. */
export async function holdTimer(
  tx: ServerTransaction,
  lifecycleId: LifecycleId,
): Promise<Timer | null> {
  const { timers } = tx.tables;
  const blocked = tx.lock(timers, lifecycleId);
  if (blocked !== undefined) await blocked;
  return timers.get(tx, lifecycleId) ?? null;
}

export async function moveAll(tx: ServerTransaction, moves: readonly TimerMove[]): Promise<void> {
  const { timers } = tx.tables;
  const sorted = moves.toSorted((a, b) => byText(a.seen.lifecycleId, b.seen.lifecycleId));
  for (const { seen, to } of sorted) {
    await tx.update(timers, seen.lifecycleId, (before) => {
      const isAsSeen =
        before.lapsesAt === instant(seen.lapsesAt) &&
        before.generation === seen.generation &&
        before.changeId === seen.changeId;
      return isAsSeen ? { ...before, ...to, notBefore: instantOrNull(to.notBefore) } : null;
    });
    const isThere = to.changeId === null || tx.tables.changes.get(tx, to.changeId) !== undefined;
    if (!isThere) throw foreignKeyViolation('timer_change_id_fkey');
  }
}

const earliest = (times: readonly (string | null)[]): string | null =>
  times.reduce<string | null>(
    (a, b) => (a === null || (b !== null && isoToMs(b) < isoToMs(a)) ? b : a),
    null,
  );

function nextDue(timers: readonly Timer[], asked: DueQuery) {
  const mine = timers.filter((timer) => isOf(timer, asked));
  const lapsed = mine.filter(({ lapsesAt }) => hasCome(lapsesAt, asked.lapsedBy));
  const coming = mine.filter(({ lapsesAt }) => !hasCome(lapsesAt, asked.lapsedBy));
  const [next] = coming.toSorted(byKey);
  const open = lapsed.map(({ openUntil }) =>
    hasCome(openUntil, asked.closedBy) ? null : openUntil,
  );
  const late = lapsed.map(({ notBefore }) =>
    hasCome(notBefore, asked.wallNow) ? null : notBefore,
  );
  return { lapse: next?.lapsesAt ?? null, close: earliest(open), wall: earliest(late) };
}

function page(tables: Tables, asked: TimerPageQuery): TimerView[] {
  const { party, kind, state, after, limit } = asked;
  return tables.timers
    .all(null)
    .filter((timer) => kind === undefined || timer.kind === kind)
    .filter((timer) => state === undefined || timerState(timer) === state)
    .filter((timer) => after === undefined || byKey(timer, after) > 0)
    .toSorted(byKey)
    .flatMap((timer): TimerView[] => {
      const of = tables.lifecycles.get(null, timer.lifecycleId);
      if (of === undefined || (of.provider !== party && of.appUser !== party)) return [];
      const { contractId, appUser, licenseNum, state: at } = of;
      return [{ ...timer, contractId, appUser, licenseNum, state: at }];
    })
    .slice(0, limit);
}

export function createTimers(connection: Connection): Timers {
  const { tables } = connection.server;
  const owned = <T>(
    call: string,
    epoch: bigint,
    io: Parameters<Timers['due']>[3],
    work: (tx: ServerTransaction) => T | Promise<T>,
  ): Promise<T | null> =>
    transact(
      connection,
      io,
      (session) =>
        session.run(call, async (tx) =>
          (await ownsLease(tx, SCHEDULER_LEASE, epoch)) ? work(tx) : null,
        ),
      { call },
    );
  return {
    underWay: (provider, prefixes, io) =>
      query(connection, io, 'timers.underWay', () => ({
        changes: tables.changes
          .all(null)
          .map(({ change }) => change)
          .filter(
            ({ state, submitter }) =>
              isOpen(state) && state !== 'in-doubt' && submitter.actAs === provider,
          )
          .filter(({ commandId }) => prefixes.some((prefix) => commandId.startsWith(prefix)))
          .map(({ id }) => id),
        ledgerTime: tables.cursors.get(null, 'updates')?.recordTime ?? null,
      })),
    due: (asked, limit, epoch, io) =>
      owned('timers.due', epoch, io, (tx) =>
        take(
          tx,
          limit,
          (timer) =>
            isOf(timer, asked) &&
            hasCome(timer.lapsesAt, asked.lapsedBy) &&
            hasCome(timer.openUntil, asked.closedBy) &&
            hasCome(timer.notBefore, asked.wallNow),
        ),
      ),
    payable: (asked, limit, epoch, io) =>
      owned('timers.payable', epoch, io, (tx) =>
        take(
          tx,
          limit,
          (timer) =>
            isOf(timer, asked) &&
            !hasCome(timer.lapsesAt, asked.closedBy) &&
            hasCome(timer.notBefore, asked.wallNow) &&
            isPayable(tables, timer),
        ),
      ),
    nextDue: (asked, io) =>
      query(connection, io, 'timers.nextDue', () => nextDue(tables.timers.all(null), asked)),
    failed: (provider, limit, io) =>
      query(connection, io, 'timers.failed', () =>
        tables.timers
          .all(null)
          .filter((timer) => timer.provider === provider && !timer.isGivenUp)
          .toSorted((a, b) => byText(a.lifecycleId, b.lifecycleId))
          .flatMap((timer) => {
            const change =
              timer.changeId === null
                ? undefined
                : tables.changes.get(null, timer.changeId)?.change;
            return change === undefined || change.finishedAt === null ? [] : [{ timer, change }];
          })
          .slice(0, limit),
      ),
    move: async (moves, epoch, io) =>
      (await owned('timers.move', epoch, io, async (tx) => {
        await moveAll(tx, moves);
        return true;
      })) ?? false,
    page: (asked, io) => query(connection, io, 'timers.page', () => page(tables, asked)),
  };
}
