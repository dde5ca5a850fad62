import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { longFilesFirst } from './test/kit/long-files-first.ts';
import { PATIENCE_MS } from './test/kit/patience.ts';

const project = (name: string, extra: object = {}) => ({
  test: { name, include: [`test/${name}/**/*.test.ts`], ...extra },
});

/** One PostgreSQL server for the whole run, started when one of these projects takes part. */
const withPostgres = { globalSetup: ['test/kit/postgres-setup.ts'] };

const COUNTS = 'test/e2e/operation-counts.test.ts';

/** A whole Tenure of its own serves the built web application to a browser. */
const withBuild = { globalSetup: ['test/kit/postgres-setup.ts', 'test/web/kit/build.ts'] };

/** Projects answer different questions: see docs/ARCHITECTURE.md, "Tests". */
export default defineConfig({
  test: {
    reporters: ['default'],
    // Longer than anything that a test waits for, so that it says what did not come.
    testTimeout: 3 * PATIENCE_MS,
    hookTimeout: 3 * PATIENCE_MS,
    expect: { poll: { timeout: PATIENCE_MS } },
    // Vitest leaves a core free for itself, which is half of a small machine; most tests wait for other processes.
    maxWorkers: availableParallelism() + 1,
    // Nearly all modules are the same for all files: loading them for each anew takes a third of the unit tests' time.
    isolate: false,
    sequence: { sequencer: longFilesFirst(['/test/web/', '/test/e2e/']) },
    projects: [
      project('tidy'),
      project('unit'),
      project('model'),
      project('sim'),
      project('contract'),
      project('integration', withPostgres),
      project('e2e', { ...withPostgres, exclude: [...configDefaults.exclude, COUNTS] }),
      // After all others and alone: beside them, an operation falls into more transactions.
      project('counts', { include: [COUNTS], sequence: { groupOrder: 1 } }),
      project('web', withBuild),
    ],
  },
});
