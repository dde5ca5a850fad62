import { createHash } from 'node:crypto';
import { LedgerError } from './ledger-error.ts';
import type { LedgerState } from './ledger-state.ts';
import type { KnownPackage, Packages } from './participant.ts';
import type { PackageDefinition } from './package-definition.ts';
import type { PackageRegistry } from './package-registry.ts';

const ZIP_MAGIC = Buffer.from('PK\u0003\u0004', 'latin1');

const invalidDar = (text: string) => new LedgerError('INVALID_DAR', `Dar file is corrupt: ${text}`);

/**
 * Packages of the network. What can run here was written in TypeScript, so an upload can bring nothing new: an archive
 * of a package that is known is a success, and a real DAR is refused in a way that says so.
 */
export class NetworkPackages implements Packages {
  readonly #registry: PackageRegistry;
  readonly #state: LedgerState;

  constructor(registry: PackageRegistry, state: LedgerState) {
    this.#registry = registry;
    this.#state = state;
  }

  list(): readonly KnownPackage[] {
    return [...this.#state.packages.keys()].flatMap((packageId) => {
      const known = this.#find(packageId);
      return known === undefined ? [] : [known];
    });
  }

  get(packageId: string): KnownPackage {
    const known = this.#find(packageId);
    if (known !== undefined) return known;
    throw new LedgerError('PACKAGE_NOT_FOUND', `Could not find package ${packageId}.`, {
      resources: [{ type: 'PACKAGE', name: packageId }],
    });
  }

  has(packageId: string): boolean {
    return this.#find(packageId) !== undefined;
  }

  #find(packageId: string): KnownPackage | undefined {
    const entry = this.#state.packages.get(packageId);
    const definition = this.#registry.byId(packageId);
    if (entry === undefined || definition === undefined) return undefined;
    return { definition: { ...definition, id: packageId }, knownSince: entry.knownSince };
  }

  validateDar(dar: Uint8Array): PackageDefinition {
    if (dar.length === 0) throw invalidDar('it is empty');
    const bytes = Buffer.from(dar);
    if (bytes.subarray(0, ZIP_MAGIC.length).equals(ZIP_MAGIC)) {
      throw new LedgerError(
        'DAR_PARSE_ERROR',
        'Failed to parse the dar file content: LocalNet runs the packages that are built into it and cannot read the Daml-LF of others.',
      );
    }
    const hash = createHash('sha256').update(bytes).digest('hex');
    const known = this.#registry.packages.find(
      ({ archive }) => createHash('sha256').update(archive).digest('hex') === hash,
    );
    if (known === undefined)
      throw invalidDar('it is neither a zip file nor an archive of LocalNet');
    return known;
  }

  uploadDar(dar: Uint8Array): PackageDefinition {
    return this.validateDar(dar);
  }
}
