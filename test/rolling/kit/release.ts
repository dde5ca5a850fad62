import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { mkdir, rm, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

/* The last version that was released, as the history of this repository has it. */

const run = promisify(execFile);
const BYTES_MAX = 64 * 1024 * 1024;

const git = async (...words: readonly string[]): Promise<string> =>
  (await run('git', [...words], { maxBuffer: BYTES_MAX })).stdout;

/** By what is kept of each release. */
export function lastVersion(): string {
  const numbers = (version: string) => version.split('.').map(Number);
  const [last] = readdirSync('test/fixtures/releases').toSorted((a, b) => {
    const [left, right] = [numbers(a), numbers(b)];
    const at = left.findIndex((number, index) => number !== right[index]);
    return (right[at] ?? 0) - (left[at] ?? 0);
  });
  return last ?? '';
}

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

const manifestIn = (text: string): Manifest => JSON.parse(text) as Manifest;

/** Where a version was cut: package.json says it, and the changelog has nothing after it. */
async function isCut(commit: string, version: string): Promise<boolean> {
  const [manifest, changelog] = await Promise.all([
    git('show', `${commit}:package.json`),
    git('show', `${commit}:CHANGELOG.md`),
  ]);
  const [first = '', second = ''] = changelog.split(/^## /mu).slice(1);
  const newest = /^Unreleased\s*$/u.test(first) ? second : first;
  return manifestIn(manifest).version === version && newest.startsWith(version);
}

/** The commit of a version; `null` where the history does not reach so far, or there is none. */
async function commitOf(version: string): Promise<string | null> {
  const words = `"version": "${version.replaceAll('.', '\\.')}"`;
  const found = await git('log', `-G${words}`, '--format=%H', '--', 'package.json').catch(() => '');
  for (const commit of found.trim().split('\n').toReversed()) {
    if (commit !== '' && (await isCut(commit, version).catch(() => false))) return commit;
  }
  return null;
}

/** Whether what is installed here is what a version asks for at run time. */
const isServedHere = ({ dependencies }: Manifest): boolean =>
  Object.entries(dependencies).every(([name, version]) => {
    try {
      const installed = readFileSync(join('node_modules', name, 'package.json'), 'utf8');
      return manifestIn(installed).version === version;
    } catch {
      return false;
    }
  });

const INSTALL = ['install', '--no-save', '--ignore-scripts'] as const;

/**
 * Puts the sources of a version into a folder, with what they import: what is installed here where that is the same,
 * else what npm's registry has.
 *
 * @returns false where the history does not have it
 */
export async function checkOut(version: string, folder: string): Promise<boolean> {
  const commit = await commitOf(version);
  if (commit === null) return false;
  await mkdir(folder, { recursive: true });
  const archive = `${folder}.tar`;
  await git('archive', '--format=tar', `--output=${archive}`, commit);
  await run('tar', ['-x', '-f', archive, '-C', folder]);
  await rm(archive);
  const manifest = manifestIn(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (isServedHere(manifest)) await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  // As the Makefile does it: `npm ci` refuses a lock file without entries for other platforms.
  else await run('npm', [...INSTALL, '--no-audit', '--no-fund'], { cwd: folder });
  return true;
}
