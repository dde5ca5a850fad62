import { seesChange } from '../../../src/app/ports/ops-scope.ts';
import type { Alarm, Alarms } from '../../../src/app/ports/alarms.ts';
import { SCHEDULER_LEASE } from '../../../src/app/ports/leases.ts';
import type { ChangeId } from '../../../src/domain/ids.ts';
import { isoToMs } from '../../../src/domain/time.ts';
import type { Connection } from './connection.ts';
import { query, transact } from './connection.ts';
import { foreignKeyViolation } from './database-error.ts';
import { byText } from './find.ts';
import { instant, instantOf } from './instants.ts';
import type { ServerTransaction } from './server.ts';
import { ownsLease } from './write.ts';

type Raised = Omit<Alarm, 'raisedAt'>;

const isSame = (a: Raised, b: Raised): boolean =>
  a.kind === b.kind && a.since === b.since && a.detail === b.detail;

/** Replaces all alarms if the process holds the scheduler's lease, otherwise none: see `src/store/desk/alarms.ts`. */
async function replace(
  tx: ServerTransaction,
  alarms: readonly Raised[],
  epoch: bigint,
): Promise<{ readonly raised: readonly Raised[]; readonly cleared: readonly ChangeId[] } | null> {
  if (!(await ownsLease(tx, SCHEDULER_LEASE, epoch))) return null;
  const table = tx.tables.alarms;
  const found = new Set(alarms.map(({ changeId }) => changeId));
  const cleared: ChangeId[] = [];
  for (const { changeId } of table.all(tx)) {
    if (!found.has(changeId) && (await tx.remove(table, changeId))) cleared.push(changeId);
  }
  const raised: Raised[] = [];
  for (const alarm of alarms) {
    const row = {
      ...alarm,
      since: instant(alarm.since),
      raisedAt: instantOf(tx.beganAtMs),
    };
    let isNew = true;
    await tx.upsert(table, row, (before) => {
      isNew = false;
      return isSame(before, row) ? null : { ...row, raisedAt: before.raisedAt };
    });
    if (isNew) raised.push(alarm);
  }
  if (alarms.some(({ changeId }) => tx.tables.changes.get(tx, changeId) === undefined)) {
    throw foreignKeyViolation('alarm_change_id_fkey');
  }
  return { raised, cleared };
}

export function createAlarms(connection: Connection): Alarms {
  const { tables } = connection.server;
  return {
    replace: (alarms, epoch, io) =>
      transact(
        connection,
        io,
        (session) => session.run('alarms.replace', (tx) => replace(tx, alarms, epoch)),
        { call: 'alarms.replace', repeated: false },
      ),
    list: (limit, io, scope) =>
      query(connection, io, 'alarms.list', () =>
        tables.alarms
          .all(null)
          .filter(({ changeId }) => {
            const row = tables.changes.get(null, changeId);
            return scope === undefined || (row !== undefined && seesChange(scope, row.change));
          })
          .toSorted(
            (a, b) => isoToMs(a.raisedAt) - isoToMs(b.raisedAt) || byText(a.changeId, b.changeId),
          )
          .slice(0, limit),
      ),
  };
}
