import { userInfo } from 'node:os';
import { CELL_ANNOTATION } from '../../src/domain/cell.ts';
import { standOf } from '../../src/domain/cell-move.ts';
import { importProvider, moveOf, openProvider } from '../cells/arrive.ts';
import { exportProvider, giveBack, previewSwitch, switchProvider } from '../cells/leave.ts';
import { processEnvironment } from '../../src/main/config.ts';
import { CommandError, EXIT } from '../exit.ts';
import { databaseAddress } from '../database-address.ts';
import { harmless, jsonText } from '../output.ts';
import { progressLine } from '../progress.ts';

export interface ExportFlags {
  readonly out: string;
  readonly address?: string;
  /** The longest wait for operations in progress, in seconds. */
  readonly wait?: string;
}

const WAIT_S = 600;

function waitMsOf(text: string | undefined): number {
  const seconds = text === undefined ? WAIT_S : Number(text);
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= 86_400) return seconds * 1_000;
  throw new Error(`--wait ${String(text).slice(0, 20)} is not a number of seconds from 1 to 86400`);
}

/** Pauses, drains and freezes the provider of this cell, and copies it to a file. */
export async function exportCell(flags: ExportFlags): Promise<void> {
  const shown = progressLine({});
  try {
    const { provider, rows } = await exportProvider({
      environment: processEnvironment(),
      file: flags.out,
      address: flags.address ?? null,
      by: userInfo().username,
      waitMs: waitMsOf(flags.wait),
      onProgress: shown.tell,
    });
    shown.clear();
    console.log(
      [
        `${harmless(provider)} is frozen in this cell; ${harmless(flags.out)} contains its ${rows} rows, including secrets of webhooks.`,
        `Next, in the new cell: tenure cell import ${harmless(flags.out)}`,
        'To cancel the move: tenure cell give-back',
      ].join('\n'),
    );
  } finally {
    shown.clear();
  }
}

/**
 * Returns a signal that is aborted when this process is told to end, so that the step in progress is undone. Disposing
 * it removes the signal handlers.
 */
function stopping(): { readonly signal: AbortSignal } & Disposable {
  const over = new AbortController();
  const stop = (): void => over.abort(new Error('interrupted'));
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  const letGo = (): void => {
    process.removeListener('SIGINT', stop);
    process.removeListener('SIGTERM', stop);
  };
  return { signal: over.signal, [Symbol.dispose]: letGo };
}

/** Copies a provider from a file into this cell, and compares it with the ledger. */
export async function importCell(file: string): Promise<void> {
  using stop = stopping();
  const { signal } = stop;
  const shown = progressLine({});
  try {
    const { provider, receipt, findings } = await importProvider({
      environment: processEnvironment(),
      file,
      signal,
      onProgress: shown.tell,
    });
    shown.clear();
    if (receipt === null) {
      for (const { what, todo } of findings) console.log(harmless(`- ${what} ${todo ?? ''}`));
      throw new Error('the provider was imported, but its data does not agree with the ledger');
    }
    console.log(
      [
        `${harmless(provider)} is imported and agrees with the ledger. This cell writes nothing for the provider until it is opened.`,
        `Next, in the old cell: tenure cell switch ${receipt}`,
      ].join('\n'),
    );
  } finally {
    shown.clear();
  }
}

const asked = async () => ({ databaseUrl: await databaseAddress(), by: userInfo().username });

export interface SwitchFlags {
  readonly confirm?: number;
  readonly reason?: string;
}

/** Closes this cell for the provider permanently. Without a confirmation, only shows what would be closed. */
export async function switchCell(receipt: string, { confirm, reason }: SwitchFlags): Promise<void> {
  const ask = await asked();
  if (confirm === undefined || reason === undefined) {
    const { provider, address, count } = await previewSwitch(ask, receipt);
    const where = address === null ? 'an error without a new address' : `the address ${address}`;
    console.log(
      harmless(
        `This closes the cell for ${provider} permanently: the cell has ${count} active lifecycles, and callers get ${where}.`,
      ),
    );
    const again = `tenure cell switch ${receipt} --confirm ${count} --reason …`;
    throw new CommandError(EXIT.refused, `nothing was closed. To close the cell: ${again}`);
  }
  const clearance = await switchProvider({ ...ask, count: confirm, reason }, receipt);
  console.log(
    [
      'This cell is closed for the provider.',
      `Next, in the new cell: tenure cell open ${clearance}`,
    ].join('\n'),
  );
}

/** Opens the provider in this cell. */
export async function openCell(clearance: string): Promise<void> {
  await openProvider(await asked(), clearance);
  console.log('The provider is open in this cell. Start the processes of this cell.');
}

/** Takes back a provider that has not been switched. */
export async function giveCellBack(): Promise<void> {
  await giveBack(await asked());
  console.log(
    'The move is cancelled, and the provider continues in this cell. Exported files can no longer be used.',
  );
}

export interface ClaimFlags {
  /** The names of the other cells that own the ledger users now. */
  readonly confirm?: readonly string[];
}

/** Assigns the ledger users to this cell. */
export async function claimCellLedgerUsers({ confirm = [] }: ClaimFlags): Promise<void> {
  using stop = stopping();
  const { signal } = stop;
  const environment = processEnvironment();
  const { claimLedgerUsers } = await import('../cells/claim.ts');
  const { createLog } = await import('../../src/main/log.ts');
  const { withParts } = await import('../../embedded/parts.ts');
  const { cell, users } = await withParts(
    { environment, signal, log: createLog('error') },
    (config) => claimLedgerUsers(config, signal, confirm),
  );
  console.log(`This is cell ${cell}.`);
  for (const { participant, ledgerUser, isAnnotated, annotation } of users) {
    const who = `ledger user ${ledgerUser} of participant ${participant}`;
    if (isAnnotated) console.log(harmless(`- ${who} is annotated as its own`));
    else {
      const need = annotation === null ? 'can' : 'has to';
      console.log(
        harmless(
          `- an administrator ${need} set the annotation ${CELL_ANNOTATION} of ${who} to ${cell}`,
        ),
      );
    }
  }
}

/** Shows the state of the provider's move in this cell. */
export async function cellStatus(flags: { readonly json?: boolean }): Promise<void> {
  const move = await moveOf(await databaseAddress());
  const state = move?.state ?? null;
  if (flags.json === true) {
    const told = { state, id: move?.id ?? null, provider: move?.provider ?? null };
    console.log(jsonText({ ...told, since: move?.state_at ?? null }));
    return;
  }
  const since = move === null ? '' : `, since ${move.state_at}`;
  console.log(harmless(`${standOf(state)}${since}`));
}
