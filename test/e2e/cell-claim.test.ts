import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Finished } from './kit/tenure-command.ts';
import { runCommand } from './kit/tenure-command.ts';

/* The database is lost and the ledger is not, with everything embedded: what the refused start says to do helps. */

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenure-e2e-'));
});
afterAll(async () => {
  await tenure('stop');
  await rm(folder, { recursive: true, force: true });
});

const tenure = (...args: string[]): Promise<Finished> => runCommand(folder, args, {});

async function started(): Promise<string> {
  const { code, out, err } = await tenure('start', '--free-ports');
  if (code === 0) await tenure('stop');
  return code === 0 ? 'ready' : out + err;
}

test('the ledger users of a lost database are claimed by the one made anew', async () => {
  expect(await started()).toBe('ready');
  await rm(join(folder, '.tenure', 'postgres'), { recursive: true });
  const refused = await started();
  expect(refused).toContain('belongs to cell');
  expect(refused).toContain('tenure cell claim');
  const claimed = await tenure('cell', 'claim');
  expect(claimed).toMatchObject({
    code: 0,
    out: expect.stringMatching(/participant app-user is annotated as its own\n/u),
  });
  expect(await started()).toBe('ready');
}, 240_000);
