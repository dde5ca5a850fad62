import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { expect, test, vi } from 'vitest';
import { chaos } from '../kit/chaos-command.ts';

/* The chaos command, as run in a shell. A separate stage, `test/chaos`, checks the findings of a run. */

/** Returns the IDs of processes whose environment names the folder. */
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
