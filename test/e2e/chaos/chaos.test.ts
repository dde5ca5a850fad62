import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { FAULT_KINDS } from '../../../chaos/script.ts';
import { hasRedis } from '../kit/has-redis.ts';
import { NODE_FLAGS } from '../../../src/main/node-flags.ts';

/*
 * A minute of chaos, always the same: a check that finds something else each day tells nobody what a change has broken.
 * `CHAOS_SEED` runs another; an odd one has its queue on Redis. What makes everybody wait for a timeout is left to
 * longer runs, and to `cuts.test.ts`.
 */
const SEED = Number(process.env['CHAOS_SEED'] ?? 4);
const FAULTS = FAULT_KINDS.filter((kind) => kind !== 'freeze');
const QUEUE = SEED % 2 === 1 && hasRedis('chaos') ? 'redis' : 'postgres';

function chaos(...options: string[]): ChildProcess {
  const child = spawn(process.execPath, [...NODE_FLAGS, 'cli/main.ts', 'chaos', ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGINT');
    await once(child, 'exit');
  });
  return child;
}

/** Ids of processes that were told of a folder. */
const processesOf = (folder: string): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name))
    .filter((pid) => {
      try {
        const told = readFileSync(`/proc/${pid}/environ`, 'latin1');
        return (told + readFileSync(`/proc/${pid}/cmdline`, 'latin1')).includes(folder);
      } catch {
        return false;
      }
    });

test(
  `seed ${SEED}, queue on ${QUEUE}: everything accepted ends once`,
  { timeout: 600_000 },
  async () => {
    const child = chaos(
      `--seed=${SEED}`,
      '--minutes=1',
      `--queue=${QUEUE}`,
      `--faults=${FAULTS.join(',')}`,
      '--actors=4',
      '--json',
    );
    const [json, said] = await Promise.all([
      text(child.stdout!),
      text(child.stderr!),
      once(child, 'exit'),
    ]);
    const report = JSON.parse(json || '{}');
    const all = `${said}\n${JSON.stringify(report.broken, null, 2)}`;
    if (child.exitCode !== 0 || report.broken?.length !== 0) {
      expect.fail(`it ended with ${child.exitCode}:\n${all}`);
    }
    expect(report.operations).toMatchObject({ unanswered: 0 });
    expect(report.operations.succeeded).toBeGreaterThan(3);
    expect(report.wiped.ended).toBe(report.wiped.inFlight);
    expect(report.expired).toBeGreaterThan(3);
    expect(report.acts).toBeGreaterThan(0);
    expect(report.webhooks.taken).toBeGreaterThan(report.webhooks.again);
  },
);

test('an interrupted run leaves nothing behind', { timeout: 400_000 }, async () => {
  const child = chaos('--seed', '1', '--minutes', '1');
  let said = '';
  child.stderr!.on('data', (piece: Buffer) => (said += piece.toString()));
  const folderSaid = (): string => /everything runs in (\S+):/u.exec(said)?.[1] ?? '';
  await vi.waitFor(() => expect(folderSaid()).not.toBe(''), { timeout: 300_000, interval: 100 });
  const folder = folderSaid();
  expect(processesOf(folder).length).toBeGreaterThanOrEqual(6);
  child.kill('SIGINT');
  await once(child, 'exit');
  expect(child.exitCode).toBe(130);
  expect(existsSync(folder)).toBe(false);
  expect(processesOf(folder)).toEqual([]);
});

test.each([
  ['--minutes', 'long'],
  ['--queue', 'kafka'],
  ['--faults', 'kill,flood'],
  ['--seed', '1.5'],
])('%s %s is refused in one line', async (...options) => {
  const child = chaos(...options);
  const [said] = await Promise.all([text(child.stderr!), once(child, 'exit')]);
  expect([child.exitCode, said.trim().split('\n')]).toEqual([
    2,
    [expect.stringContaining(options[0])],
  ]);
});
