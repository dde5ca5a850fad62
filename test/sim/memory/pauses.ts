import { createHash } from 'node:crypto';
import type { AuditEntry, Writes } from '../../../src/app/ports/writes.ts';
import type { Pauses } from '../../../src/app/ports/pauses.ts';
import type { Pause } from '../../../src/domain/pause.ts';
import type {
  Circuit,
  CircuitReason,
  ParticipantCause,
} from '../../../src/domain/participant-health.ts';
import { isClosedBy, isProbed, outlasts } from '../../../src/domain/participant-health.ts';
import { STORE_LIMITS } from '../../../src/store/limits.ts';
import { textAt } from '../../../src/domain/json.ts';
import type { Connection } from './connection.ts';
import { query, transact } from './connection.ts';
import { byText } from './find.ts';
import { instantOf, msOf } from './instants.ts';
import type { ChangeRow, CircuitRow, EffectRow, PauseRow } from './rows.ts';
import type { ServerTransaction } from './server.ts';
import type { Reader } from './table.ts';
import type { Tables } from './tables.ts';

/*
 * Pauses by operators and circuits of participants: see `src/store/engine/pauses.ts` and `circuits.ts`.
 */

const providerOf = (tables: Tables, reader: Reader, { change }: ChangeRow): string | undefined => {
  const { lifecycleId } = change;
  const lifecycle = lifecycleId === null ? undefined : tables.lifecycles.get(reader, lifecycleId);
  return lifecycle?.provider ?? textAt(change.body, 'provider');
};

const isOf = (
  tables: Tables,
  reader: Reader,
  { scope, name }: PauseRow,
  row: ChangeRow,
): boolean => {
  if (scope === 'participant') return row.change.submitter.participant === name;
  if (scope === 'operation') return row.change.operation === name;
  return providerOf(tables, reader, row) === name;
};

/** Returns whether one of the pauses prevents the dispatch of an effect. */
export const isStopped = (
  tables: Tables,
  reader: Reader,
  effect: EffectRow,
  pauses: readonly PauseRow[],
): boolean => {
  const row = tables.changes.get(reader, effect.changeId);
  if (row === undefined) return false;
  return pauses.some(
    (pause) =>
      isOf(tables, reader, pause, row) &&
      (pause.mode === 'pause' || effect.madeAtMs > pause.sinceMs),
  );
};

/** Returns whether the ledger to which an effect would be submitted is not the store's ledger. */
export const isForeign = (tables: Tables, reader: Reader, { changeId }: EffectRow): boolean => {
  const row = tables.changes.get(reader, changeId);
  return tables.foreignLedgers
    .all(reader)
    .some(({ participant }) => participant === row?.change.submitter.participant);
};

/** Returns all pauses. Locks them, so that none of them ends before the transaction does. */
export async function lockPauses(tx: ServerTransaction): Promise<PauseRow[]> {
  const { pauses } = tx.tables;
  for (const row of pauses.all(tx)) {
    const blocked = tx.lock(pauses, pauses.keyOf(row), 'share');
    if (blocked !== undefined) await blocked;
  }
  return pauses.all(tx);
}

/** Locks the records of foreign ledgers, so that none of them is deleted before the transaction ends. */
export async function lockForeignLedgers(tx: ServerTransaction): Promise<void> {
  const { foreignLedgers } = tx.tables;
  for (const row of foreignLedgers.all(tx)) {
    const blocked = tx.lock(foreignLedgers, foreignLedgers.keyOf(row), 'share');
    if (blocked !== undefined) await blocked;
  }
}

/**
 * Returns the open circuit because of which the effect is not submitted to its participant; `null` if there is none.
 */
export function circuitBefore(tx: ServerTransaction, effect: EffectRow): CircuitRow | null {
  const row = tx.tables.changes.get(tx, effect.changeId);
  const circuit =
    row === undefined ? undefined : tx.tables.circuits.get(tx, row.change.submitter.participant);
  if (circuit === undefined) return null;
  return circuit.untilMs > tx.beganAtMs || circuit.probe ? circuit : null;
}

/** Makes one effect the probe of a circuit. Returns whether this effect got the lock for it. */
export async function takeProbe(
  tx: ServerTransaction,
  { participant, untilMs }: CircuitRow,
  effect: EffectRow,
): Promise<boolean> {
  const { circuits } = tx.tables;
  // A circuit that is not due is not locked, because a transaction that closes it would have to wait for this dispatch.
  if (untilMs > tx.beganAtMs || !tx.tryLock(circuits, participant)) return false;
  return tx.update(circuits, participant, (before) =>
    before.probe && before.untilMs <= tx.beganAtMs
      ? {
          ...before,
          untilMs: tx.beganAtMs + STORE_LIMITS.probeMs,
          probedAtMs: tx.beganAtMs,
          probeEffect: effect.id,
        }
      : null,
  );
}

/**
 * Closes a circuit. Makes the effects that it has postponed due at once, except those that another transaction has
 * locked.
 */
async function close(tx: ServerTransaction, participant: string): Promise<void> {
  if (!(await tx.remove(tx.tables.circuits, participant))) return;
  const { effects } = tx.tables;
  for (const { id, putOffBy, doneAtMs, heldAtMs } of effects.all(tx)) {
    if (putOffBy !== participant || doneAtMs !== null || heldAtMs !== null) continue;
    if (!tx.tryLock(effects, id)) continue;
    await tx.update(effects, id, (before) => ({
      ...before,
      dueAtMs: tx.beganAtMs,
      putOffBy: null,
    }));
  }
}

/** Updates circuits and silences of participants. Only answers to attempts that began after them count. */
export async function closeByAnswers(
  tx: ServerTransaction,
  updates: Writes['attempts'],
): Promise<void> {
  const { circuits, silences, attempts } = tx.tables;
  for (const { submissionId, reached = 'nobody' } of updates) {
    const [attempt] = attempts.find(tx, 'submission', submissionId);
    if (attempt === undefined) continue;
    const silence = silences.get(tx, attempt.submitter.participant);
    if (reached !== 'nobody' && silence !== undefined && msOf(attempt.at) > silence.sinceMs) {
      await tx.remove(silences, silence.participant);
    }
    const circuit = circuits.get(tx, attempt.submitter.participant);
    if (circuit?.probe !== true || msOf(attempt.at) <= circuit.sinceMs) continue;
    if (isClosedBy(circuit.reason, reached)) await close(tx, circuit.participant);
  }
}

export async function closeUnreachable(tx: ServerTransaction, participant: string): Promise<void> {
  const circuit = tx.tables.circuits.get(tx, participant);
  if (circuit?.reason === 'unreachable') await close(tx, participant);
}

/** See `SUBMIT_AGAIN` in `src/store/engine/circuits.ts`. */
export async function submitAgain(tx: ServerTransaction, participant: string): Promise<void> {
  const { effects, changes, attempts } = tx.tables;
  for (const { id, changeId, doneAtMs, heldAtMs, putOffBy } of effects.all(tx)) {
    const row = changes.get(tx, changeId);
    if (row === undefined || doneAtMs !== null || heldAtMs !== null || putOffBy !== null) continue;
    const { change, lastAttemptNo } = row;
    const isAwaited = change.state === 'submitting' && change.submitter.participant === participant;
    if (!isAwaited || change.acceptance !== null || change.verifyAt !== null) continue;
    const last = attempts.find(tx, 'change', changeId).find(({ n }) => n === lastAttemptNo);
    if (last === undefined || (last.answer !== null && last.answer.verdict !== 'unknown')) continue;
    const oldMs = STORE_LIMITS.unheardMs * 2 ** (Math.min(last.n, 10) - 1);
    const atMs = Math.max(tx.beganAtMs + STORE_LIMITS.retoldMs, msOf(last.at) + oldMs);
    if (!tx.tryLock(effects, id)) continue;
    await tx.update(effects, id, (before) =>
      before.dueAtMs > atMs ? { ...before, dueAtMs: atMs } : null,
    );
  }
}

export async function openCircuits(
  tx: ServerTransaction,
  openings: Writes['circuits'],
): Promise<void> {
  const nowMs = tx.beganAtMs;
  const sorted = openings.toSorted((a, b) => byText(a.participant, b.participant));
  for (const { participant, reason, ledgerCode, atSecond = false } of sorted) {
    const silence = { participant, sinceMs: nowMs };
    if (atSecond && (await tx.insertIfAbsent(tx.tables.silences, silence))) continue;
    const delayMs = STORE_LIMITS.circuitMs;
    const first = {
      participant,
      level: 1,
      delayMs,
      sinceMs: nowMs,
      ledgerCode,
      reason,
      probe: isProbed(reason),
      probedAtMs: null,
      probeEffect: null,
    };
    await tx.upsert(tx.tables.circuits, { ...first, untilMs: nowMs + delayMs }, (before) => {
      const counts =
        before.untilMs <= nowMs || before.probedAtMs !== null || (first.probe && !before.probe);
      if (!counts) return null;
      const stays = outlasts(before.reason, reason);
      const isSoon = before.probe || before.untilMs + 2 * before.delayMs > nowMs;
      if (!stays && (before.reason !== reason || !isSoon)) {
        return { ...first, untilMs: nowMs + delayMs };
      }
      const kept = stays ? before.reason : reason;
      const longest =
        kept === 'unreachable' ? STORE_LIMITS.unreachableMsMax : STORE_LIMITS.circuitMsMax;
      const longer = Math.min(before.delayMs * 2, longest);
      return {
        ...first,
        ...(stays ? { reason: before.reason, ledgerCode: before.ledgerCode, probe: true } : {}),
        level: before.level + 1,
        delayMs: longer,
        sinceMs: before.sinceMs,
        untilMs: nowMs + longer,
      };
    });
  }
}

const pauseOf = ({ sinceMs, ...row }: PauseRow): Pause => ({ ...row, since: instantOf(sinceMs) });

const inOrder = (rows: readonly PauseRow[]): PauseRow[] =>
  rows.toSorted((a, b) => a.sinceMs - b.sinceMs || byText(a.id, b.id));

const circuitFromRow = ({
  sinceMs,
  untilMs,
  delayMs: _delay,
  probedAtMs: _probed,
  probeEffect: _effect,
  ...row
}: CircuitRow): Circuit => ({ ...row, since: instantOf(sinceMs), until: instantOf(untilMs) });

/** Returns why participants are not healthy, oldest first. */
export function findParticipantCauses(
  tables: Tables,
  reader: Reader,
  nowMs: number,
): ParticipantCause[] {
  const { foreignLedgers, circuits, standstills } = tables;
  const causes: readonly ParticipantCause[] = [
    ...foreignLedgers.all(reader).map(({ sinceMs, reason: detail, ...row }) => {
      return { ...row, kind: 'foreign' as const, detail, since: instantOf(sinceMs) };
    }),
    ...circuits
      .all(reader)
      .filter(({ untilMs, probe }) => untilMs > nowMs || probe)
      .map(({ participant, reason: kind, sinceMs, ledgerCode: detail }) => {
        return { participant, kind, detail, since: instantOf(sinceMs), stream: null };
      }),
    ...standstills.all(reader).map((row) => ({ ...row, stream: null })),
  ];
  return causes.toSorted((a, b) => byText(a.since, b.since));
}

export function findPauseOf(tables: Tables, changeId: string): Pause | null {
  const [effect] = tables.effects.find(null, 'change', changeId);
  if (effect?.heldAtMs == null || effect.doneAtMs !== null) return null;
  const [row] = inOrder(
    tables.pauses.all(null).filter((pause) => isStopped(tables, null, effect, [pause])),
  );
  return row === undefined ? null : pauseOf(row);
}

/** Returns the reason, if there is one, why no effect of a provider is submitted through a participant. */
export function findHeldBack(
  tables: Tables,
  participant: string,
  provider: string,
  nowMs: number,
): 'pause' | CircuitReason | null {
  const isPaused = tables.pauses
    .all(null)
    .some(
      ({ scope, name, mode }) =>
        mode === 'pause' &&
        ((scope === 'participant' && name === participant) ||
          (scope === 'provider' && name === provider)),
    );
  if (isPaused) return 'pause';
  const circuit = tables.circuits.get(null, participant);
  return circuit !== undefined && circuit.untilMs > nowMs ? circuit.reason : null;
}

/** See `LOCK_CAUSES` in `src/store/engine/pauses.ts`. */
export async function lockCauses(tx: ServerTransaction): Promise<void> {
  const blocked = tx.lock(tx.tables.pauses, 'all');
  if (blocked !== undefined) await blocked;
}

/** Marks effects as blocked or not, according to the current pauses and foreign ledgers. */
export async function hold(tx: ServerTransaction): Promise<void> {
  const { effects, changes } = tx.tables;
  const pauses = tx.tables.pauses.all(tx);
  for (const effect of effects.all(tx)) {
    const stops = isStopped(tx.tables, tx, effect, pauses) || isForeign(tx.tables, tx, effect);
    const waits = changes.get(tx, effect.changeId)?.change.waitingFor?.kind;
    await tx.update(effects, effect.id, (before) => {
      if (before.heldAtMs !== null && !stops) {
        const dueAtMs = waits === 'queue' ? Math.min(before.dueAtMs, tx.beganAtMs) : before.dueAtMs;
        return { ...before, heldAtMs: null, dueAtMs };
      }
      if (before.heldAtMs !== null || before.doneAtMs !== null || !stops) return null;
      return { ...before, heldAtMs: tx.beganAtMs, dispatchNo: before.dispatchNo + 1 };
    });
  }
}

/** Returns an ID that is computed and not random, so that it does not influence the rest of a history. */
const idOf = (tx: ServerTransaction, scope: string, name: string): string => {
  const hash = createHash('sha256').update(`${scope} ${name} ${tx.beganAtMs}`).digest('hex');
  return [8, 4, 4, 4, 12].reduce(
    ({ text, at }, length) => ({
      text: `${text}${at === 0 ? '' : '-'}${hash.slice(at, at + length)}`,
      at: at + length,
    }),
    { text: '', at: 0 },
  ).text;
};

type SaveAudit = (tx: ServerTransaction, entries: Writes['audit']) => Promise<void>;

export function createPauses(connection: Connection, saveAudit: SaveAudit): Pauses {
  const { tables } = connection.server;
  const audit = (
    tx: ServerTransaction,
    act: string,
    pause: Pause,
    by: Pick<AuditEntry, 'byParty' | 'bySubject' | 'reason'>,
  ) =>
    saveAudit(tx, [
      {
        at: instantOf(tx.beganAtMs),
        ...by,
        act,
        changeId: null,
        from: null,
        to: null,
        detail: { scope: pause.scope, name: pause.name, mode: pause.mode, since: pause.since },
      },
    ]);
  return {
    put: (asked, { byParty, bySubject }, io) =>
      transact(
        connection,
        io,
        (session) =>
          session.run('pauses.put', async (tx) => {
            await lockCauses(tx);
            const { scope, name, mode, reason } = asked;
            const by = { byParty, bySubject, reason };
            const row = { scope, name, mode, ...by, id: idOf(tx, scope, name) };
            await tx.upsert(tx.tables.pauses, { ...row, sinceMs: tx.beganAtMs }, (before) => ({
              ...row,
              id: before.id,
              sinceMs: before.mode === mode ? before.sinceMs : tx.beganAtMs,
            }));
            const [found] = tx.tables.pauses
              .all(tx)
              .filter((pause) => pause.scope === scope && pause.name === name);
            const pause = pauseOf(found ?? { ...row, sinceMs: tx.beganAtMs });
            await audit(tx, mode === 'pause' ? 'paused' : 'drained', pause, by);
            await hold(tx);
            return pause;
          }),
        { call: 'pauses.put' },
      ),
    remove: (id, by, io) =>
      transact(
        connection,
        io,
        (session) =>
          session.run('pauses.remove', async (tx) => {
            await lockCauses(tx);
            const row = tx.tables.pauses.all(tx).find((pause) => pause.id === id);
            if (row === undefined) return null;
            if (!(await tx.remove(tx.tables.pauses, tx.tables.pauses.keyOf(row)))) return null;
            const pause = pauseOf(row);
            await audit(tx, 'resumed', pause, by);
            await hold(tx);
            return pause;
          }),
        { call: 'pauses.remove' },
      ),
    list: (io) =>
      query(connection, io, 'pauses.list', () =>
        inOrder(tables.pauses.all(null)).map((row) => ({
          ...pauseOf(row),
          held: tables.effects
            .all(null)
            .filter(
              (effect) =>
                effect.heldAtMs !== null &&
                effect.doneAtMs === null &&
                isStopped(tables, null, effect, [row]),
            ).length,
        })),
      ),
    circuits: (io) =>
      query(connection, io, 'pauses.circuits', () =>
        tables.circuits
          .all(null)
          .filter(({ untilMs, probe }) => untilMs > connection.server.now() || probe)
          .toSorted((a, b) => byText(a.participant, b.participant))
          .map(circuitFromRow),
      ),
  };
}
