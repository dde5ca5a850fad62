import { defineConfig } from 'vitest/config';
import { PATIENCE_MS } from './test/kit/patience.ts';

/** Every page for every role, and every answer and fault that one may meet, in a stage of its own: `make pages`. */
export default defineConfig({
  test: {
    name: 'pages',
    include: ['test/pages/**/*.test.ts'],
    reporters: ['default'],
    testTimeout: 3 * PATIENCE_MS,
    hookTimeout: 3 * PATIENCE_MS,
    expect: { poll: { timeout: PATIENCE_MS } },
    maxWorkers: 2,
    isolate: false,
    globalSetup: ['test/kit/postgres-setup.ts', 'test/web/kit/build.ts'],
  },
});
