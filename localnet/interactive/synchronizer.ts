import { LedgerError } from '../ledger/ledger-error.ts';
import { checkSynchronizer } from '../ledger/routing.ts';
import { PROTOCOL_VERSION, logicalIdOf, physicalIdOf } from '../topology/synchronizer.ts';
import { notExecuted } from './refusals.ts';

/**
 * Checks the synchronizer in a prepared transaction. Throws INVALID_FIELD, INVALID_PRESCRIBED_SYNCHRONIZER_ID, and
 * FAILED_TO_EXECUTE_TRANSACTION for an ID without the protocol version.
 */
export function checkPreparedFor(text: string, connected: string): void {
  const logical = logicalIdOf(text);
  if (logical === undefined) {
    throw new LedgerError(
      'INVALID_FIELD',
      `The submitted command has a field with invalid value: Invalid field synchronizer_id: Unable to convert field \`synchronizer_id\`: Unable to parse \`${text.slice(0, 300)}\` as physical synchronizer id`,
      { definiteAnswer: true },
    );
  }
  checkSynchronizer(logical, connected);
  if (text === physicalIdOf(connected)) return;
  throw notExecuted(
    `The selected synchronizer ${physicalIdOf(connected)} is on Protocol Version ${PROTOCOL_VERSION}. Please use a Physical Synchronizer ID in the prepared transaction metadata on PVs > 34`,
  );
}
