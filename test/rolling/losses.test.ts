import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openTcpProxy } from '../../chaos/tcp-proxy.ts';
import { startWorld } from '../../chaos/world.ts';
import type { RoleProcess } from '../../embedded/role-process.ts';
import { startRoleProcess } from '../../embedded/role-process.ts';
import { openBrowser } from '../kit/browser.ts';
import { signIn } from '../kit/sign-in.ts';
import { watched } from './kit/watched.ts';

/*
 * Processes are killed and replaced, one after another. Callers use a single address, behind which an `api` is running.
 * Sessions, a login in progress, events and webhooks continue.
 */

const TIMEOUT_MS = 200_000;

test('the loss of any one process', { timeout: TIMEOUT_MS }, async () => {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'tenure-losses-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const searchPath = process.env['PATH'] ?? '';
  const world = stack.use(await startWorld({ folder, queue: 'postgres', searchPath, signal }));
  const environment = await world.environment();
  const start = async (roles: string): Promise<RoleProcess> => {
    const logFile = join(folder, 'logs', `${roles}.log`);
    const started = await startRoleProcess({ roles, environment, logFile, signal });
    stack.defer(async () => void (await started.end('SIGKILL')));
    return started;
  };
  const [api, otherApi, worker, projector, clock] = await Promise.all([
    start('api'),
    start('api'),
    start('worker'),
    start('projector'),
    start('clock'),
  ]);
  const door = stack.use(await openTcpProxy(api.port));
  const site = `http://app-provider.localhost:${door.port}`;
  const apis = [`http://127.0.0.1:${door.port}`];
  const { load, finish } = await watched({ world, environment, apis, stack });
  const [early, late] = [stack.use(openBrowser()), stack.use(openBrowser())];
  await signIn(early, site, 'AppProvider', 'app-provider');

  const lose = async (one: RoleProcess, roles: string): Promise<void> => {
    await load.more(20);
    await one.end('SIGKILL');
    await start(roles);
    await load.more(20);
  };
  // The worker is killed first, because its deliveries to webhooks are due again only after a minute.
  await lose(worker, 'worker');
  await signIn(late, site, 'AppProvider', 'app-provider', async () => {
    await api.end('SIGKILL');
    door.aim(otherApi.port);
    door.cut();
  });
  for (const browser of [early, late]) {
    expect((await browser.get(`${site}/user`)).status).toBe(200);
  }
  await lose(projector, 'projector');
  await lose(clock, 'clock');
  console.log(`the loss of one process after the other: ${await finish()}`);
});
