import type { Command } from '../../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import type { Transaction } from '../../../proto/gen/com/daml/ledger/api/v2/transaction.ts';
import type { LedgerClients } from './clients.ts';
import { change, ledgerEnd } from './commands.ts';
import {
  accept,
  archive,
  createLicense,
  createRequest,
  INSTALL,
  REQUEST,
  createAndCancel,
} from './licensing.ts';
import type { Sides } from './licensing.ts';
import { createdOf, transact } from './steps.ts';

/**
 * Makes a short history of requests: one is accepted and gets two licences, one is cancelled, and one is created and
 * archived in the same transaction.
 */
export async function makeHistory(
  ledger: LedgerClients,
  sides: Sides,
): Promise<{ begin: bigint; end: bigint; all: Transaction[] }> {
  const asUser = (command: Command) => transact(ledger, change(command, { actAs: [sides.user] }));
  const asProvider = (command: Command) =>
    transact(ledger, change(command, { actAs: [sides.provider] }));
  const begin = await ledgerEnd(ledger);
  const requested = await asUser(createRequest(sides));
  const cancelled = await asUser(createRequest(sides));
  const accepted = await asProvider(accept(createdOf(requested, REQUEST).contractId));
  const archived = await asUser(archive(REQUEST, createdOf(cancelled, REQUEST).contractId));
  const first = await asProvider(createLicense(createdOf(accepted, INSTALL).contractId));
  const second = await asProvider(createLicense(createdOf(first, INSTALL).contractId));
  const gone = await asUser(createAndCancel(sides));
  const end = await ledgerEnd(ledger);
  return { begin, end, all: [requested, cancelled, accepted, archived, first, second, gone] };
}
