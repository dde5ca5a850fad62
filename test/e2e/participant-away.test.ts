import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PATIENCE_MS } from '../kit/patience.ts';
import type { Life } from './kit/lives.ts';
import { Lives } from './kit/lives.ts';

/* Tenure is started while participants are unreachable, as after a crash during an outage. */

let lives: Lives;
beforeAll(async () => {
  lives = await Lives.open();
});
afterAll(() => lives[Symbol.asyncDispose]());

const succeeds = (life: Life, commandId: string) =>
  expect.poll(() => life.stateOf('user', commandId), { timeout: PATIENCE_MS }).toBe('succeeded');

/** Requests an installation as the user. @returns the command ID */
async function request({ ask }: Life): Promise<string> {
  const commandId = randomUUID();
  const path = `/app-install-requests?commandId=${commandId}`;
  const { status, body } = await ask('user', 'POST', path, {});
  expect(status, JSON.stringify(body)).toBe(202);
  return commandId;
}

test('what was accepted is driven on by a process that starts while its participant is away, and so is what comes then', async () => {
  {
    await using before = await lives.start();
    await succeeds(before, await request(before));
  }
  for (const away of [{ where: { participant: 'app-user' } }, {}]) {
    const asked: string[] = [];
    await lives.control('POST', '/faults', { kind: 'down', ...away });
    {
      await using during = await lives.start();
      asked.push(await request(during));
      await expect
        .poll(async () => (await during.ask('user', 'GET', `/operations/${asked[0]!}`)).body)
        // The circuit opens before the first attempt or after its failure.
        .toMatchObject({ state: expect.stringMatching(/^(?:submitting|retrying)$/u) });
    }
    await using after = await lives.start();
    asked.push(await request(after));
    await lives.control('DELETE', '/faults');
    for (const commandId of asked) await succeeds(after, commandId);
  }
});
