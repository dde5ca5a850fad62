import { defineConfig } from 'vitest/config';
import { PATIENCE_MS } from './test/kit/patience.ts';

/**
 * `make test-containers`: suites that only use their servers, on PostgreSQL and Valkey in containers instead of those
 * that tests bring along. Suites that take their server down, or look into its folder, stay with their own.
 */
export default defineConfig({
  test: {
    reporters: ['default'],
    testTimeout: 3 * PATIENCE_MS,
    hookTimeout: 3 * PATIENCE_MS,
    expect: { poll: { timeout: PATIENCE_MS } },
    maxWorkers: 2,
    isolate: false,
    projects: [
      {
        extends: true,
        test: {
          name: 'servers',
          include: [
            'test/integration/store*.test.ts',
            'test/integration/migrations.test.ts',
            'test/integration/queue.test.ts',
            'test/e2e/lifecycle.test.ts',
            'test/e2e/renewals.test.ts',
            'test/e2e/tenants.test.ts',
            'test/e2e/policies.test.ts',
          ],
          globalSetup: ['test/containers/servers.ts', 'test/kit/postgres-setup.ts'],
        },
      },
      { extends: true, test: { name: 'compose', include: ['test/containers/*.test.ts'] } },
    ],
  },
});
