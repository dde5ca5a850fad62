import type { PackageRegistry } from './package-registry.ts';
import type { ParticipantPackages } from './packages.ts';
import { selectionFailed } from './routing.ts';
import type { LedgerCommand, Submission } from './submission.ts';

/** The participant on which packages are chosen. */
interface Participant {
  readonly registry: PackageRegistry;
  readonly packages: ParticipantPackages;
  readonly synchronizerId: string;
}

/** The parties of a submission, and its preferred packages. */
export interface Chooser {
  readonly parties: readonly string[];
  /** IDs of preferred packages. */
  readonly preferences: readonly string[];
}

/** The package that was chosen; `id` is undefined if no uploaded package can be used. */
export interface ChosenPackage {
  readonly id: string | undefined;
}

/**
 * Returns the uploaded package for `#name`; none if LocalNet's own is chosen. Candidates are the versions that all
 * hosts of the parties have vetted. Of these, the preferred one is chosen, otherwise the latest. If LocalNet stands for
 * a published package, LocalNet's version is chosen unless another one is preferred.
 *
 * @param at ledger time, microseconds
 */
export function chosenPackage(
  reference: string,
  { parties, preferences }: Chooser,
  { registry, packages }: Participant,
  at: bigint,
): ChosenPackage | undefined {
  if (!reference.startsWith('#')) return undefined;
  const name = reference.slice(1);
  const isPreferred = preferences.some((id) => packages.has(id) && packages.get(id).name === name);
  const native = registry.byName(name);
  if (!isPreferred && native !== undefined && !registry.hasLaterVersion(name)) return undefined;
  const chosen = packages.preferred(name, { parties, preferences, at });
  if (chosen === undefined) return native === undefined ? { id: undefined } : undefined;
  return registry.byId(chosen.id) === undefined ? { id: chosen.id } : undefined;
}

/** Replaces package names in commands by package IDs. Throws PACKAGE_SELECTION_FAILED. */
export function withChosenPackages(
  submission: Submission,
  participant: Participant,
  at: bigint,
): readonly LedgerCommand[] {
  const { commands, actAs, packageIdSelectionPreference: preferences, synchronizerId } = submission;
  const chooser = { parties: actAs, preferences };
  const none = new Set<string>();
  const chosen = commands.map((command) => {
    const { templateId } = command;
    const found = chosenPackage(templateId.packageId, chooser, participant, at);
    if (found === undefined) return command;
    const { id: packageId } = found;
    if (packageId !== undefined) return { ...command, templateId: { ...templateId, packageId } };
    none.add(templateId.packageId.slice(1));
    return command;
  });
  if (none.size === 0) return chosen;
  throw selectionFailed([...none], synchronizerId, participant.synchronizerId);
}
