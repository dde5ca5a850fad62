import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testDatabase } from '../kit/postgres.ts';

/*
 * Ctrl-C while `make start` waits. The process that `make start` has started belongs to no terminal, so the terminal
 * sends it no signal.
 */

/** Returns the `tenure run` processes of a data folder. */
async function runningIn(folder: string): Promise<readonly string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/u.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const read = (file: string) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
      const [line, environment] = await Promise.all([read('cmdline'), read('environ')]);
      return line.includes('main.ts\0run') && environment.includes(folder) ? [pid] : [];
    }),
  );
  return found.flat();
}

test('an interrupted start says so, and leaves nothing running', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tenure-interrupted-'));
  await using database = await testDatabase();
  const child = spawn(process.execPath, ['cli/main.ts', 'start'], {
    env: {
      PATH: process.env['PATH'],
      TENURE_DATA_DIR: folder,
      DATABASE_URL: database.url,
      LEDGER_HOST: '127.0.0.1',
      // No ledger listens at this port, so a process that starts waits for one.
      LEDGER_PORT: '9',
      REGISTRY_BASE_URI: 'http://127.0.0.1:9',
      BACKEND_PORT: '0',
      AUTH_APP_PROVIDER_BACKEND_CLIENT_SECRET: 'secret',
      APP_PROVIDER_BACKEND_USER_TOKEN: 'token',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  try {
    let said = '';
    child.stderr.on('data', (text: Buffer) => {
      said += text.toString();
    });
    const ended = once(child, 'exit');
    await expect.poll(() => runningIn(folder)).toHaveLength(1);
    child.kill('SIGINT');
    expect(await ended).toEqual([130, null]);
    expect(said).toContain('Interrupted: Tenure is stopping.');
    expect(await runningIn(folder)).toEqual([]);
  } finally {
    child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  }
});
