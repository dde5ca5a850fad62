import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startRoleProcess } from '../../../embedded/role-process.ts';
import {
  newObjectsMib,
  NODE_ENVIRONMENT,
  NODE_FLAGS,
  nodeFlags,
} from '../../../src/main/node-flags.ts';
import { PATIENCE_MS } from '../../kit/patience.ts';

const run = promisify(execFile);

/**
 * A program that keeps some 50 MiB in memory, replaces all of it ten times, and prints the maximum size of V8's heap.
 */
const CHURNS = `
  import v8 from 'node:v8';
  const live = new Map();
  let peak = 0;
  for (let n = 0; n < 1_500_000; n += 1) {
    live.set(n % 150_000, { n, words: 'entry ' + n, parts: [n, n + 1, n + 2] });
    if (n % 5_000 === 0) peak = Math.max(peak, v8.getHeapStatistics().total_physical_size);
  }
  const young = v8.getHeapSpaceStatistics().find((space) => space.space_name === 'new_space');
  console.log(JSON.stringify({ peak, young: young.space_size, live: live.size }));
`;
const ANSWERS = `
  process.send({ port: 1 });
  process.on('message', () => process.send({ env: { ...process.env }, flags: process.execArgv }));
`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenure-flags-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function program(name: string, text: string): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, text);
  return file;
}

test('the small heap takes less than half of what it would take', async () => {
  const file = await program('churns.mjs', CHURNS);
  const taken = async (flags: readonly string[]) => {
    const { stdout } = await run(process.execPath, [...flags, file], { timeout: PATIENCE_MS });
    return JSON.parse(stdout) as { peak: number; young: number };
  };
  const [own, usual] = [await taken(nodeFlags(newObjectsMib('small', 0))), await taken([])];
  expect(own.peak).toBeLessThan(usual.peak / 2);
  expect(own.young).toBeLessThanOrEqual(16 * 2 ** 20);
});

test.each([
  ['small', 64, 4],
  ['large', 0.5, 16],
  ['auto', 1.9, 4],
  ['auto', 2, 16],
])('%s with %d GiB available gives new objects %d MiB', (size, gib, mib) => {
  expect(newObjectsMib(size, gib * 2 ** 30)).toBe(mib);
});

test('a process that plays roles is started with the flags, and with the environment beneath its own', async () => {
  const entry = await program('answers.mjs', ANSWERS);
  const started = await startRoleProcess({
    roles: 'api',
    environment: { MALLOC_ARENA_MAX: '7' },
    entry,
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  try {
    expect(await started.ask({})).toEqual({
      env: expect.objectContaining({ ...NODE_ENVIRONMENT, MALLOC_ARENA_MAX: '7' }),
      flags: NODE_FLAGS,
    });
  } finally {
    await started.end('SIGTERM');
  }
});
