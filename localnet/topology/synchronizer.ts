import { isUniqueIdentifier } from '../ledger/identifiers.ts';

/** What LocalNet's synchronizer speaks, and how often it has been replaced by a successor. */
export const PROTOCOL_VERSION = 35;
const SERIAL = 0;

/** A synchronizer's ID with its protocol version, which is what external parties sign for. */
export const physicalIdOf = (synchronizerId: string): string =>
  `${synchronizerId}::${PROTOCOL_VERSION}-${SERIAL}`;

/** The synchronizer alone, whether its ID came with or without the protocol version; `undefined`: it is no ID. */
export function logicalIdOf(text: string): string | undefined {
  const elements = text.split('::');
  const logical = elements.slice(0, 2).join('::');
  if (!isUniqueIdentifier(logical)) return undefined;
  if (elements.length === 2) return logical;
  return elements.length === 3 && /^\d{1,5}-\d{1,9}$/.test(elements[2] ?? '') ? logical : undefined;
}
