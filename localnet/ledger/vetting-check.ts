import type { ParticipantName } from '../ports.ts';
import type { LedgerError } from './ledger-error.ts';
import type { LedgerState } from './ledger-state.ts';
import type { PackageRegistry } from './package-registry.ts';
import { selectionFailed } from './routing.ts';
import type { Submission } from './submission.ts';
import { nodesOf, witnessesOf } from './transaction-tree.ts';
import type { TransactionTree } from './transaction-tree.ts';

/** The inputs of a vetting check. */
interface Vetted {
  readonly state: LedgerState;
  readonly registry: PackageRegistry;
  readonly synchronizerId: string;
  /** Ledger time in microseconds. */
  readonly at: bigint;
}

/**
 * Checks vetting: every participant that takes part in a transaction must have vetted the packages that it sees, and
 * the submitting participant must also have vetted those that the commands name. Throws PACKAGE_SELECTION_FAILED or
 * INVALID_PRESCRIBED_SYNCHRONIZER_ID.
 */
export function requireVetted(
  submission: Submission,
  tree: TransactionTree,
  participant: ParticipantName,
  { state, registry, synchronizerId, at }: Vetted,
): void {
  // In the usual case there is nothing to check, because vetting was never changed and nothing was uploaded.
  const isUntouched = state.names.every((name) => state.participants[name].vetting.isUntouched);
  if (isUntouched && state.uploadedBytes === 0) return;
  const unvetted = new Set<string>();
  const look = (name: ParticipantName, packageId: string, packageName: string) => {
    const isThere = state.packages.get(packageId)?.uploaded?.participants.has(name) !== false;
    const { vetting } = state.participants[name];
    if (!isThere || !vetting.isVetted(packageId, at)) unvetted.add(packageName);
  };
  for (const { templateId } of submission.commands) {
    const { packageId } = templateId;
    const name = packageId.startsWith('#') ? packageId.slice(1) : undefined;
    // A package name was resolved to a vetted version before. So only LocalNet's own version has to be checked, and
    // only if there is no other.
    const native =
      name === undefined || registry.hasLaterVersion(name) ? undefined : registry.byName(name);
    if (native !== undefined) look(participant, native.id, native.name);
    const found = name === undefined ? registry.find(templateId)?.definition : undefined;
    if (found !== undefined) look(participant, packageId, found.name.packageName);
  }
  const witnesses = witnessesOf(tree.roots);
  for (const { nodeId, contract } of nodesOf(tree.roots)) {
    for (const party of witnesses.get(nodeId) ?? []) {
      for (const host of state.hosts.get(party) ?? []) {
        look(host, contract.packageId, contract.template.name.packageName);
      }
    }
  }
  if (unvetted.size > 0) throw refusal(submission, unvetted, synchronizerId);
}

const refusal = (
  { synchronizerId: prescribed }: Submission,
  unvetted: ReadonlySet<string>,
  synchronizerId: string,
): LedgerError => selectionFailed([...unvetted], prescribed, synchronizerId);
