import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { localnetDataDir } from '../../embedded/localnet.ts';
import type { Answer } from './kit/call-api.ts';
import type { World } from './kit/world.ts';
import { startWorld } from './kit/world.ts';

/* LocalNet is replaced under load by another ledger at the same addresses, with the same parties and users. */

const CALLERS = 8;

async function control(world: World, path: string, body?: object): Promise<{ networkId: string }> {
  const answer = await fetch(`${world.tenure.state.localnet!.networkUrl}/control${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(answer.status).toBe(200);
  return (await answer.json()) as { networkId: string };
}

/** Returns the ledger's journal, which contains the ID of each command that was accepted. */
const journal = (world: World): Promise<string> =>
  readFile(join(localnetDataDir(world.dataDir), 'journal.jsonl'), 'utf8');

test('the ledger that takes the place of another under load gets no command', async () => {
  await using world = await startWorld({ TENURE_LOG_LEVEL: 'silent' });
  const ask = (commandId: string): Promise<Answer> =>
    world.call('user', 'POST', `/app-install-requests?commandId=${commandId}`, {
      headers: { prefer: 'wait=2' },
    });
  const answers: { readonly commandId: string; readonly status: number }[] = [];
  // Each caller continues until five of its requests have been refused.
  const calling = Array.from({ length: CALLERS }, async (_, caller) => {
    for (let n = 0, refused = 0; refused < 5; n += 1) {
      const commandId = `load-${caller}-${n}`;
      const { status } = await ask(commandId);
      answers.push({ commandId, status });
      if (status === 503) refused += 1;
    }
  });
  await expect.poll(() => answers.length, { timeout: 60_000 }).toBeGreaterThan(4 * CALLERS);
  expect(await journal(world)).toContain('load-');
  const { networkId } = await control(world, '/ledger');
  const after = await control(world, '/reset', { networkId });
  expect(after.networkId).not.toBe(networkId);
  await Promise.all(calling);
  expect(await journal(world)).not.toContain('load-');
  expect(await ask('load-late')).toMatchObject({ status: 503, body: { code: 'STORE_NOT_READY' } });
  // Some operations that had not ended when they were answered have ended since, before the ledger was replaced.
  for (const { commandId } of answers.filter((answer) => answer.status === 202)) {
    const { body } = await world.call('user', 'GET', `/operations/${commandId}`);
    if (body.finishedAt === null || body.finishedAt === undefined)
      expect(body.waitingFor).toMatchObject({ kind: 'foreign' });
  }
  const readiness = await fetch(`${world.tenure.state.managementUrl}/readyz`);
  expect(readiness.status).toBe(503);
  expect(((await readiness.json()) as { checks: unknown[] }).checks).toContainEqual({
    name: 'history',
    ok: false,
    reason: expect.stringMatching(/another ledger|ends at/u),
  });
  // Operations that had ended before the replacement are answered as before.
  const done = answers.find(({ status: was }) => was === 201);
  expect((await ask(done?.commandId ?? '')).status).toBe(201);
});
