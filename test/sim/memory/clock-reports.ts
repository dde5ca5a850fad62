import type { NewestOwn, ClockReports, TimeWanted } from '../../../src/app/ports/clocks.ts';
import { UPDATES_STREAM } from '../../../src/app/ports/streams.ts';
import { changeOfWorkflow } from '../../../src/domain/ids.ts';
import { STORE_LIMITS } from '../../../src/store/limits.ts';
import { isoAfter, isoToMs } from '../../../src/domain/time.ts';
import type { Connection } from './connection.ts';
import { query, transact } from './connection.ts';
import { byText } from './find.ts';
import { instant, instantOf } from './instants.ts';
import type { Tables } from './tables.ts';

/* Readings of the processes' clocks, and times for which processes wait: see `src/store/engine/clock-reports.ts`. */

/** Returns the newest transaction that Tenure has submitted, if it is one of the newest transactions. */
function newestOwn(tables: Tables): NewestOwn | null {
  const newest = tables.updates
    .all(null)
    .toSorted((a, b) => Number(b.offset - a.offset))
    .slice(0, STORE_LIMITS.clockUpdatesMax);
  for (const { workflowId, effectiveAt, recordTime } of newest) {
    const changeId = changeOfWorkflow(workflowId);
    const attempts = changeId === null ? [] : tables.attempts.find(null, 'change', changeId);
    const [sentAt] = attempts.map(({ at }) => at).toSorted(byText);
    if (sentAt !== undefined) return { sentAt, effectiveAt, recordTime };
  }
  return null;
}

/** Reads of other processes' clock readings are missing, because the simulation does not need them. */
export function createClockReports(connection: Connection): ClockReports {
  const { server } = connection;
  return {
    report: (_report, io) =>
      query(connection, io, 'clocks.report', () => ({
        at: instantOf(server.now()),
        newest: newestOwn(server.tables),
      })),
    forget: (_process, io) => query(connection, io, 'clocks.forget', () => undefined),
  };
}

export function createTimeWanted(connection: Connection): TimeWanted {
  const { tables } = connection.server;
  const call = 'clocks.want';
  return {
    ask: (participant, recordTimeMs, io) =>
      transact(
        connection,
        io,
        (session) =>
          session.run(call, async (tx) => {
            const row = { participant, recordTime: instant(isoAfter(recordTimeMs)) };
            await tx.upsert(tx.tables.timesWanted, row, (before) =>
              isoToMs(before.recordTime) < recordTimeMs ? row : null,
            );
          }),
        { call, repeated: false },
      ),
    wanted: (participant, io) =>
      query(connection, io, 'clocks.wanted', () => {
        const wanted = tables.timesWanted.get(null, participant)?.recordTime;
        const told = tables.cursors.get(null, UPDATES_STREAM)?.recordTime ?? null;
        if (wanted === undefined) return null;
        return told !== null && isoToMs(told) >= isoToMs(wanted) ? null : wanted;
      }),
  };
}
