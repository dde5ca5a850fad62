import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

/* An imitation of a build of a web application: small, and written by hand. */

export const HTML = `<!doctype html><title>Tenure</title>${'<p>text</p>'.repeat(200)}`;
export const SCRIPT = `export const answer = 42;\n`.repeat(100);
/** Writes the files that `node web/build.ts` would write. */
export async function writeBuild(folder: string): Promise<void> {
  await mkdir(join(folder, 'assets', 'fonts'), { recursive: true });
  const write = (name: string, text: string | Buffer) => writeFile(join(folder, name), text);
  const compressed = async (name: string, text: string) => {
    await write(name, text);
    await write(`${name}.br`, brotliCompressSync(text));
    await write(`${name}.gz`, gzipSync(text));
  };
  await compressed('index.html', HTML);
  await compressed('assets/index-a1B2_c3-.js', SCRIPT);
  await write('assets/style-99ffee.css', 'body{}');
  await write('assets/fonts/text-123456.woff2', 'font');
  await write('theme-init.js', '1;\n');
  await write('icon.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>');
  await write('.built', '');
  await write('assets/.secret', 'hidden');
}

export interface WebFolder extends AsyncDisposable {
  readonly root: string;
}

/** Creates a folder for a build. A file next to it does not belong to the build. */
export async function openWebFolder(): Promise<WebFolder> {
  const parent = await mkdtemp(join(tmpdir(), 'tenure-web-'));
  await writeFile(join(parent, 'outside.txt'), 'outside');
  const root = join(parent, 'dist');
  return {
    root,
    [Symbol.asyncDispose]: () => rm(parent, { recursive: true, force: true }),
  };
}
