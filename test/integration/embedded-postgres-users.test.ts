import { spawnSync } from 'node:child_process';
import { chmod, chown, lstat, mkdir, readFile, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  binaryPackage,
  giveToNobody,
  hasNamespaces,
  isRoot,
  isRunning,
  launch,
  NOBODY,
  stageInstallation,
  stageNode,
  testFolder,
  type Launcher,
  type LauncherOptions,
  type TestFolder,
} from '../kit/embedded-postgres.ts';
import { queryOnce } from '../kit/postgres-query.ts';

/*
 * The users and folders with which the server can start: an ordinary user; root; root in a folder of its own; a user
 * without a name; a package whose install script has not run, and that may be read-only. If the tests run as root, they
 * switch to each of these users and test all cases; otherwise they test the cases that are possible.
 */

/** Every user can enter `installation`; only the test's user can enter the other folder. */
let installation: TestFolder;
let own: TestFolder;
let staged: { from: string; node: string };
let folder: TestFolder;
let dataDir: string;
const launchers: Launcher[] = [];

beforeAll(async () => {
  installation = await testFolder({ open: true });
  staged = {
    from: await stageInstallation(installation.path),
    node: await stageNode(installation.path),
  };
  own = await testFolder();
  await stageInstallation(own.path);
});
afterAll(async () => {
  await installation[Symbol.asyncDispose]();
  await own[Symbol.asyncDispose]();
});
beforeEach(async () => {
  folder = await testFolder();
  dataDir = join(folder.path, 'pg');
});
afterEach(async () => {
  await Promise.all(launchers.splice(0).map((launcher) => launcher[Symbol.asyncDispose]()));
  await folder[Symbol.asyncDispose]();
});

function started(options: Partial<LauncherOptions> = {}): Launcher {
  const launcher = launch({ ...staged, ...options, server: { dataDir, ...options.server } });
  launchers.push(launcher);
  return launcher;
}

const nativeFolder = () => join(staged.from, 'node_modules', binaryPackage, 'native');

async function missingLinks(): Promise<string[]> {
  const text = await readFile(join(nativeFolder(), 'pg-symlinks.json'), 'utf8');
  const links = JSON.parse(text) as { target: string }[];
  const found = await Promise.all(
    links.map(({ target }) =>
      lstat(join(nativeFolder(), '..', target)).then(
        () => null,
        () => target,
      ),
    ),
  );
  return found.filter((target) => target !== null);
}

async function removeLinks(): Promise<void> {
  const text = await readFile(join(nativeFolder(), 'pg-symlinks.json'), 'utf8');
  for (const { target } of JSON.parse(text) as { target: string }[]) {
    await rm(join(nativeFolder(), '..', target), { force: true });
  }
}

/** Returns the owners of all files of the cluster. */
async function ownersOf(path: string): Promise<number[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const owners = await Promise.all(
    entries
      .filter((entry) => entry.isFile() || entry.isDirectory())
      // The server may remove files while this lists them.
      .map((entry) =>
        stat(join(entry.parentPath, entry.name)).then(
          ({ uid }) => uid,
          () => null,
        ),
      ),
  );
  return [...new Set(owners.filter((uid) => uid !== null))];
}

/** Returns every entry of a folder with its owner and its change time. */
async function listingOf(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true });
  const lines = entries.map(async (entry) => {
    const { uid, gid, mode, ctimeMs } = await lstat(join(path, entry));
    return `${entry} ${uid}:${gid} ${mode} ${ctimeMs}`;
  });
  return (await Promise.all(lines)).toSorted();
}

const userOf = async (pid: number): Promise<number> => (await stat(`/proc/${pid}`)).uid;

describe('a package whose install script has not run', () => {
  test.skipIf(process.platform !== 'linux')('gets its library links', async () => {
    await removeLinks();
    expect(await missingLinks()).not.toEqual([]);
    const { url } = await started().ready;
    expect(await queryOnce(url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(await missingLinks()).toEqual([]);
  });

  test.runIf(isRoot)(
    'and that is read-only is used through links elsewhere, and again',
    async () => {
      await removeLinks();
      await chmod(folder.path, 0o755);
      await mkdir(dataDir, { mode: 0o700 });
      await giveToNobody(dataDir);
      const launcher = started({ uid: NOBODY });
      const { url, identity, pid, port } = await launcher.ready;
      expect(identity).toBe('caller');
      expect(await userOf(pid)).toBe(NOBODY);
      await queryOnce(url, 'create table kept (n integer)');
      expect(await missingLinks()).not.toEqual([]);
      const [farm] = await readdir(join(dataDir, 'runtime'));
      // The folder contains links to the package, and copies of two programs.
      expect((await lstat(join(dataDir, 'runtime', farm!, 'share'))).isSymbolicLink()).toBe(true);
      // An ordinary user starts the server again. The rows from before are still there.
      expect(await launcher.stop()).toBe(0);
      const again = await started({ uid: NOBODY }).ready;
      expect(again.port).toBe(port);
      expect(await queryOnce(again.url, 'select * from kept')).toEqual([]);
    },
  );

  test('and that is not there at all is said so', async () => {
    await using bare = await testFolder({ open: true });
    const from = await stageInstallation(bare.path, { binaries: false });
    const refused = await started({ from }).refused;
    expect(refused.code).toBe('BINARIES_UNUSABLE');
    expect(refused.message).toMatch(
      /^the package @embedded-postgres\/\S+ is not installed; .*DATABASE_URL/,
    );
  });
});

describe.runIf(isRoot)('root', () => {
  test.runIf(hasNamespaces)(
    'in a folder that only root can enter runs it in a namespace, and leaves its data to nobody else',
    async () => {
      const from = own.path;
      expect((await stat(own.path)).mode & 0o777).toBe(0o700);
      const launcher = started({ from, server: { dataDir } });
      const { url, identity, pid, socketUrl } = await launcher.ready;
      expect(identity).toBe('namespace');
      expect(await userOf(pid)).toBe(0);
      for (const address of [url, socketUrl!]) {
        expect(await queryOnce(address, 'select 1 as one')).toEqual([{ one: 1 }]);
      }
      expect(await launcher.stop()).toBe(0);
      expect(await isRunning(pid)).toBe(false);
      expect(await ownersOf(dataDir)).toEqual([0]);
      await chmod(folder.path, 0o755);
      const refused = await started({ uid: NOBODY }).refused;
      expect(refused.code).toBe('DATA_DIR_UNUSABLE');
      expect(refused.message).not.toContain('\n');
    },
  );

  test('where namespaces are forbidden runs it as nobody, with data and programs out of its reach', async () => {
    const from = own.path;
    await using shared = await testFolder({ open: true });
    // A copy of a program is not run if it lies in a folder in which another user could have created it.
    await using trap = await testFolder({ open: true });
    const { version } = JSON.parse(
      await readFile(join(from, 'node_modules', binaryPackage, 'package.json'), 'utf8'),
    ) as { version: string };
    const forged = join(trap.path, `tenure-postgres-${version}`);
    await mkdir(forged);
    await giveToNobody(forged);
    const server = {
      dataDir,
      host: { unshare: null, sharedFolders: [trap.path, shared.path] },
    };
    const launcher = started({ from, server });
    const { url, identity, pid } = await launcher.ready;
    expect(identity).toBe('nobody');
    expect(await userOf(pid)).toBe(NOBODY);
    const { stdout: program } = spawnSync('readlink', [`/proc/${pid}/exe`], { encoding: 'utf8' });
    expect(program.startsWith(shared.path)).toBe(true);
    await queryOnce(url, 'create table kept (n integer); insert into kept values (42); checkpoint');
    expect(await ownersOf(join(dataDir, 'cluster'))).toEqual([NOBODY]);
    const [copy, ...others] = await readdir(shared.path);
    expect(others).toEqual([]);
    const { uid, mode } = await stat(join(shared.path, copy!));
    expect([uid, mode & 0o022]).toEqual([0, 0]);
    await launcher.kill();
    await expect.poll(() => isRunning(pid)).toBe(false);
    const again = await started({ from, server }).ready;
    expect(await queryOnce(again.url, 'select n from kept')).toEqual([{ n: 42 }]);
    expect(await readdir(shared.path)).toEqual([copy]);
  });

  test.runIf(hasNamespaces)('keeps its data when namespaces come and go', async () => {
    let expected = 0;
    for (const unshare of ['unshare', null, 'unshare']) {
      const launcher = started({ server: { dataDir, host: { unshare } } });
      const { url, identity } = await launcher.ready;
      expect(identity).toBe(unshare === null ? 'nobody' : 'namespace');
      await queryOnce(url, 'create table if not exists kept (n integer)');
      await queryOnce(url, 'insert into kept values (1)');
      expected += 1;
      expect(await queryOnce(url, 'select count(*)::integer as n from kept')).toEqual([
        { n: expected },
      ]);
      expect(await launcher.stop()).toBe(0);
    }
    expect(await ownersOf(join(dataDir, 'cluster'))).toEqual([0]);
  });

  test.each([
    ['in a folder of theirs', true],
    ['in a folder of root’s', false],
  ])('takes nothing from another user whose data it is %s', async (_where, isFolderTheirs) => {
    const theirs = 54_321;
    await chmod(folder.path, 0o777);
    const launcher = started({ uid: theirs });
    const { url } = await launcher.ready;
    await queryOnce(url, 'create table kept (n integer)');
    expect(await launcher.stop()).toBe(0);
    if (!isFolderTheirs) await chown(dataDir, 0, 0);
    const before = await listingOf(dataDir);
    for (const unshare of ['unshare', null]) {
      const { code, message } = await started({ server: { dataDir, host: { unshare } } }).refused;
      expect(code).toBe('DATA_DIR_UNUSABLE');
      expect(message).toMatch(
        /^\S+ belongs to user 54321, and root would change its owner: run as that user/u,
      );
    }
    expect(await listingOf(dataDir)).toEqual(before);
    await chown(dataDir, theirs, theirs);
    const again = await started({ uid: theirs }).ready;
    expect(await queryOnce(again.url, 'select * from kept')).toEqual([]);
  });

  test.runIf(hasNamespaces)('may be a user without a name', async () => {
    const nameless = 54_321;
    await chmod(folder.path, 0o777);
    const { url, identity } = await started({ uid: nameless }).ready;
    expect(identity).toBe('namespace');
    expect(await queryOnce(url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(await ownersOf(dataDir)).toEqual([nameless]);
  });
});
