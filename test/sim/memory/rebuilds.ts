import type { RebuildRequest, RebuildTx, Rebuilds } from '../../../src/app/ports/rebuilds.ts';
import { UPDATES_STREAM } from '../../../src/app/ports/streams.ts';
import type { ContractId, Party } from '../../../src/domain/ids.ts';
import type { JsonRecord } from '../../../src/domain/json.ts';
import { canonicalJson } from '../../../src/domain/json.ts';
import type { ActiveContract } from '../../../src/domain/ledger.ts';
import { BEGIN_OF_TIME } from '../../../src/domain/ledger.ts';
import { isoToMs } from '../../../src/domain/time.ts';
import type { Connection, Session } from './connection.ts';
import { query, transact } from './connection.ts';
import { ownsProjection } from './cursors.ts';
import { instant } from './instants.ts';
import { createTx } from './ports.ts';
import { contractRows, insertActiveContracts } from './projection.ts';
import type { ContractRow, RebuildRow } from './rows.ts';
import type { ServerTransaction } from './server.ts';
import { REBUILD } from './server.ts';

/*
 * The calls that only a rebuild makes: see `src/store/engine/rebuild.ts`.
 */

const NONE = { archived: null } as const;

/** The columns of a row that a snapshot may correct. */
const correctable = ({
  payload,
  signatories,
  observers,
  divulgedOnly,
  packageId,
  archived,
}: ContractRow): JsonRecord => ({
  payload,
  signatories: [...signatories],
  observers: [...observers],
  divulgedOnly,
  packageId,
  isActive: archived === null,
});

async function correctContracts(
  tx: ServerTransaction,
  told: readonly ActiveContract[],
  readAs: readonly Party[],
): ReturnType<RebuildTx['correctContracts']> {
  const { contracts } = tx.tables;
  let [added, corrected] = [0, 0];
  for (const { created, createdAtOffset: offset, createdAt: effectiveAt } of told) {
    for (const row of contractRows(created, { offset, effectiveAt }, readAs)) {
      const key = contracts.keyOf(row);
      if (contracts.get(tx, key) === undefined) added += 1;
      const { payload, signatories, observers, divulgedOnly, packageId } = row;
      const right = { payload, signatories, observers, divulgedOnly, packageId, ...NONE };
      const isWrong = await tx.update(contracts, key, (before) => {
        const after = { ...before, ...right };
        const isSame = canonicalJson(correctable(before)) === canonicalJson(correctable(after));
        return isSame ? null : after;
      });
      corrected += Number(isWrong);
    }
  }
  await insertActiveContracts(tx, told, readAs);
  return { added, corrected };
}

async function endContracts(
  tx: ServerTransaction,
  ended: readonly ContractId[],
  { offset, effectiveAt }: Parameters<RebuildTx['endContracts']>[1],
): Promise<void> {
  const { contracts } = tx.tables;
  for (const row of ended.flatMap((id) => contracts.find(tx, 'contract', id))) {
    await tx.update(contracts, contracts.keyOf(row), (before) => {
      if (before.archived !== null) return null;
      const at = offset > before.createdAtOffset ? offset : before.createdAtOffset;
      return { ...before, archived: { at: instant(effectiveAt), offset: at } };
    });
  }
}

async function resetCursors(
  tx: ServerTransaction,
  moves: Parameters<RebuildTx['resetCursors']>[0],
  epoch: bigint,
): Promise<boolean> {
  const { cursors, updates } = tx.tables;
  if (!(await ownsProjection(tx, epoch))) return false;
  let reset = 0;
  for (const { stream, to, pruned = 0n } of moves) {
    const updateId =
      stream === UPDATES_STREAM ? (updates.get(tx, String(to))?.updateId ?? null) : null;
    const isThere = await tx.update(cursors, stream, (before) => ({
      ...before,
      offset: to,
      oldestOffset: to,
      replayTo: before.replayTo !== null && before.replayTo > to ? before.replayTo : null,
      heldFrom: before.heldFrom !== null && pruned > before.heldFrom ? pruned : before.heldFrom,
      updateId,
      times: new Map([...before.times.keys()].map((id) => [id, BEGIN_OF_TIME])),
      givenUp: new Map(
        [...before.givenUp].filter(
          ([id, at]) => isoToMs(at) >= isoToMs(before.times.get(id) ?? at),
        ),
      ),
    }));
    reset += Number(isThere);
  }
  return reset === moves.length;
}

const createRebuildTx = (session: Session): RebuildTx => ({
  ...createTx(session),
  correctContracts: (...told) =>
    session.run('rebuild.correctContracts', (tx) => correctContracts(tx, ...told)),
  activeContracts: () =>
    session.run('rebuild.activeContracts', (tx) => {
      const active = tx.tables.contracts
        .all(tx)
        .filter(({ archived, divulgedOnly }) => archived === null && !divulgedOnly);
      return [...new Set(active.map(({ contractId }) => contractId))];
    }),
  endContracts: (...ended) =>
    session.run('rebuild.endContracts', (tx) => endContracts(tx, ...ended)),
  lifecyclesOf: (contracts) =>
    session.run('rebuild.lifecyclesOf', (tx) =>
      contracts.flatMap((contractId) => {
        const id = tx.tables.lineage.get(tx, contractId)?.lifecycleId;
        const lifecycle = id === undefined ? undefined : tx.tables.lifecycles.get(tx, id);
        return lifecycle === undefined ? [] : [{ contractId, lifecycle }];
      }),
    ),
  standing: () =>
    session.run('rebuild.standing', (tx) =>
      tx.tables.lifecycles
        .all(tx)
        .flatMap(({ id, lane, contractId, endedAt }) =>
          endedAt === null ? [{ id, lane, contractId }] : [],
        ),
    ),
  reopen: (ids) =>
    session.run('rebuild.reopen', async (tx) => {
      for (const id of ids) {
        await tx.update(tx.tables.lifecycles, id, (before) =>
          before.endedAt === null ? null : { ...before, endedAt: null },
        );
      }
    }),
  openChanges: () =>
    session.run('rebuild.openChanges', (tx) =>
      tx.tables.changes
        .all(tx)
        .flatMap(({ change }) => (change.finishedAt === null ? [change] : [])),
    ),
  resetCursors: (...moves) =>
    session.run('rebuild.resetCursors', (tx) => resetCursors(tx, ...moves)),
});

/** Returns the request for a rebuild that waits, if there is one. */
const waiting = ({ server: { tables } }: Connection): RebuildRow | undefined =>
  tables.rebuilds.find(null, 'open', '')[0];

export const createRebuilds = (connection: Connection): Rebuilds => ({
  asked: (io) =>
    query(connection, io, 'rebuilds.asked', (): RebuildRequest | null => {
      const row = waiting(connection);
      return row === undefined ? null : { id: row.id, isDryRun: row.isDryRun };
    }),
  answer: (id, answer, io) =>
    transact(
      connection,
      io,
      async (session) => {
        await session.run('rebuilds.answer', (tx) =>
          tx.update(tx.tables.rebuilds, id, (before) =>
            before.answer === null ? { ...before, answer } : null,
          ),
        );
      },
      { call: 'rebuilds.answer', repeated: false },
    ),
  transact: (io, work) =>
    transact(connection, io, (session) => work(createRebuildTx(session)), { call: REBUILD }),
});

/** The requests of the command line: see `src/main/rebuild-request.ts`. */
export interface RebuildAsks {
  /** Returns false if another request is waiting. */
  ask(request: RebuildRequest): Promise<boolean>;
  answerTo(id: string): RebuildRow['answer'];
  /** Withdraws the request unless it has been answered. */
  withdraw(id: string): Promise<void>;
}

const IO = { signal: new AbortController().signal, deadlineMs: 10_000 };

export function createRebuildAsks(connection: Connection): RebuildAsks {
  const { tables } = connection.server;
  const alone = <T>(call: string, work: (tx: ServerTransaction) => Promise<T>): Promise<T> =>
    transact(connection, IO, (session) => session.run(call, work), { call, repeated: false });
  return {
    ask: (request) =>
      alone('rebuilds.ask', async (tx) =>
        waiting(connection) === undefined
          ? tx.insertIfAbsent(tx.tables.rebuilds, { ...request, answer: null })
          : false,
      ),
    answerTo: (id) => tables.rebuilds.get(null, id)?.answer ?? null,
    withdraw: (id) =>
      alone('rebuilds.withdraw', async (tx) => {
        if (tables.rebuilds.get(null, id)?.answer === null) await tx.remove(tables.rebuilds, id);
      }),
  };
}
