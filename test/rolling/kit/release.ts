import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { mkdir, rm, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

/* Checks out the last released version, which is found in the history of this repository. */

const run = promisify(execFile);
const BYTES_MAX = 64 * 1024 * 1024;

const git = async (...words: readonly string[]): Promise<string> =>
  (await run('git', [...words], { maxBuffer: BYTES_MAX })).stdout;

/** Returns the last version, according to the recorded releases. */
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

/**
 * Returns whether a version was released at a commit: package.json names the version, and the changelog has no later
 * entry.
 */
async function isCut(commit: string, version: string): Promise<boolean> {
  const [manifest, changelog] = await Promise.all([
    git('show', `${commit}:package.json`),
    git('show', `${commit}:CHANGELOG.md`),
  ]);
  const [first = '', second = ''] = changelog.split(/^## /mu).slice(1);
  const newest = /^Unreleased\s*$/u.test(first) ? second : first;
  return manifestIn(manifest).version === version && newest.startsWith(version);
}

/** Returns the commit of a version; `null` if the history does not go back far enough, or has no such version. */
async function commitOf(version: string): Promise<string | null> {
  const words = `"version": "${version.replaceAll('.', '\\.')}"`;
  const found = await git('log', `-G${words}`, '--format=%H', '--', 'package.json').catch(() => '');
  for (const commit of found.trim().split('\n').toReversed()) {
    if (commit !== '' && (await isCut(commit, version).catch(() => false))) return commit;
  }
  return null;
}

/** Returns whether the packages that are installed here are those that a version needs at run time. */
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
 * Puts the sources of a version into a folder, together with their dependencies. These are the packages that are
 * installed here if they are the same, otherwise packages from npm's registry.
 *
 * @returns false if the history does not contain the version
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
  // The Makefile does the same. `npm ci` is not used, because it refuses a lock file that has no entries for other
  // platforms.
  else await run('npm', [...INSTALL, '--no-audit', '--no-fund'], { cwd: folder });
  return true;
}
