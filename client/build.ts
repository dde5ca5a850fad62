import { execFileSync } from 'node:child_process';
import { cp, readFile, readdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { build } from 'vite';

/* Builds the package `tenure-client` in a folder, ready for `npm pack`: one module without imports, and its types. */

const CLIENT = import.meta.dirname;
const ROOT = dirname(CLIENT);
/** Syntax that Node 20 and browsers of the same age support. */
const TARGET = 'es2022';

async function bundle(outDir: string): Promise<void> {
  await build({
    configFile: false,
    root: CLIENT,
    logLevel: 'warn',
    build: {
      target: TARGET,
      outDir,
      emptyOutDir: true,
      minify: false,
      reportCompressedSize: false,
      lib: { entry: join(CLIENT, 'index.ts'), formats: ['es'], fileName: () => 'index.js' },
    },
  });
}

async function declare(outDir: string): Promise<void> {
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const args = ['--project', join(CLIENT, 'tsconfig.types.json'), '--outDir', outDir];
  execFileSync(process.execPath, [tsc, ...args], { cwd: ROOT, stdio: 'inherit' });
  for (const file of await readdir(outDir)) {
    if (!file.endsWith('.d.ts')) continue;
    const text = await readFile(join(outDir, file), 'utf8');
    await writeFile(join(outDir, file), text.replaceAll(/(from '\.[^']*)\.ts'/gu, "$1.js'"));
  }
}

/** Builds the client package into `out`, which must be an empty folder. */
export async function buildClient(out: string): Promise<void> {
  const dist = join(out, 'dist');
  await bundle(dist);
  await declare(dist);
  await cp(join(CLIENT, 'package.json'), join(out, 'package.json'));
  for (const file of ['LICENSE', 'NOTICE']) await cp(join(ROOT, file), join(out, file));
  // Links to other documents become plain text, because the package does not contain those documents.
  const manual = await readFile(join(ROOT, 'docs/CLIENT.md'), 'utf8');
  const readme = manual.replaceAll(/\[([^\]]+)\]\((?!https?:|#)[^)]*\)/gu, '$1');
  await writeFile(join(out, 'README.md'), readme);
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) throw new Error('usage: node client/build.ts <empty folder>');
  await buildClient(resolve(folder));
}
