import { isUniqueIdentifier } from '../ledger/identifiers.ts';

/** The protocol version and the serial number of LocalNet's synchronizer. */
export const PROTOCOL_VERSION = 35;
const SERIAL = 0;

/** Returns a synchronizer's ID with its protocol version, which external parties sign. */
export const physicalIdOf = (synchronizerId: string): string =>
  `${synchronizerId}::${PROTOCOL_VERSION}-${SERIAL}`;

/** Returns a synchronizer's ID without the protocol version; `undefined` for an invalid ID. */
export function logicalIdOf(text: string): string | undefined {
  const elements = text.split('::');
  const logical = elements.slice(0, 2).join('::');
  if (!isUniqueIdentifier(logical)) return undefined;
  if (elements.length === 2) return logical;
  return elements.length === 3 && /^\d{1,5}-\d{1,9}$/.test(elements[2] ?? '') ? logical : undefined;
}
