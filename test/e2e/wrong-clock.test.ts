import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLog } from '../../src/main/log.ts';
import type { System } from '../../src/main/system.ts';
import { NO_INSTRUMENTS, startSystem } from '../../src/main/system.ts';
import type { World } from './kit/world.ts';
import { startWorld } from './kit/world.ts';

/* Two processes on one database: the clock of one is an hour ahead, the clock of the other is right. */

const HOUR_MS = 3_600_000;
/** Clocks are compared every ten seconds. */
const SOON = { timeout: 60_000, interval: 100 };

let world: World;
let wrong: System;
let aheadMs = HOUR_MS;

beforeAll(async () => {
  world = await startWorld();
  wrong = await startSystem(
    { ...world.tenure.config, roles: new Set(['api']) },
    createLog('fatal'),
    AbortSignal.timeout(120_000),
    { ...NO_INSTRUMENTS, wallClock: { nowMs: () => Date.now() + aheadMs } },
  );
});
afterAll(async () => {
  await wrong.stop();
  await world[Symbol.asyncDispose]();
});

async function ask(system: System, path: string, port = system.apiPort) {
  const reply = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: reply.status, body: await reply.text() };
}

test('is not ready and says why, is alive, serves nobody, and is ready again once its clock is right', async () => {
  const why = /the clock of this process is 3600\.\d s ahead of the clock of the database/u;
  expect(await ask(wrong, '/readyz')).toEqual({ status: 503, body: '{"status":"not ready"}' });
  expect((await ask(wrong, '/readyz', wrong.managementPort)).body).toMatch(why);
  expect((await ask(wrong, '/livez')).status).toBe(200);
  const refused = await ask(wrong, '/licenses');
  expect(refused.status).toBe(503);
  expect(JSON.parse(refused.body)).toMatchObject({ code: 'CLOCK_WRONG' });
  expect((await ask(world.tenure.system, '/readyz')).status).toBe(200);
  aheadMs = 0;
  await expect.poll(async () => (await ask(wrong, '/readyz')).status, SOON).toBe(200);
  expect((await ask(wrong, '/licenses')).status).toBe(401);
});
