import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { sleep } from '../../src/app/ports/wakeup.ts';
import type { Io } from '../../src/app/ports/io.ts';
import type { MoveStep } from '../../src/domain/cell-move.ts';
import { refusalOf } from '../../src/domain/cell-move.ts';
import type { Party } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import { assert } from '../../src/domain/unreachable.ts';
import {
  beginReading,
  readRows,
  readSequences,
  schemaDigest,
  sumOf,
} from '../../src/store/cells/copy.ts';
import type { TableSum } from '../../src/store/cells/copy.ts';
import { freeze, lockTables, providerTables, thaw } from '../../src/store/cells/freeze.ts';
import type { MoveRow } from '../../src/store/cells/move-row.ts';
import {
  MoveRefusedError,
  findUndecided,
  foreignStreams,
  isLockedOut,
  readMove,
  setState,
  setWords,
  takeStep,
  writeMove,
} from '../../src/store/cells/move-row.ts';
import { createPauses } from '../../src/store/engine/pauses.ts';
import { closePool, openPool } from '../../src/store/sql/pool.ts';
import { MAIN_LIMITS } from '../../src/main/limits.ts';
import { VERSION } from '../../src/main/version.ts';
import type { Acting, Environment } from './acting.ts';
import { CellError, onCell } from './cell.ts';
import { writeCellFile } from './cell-file.ts';

export const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Returns a secret that can be an argument of a command, because it never looks like an option. */
const secret = (): string => randomBytes(24).toString('hex');

const io = (): Io => ({
  signal: new AbortController().signal,
  deadlineMs: MAIN_LIMITS.cellStatementMs,
});

export interface ExportAsk {
  readonly environment: Environment;
  readonly file: string;
  /** The address at which callers find the provider after the move; `null` if callers get no address. */
  readonly address: string | null;
  /** The name of the person who requests the export, for the audit log. */
  readonly by: string;
  /** How long to wait for operations in progress. */
  readonly waitMs: number;
  readonly onProgress: (what: string) => void;
}

/** A step that needs only the database of the cell. */
export interface CellAsk {
  readonly databaseUrl: string;
  /** The name of the person who requests the step, for the audit log. */
  readonly by: string;
}

/** The result of an export. */
export interface Exported {
  readonly provider: string;
  readonly rows: number;
}

/**
 * Pauses the provider, waits until no operation is in progress, freezes the provider and copies it to a file. Each call
 * continues where the last one was interrupted.
 *
 * @throws MoveRefusedError, CellError
 */
export async function exportProvider(ask: ExportAsk): Promise<Exported> {
  // Imported here, because steps that need only the database start in half the time without this module.
  const { actingOf, configOf } = await import('./acting.ts');
  const config = await configOf(ask.environment);
  return exportFrom(config.databaseUrl, await actingOf(config), ask);
}

/** Like {@link exportProvider}, for a caller that already knows for whom the cell acts. */
export async function exportFrom(
  databaseUrl: string,
  acting: Acting,
  ask: Omit<ExportAsk, 'environment'>,
): Promise<Exported> {
  return onCell(databaseUrl, async (client) => {
    const foreign = await foreignStreams(client);
    if (foreign.length > 0) {
      throw new CellError(
        `${foreign.join(', ')} has a different ledger from this query store: see \`tenure doctor\``,
      );
    }
    await begin(client, acting.provider, ask.address);
    await pause(client, databaseUrl, ask.by);
    await drain(client, ask);
    return copy(client, acting.participants, ask);
  });
}

/** The secrets that identify a copy in both cells, and with which the other cell is opened. */
type Words = Pick<MoveRow, 'clearance' | 'clearance_sha256' | 'receipt'>;

/**
 * Values for a provider of whom no copy exists to be identified: before the freeze, and after the provider was given
 * back.
 */
const NO_WORDS: Words = { clearance: null, clearance_sha256: null, receipt: null };

function newWords(): Words {
  const clearance = secret();
  return { clearance, clearance_sha256: sha256Of(clearance), receipt: secret() };
}

async function begin(client: Client, provider: string, address: string | null): Promise<void> {
  await takeStep(client, 'export', async (move) => {
    if (move !== null && move.state !== 'open') {
      if (address !== null) await client.query('update cell_move set address = $1', [address]);
      return;
    }
    await writeMove(client, {
      id: randomUUID(),
      state: 'draining',
      provider,
      address,
      ...NO_WORDS,
    });
  });
}

/**
 * The reason by which both cells recognise the pause of a move. The reason is stored with the pause and found again by
 * its text, also by other versions of Tenure, so the text must not change. If a person changes it, the pause no longer
 * belongs to the move.
 */
const reasonOf = ({ id }: MoveRow): string => `the provider moves to another cell (${id})`;

/** Pauses the provider; if called again, does nothing. An existing pause, which a person has made, is not changed. */
async function pause(client: Client, databaseUrl: string, by: string): Promise<void> {
  const move = await present(client);
  if (move.state !== 'draining') return;
  const { rowCount } = await client.query(
    `select from pause where scope = 'provider' and name = $1`,
    [move.provider],
  );
  if ((rowCount ?? 0) > 0) return;
  await onPauses(databaseUrl, (pauses) =>
    pauses.put(
      {
        scope: 'provider',
        name: move.provider,
        mode: 'drain',
        reason: reasonOf(move),
      },
      { byParty: trusted<Party>(move.provider), bySubject: by },
      io(),
    ),
  );
}

/** Removes the pause of the move, if it still exists. */
export async function resume(databaseUrl: string, move: MoveRow, by: string): Promise<void> {
  await onPauses(databaseUrl, async (pauses) => {
    const ours = (await pauses.list(io())).find(({ reason }) => reason === reasonOf(move));
    if (ours === undefined) return;
    const byWhom = { byParty: trusted<Party>(move.provider), bySubject: by, reason: ours.reason };
    await pauses.remove(ours.id, byWhom, io());
  });
}

async function onPauses<T>(
  url: string,
  work: (pauses: ReturnType<typeof createPauses>) => Promise<T>,
): Promise<T> {
  const { signal } = io();
  const pool = await openPool({
    url,
    max: 1,
    pipelined: true,
    applicationName: 'tenure-cell',
    pinsSchema: true,
    signal,
  });
  try {
    return await work(createPauses(pool));
  } finally {
    await closePool(pool, MAIN_LIMITS.closeMs);
  }
}

const GIVEN_BACK = 'the move was cancelled with `tenure cell give-back`';

async function present(client: Client): Promise<MoveRow> {
  const move = await readMove(client);
  if (move === null) throw new MoveRefusedError(GIVEN_BACK);
  return move;
}

/** Waits until no operation is in progress, and freezes the provider at that moment. */
async function drain(
  client: Client,
  { waitMs, onProgress }: Pick<ExportAsk, 'waitMs' | 'onProgress'>,
): Promise<void> {
  const over = AbortSignal.timeout(waitMs);
  for (;;) {
    const left = await findUndecided(client);
    if (left.count === 0 && (await freezeDrained(client))) return;
    if (over.aborted) {
      const named = left.named.join(', ') || 'the database is busy';
      throw new CellError(
        `operations still running: ${left.count} (${named}). Repeat the command to wait longer, ` +
          'decide the operations in doubt, or cancel the move with `tenure cell give-back`',
      );
    }
    onProgress(`operations still running: ${left.count}`);
    await sleep(MAIN_LIMITS.cellLookMs, over);
  }
}

/**
 * Freezes a drained provider. Each freeze creates new secrets, so that the file of an earlier export cannot be used
 * after the provider was given back.
 *
 * @returns false if an operation has begun since the drain
 */
async function freezeDrained(client: Client): Promise<boolean> {
  try {
    return await takeStep(client, 'export', async (move) => {
      if (move?.state !== 'draining') return true;
      await client.query(`set local lock_timeout = ${MAIN_LIMITS.cellLockMs}`);
      const tables = await providerTables(client);
      await lockTables(client, tables);
      // After this lock no operation can begin.
      if ((await findUndecided(client)).count > 0) return false;
      await freeze(client, tables);
      await setWords(client, newWords());
      await setState(client, 'frozen');
      return true;
    });
  } catch (error) {
    if (isLockedOut(error)) return false;
    throw error;
  }
}

/** Copies the provider in one read-only transaction, so that the copy is consistent. */
async function copy(
  client: Client,
  participants: Acting['participants'],
  { file, onProgress }: Pick<ExportAsk, 'file' | 'onProgress'>,
): Promise<Exported> {
  await beginReading(client);
  const move = await present(client);
  requireFrozen(move);
  const { clearance_sha256: clearanceSha256, receipt } = move;
  assert(clearanceSha256 !== null && receipt !== null, 'a freeze has words');
  const tables: TableSum[] = [];
  const head = {
    version: VERSION,
    schema: await schemaDigest(client),
    moveId: move.id,
    provider: move.provider,
    participants,
    clearanceSha256,
    receipt,
    sequences: await readSequences(client),
    tables,
  };
  for (const table of await providerTables(client)) tables.push(await sumOf(client, table));
  await writeCellFile(file, head, (table) => {
    onProgress(`copied ${table}`);
    return readRows(client, table);
  });
  await client.query('commit');
  await takeStep(client, 'export', async (now) => {
    // A concurrent `give-back` waits until the copy has been read, and may run before this step. A provider that was
    // given back has no receipt.
    if (now?.receipt !== receipt) throw new MoveRefusedError(GIVEN_BACK);
    await setState(client, 'copied');
  });
  return { provider: move.provider, rows: tables.reduce((all, { rows }) => all + Number(rows), 0) };
}

/** Requires a frozen provider, so that no row can change during the copy. @throws MoveRefusedError */
function requireFrozen({ state }: MoveRow): void {
  if (state === 'draining') throw new MoveRefusedError(GIVEN_BACK);
  const refusal = refusalOf('export', state);
  if (refusal !== null) throw new MoveRefusedError(refusal);
}

/** The preview of closing a cell. */
export interface Closing {
  readonly provider: string;
  /** The address to which callers are sent afterwards. */
  readonly address: string | null;
  /** Number of active lifecycles, which a person must confirm. */
  readonly count: number;
}

async function closingOf(client: Client, { provider, address }: MoveRow): Promise<Closing> {
  const { rows } = await client.query<{ count: number }>(
    'select count(*)::int as count from lifecycle where ended_at is null',
  );
  return { provider, address, count: rows[0]?.count ?? 0 };
}

/** Returns the move to which a receipt belongs. @throws MoveRefusedError, CellError */
function moveOfReceipt(move: MoveRow | null, receipt: string): MoveRow {
  if (move === null || move.clearance === null)
    throw new MoveRefusedError('no move of a provider is in progress in this cell');
  if (receipt === move.receipt) return move;
  throw new CellError(
    'the receipt is wrong: use the one that `tenure cell import` printed for this move',
  );
}

/** Returns what would be closed, and closes nothing. @throws MoveRefusedError, CellError */
export const previewSwitch = (
  { databaseUrl }: Pick<CellAsk, 'databaseUrl'>,
  receipt: string,
): Promise<Closing> =>
  onCell(databaseUrl, async (client) =>
    closingOf(client, moveOfReceipt(await readMove(client), receipt)),
  );

/** A person's confirmation that a cell is to be closed. */
export interface SwitchAsk extends CellAsk {
  /** The count that {@link previewSwitch} returned. */
  readonly count: number;
  readonly reason: string;
}

/**
 * Closes this cell for the provider permanently. If called again, it returns the same clearance.
 *
 * @param receipt the secret that the import showed, as proof that the provider has arrived in another cell
 * @returns the clearance with which the other cell is opened
 * @throws MoveRefusedError, CellError
 */
export async function switchProvider(
  { databaseUrl, by, count, reason }: SwitchAsk,
  receipt: string,
): Promise<string> {
  return onCell(databaseUrl, (client) =>
    takeStep(client, 'switch', async (found) => {
      const move = moveOfReceipt(found, receipt);
      if (move.state === 'moved') return move.clearance ?? '';
      const closing = await closingOf(client, move);
      if (closing.count !== count) {
        throw new CellError(
          `this cell has ${closing.count} active lifecycles, not ${count}: nothing was closed`,
        );
      }
      const who = [by, reason];
      await client.query('update cell_move set closed_by = $1, closed_because = $2', who);
      await setState(client, 'moved');
      return move.clearance ?? '';
    }),
  );
}

/** Thaws the provider within a step, so that processes may write its data once the step is committed. */
export async function thawInto(client: Client, state: MoveRow['state']): Promise<void> {
  await client.query(`set local lock_timeout = ${MAIN_LIMITS.cellLockMs}`);
  const tables = await providerTables(client);
  await lockTables(client, tables);
  await thaw(client, tables);
  await setState(client, state);
}

/**
 * Runs a step that may thaw the provider. Running processes may lock the same tables in another order, so the step is
 * repeated after a deadlock with them.
 *
 * @throws MoveRefusedError, CellError
 */
export async function takeThawing<T>(
  client: Client,
  step: MoveStep,
  work: (move: MoveRow | null) => Promise<T>,
): Promise<T> {
  const over = AbortSignal.timeout(MAIN_LIMITS.cellThawMs);
  for (;;) {
    try {
      return await takeStep(client, step, work);
    } catch (error) {
      if (!isLockedOut(error)) throw error;
      if (over.aborted) throw new CellError('the database is busy: repeat the command');
    }
    await sleep(MAIN_LIMITS.cellLookMs, over);
  }
}

/**
 * Takes back a provider that has not been switched. The file is useless afterwards.
 *
 * @throws MoveRefusedError
 */
export async function giveBack({ databaseUrl, by }: CellAsk): Promise<void> {
  await onCell(databaseUrl, async (client) => {
    const move = await takeThawing(client, 'give-back', async (found) => {
      if (found === null)
        throw new MoveRefusedError('no move of a provider is in progress in this cell');
      if (found.state !== 'draining') {
        await thawInto(client, 'draining');
        await setWords(client, NO_WORDS);
      }
      return found;
    });
    await resume(databaseUrl, move, by);
    await takeStep(client, 'give-back', async (found) => {
      if (found?.id === move.id && found.state === 'draining') {
        await client.query('delete from cell_move');
      }
    });
  });
}
