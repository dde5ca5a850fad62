import { execFileSync } from 'node:child_process';
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { build } from 'vite';
import type { Plugin } from 'vite';

/*
 * Builds the package `tenure-localnet` in a folder, ready for `npm pack`: one bundle of LocalNet and this folder, the
 * public types, the files that LocalNet serves, and the protos of the Ledger API.
 */

const KIT = import.meta.dirname;
export const ROOT = dirname(KIT);
/** The oldest version of Node on which the package runs. */
const TARGET = 'node20';
/** The compiler imports this helper for `await using`, which the target does not support. */
const LOWERED_USING = '@oxc-project/runtime/helpers/usingCtx';
const COMPAT = join(KIT, 'compat.ts');
/** Files that are read while the network runs, with their paths in this repository. */
const READ = ['localnet/wallet-page', 'proto/gen/ledger-api.binpb'];
/** Files for people, with their paths in this repository. */
const DOCUMENTS = ['LICENSE', 'NOTICE', 'docs/LOCALNET.md', 'examples/licence-desk'];

/** Makes modules that read files next to them work with their original paths, although they are bundled. */
const keepPlaces: Plugin = {
  name: 'keep-places',
  transform: (code, id) => {
    if (!id.startsWith(ROOT) || !code.includes('import.meta.url')) return null;
    const place = JSON.stringify(`./${relative(ROOT, id)}`);
    return code.replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`);
  },
};

const lowerUsing: Plugin = {
  name: 'lower-using',
  resolveId: (id) => (id === LOWERED_USING ? `\0${id}` : null),
  load: (id) =>
    id === `\0${LOWERED_USING}` ? `export { usingScope as default } from '${COMPAT}';` : null,
};

async function bundle(outDir: string): Promise<ReadonlySet<string>> {
  const imported = new Set<string>();
  await build({
    configFile: false,
    root: KIT,
    logLevel: 'warn',
    plugins: [keepPlaces, lowerUsing],
    build: {
      ssr: true,
      target: TARGET,
      outDir,
      emptyOutDir: true,
      minify: false,
      rolldownOptions: {
        input: { index: join(KIT, 'index.ts'), bin: join(KIT, 'bin.ts') },
        transform: {
          inject: {
            AsyncDisposableStack: [COMPAT, 'CompatStack'],
            'Promise.withResolvers': [COMPAT, 'withResolvers'],
            'Map.groupBy': [COMPAT, 'groupBy'],
            'JSON.rawJSON': [COMPAT, 'rawJson'],
          },
        },
        external: (id) => {
          if (/^[./\0]/u.test(id) || id === LOWERED_USING) return false;
          imported.add(packageOf(id));
          return true;
        },
        output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name].js' },
      },
    },
  });
  return imported;
}

const packageOf = (id: string): string =>
  id
    .split('/')
    .slice(0, id.startsWith('@') ? 2 : 1)
    .join('/');

/** The folder with the types of the package's entry point. */
const TYPES = 'types';
const ENTRY_TYPES = `import type { StartLocalnet } from './${TYPES}/kit/api.js';
export type * from './${TYPES}/kit/api.js';
/** See {@link StartLocalnet}. */
export declare const startLocalnet: StartLocalnet;
/** Folder of the Ledger API's protos, \`com/daml/ledger/api/v2/…\`, for clients that load them while they run. */
export declare const protoFolder: string;
`;

/** Writes the declarations of api.ts and its few imports. */
async function declare(outDir: string): Promise<void> {
  const outTypes = join(outDir, TYPES);
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const args = ['--project', join(KIT, 'tsconfig.types.json'), '--outDir', outTypes];
  execFileSync(process.execPath, [tsc, ...args], { cwd: ROOT, stdio: 'inherit' });
  for (const file of await readdir(outTypes, { recursive: true })) {
    if (!file.endsWith('.d.ts')) continue;
    const text = await readFile(join(outTypes, file), 'utf8');
    await writeFile(join(outTypes, file), text.replaceAll(/(from '\.[^']*)\.ts'/gu, "$1.js'"));
  }
  await writeFile(join(outDir, 'index.d.ts'), ENTRY_TYPES);
}

/**
 * Checks that the imported packages are exactly the dependencies, in the versions with which the project itself runs.
 */
async function checkDependencies(imported: ReadonlySet<string>): Promise<void> {
  const read = async (file: string) =>
    JSON.parse(await readFile(file, 'utf8')) as {
      readonly dependencies: Readonly<Record<string, string>>;
    };
  const { dependencies } = await read(join(KIT, 'package.json'));
  const own = new Set(builtinModules);
  const wanted = [...imported].filter((name) => !name.startsWith('node:') && !own.has(name));
  const wrong = [
    ...wanted.filter((name) => !(name in dependencies)).map((name) => `${name} is not listed`),
    ...Object.keys(dependencies)
      .filter((name) => !imported.has(name))
      .map((name) => `${name} is listed and not imported`),
  ];
  if (wrong.length > 0) throw new Error(`kit/package.json: ${wrong.join(', ')}`);
}

/** Builds the package in an empty folder. */
export async function buildPackage(out: string): Promise<void> {
  const dist = join(out, 'dist');
  await checkDependencies(await bundle(dist));
  await declare(dist);
  for (const place of READ) await cp(join(ROOT, place), join(dist, place), { recursive: true });
  await rm(join(dist, 'localnet/wallet-page/tsconfig.json'));
  await copyProtos(dist);
  for (const place of DOCUMENTS) await copyTracked(place, out);
  await cp(join(KIT, 'package.json'), join(out, 'package.json'));
  const readme = await readFile(join(KIT, 'README.md'), 'utf8');
  await writeFile(join(out, 'README.md'), readme.replaceAll('](../', ']('));
}

/**
 * Copies the tracked files of a folder, or one file. Untracked files next to them, such as installed packages, are
 * omitted.
 */
async function copyTracked(place: string, out: string): Promise<void> {
  const listed = execFileSync(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard', '-z', '--', place],
    { cwd: ROOT, encoding: 'utf8' },
  );
  for (const file of listed.split('\0')) {
    if (file === '') continue;
    await cp(join(ROOT, file), join(out, file));
    if (!file.endsWith('.md')) continue;
    // In the package, the manual is in the root folder.
    const text = await readFile(join(ROOT, file), 'utf8');
    await writeFile(join(out, file), text.replaceAll('/kit/README.md', '/README.md'));
  }
}

async function copyProtos(dist: string): Promise<void> {
  const from = join(ROOT, 'proto');
  for (const file of await readdir(from, { recursive: true })) {
    if (file.endsWith('.proto')) await cp(join(from, file), join(dist, 'proto', file));
  }
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) throw new Error('usage: node kit/build.ts <empty folder>');
  await buildPackage(resolve(folder));
}
