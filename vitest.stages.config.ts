import { defineConfig } from 'vitest/config';
import { longFilesFirst } from './test/kit/long-files-first.ts';
import { PATIENCE_MS } from './test/kit/patience.ts';

/** Suites that take minutes. Each one is a stage of CI and a project: `make pages`, `make test-chaos`. */
export default defineConfig({
  test: {
    reporters: ['default'],
    testTimeout: 3 * PATIENCE_MS,
    hookTimeout: 3 * PATIENCE_MS,
    expect: { poll: { timeout: PATIENCE_MS } },
    maxWorkers: 2,
    isolate: false,
    sequence: {
      sequencer: longFilesFirst(['/every-page.', '/click-everything.', '/every-page-by-name.']),
    },
    projects: [
      {
        extends: true,
        test: {
          // Every page for every role, and every answer and fault that one may meet.
          name: 'pages',
          include: ['test/pages/**/*.test.ts'],
          globalSetup: ['test/kit/postgres-setup.ts', 'test/web/kit/build.ts'],
        },
      },
      { extends: true, test: { name: 'chaos', include: ['test/chaos/**/*.test.ts'] } },
      { extends: true, test: { name: 'chaos-ha', include: ['test/chaos-ha/**/*.test.ts'] } },
      { extends: true, test: { name: 'cluster', include: ['test/cluster/**/*.test.ts'] } },
      { extends: true, test: { name: 'rolling', include: ['test/rolling/**/*.test.ts'] } },
      { extends: true, test: { name: 'standby', include: ['test/standby/**/*.test.ts'] } },
      {
        extends: true,
        test: {
          name: 'hostile',
          include: ['test/hostile/**/*.test.ts'],
          globalSetup: ['test/kit/postgres-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          // Needs npm's registry: `make test-clients`.
          name: 'clients',
          include: ['test/clients/**/*.test.ts'],
          globalSetup: ['test/kit/postgres-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          // Needs the reference's files and npm's registry: `make test-reference-backend`.
          name: 'reference-backend',
          include: ['test/reference-backend/**/*.test.ts'],
          globalSetup: ['test/kit/postgres-setup.ts'],
        },
      },
    ],
  },
});
