import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve as resolvePath } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as lf from '../../localnet/lf/build/code.ts';
import { lfPackage } from '../../localnet/lf/build/package.ts';
import * as types from '../../localnet/lf/build/types.ts';
import { LIBRARY, scriptCode } from '../kit/script-library.ts';
import { darOf } from './kit/dar.ts';

/* Daml Script from the command line. */

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenure-scripts-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const library = lfPackage(LIBRARY);
const { of, script, done, ask, make } = scriptCode(library.id);
const scriptOf = (result: types.Type) => types.app(of('Script'), result);
const ok = {
  type: scriptOf(types.unit),
  body: script(done(lf.call('TRACE', lf.text('seen'), lf.unitValue))),
};
const failing = { type: scriptOf(types.unit), body: script(lf.fail('not today')) };
const echo = {
  type: types.arrow(types.text, scriptOf(types.text)),
  body: lf.lambda(['input'], script(done(lf.variable('input')))),
};
const party = {
  type: scriptOf(types.party),
  body: script(
    ask(
      'AllocateParty',
      { requestedName: lf.text('Alice'), idHint: lf.text(''), participant: lf.none },
      'alice',
      done(lf.variable('alice')),
    ),
  ),
};

type Definitions = Readonly<Record<string, typeof ok>>;

async function darWith(name: string, definitions: Definitions): Promise<string> {
  const main = lfPackage({ name, version: '1.0.0', modules: { Main: { definitions } } });
  const path = join(folder, `${name}.dar`);
  await writeFile(path, darOf([main, library]));
  return path;
}

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const tenure = (...args: readonly string[]): Promise<Ended> =>
  new Promise((resolve) => {
    execFile(resolvePath('cli/tenure'), ['localnet', ...args], (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });

test('every script without input is run, and a failure ends with exit code 1', async () => {
  const path = await darWith('mixed', { ok, failing, echo, party });
  const { code, stdout, stderr } = await tenure('test', path);
  expect({ code, lines: stdout.trimEnd().split('\n') }).toEqual({
    code: 1,
    lines: [
      'Main:failing: failed',
      '  INTERPRETATION_USER_ERROR: Interpretation error: Error: User abort: not today',
      'Main:ok: ok, 0 active contracts, 0 transactions.',
      'Main:party: ok, 0 active contracts, 0 transactions.',
      '',
      '2 of 3 scripts are ok.',
    ],
  });
  expect(stderr).toBe('[DEBUG] seen\n');
});

test('one script is run with its input, and its result is printed', async () => {
  const path = await darWith('single', { echo, party });
  const input = join(folder, 'input.json');
  await writeFile(input, '"hello"');
  await expect(tenure('run', path, 'Main:echo', '--input-json', input)).resolves.toEqual({
    code: 0,
    stdout: 'Main:echo: ok, 0 active contracts, 0 transactions.\n"hello"\n',
    stderr: '',
  });
  await expect(tenure('run', path, 'Main:party')).resolves.toMatchObject({
    code: 0,
    stdout: 'Main:party: ok, 0 active contracts, 0 transactions.\n"Alice"\n',
  });
  await expect(tenure('run', path, 'Main:absent')).resolves.toEqual({
    code: 1,
    stdout: '',
    stderr: `${path} has no script Main:absent; it has Main:echo, Main:party\n`,
  });
});

test('a file that is no DAR, and a DAR without scripts, are named as such', async () => {
  const broken = join(folder, 'broken.dar');
  await writeFile(broken, 'no zip file');
  const refused = await tenure('test', broken);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain(`${broken}: INVALID_DAR`);
  const empty = await darWith('empty', { value: { type: types.unit, body: make('Pair', {}) } });
  await expect(tenure('test', empty)).resolves.toMatchObject({
    code: 0,
    stdout: 'The DAR has no scripts.\n',
  });
});
