import type { PackageRegistry } from './package-registry.ts';
import type { ParticipantPackages } from './packages.ts';
import { selectionFailed } from './routing.ts';
import type { LedgerCommand, Submission } from './submission.ts';

/** Where packages are chosen. */
interface Participant {
  readonly registry: PackageRegistry;
  readonly packages: ParticipantPackages;
  readonly synchronizerId: string;
}

/** The parties that choose a package, and their preferences. */
export interface Chooser {
  readonly parties: readonly string[];
  /** IDs of packages. */
  readonly preferences: readonly string[];
}

/** An uploaded package; without an ID there is none that could be used. */
export interface ChosenPackage {
  readonly id: string | undefined;
}

/**
 * The uploaded package that `#name` means, if LocalNet's own is not meant: the preferred version, or the latest one, of
 * those that all who host the parties have vetted. A published package that LocalNet stands for means LocalNet's
 * version unless another one is preferred.
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

/** Commands with the IDs of the packages that their names mean. PACKAGE_SELECTION_FAILED. */
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
