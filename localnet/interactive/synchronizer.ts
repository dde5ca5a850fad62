import { LedgerError } from '../ledger/ledger-error.ts';
import { checkSynchronizer } from '../ledger/routing.ts';
import { notExecuted } from './refusals.ts';

/** What LocalNet's synchronizer speaks, and how often it has been replaced by a successor. */
const PROTOCOL_VERSION = 35;
const SERIAL = 0;
const UID = /^[A-Za-z0-9\-_ ]{1,185}::[A-Za-z0-9\-_ ]{1,68}$/;

/** A synchronizer's ID with its protocol version, which is what external parties sign for. */
export const physicalIdOf = (synchronizerId: string): string =>
  `${synchronizerId}::${PROTOCOL_VERSION}-${SERIAL}`;

/** The synchronizer alone, whether its ID came with or without the protocol version; `undefined`: it is no ID. */
export function logicalIdOf(text: string): string | undefined {
  const elements = text.split('::');
  const logical = elements.slice(0, 2).join('::');
  if (!UID.test(logical)) return undefined;
  if (elements.length === 2) return logical;
  return elements.length === 3 && /^\d{1,5}-\d{1,9}$/.test(elements[2] ?? '') ? logical : undefined;
}

/**
 * Checks the synchronizer that a prepared transaction names. INVALID_FIELD, INVALID_PRESCRIBED_SYNCHRONIZER_ID,
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
