import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, matchesGlob, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/*
 * The stage of the container image that builds the web application. Its files and its command are tested without a
 * container engine.
 */

const run = promisify(execFile);

/** The lines of the stage `web` in the Dockerfile. */
const [, stage = ''] =
  /^FROM \S+ AS web\n([^]*?)(?=^FROM )/mu.exec(readFileSync('Dockerfile', 'utf8')) ?? [];

const PATTERNS = readFileSync('.dockerignore', 'utf8').split('\n').filter(Boolean);

/**
 * Returns whether the ignore file excludes a path from the build. The last pattern that matches the path or one of its
 * parent folders decides.
 */
function isIgnored(path: string): boolean {
  const last = PATTERNS.findLast((pattern) => {
    const glob = pattern.replace(/^!/u, '');
    return matchesGlob(path, glob) || matchesGlob(path, `${glob}/**`);
  });
  return last !== undefined && !last.startsWith('!');
}

test('the stage of the image has all that the build of the pages reads', async () => {
  const app = await mkdtemp(join(tmpdir(), 'tenure-stage-'));
  try {
    const copies = [...stage.matchAll(/^COPY (?!--)(.+) (\S+)$/gmu)];
    expect(copies.length).toBeGreaterThanOrEqual(2);
    for (const [, sources = '', to = ''] of copies) {
      for (const source of sources.split(' ')) {
        const target = join(app, to.endsWith('/') ? join(to, source) : to);
        await mkdir(dirname(target), { recursive: true });
        await cp(source, target, { recursive: true, filter: (path) => !isIgnored(path) });
      }
    }
    const [, command = ''] = /^RUN node (\S+)$/mu.exec(stage) ?? [];
    await symlink(resolve('node_modules'), join(app, 'node_modules'));
    await run(process.execPath, [command], { cwd: app });
    expect(await readdir(join(app, 'web/dist'))).toContain('index.html');
  } finally {
    await rm(app, { recursive: true, force: true });
  }
});

test('`make start` builds again after a change of whatever the build reads, and only then', async () => {
  const shown = 'show: ; @echo $(WEB_SOURCES)';
  const { stdout } = await run('make', ['--no-print-directory', '--eval', shown, 'show']);
  const names = stdout.trim().split(/\s+/u);
  const [, phony = ''] = /^\.PHONY:((?:.*\\\n)*.*)$/mu.exec(readFileSync('Makefile', 'utf8')) ?? [];
  // A folder with the name of a target would count as changed each time.
  expect(phony.split(/[\s\\]+/u).filter((target) => names.includes(target))).toEqual([]);
  expect(phony).toContain('client');
  const sources = new Set(names.map((name) => name.replace(/\/$/u, '')));
  const copied = [...stage.matchAll(/^COPY (?!--)(.+) \S+$/gmu)]
    .flatMap(([, names = '']) => names.split(' '))
    .filter((name) => !/^(?:package.*\.json|\.npmrc)$/u.test(name));
  expect(copied.length).toBeGreaterThanOrEqual(2);
  expect(copied.filter((name) => !sources.has(name))).toEqual([]);
});
