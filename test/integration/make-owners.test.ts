import { execFile } from 'node:child_process';
import {
  chmod,
  chown,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';

/*
 * Runs of `make` as root, in a project and with a data folder that belong to another user. Only root can run these
 * tests.
 */

const run = promisify(execFile);
const MAKEFILE = fileURLToPath(new URL('../../Makefile', import.meta.url));
const SOMEBODY = 12_345;
/** A script that takes the place of npm. Files that it writes belong to root. */
const NPM = '#!/bin/sh\nmkdir -p node_modules/some && echo "" > node_modules/some/index.js\n';

async function openProject() {
  const folder = await mkdtemp(join(tmpdir(), 'tenure-make-'));
  const data = join(folder, 'data');
  const bin = join(folder, 'bin');
  await Promise.all([mkdir(data), mkdir(bin)]);
  await copyFile(MAKEFILE, join(folder, 'Makefile'));
  for (const name of ['package.json', 'package-lock.json'])
    await writeFile(join(folder, name), '{}');
  await writeFile(join(bin, 'npm'), NPM);
  await chmod(join(bin, 'npm'), 0o755);
  await chown(folder, SOMEBODY, SOMEBODY);
  return {
    data,
    make: (target: string) =>
      run('make', [target, `TENURE_DATA_DIR=${data}`], {
        cwd: folder,
        env: { PATH: `${bin}:${process.env['PATH'] ?? ''}` },
      }),
    installed: async () => {
      const all = await readdir(folder, { recursive: true });
      const ours = all.filter((name) => name.startsWith('node_modules'));
      return Promise.all(ours.map(async (name) => (await stat(join(folder, name))).uid));
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

describe.skipIf(process.getuid?.() !== 0)('make, as root', () => {
  test.for(['start', 'restart'])(
    '%s refuses the data folder of another user before it installs',
    async (target) => {
      await using project = await openProject();
      await chown(project.data, SOMEBODY, SOMEBODY);
      await expect(project.make(target)).rejects.toMatchObject({
        stderr: expect.stringContaining(`${project.data} belongs to user ${SOMEBODY}`),
      });
      expect(await project.installed()).toEqual([]);
      expect(await readdir(project.data)).toEqual([]);
    },
  );

  test('what is installed belongs to whom the project does', async () => {
    await using project = await openProject();
    await project.make('install');
    const owners = await project.installed();
    expect(owners.length).toBeGreaterThan(3);
    expect(new Set(owners)).toEqual(new Set([SOMEBODY]));
  });
});
