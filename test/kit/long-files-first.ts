import type { TestSequencerConstructor, TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

/**
 * Orders the test files of a run so that the long ones begin first, and no long one runs alone on one core at the end.
 * Without this, vitest orders files by size and projects by name if it has no times of an earlier run, as in CI.
 *
 * @param first parts of the paths of test files, in the order in which these files begin; the others follow in vitest's
 *   order
 */
export function longFilesFirst(first: readonly string[]): TestSequencerConstructor {
  const placeOf = ({ moduleId }: TestSpecification): number => {
    const place = first.findIndex((part) => moduleId.includes(part));
    return place === -1 ? first.length : place;
  };
  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const sorted = await super.sort(files);
      return sorted.toSorted((one, other) => placeOf(one) - placeOf(other));
    }
  };
}
