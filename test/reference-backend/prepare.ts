import { spawnSync } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { BUILT_IN_PACKAGES } from '../../localnet/ledger/licensing/package.ts';
import { bindings } from './bindings.ts';

/*
 * Builds the reference's backend for Node from its unchanged files. The packages that it imports are put next to these
 * files: dependencies from npm's registry, and packages that a code generator would make from the licensing DAR.
 */

/**
 * The version of `@daml/types` that is used. The one that the reference's backend requires is not published, so this is
 * the version before it.
 */
const DAML_TYPES = '3.4.10';

/** The package of the DAR itself, and those packages that it exposes to programs. */
const WANTED = [
  'splice-api-token-metadata-v1',
  'splice-api-token-holding-v1',
  'splice-api-token-allocation-v1',
  'splice-api-token-allocation-request-v1',
  'quickstart-licensing',
];

function run(folder: string, environment: NodeJS.ProcessEnv, command: string, ...args: string[]) {
  const { status, error } = spawnSync(command, args, {
    cwd: folder,
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  if (status !== 0) throw error ?? new Error(`${command} ${args.join(' ')} ended with ${status}`);
}

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** Returns the backend's dependencies, without those that are generated. */
function dependenciesOf({ dependencies, devDependencies }: Manifest): Record<string, string> {
  const published = Object.entries({ ...dependencies, ...devDependencies }).filter(
    ([name]) => !name.startsWith('@daml.js/'),
  );
  return { ...Object.fromEntries(published), '@daml/types': DAML_TYPES };
}

async function prepare(quickstart: string, folder: string): Promise<void> {
  const source = join(quickstart, 'backend-js');
  const backend = join(folder, 'backend-js');
  await rm(backend, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const built = new Set(['node_modules', 'dist', 'generated']);
  await cp(source, backend, { recursive: true, filter: (path) => !built.has(basename(path)) });

  const manifest = JSON.parse(await readFile(join(backend, 'package.json'), 'utf8')) as Manifest;
  const dependencies = dependenciesOf(manifest);
  const own = { name: 'tenure-reference-backend', private: true, dependencies };
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(own, null, 2)}\n`);
  run(folder, {}, 'npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund');
  for (const [path, text] of bindings(BUILT_IN_PACKAGES, WANTED)) {
    const file = join(folder, 'node_modules', path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  const vendored = join(quickstart, 'backend/src/main/resources/vendored');
  run(backend, { VENDORED_DIR: vendored }, 'npm', 'run', 'build');
}

const [quickstart, folder] = process.argv.slice(2);
if (quickstart === undefined || quickstart === '' || folder === undefined) {
  throw new Error(
    'usage: node prepare.ts <folder quickstart of its pull request 347> <folder to build in>',
  );
}
await prepare(resolve(quickstart), resolve(folder));
