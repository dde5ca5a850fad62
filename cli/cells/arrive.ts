import { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import type { Client } from 'pg';

import type { Finding } from '../../src/doctor/findings.ts';
import {
  addRows,
  makeRoom,
  schemaDigest,
  setSequences,
  setText,
  sumOf,
} from '../../src/store/cells/copy.ts';
import type { TableSum } from '../../src/store/cells/copy.ts';
import { freeze, lockTables, providerTables } from '../../src/store/cells/freeze.ts';
import {
  MoveRefusedError,
  readMove,
  setState,
  takeStep,
  writeMove,
} from '../../src/store/cells/move-row.ts';
import { migrate } from '../../src/store/sql/migrate.ts';
import type { Acting, Environment } from './acting.ts';
import { CellError, onCell } from './cell.ts';
import type { CellFileHead, CellParticipant, OpenedCellFile } from './cell-file.ts';
import { openCellFile } from './cell-file.ts';
import type { CellAsk } from './leave.ts';
import { resume, sha256Of, takeThawing, thawInto } from './leave.ts';

export interface ImportAsk {
  readonly environment: Environment;
  readonly file: string;
  readonly signal: AbortSignal;
  readonly onProgress: (what: string) => void;
}

/** The result of an import. */
export interface Imported {
  readonly provider: string;
  /** The secret with which the old cell is closed; `null` if the ledger does not agree with the copy. */
  readonly receipt: string | null;
  /** Differences between the copy and the ledger. If there are any, the cell cannot be opened. */
  readonly findings: readonly Finding[];
}

/**
 * Copies a provider from a file into this cell, in one transaction, and then compares the copy with the ledger. The
 * copied data stays frozen until the cell is opened. If called again, it only compares.
 *
 * @throws MoveRefusedError, CellError, CellFileError
 */
export async function importProvider(ask: ImportAsk): Promise<Imported> {
  const { actingOf, configOf } = await import('./acting.ts');
  const config = await configOf(ask.environment);
  const opened = await openCellFile(ask.file);
  const { head } = opened;
  refuseOthers(head, await actingOf(config));
  await migrate({ url: config.databaseUrl, signal: ask.signal });
  await onCell(config.databaseUrl, (client) => load(client, opened, ask));
  const findings = await disagreements(ask);
  if (findings.length > 0) return { provider: head.provider, receipt: null, findings };
  await onCell(config.databaseUrl, (client) =>
    takeStep(client, 'import', async (move) => {
      if (move?.id === head.moveId && move.state === 'arrived') await setState(client, 'checked');
    }),
  );
  return { provider: head.provider, receipt: head.receipt, findings };
}

const named = ({ name, ledgerUser }: CellParticipant): string => `${ledgerUser} on ${name}`;

/**
 * Requires that this cell acts for the file's provider and as the same ledger users. A participant deduplicates
 * commands by user and party, so a command that another user sends again under the same ID would take effect a second
 * time.
 */
export function refuseOthers(
  head: Pick<CellFileHead, 'provider' | 'participants'>,
  acting: Acting,
): void {
  if (head.provider !== acting.provider) {
    throw new CellError(
      `the file contains provider ${head.provider}, but this cell acts as ${acting.provider}`,
    );
  }
  const ours = new Set(acting.participants.map(named));
  const missing = head.participants.map(named).filter((each) => !ours.has(each));
  if (missing.length > 0) {
    throw new CellError(
      `this cell is not ${missing.join(', nor ')}, as whom the provider's commands were sent`,
    );
  }
}

/**
 * Copies the rows of a file into the database of this cell, and freezes the copied data. If called again, it does
 * nothing.
 *
 * @throws MoveRefusedError, CellError, CellFileError
 */
export async function load(
  client: Client,
  { head, nextRows }: OpenedCellFile,
  { signal, onProgress }: Pick<ImportAsk, 'signal' | 'onProgress'>,
): Promise<void> {
  await takeStep(client, 'import', async (move) => {
    if (move?.id === head.moveId && move.receipt === head.receipt) return;
    if (move !== null) {
      const what = move.id === head.moveId ? 'another copy of the same move' : 'another move';
      throw new MoveRefusedError(`this cell has already imported ${what}`);
    }
    const schema = await schemaDigest(client);
    if (schema !== head.schema) {
      const theirs = head.schema.split(':', 1)[0];
      throw new CellError(
        `the file has migration ${theirs} of version ${head.version}, but this cell has migration ` +
          `${schema.split(':', 1)[0]}: use the same version of Tenure in both cells`,
      );
    }
    const tables = await providerTables(client);
    await lockTables(client, tables);
    const taken = await makeRoom(client, tables);
    if (taken.length > 0) {
      throw new CellError(`the database must be empty, but it has rows in ${taken.join(', ')}`);
    }
    await setText(client);
    for (const [at, table] of tables.entries()) {
      await addRows(client, table, Readable.from(nextRows()), signal);
      refuseOther(await sumOf(client, table), head.tables[at]);
      onProgress(`imported ${table}`);
    }
    await setSequences(client, head.sequences);
    await writeMove(client, {
      id: head.moveId,
      state: 'arrived',
      provider: head.provider,
      address: null,
      clearance: null,
      clearance_sha256: head.clearanceSha256,
      receipt: head.receipt,
    });
    await freeze(client, tables);
  });
}

function refuseOther(ours: TableSum, theirs: TableSum | undefined): void {
  if (isDeepStrictEqual(ours, theirs)) return;
  throw new CellError(
    `${ours.table} has ${ours.rows} rows here and ${theirs?.rows ?? 0} in the other cell, or the contents differ`,
  );
}

/** The doctor's areas that are checked after an import. Its other areas concern processes, which do not run yet. */
const LOOKED_AT: readonly Finding['area'][] = ['configuration', 'database', 'ledger', 'invariants'];

async function disagreements({ environment, signal, onProgress }: ImportAsk): Promise<Finding[]> {
  const findings: Finding[] = [];
  const { examine } = await import('../../src/main/doctor.ts');
  await examine({
    environment,
    replay: true,
    deep: true,
    onFinding: (finding) => findings.push(finding),
    onProgress: (what, count) => onProgress(`comparing ${what}: ${count}`),
    signal,
  });
  return findings.filter(
    ({ area, level }) =>
      (LOOKED_AT.includes(area) && level === 'wrong') ||
      (area === 'invariants' && level === 'unseen'),
  );
}

/**
 * Opens the provider in this cell. If called again, it changes nothing.
 *
 * @param clearance the secret that the old cell showed when it was closed
 * @throws MoveRefusedError, CellError
 */
export async function openProvider({ databaseUrl, by }: CellAsk, clearance: string): Promise<void> {
  await onCell(databaseUrl, async (client) => {
    const move = await takeThawing(client, 'open', async (found) => {
      if (found === null)
        throw new MoveRefusedError('no move of a provider is in progress in this cell');
      if (sha256Of(clearance) !== found.clearance_sha256) {
        throw new CellError(
          'the clearance is wrong: use the one that `tenure cell switch` printed for this move',
        );
      }
      if (found.state !== 'open') await thawInto(client, 'open');
      return found;
    });
    await resume(databaseUrl, move, by);
  });
}

/** Returns the stored state of the move in this cell; `null` if there was no move. */
export async function moveOf(databaseUrl: string): Promise<Awaited<ReturnType<typeof readMove>>> {
  return onCell(databaseUrl, (client) => readMove(client));
}
