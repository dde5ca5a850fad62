import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** A module for the child process that makes its timers fire only when the child process asks for it. */
const TIMERS = `data:text/javascript,
  globalThis.timers = [];
  globalThis.setTimeout = (fire) => (timers.push(fire), { unref() {} });`;

const LOADED = `
  import { readdirSync } from 'node:fs';
  await import(process.argv[1]);
  for (const fire of timers) fire();
  let kept = [];
  try { kept = readdirSync(process.argv[2], { recursive: true, withFileTypes: true }).filter((of) => of.isFile()); } catch {}
  console.log(kept.length);
  process.exit();`;

test('what Node has compiled is written when a process ends, and blocks none before', async () => {
  const root = await mkdtemp(join(tmpdir(), 'tenure-compile-cache-'));
  try {
    await mkdir(join(root, 'src/main'), { recursive: true });
    const copy = join(root, 'src/main/compile-cache.mjs');
    await copyFile(new URL('../../src/main/compile-cache.mjs', import.meta.url), copy);
    const cache = join(root, 'node_modules/.cache/tenure');
    const loaded = new URL('../../src/domain/limits.ts', import.meta.url).href;
    const options = ['--import', TIMERS, '--import', copy, '--input-type=module', '--eval', LOADED];
    const args = [...options, loaded, cache];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    expect(stdout.trim()).toBe('0');
    const kept = await readdir(cache, { recursive: true, withFileTypes: true });
    expect(kept.filter((of) => of.isFile()).length).toBeGreaterThan(0);
  } finally {
    await rm(root, { recursive: true });
  }
});
