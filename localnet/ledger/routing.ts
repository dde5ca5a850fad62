import type { ParticipantName } from '../ports.ts';
import type { DisclosedContracts } from './disclosed-contracts.ts';
import { LedgerError } from './ledger-error.ts';
import type { PackageRegistry } from './package-registry.ts';
import { preprocessingFailed } from './lf-values.ts';
import type { Packages } from './participant.ts';
import { invalidArgument } from './submission-checks.ts';
import type { Submission } from './submission.ts';
import { informeesOf, nodesOf } from './transaction-tree.ts';
import type { TransactionTree } from './transaction-tree.ts';

type Hosts = ReadonlyMap<string, ReadonlySet<ParticipantName>>;

const partyResources = (parties: readonly string[]) => [
  { type: 'PARTIES', name: parties.join(',') },
];

/** Throws INVALID_PRESCRIBED_SYNCHRONIZER_ID if the caller names a synchronizer that is not the connected one. */
export function checkSynchronizer(prescribed: string, connected: string): void {
  if (prescribed === '' || prescribed === connected) return;
  throw notSubmittableTo(prescribed, 'Discarded synchronizers: ');
}

/**
 * Checks the synchronizers that were stated for the disclosed contracts that were used: they must be equal to each
 * other, to the one that the caller prescribes, and to the connected one.
 *
 * @throws LedgerError DISCLOSED_CONTRACTS_SYNCHRONIZER_ID_MISMATCH, PRESCRIBED_SYNCHRONIZER_ID_MISMATCH, or
 *   INVALID_PRESCRIBED_SYNCHRONIZER_ID
 */
export function checkDisclosedSynchronizers(
  prescribed: string,
  { synchronizers }: DisclosedContracts,
  connected: string,
): void {
  const [first = ''] = synchronizers;
  if (synchronizers.length > 1) {
    throw new LedgerError(
      'DISCLOSED_CONTRACTS_SYNCHRONIZER_ID_MISMATCH',
      `Some disclosed contracts that were used during command interpretation have differing synchronizer ids: ${synchronizers.join(', ')}`,
    );
  }
  if (first !== '' && prescribed !== '' && first !== prescribed) {
    throw new LedgerError(
      'PRESCRIBED_SYNCHRONIZER_ID_MISMATCH',
      `The target synchronizer=${first} inferred from disclosed contracts mismatches the \`synchronizer_id\` specified in the command=${prescribed}`,
    );
  }
  checkSynchronizer(first, connected);
}

const notSubmittableTo = (prescribed: string, reason: string) =>
  new LedgerError(
    'INVALID_PRESCRIBED_SYNCHRONIZER_ID',
    `Cannot submit transaction to prescribed synchronizer \`${prescribed}\` because: ${reason}`,
    { resources: [{ type: 'SYNCHRONIZER_ID', name: prescribed }] },
  );

/** Throws INVALID_ARGUMENT if a preferred package is unknown, or if two packages of one name are preferred. */
export function checkPreferences(packageIds: readonly string[], packages: Packages): void {
  const preferred = new Map<string, string>();
  for (const packageId of packageIds) {
    if (!packages.has(packageId)) {
      throw invalidArgument(`user-specified pkg id (${packageId}) could not be found`);
    }
    const { name } = packages.get(packageId);
    const other = preferred.get(name);
    if (other !== undefined) {
      throw invalidArgument(
        `duplicate preference for package-name ${name}: ${other} vs ${packageId}`,
      );
    }
    preferred.set(name, packageId);
  }
}

/**
 * Checks, before interpretation, the packages that the commands themselves name. Throws PACKAGE_SELECTION_FAILED, or
 * INVALID_PRESCRIBED_SYNCHRONIZER_ID if the caller has named the synchronizer.
 */
export function checkRootPackages(
  { commands, prefetchedKeys, synchronizerId: prescribed }: Submission,
  registry: PackageRegistry,
  synchronizerId: string,
): void {
  const unknown = new Set<string>();
  for (const { templateId } of commands) {
    const { packageId } = templateId;
    if (packageId.startsWith('#') && !registry.isKnown(packageId)) unknown.add(packageId.slice(1));
  }
  if (unknown.size > 0) throw selectionFailed([...unknown], prescribed, synchronizerId);
  for (const { templateId, key } of prefetchedKeys) {
    const definition = registry.find(templateId)?.definition;
    const type = definition?.kind === 'template' ? definition.key?.type : undefined;
    if (type === undefined) {
      const { packageId, module, entity } = templateId;
      throw preprocessingFailed(
        `Template of prefetched contract key does not define a key: ${packageId}:${module}:${entity}`,
      );
    }
    key(type);
  }
}

export function selectionFailed(
  names: readonly string[],
  prescribed: string,
  synchronizerId: string,
): LedgerError {
  const reason = `Discarded synchronizers: \n\t${synchronizerId}: Unable to find some package-names used in command root nodes: Set(${names.join(', ')}). Either these packages are not known on this participant or they are not vetted by the required informee participants. Please upload and vet the missing packages to proceed.`;
  if (prescribed === '') {
    return new LedgerError(
      'PACKAGE_SELECTION_FAILED',
      `No synchronizers satisfy the topology requirements for the submitted command: ${reason}`,
    );
  }
  return notSubmittableTo(prescribed, reason);
}

/** Throws UNKNOWN_SUBMITTERS if one of the parties has no host. */
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
 * Like {@link checkKnownSubmitters}, but also throws NO_SYNCHRONIZER_… for parties that only other participants host,
 * and for external parties, for which no participant may submit.
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

/** Throws UNKNOWN_INFORMEES if the transaction concerns a party that has no host. */
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
