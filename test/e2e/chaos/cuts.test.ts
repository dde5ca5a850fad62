import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ChaosWorld } from '../kit/chaos-world.ts';
import { LICENSE, startChaosWorld } from '../kit/chaos-world.ts';
import { LIMITS } from '../../../src/domain/limits.ts';
import { hasRedis } from '../kit/has-redis.ts';

/* Connections between real processes are cut or frozen. */

describe('ways are cut and frozen', { timeout: 90_000 }, () => {
  let world: ChaosWorld;
  let install: string;

  beforeAll(async () => {
    world = await startChaosWorld(hasRedis('frozen connections') ? 'redis' : 'postgres');
    install = await world.install();
  });
  afterAll(() => world[Symbol.asyncDispose]());

  /** Sends a request once, as a caller without retries would. */
  async function once(commandId: string): Promise<{ status: number; body: unknown }> {
    const answer = await fetch(
      `http://127.0.0.1:${world.api.front.port}/app-installs/${install}:create-license?commandId=${commandId}`,
      {
        method: 'POST',
        headers: {
          authorization: `Bearer ${await world.caller.tokenOf('provider')}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify(LICENSE),
        signal: AbortSignal.timeout(120_000),
      },
    );
    return { status: answer.status, body: await answer.json() };
  }

  /**
   * Repeats a request until it is answered. @returns the status, and the number of ledger updates with its command ID
   */
  async function outcomeOf(commandId: string): Promise<object> {
    const { status } = await world.createLicense(install, commandId);
    return { status, effects: await world.effectsOf(commandId) };
  }
  const ONE_EFFECT = { status: 201, effects: 1 };

  test('the answer to a commit is lost: the caller is told to come back, and there is one change', async () => {
    const commandId = randomUUID();
    const cut = world.api.ways.postgres.cutAt('before-answer', 'COMMIT');
    const told = await once(commandId);
    await cut;
    expect(told).toMatchObject({ status: 503, body: { code: 'DATABASE_UNAVAILABLE' } });
    // The transaction was committed, and the operation has taken effect on the ledger.
    await vi.waitFor(async () => expect(await world.effectsOf(commandId)).toBe(1), 120_000);
    expect(await outcomeOf(commandId)).toEqual(ONE_EFFECT);
    expect(await world.attemptsOf(commandId)).toBe(1);
  });

  test('a commit is lost: nothing was recorded, and the caller repeats it', async () => {
    const commandId = randomUUID();
    const cut = world.api.ways.postgres.cutAt('before-request', '; commit');
    const told = await once(commandId);
    await cut;
    expect(told).toMatchObject({ status: 503, body: { code: 'DATABASE_UNAVAILABLE' } });
    expect(await world.attemptsOf(commandId)).toBeNaN();
    expect(await outcomeOf(commandId)).toEqual(ONE_EFFECT);
  });

  test('the worker does not hear that its attempt was recorded', async () => {
    const commandId = randomUUID();
    const cut = world.worker.ways.postgres.cutAt('before-answer', 'COMMIT');
    const asked = outcomeOf(commandId);
    await cut;
    expect(await asked).toEqual(ONE_EFFECT);
  });

  test('the projector does not hear that its batch was committed', async () => {
    const commandId = randomUUID();
    const asked = outcomeOf(commandId);
    await world.projector.ways.postgres.cutAt('before-answer', 'COMMIT');
    expect(await asked).toEqual(ONE_EFFECT);
  });

  test('the way to the ledger is cut when the command has gone there', async () => {
    const commandId = randomUUID();
    const asked = outcomeOf(commandId);
    await vi.waitFor(async () => expect(await world.attemptsOf(commandId)).toBe(1), 120_000);
    world.worker.ways['provider-ledger'].cut();
    expect(await asked).toEqual(ONE_EFFECT);
  });

  test.each(['worker', 'projector'] as const)('all that %s talks to is cut', async (role) => {
    const commandId = randomUUID();
    const asked = outcomeOf(commandId);
    for (const way of Object.values(world[role].ways)) way.cut();
    expect(await asked).toEqual(ONE_EFFECT);
  });

  test('the queue of a worker freezes: it gives the connection up and goes on with another', async () => {
    world.worker.ways.redis.swallow();
    world.worker.ways.redis.pass();
    const began = performance.now();
    expect(await outcomeOf(randomUUID())).toEqual(ONE_EFFECT);
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  test('the connections of the API freeze: it gives them up and goes on with others', async () => {
    world.api.ways.postgres.swallow();
    world.api.ways.postgres.pass();
    const began = performance.now();
    expect(await outcomeOf(randomUUID())).toEqual(ONE_EFFECT);
    // Dead connections are detected long before the time limit of a statement.
    expect(performance.now() - began).toBeLessThan(LIMITS.databaseStatementMs);
  });
});
