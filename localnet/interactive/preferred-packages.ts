import type {
  GetPreferredPackageVersionRequest,
  GetPreferredPackageVersionResponse,
  GetPreferredPackagesRequest,
  GetPreferredPackagesResponse,
  PackageVettingRequirement,
} from '../../proto/gen/com/daml/ledger/api/v2/interactive/interactive_submission_service.ts';
import type { PackageReference } from '../../proto/gen/com/daml/ledger/api/v2/package_reference.ts';
import { microsOf } from '../messages/times.ts';
import { LedgerError } from '../ledger/ledger-error.ts';
import { isPackageName, isParty } from '../ledger/lf-values.ts';
import type { ParticipantNode } from '../ledger/participant-node.ts';
import { checkSynchronizer, unknownInformees } from '../ledger/routing.ts';
import { invalidField, missingField } from '../ledger/submission-checks.ts';
import { logicalIdOf } from '../topology/synchronizer.ts';

type Preferred =
  | { readonly references: PackageReference[] }
  /** Why no versions suit all parties. */
  | { readonly reason: string };

/** Finds package versions that all parties concerned can use. */
export class PreferredPackages {
  readonly #participant: ParticipantNode;

  constructor(participant: ParticipantNode) {
    this.#participant = participant;
  }

  /**
   * Returns a version of each package that all parties can use. Throws NO_PREFERRED_PACKAGES_FOUND,
   * PACKAGE_NAMES_NOT_FOUND, UNKNOWN_INFORMEES, INVALID_FIELD.
   */
  packages(request: GetPreferredPackagesRequest): GetPreferredPackagesResponse {
    const found = this.#find(request);
    if ('references' in found) {
      const { synchronizerId } = this.#participant;
      return { packageReferences: found.references, synchronizerId };
    }
    throw new LedgerError(
      'NO_PREFERRED_PACKAGES_FOUND',
      `Failed to compute package preferences. Reason: ${found.reason}`,
    );
  }

  /**
   * Like {@link packages}, but for one package. If no version is suitable for all parties, the answer contains no
   * preference.
   */
  version(request: GetPreferredPackageVersionRequest): GetPreferredPackageVersionResponse {
    const { parties, packageName, synchronizerId, vettingValidAt } = request;
    const found = this.#find({
      packageVettingRequirements: [{ parties, packageName }],
      synchronizerId,
      vettingValidAt,
    });
    if (!('references' in found)) return { packagePreference: undefined };
    const [packageReference] = found.references;
    const preference = { packageReference, synchronizerId: this.#participant.synchronizerId };
    return { packagePreference: preference };
  }

  #find(request: GetPreferredPackagesRequest): Preferred {
    const { packageVettingRequirements: requirements, synchronizerId, vettingValidAt } = request;
    if (requirements.length === 0) {
      throw missingField('package_vetting_requirements/packageVettingRequirements');
    }
    for (const requirement of requirements) checkRequirement(requirement);
    if (synchronizerId !== '' && logicalIdOf(synchronizerId) !== synchronizerId) {
      throw invalidField(
        'synchronizer_id/synchronizerId',
        `Invalid unique identifier \`${synchronizerId.slice(0, 300)}\` with missing namespace.`,
      );
    }
    this.#requireKnownNames(requirements.map(({ packageName }) => packageName));
    checkSynchronizer(synchronizerId, this.#participant.synchronizerId);
    const { hosts } = this.#participant.state;
    const unknown = new Set(
      requirements.flatMap(({ parties }) => parties).filter((party) => !hosts.has(party)),
    );
    if (unknown.size > 0) throw unknownInformees([...unknown]);
    const at =
      vettingValidAt === undefined ? this.#participant.nowMicros() : microsOf(vettingValidAt);
    const byName = new Map<string, Set<string>>();
    for (const { packageName, parties } of requirements) {
      byName.set(packageName, new Set([...(byName.get(packageName) ?? []), ...parties]));
    }
    const references: PackageReference[] = [];
    for (const [packageName, parties] of byName) {
      const best = this.#bestFor(packageName, [...parties], at);
      if (best === undefined) {
        return {
          reason: `No synchronizer satisfies the vetting requirements. Discarded synchronizers: ${this.#participant.synchronizerId}: no package with package-name '${packageName}' is vetted by all hosting participants of ${[...parties].join(', ')}`,
        };
      }
      references.push(best);
    }
    return { references };
  }

  #requireKnownNames(names: readonly string[]): void {
    const known = new Set(this.#participant.packages.list().map(({ name }) => name));
    const unknown = [...new Set(names)].filter((name) => !known.has(name));
    if (unknown.length === 0) return;
    throw new LedgerError(
      'PACKAGE_NAMES_NOT_FOUND',
      `The following package names do not match upgradable packages uploaded on this participant: [${unknown.join(', ')}].`,
      { resources: unknown.map((name) => ({ type: 'PACKAGE_NAME', name })) },
    );
  }

  /** Returns the highest version that every host of every party has vetted. */
  #bestFor(
    packageName: string,
    parties: readonly string[],
    at: bigint,
  ): PackageReference | undefined {
    const best = this.#participant.packages.preferred(packageName, { parties, at });
    if (best === undefined) return undefined;
    return { packageId: best.id, packageName: best.name, packageVersion: best.version };
  }
}

function checkRequirement({ packageName, parties }: PackageVettingRequirement): void {
  if (packageName === '') throw missingField('package_name/packageName');
  if (!isPackageName(packageName)) {
    throw invalidField(
      'package_name/packageName',
      `non expected character in '${packageName.slice(0, 100)}'`,
    );
  }
  if (parties.length === 0) throw missingField('parties');
  for (const party of parties) {
    if (!isParty(party)) throw invalidField('parties', `'${party.slice(0, 100)}' is not a party`);
  }
}
