import { readdir, readFile, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'vite';

/* Builds the web application into `web/dist`, and puts a compressed copy next to each text file for the server. */

const TEXTS = new Set(['.js', '.css', '.html', '.svg', '.json', '.webmanifest']);
/** A shorter text fits into one packet without compression. */
const WORTHWHILE_BYTES = 1_024;

const [asBrotli, asGzip] = [promisify(brotliCompress), promisify(gzip)];

async function compress(file: string): Promise<void> {
  const text = await readFile(file);
  if (text.length < WORTHWHILE_BYTES) return;
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  await Promise.all([
    asBrotli(text, { params }).then((small) => writeFile(`${file}.br`, small)),
    asGzip(text, { level: constants.Z_BEST_COMPRESSION }).then((small) =>
      writeFile(`${file}.gz`, small),
    ),
  ]);
}

// When a test runs the build, its environment would otherwise select the larger development build.
process.env['NODE_ENV'] = 'production';
const outDir = process.argv[2] ?? join(import.meta.dirname, 'dist');
await build({
  configFile: join(import.meta.dirname, 'vite.config.ts'),
  logLevel: 'warn',
  build: { outDir, emptyOutDir: true },
});
const entries = await readdir(outDir, { recursive: true, withFileTypes: true });
const texts = entries.filter((entry) => entry.isFile() && TEXTS.has(extname(entry.name)));
await Promise.all(texts.map((entry) => compress(join(entry.parentPath, entry.name))));
