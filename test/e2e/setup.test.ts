import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

let folder: string;
/** Processes that a failed test has left running. */
const running = new Set<ChildProcess>();
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenure-setup-'));
});
afterEach(async () => {
  for (const child of running) child.kill();
  await rm(folder, { recursive: true, force: true });
});

const CLI = resolve('cli/tenure');
const file = () => join(folder, '.env.local');
const written = () => readFile(file(), 'utf8');

interface Finished {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a program in the folder of the test. Types each answer once its question has appeared. */
function run(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  dialogue: readonly (readonly [string, string])[] = [],
): Promise<Finished> {
  const child = spawn(program, args, {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, TERM: 'xterm', ...env },
  });
  running.add(child);
  const waiting = [...dialogue];
  let out = '';
  let err = '';
  let read = 0;
  child.stdout.on('data', (chunk) => {
    out += chunk;
    const next = waiting[0];
    const at = next === undefined ? -1 : out.indexOf(next[0], read);
    if (next === undefined || at === -1) return;
    read = at + next[0].length;
    waiting.shift();
    child.stdin.write(next[1]);
  });
  child.stderr.on('data', (chunk) => (err += chunk));
  if (dialogue.length === 0) child.stdin.end();
  const { promise, resolve: done } = Promise.withResolvers<Finished>();
  child.once('close', (code) => {
    running.delete(child);
    done({ code, out, err });
  });
  return promise;
}

/** `script` runs a command on a terminal of its own, whose size must be set. */
const IN_TERMINAL = ['-qec', `stty cols 100 rows 40; ${CLI} setup`, '/dev/null'];

const DEFAULTS =
  'AUTH_MODE=oauth2\nPARTY_HINT=quickstart-tenure-1\nTEST_MODE=off\n' +
  'OBSERVABILITY_ENABLED=false\nBACKEND_PORT=8080\nPOSTGRES_PORT=5432\n';

describe('tenure setup', () => {
  test('asks nothing where nobody can answer, and shows what it has written', async () => {
    const { code, out, err } = await run(CLI, ['setup']);
    expect([code, err]).toEqual([0, '']);
    expect(await written()).toBe(DEFAULTS);
    for (const line of DEFAULTS.trim().split('\n')) expect(out).toContain(line);
  });

  test('takes flags before the environment before the file, and leaves other lines alone', async () => {
    await writeFile(file(), '# mine\nLEDGER_TLS=off\nPARTY_HINT=in-file-1\nBACKEND_PORT=8090\n');
    const env = { PARTY_HINT: 'in-environment-2', TEST_MODE: 'on' };
    const { code } = await run(CLI, ['setup', '--yes', '--test-mode', 'off'], env);
    expect(code).toBe(0);
    expect(await written()).toBe(
      '# mine\nLEDGER_TLS=off\nAUTH_MODE=oauth2\nPARTY_HINT=in-environment-2\nTEST_MODE=off\n' +
        'OBSERVABILITY_ENABLED=false\nBACKEND_PORT=8090\nPOSTGRES_PORT=5432\n',
    );
  });

  test('refuses all that is wrong at once, and writes nothing', async () => {
    const wrong = ['--party-hint', 'no hint', '--auth-mode', 'none', '--backend-port', '99999'];
    const { code, err } = await run(CLI, ['setup', ...wrong], { TEST_MODE: 'maybe' });
    expect(code).toBe(1);
    for (const name of ['AUTH_MODE', 'PARTY_HINT', 'TEST_MODE', 'BACKEND_PORT']) {
      expect(err).toContain(name);
    }
    expect(existsSync(file())).toBe(false);
  });

  test('asks a person, who may change what it proposes', async () => {
    const { code } = await run('script', IN_TERMINAL, {}, [
      ['sign in', '\r'],
      ['parties', '\u007f2\r'],
      ['Test mode', '\u001b[B\r'],
      ['Observability', '\r'],
      ['Port of the API', '\r'],
      ['PostgreSQL', '\r'],
    ]);
    expect(code).toBe(0);
    const answered = DEFAULTS.replace('tenure-1', 'tenure-2').replace('MODE=off', 'MODE=on');
    expect(await written()).toBe(answered);
  });

  test('writes nothing when the person leaves', async () => {
    const { code } = await run('script', IN_TERMINAL, {}, [['sign in', '\u0003']]);
    expect([code, existsSync(file())]).toEqual([1, false]);
  });
});

describe('.env.local', () => {
  test('is read by every command, and each mistake in it is told with its file', async () => {
    await writeFile(file(), 'BACKEND_PORT=eighty\nTENURE_ROLE=api\nthis is no setting\n');
    const { code, err } = await run(CLI, ['status']);
    expect(code).toBe(1);
    for (const mistake of ['BACKEND_PORT', 'TENURE_ROLE is not a setting', 'line 3']) {
      expect(err).toMatch(new RegExp(`${mistake}[^;]*\\(in \\.env\\.local\\)`, 'u'));
    }
  });

  test('says where things are, unless the environment says otherwise', async () => {
    await writeFile(file(), 'TENURE_DATA_DIR=here\n');
    // A folder with the name of the state file cannot be read as a file. The error shows where the command looked for
    // the file.
    await mkdir(join(folder, 'here/run/tenure.json'), { recursive: true });
    expect((await run(CLI, ['status'])).err).toContain('EISDIR');
    const elsewhere = await run(CLI, ['status'], { TENURE_DATA_DIR: 'there' });
    expect(elsewhere.err).toContain('not running');
  });
});

describe('build-daml', () => {
  const build = (env: Readonly<Record<string, string>> = {}) =>
    run(resolve('scripts/build-daml.sh'), ['daml'], env);

  test('says that there is nothing to build, or nobody to build it', async () => {
    const none = await build();
    expect([none.code, none.out]).toEqual([0, expect.stringContaining('no Daml sources')]);
    await mkdir(join(folder, 'daml'));
    await writeFile(join(folder, 'daml/daml.yaml'), '');
    const nobody = await build({ PATH: '/usr/bin:/bin' });
    expect([nobody.code, nobody.out]).toEqual([0, expect.stringContaining('neither dpm nor daml')]);
  });

  test('builds with the compiler that is installed, and ends as it does', async () => {
    await mkdir(join(folder, 'daml'));
    await writeFile(join(folder, 'daml/multi-package.yaml'), '');
    await writeFile(
      join(folder, 'dpm'),
      '#!/bin/sh\necho "dpm $* in $(basename "$PWD")"\nexit 7\n',
    );
    await chmod(join(folder, 'dpm'), 0o755);
    const built = await build({ PATH: `${folder}:/usr/bin:/bin` });
    expect(built).toMatchObject({
      code: 7,
      out: expect.stringContaining('dpm build --all in daml'),
    });
  });

  /** Writes a program that stands for a compiler: it produces this DAR for a package in the folder. */
  const compiler = async (dar: Uint8Array) => {
    await mkdir(join(folder, 'daml'));
    await writeFile(join(folder, 'daml/daml.yaml'), '');
    await writeFile(join(folder, 'built'), dar);
    await writeFile(
      join(folder, 'dpm'),
      `#!/bin/sh\nmkdir -p .daml/dist && cp ${folder}/built .daml/dist/app-1.0.0.dar\n`,
    );
    await chmod(join(folder, 'dpm'), 0o755);
    return { PATH: `${folder}:${process.env['PATH']}` };
  };

  test('says that nothing is uploaded where LocalNet does not run, and what it runs', async () => {
    expect(await build(await compiler(Buffer.from('no dar')))).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /The package was not uploaded: not running.*\n.* With LOCALNET_DARS=daml\/\.daml\/dist it begins/u,
      ),
    });
  });
});
