import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startWorld } from '../../chaos/world.ts';
import { startRoleProcess } from '../../embedded/role-process.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { queueShards } from '../../src/main/queue-shards.ts';
import { migrate } from '../../src/store/sql/migrate.ts';
import type { Browser } from '../kit/browser.ts';
import { openBrowser } from '../kit/browser.ts';
import { signIn } from '../kit/sign-in.ts';
import { checkOut, lastVersion } from './kit/release.ts';
import type { ReleasedRole } from './kit/released-role.ts';
import { startReleasedRole } from './kit/released-role.ts';
import { watched } from './kit/watched.ts';

/*
 * The last released version is upgraded to this version in the same way as operators do it: under load, one process
 * after another, on one database.
 */

const TIMEOUT_MS = 330_000;

const stack = new AsyncDisposableStack();
const folder = await mkdtemp(join(tmpdir(), 'tenure-rolling-'));
stack.defer(() => rm(folder, { recursive: true, force: true }));
const version = lastVersion();
const release = join(folder, 'release');
const isThere = await checkOut(version, release);
if (!isThere) {
  await stack.disposeAsync();
  console.warn(
    `NOT TESTED: an upgrade from ${version} under load. The history of this checkout does not have that version ` +
      '(git fetch --unshallow).',
  );
}

const logOf = (name: string): string => join(folder, 'logs', `${name}.log`);
const apiAt = (port: number): string => `http://127.0.0.1:${port}`;
const siteAt = (port: number): string => `http://app-provider.localhost:${port}`;
const isSignedIn = async (browser: Browser, port: number): Promise<number> =>
  (await browser.get(`${siteAt(port)}/user`)).status;

/** Returns functions that start processes of the two versions. */
function starters(environment: Readonly<Record<string, string>>, signal: AbortSignal) {
  const before = async (roles: string, name: string = roles): Promise<ReleasedRole> => {
    const logFile = logOf(`released-${name}`);
    return stack.use(await startReleasedRole({ folder: release, roles, environment, logFile }));
  };
  const now = async (roles: string, name: string = roles): Promise<number> => {
    const started = await startRoleProcess({ roles, environment, logFile: logOf(name), signal });
    stack.defer(async () => void (await started.end('SIGKILL')));
    return started.port;
  };
  return { before, now };
}

test.skipIf(!isThere)(
  `from ${version}, one process after the other, under load`,
  { timeout: TIMEOUT_MS },
  async () => {
    await using _ = stack;
    await mkdir(join(folder, 'logs'), { recursive: true });
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const searchPath = process.env['PATH'] ?? '';
    const world = stack.use(await startWorld({ folder, queue: 'postgres', searchPath, signal }));
    const { databaseUrl } = world;
    const environment = await world.environment();
    const { before, now } = starters(environment, signal);
    const first = await before('api', 'api-1');
    const [second, worker, projector, clock] = await Promise.all([
      before('api', 'api-2'),
      before('worker'),
      before('projector'),
      before('clock'),
    ]);
    const apis = [apiAt(first.port), apiAt(second.port)];
    const { load, finish } = await watched({ world, environment, apis, stack });
    const browser = stack.use(openBrowser());
    await signIn(browser, siteAt(first.port), 'AppProvider', 'app-provider');

    await load.more(40);
    const applied = await migrate({ url: databaseUrl, signal: AbortSignal.timeout(60_000) });
    expect(applied.length).toBeGreaterThan(0);
    await load.more(40);
    await expect(queueShards(databaseUrl, 2)).rejects.toThrow('a worker of an earlier version');

    const leave = async (old: ReleasedRole): Promise<void> => {
      await load.more(20);
      expect(old.hasEnded).toBe(false);
      await old.end('SIGTERM');
      await load.more(20);
    };
    await now('worker');
    await leave(worker);
    const newFirst = await now('api', 'api-1');
    apis[0] = apiAt(newFirst);
    expect(await isSignedIn(browser, newFirst)).toBe(200);
    await leave(first);
    await now('projector');
    await leave(projector);
    await now('clock');
    await leave(clock);
    const newSecond = await now('api', 'api-2');
    apis[1] = apiAt(newSecond);
    await leave(second);

    console.log(`from ${version} under load: ${await finish()}`);
    expect(await isSignedIn(browser, newSecond)).toBe(200);
    await queueShards(databaseUrl, 2);
    // If an earlier worker had left a job unfinished, the operation would take longer than this.
    expect(load.longestOperationMs()).toBeLessThan(LIMITS.redispatchMs);
  },
);
