import type { Commands } from '../../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import type { CreatedEvent } from '../../../proto/gen/com/daml/ledger/api/v2/event.ts';
import type { ActiveContract } from '../../../proto/gen/com/daml/ledger/api/v2/state_service.ts';
import type { Transaction } from '../../../proto/gen/com/daml/ledger/api/v2/transaction.ts';
import type {
  EventFormat,
  TransactionFormat,
} from '../../../proto/gen/com/daml/ledger/api/v2/transaction_filter.ts';
import type { Identifier } from '../../../proto/gen/com/daml/ledger/api/v2/value.ts';
import type { LedgerClients } from './clients.ts';
import { change, ledgerEnd } from './commands.ts';
import { eventsOf } from './formats.ts';
import { createInstall, createLicenseContract, createRequest, templateName } from './licensing.ts';
import type { Sides } from './licensing.ts';
import { createdIn, readAll } from './streams.ts';

/* First steps that many tests share. All use SubmitAndWaitForTransaction. */

/** Submits and returns the transaction, in the default format unless `format` is given. */
export async function transact(
  clients: LedgerClients,
  commands: Commands,
  transactionFormat?: TransactionFormat,
): Promise<Transaction> {
  const { transaction } = await clients.commands.submitAndWaitForTransaction({
    commands,
    ...(transactionFormat && { transactionFormat }),
  });
  return transaction!;
}

/** Returns the contract of this template that a transaction created. */
export function createdOf(transaction: Transaction, template: Identifier): CreatedEvent {
  const found = createdIn(transaction).find(
    ({ templateId }) => templateName(templateId) === templateName(template),
  );
  if (found === undefined) throw new Error(`no ${templateName(template)} was created`);
  return found;
}

async function createOne(clients: LedgerClients, commands: Commands): Promise<CreatedEvent> {
  const [created] = createdIn(await transact(clients, commands));
  if (created === undefined) throw new Error('nothing was created');
  return created;
}

export const newRequest = (
  clients: LedgerClients,
  sides: Sides,
  entries: Readonly<Record<string, string>> = {},
): Promise<CreatedEvent> =>
  createOne(clients, change(createRequest(sides, entries), { actAs: [sides.user] }));

/** Creates an install. The caller must be allowed to act as both parties. */
export const newInstall = (clients: LedgerClients, sides: Sides): Promise<CreatedEvent> =>
  createOne(clients, change(createInstall(sides), { actAs: [sides.user, sides.provider] }));

/** Creates a licence. The caller must be allowed to act as both parties. */
export const newLicense = (
  clients: LedgerClients,
  sides: Sides,
  expiresAt: bigint,
): Promise<CreatedEvent> =>
  createOne(
    clients,
    change(createLicenseContract(sides, 1n, expiresAt), { actAs: [sides.user, sides.provider] }),
  );

/** Returns all active contracts that the format selects, by default at the ledger end. */
export async function activeContracts(
  clients: LedgerClients,
  eventFormat: EventFormat,
  activeAtOffset?: bigint,
): Promise<ActiveContract[]> {
  const responses = await readAll(
    clients.state.getActiveContracts({
      activeAtOffset: activeAtOffset ?? (await ledgerEnd(clients)),
      eventFormat,
    }),
  );
  return responses.flatMap(({ contractEntry }) =>
    contractEntry?.$case === 'activeContract' ? [contractEntry.value] : [],
  );
}

/** Returns the contract IDs of a party's active contracts. */
export async function activeIds(clients: LedgerClients, party: string): Promise<string[]> {
  const contracts = await activeContracts(clients, eventsOf([party]));
  return contracts.map(({ createdEvent }) => createdEvent!.contractId);
}

/** Returns the wall-clock time in microseconds since the epoch, shifted by `shiftMs`. */
export const nowMicros = (shiftMs = 0): bigint => BigInt(Date.now() + shiftMs) * 1_000n;
