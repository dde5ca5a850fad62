import { fail } from '../src/domain/problems.ts';
import { assert } from '../src/domain/unreachable.ts';
import type { LifecycleDescription, Snapshot } from './machine-kit.ts';

/**
 * Converts a stored snapshot to the version of a description, one version at a time. Refuses a snapshot of a newer
 * version, because this process does not understand it and would overwrite it.
 *
 * @throws ProblemError if the snapshot is newer
 */
export function migrate(
  { kind, version, migrations }: Pick<LifecycleDescription, 'kind' | 'version' | 'migrations'>,
  at: Snapshot,
): Snapshot {
  assert(migrations.length === version - 1, 'every version but the first has a migration to it');
  if (at.machineVersion === version) return at;
  if (at.machineVersion > version) {
    fail(
      'STORED_BY_NEWER',
      `${kind}: stored by version ${at.machineVersion} of its machine; this process knows ${version}`,
    );
  }
  return migrations
    .slice(at.machineVersion - 1)
    .reduce<Snapshot>(
      (was, migration) => ({ ...migration(was), machineVersion: was.machineVersion + 1 }),
      at,
    );
}
