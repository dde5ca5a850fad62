import type { ParticipantName } from '../ports.ts';
import { LedgerError } from './ledger-error.ts';
import { informeesOf, nodesOf } from './transaction-tree.ts';
import type { TransactionTree } from './transaction-tree.ts';

type Hosts = ReadonlyMap<string, ReadonlySet<ParticipantName>>;

const partyResources = (parties: readonly string[]) => [
  { type: 'PARTIES', name: parties.join(',') },
];

/** INVALID_PRESCRIBED_SYNCHRONIZER_ID when the caller wants another synchronizer than the one there is. */
export function checkSynchronizer(prescribed: string, connected: string): void {
  if (prescribed === '' || prescribed === connected) return;
  throw new LedgerError(
    'INVALID_PRESCRIBED_SYNCHRONIZER_ID',
    `The prescribed synchronizer id ${prescribed} is not connected to this participant`,
    { resources: [{ type: 'SYNCHRONIZER_ID', name: prescribed }] },
  );
}

/** UNKNOWN_SUBMITTERS for parties that nobody hosts. */
export function checkKnownSubmitters(actAs: readonly string[], hosts: Hosts): void {
  const unknown = actAs.filter((party) => !hosts.has(party));
  if (unknown.length > 0) {
    throw new LedgerError(
      'UNKNOWN_SUBMITTERS',
      `This participant has not yet been told about submitters ${unknown.join(', ')}`,
      { resources: partyResources(unknown) },
    );
  }
}

/**
 * The same, and NO_SYNCHRONIZER_… for those of other participants, and for external ones, whom no participant may
 * submit for.
 */
export function checkSubmitters(
  actAs: readonly string[],
  participant: ParticipantName,
  hosts: Hosts,
  external: ReadonlyMap<string, unknown>,
): void {
  checkKnownSubmitters(actAs, hosts);
  const foreign = actAs.filter(
    (party) => hosts.get(party)?.has(participant) !== true || external.has(party),
  );
  if (foreign.length === 0) return;
  throw new LedgerError(
    'NO_SYNCHRONIZER_ON_WHICH_ALL_SUBMITTERS_CAN_SUBMIT',
    `This participant cannot submit as the given submitters on any connected synchronizer: ${foreign.join(', ')}`,
    { resources: partyResources(foreign) },
  );
}

/** UNKNOWN_INFORMEES when the transaction concerns a party that nobody hosts. */
export function checkInformees(tree: TransactionTree, hosts: Hosts): void {
  const unknown = new Set<string>();
  for (const node of nodesOf(tree.roots)) {
    for (const party of informeesOf(node)) if (!hosts.has(party)) unknown.add(party);
  }
  if (unknown.size === 0) return;
  throw unknownInformees([...unknown].sort());
}

export const unknownInformees = (parties: readonly string[]): LedgerError =>
  new LedgerError(
    'UNKNOWN_INFORMEES',
    `The participant is connected to synchronizers where the following informees are not known: ${parties.join(', ')}`,
    { resources: partyResources(parties) },
  );
