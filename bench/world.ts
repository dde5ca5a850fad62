import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetchToken } from '../cli/commands/token.ts';
import { NODE_FLAGS } from '../src/main/node-flags.ts';
import { readRunState } from '../src/main/run-state.ts';
import type { RunState } from '../src/main/run-state.ts';

/** Tenure in processes of its own, as `make start` runs it, but on free ports in a temporary folder. */
export interface BenchWorld extends AsyncDisposable {
  readonly state: RunState;
  readonly pid: number;
  /** From `spawn` to ready. */
  readonly startMs: number;
  readonly provider: string;
  readonly user: string;
}

async function startOnce(dataDir: string, env: Readonly<Record<string, string>>) {
  const began = performance.now();
  const child = spawn(process.execPath, [...NODE_FLAGS, 'cli/main.ts', 'run', '--free-ports'], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      TENURE_DATA_DIR: dataDir,
      TENURE_LOG_LEVEL: 'warn',
      BACKEND_PORT: '0',
      ...(process.env['REDIS_URL'] === undefined ? {} : { REDIS_URL: process.env['REDIS_URL'] }),
      ...env,
    },
  });
  const [message] = (await once(child, 'message')) as [{ failed?: string }];
  if (message.failed !== undefined) throw new Error(message.failed);
  return { child, startMs: performance.now() - began };
}

/**
 * The second start is the one that counts: the first one initialises the database.
 *
 * @param env more settings
 */
export async function startBenchWorld(
  env: Readonly<Record<string, string>> = {},
): Promise<BenchWorld> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tenure-bench-'));
  const first = await startOnce(dataDir, env);
  first.child.kill('SIGTERM');
  await once(first.child, 'exit');
  const { child, startMs } = await startOnce(dataDir, env);
  const state = await readRunState(dataDir);
  if (state?.localnet == null) throw new Error('the bench needs LocalNet');
  const [provider, user] = await Promise.all([
    fetchToken(state.localnet, 'provider'),
    fetchToken(state.localnet, 'user'),
  ]);
  return {
    state,
    pid: child.pid ?? 0,
    startMs,
    provider,
    user,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await once(child, 'exit');
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

const childrenOf = (pid: number): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name))
    .map(Number)
    .filter((candidate) => {
      try {
        const stat = readFileSync(`/proc/${candidate}/stat`, 'utf8');
        return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === pid;
      } catch {
        return false;
      }
    });

/** A process with all its descendants. */
export const familyOf = (pid: number): number[] => [pid, ...childrenOf(pid).flatMap(familyOf)];

/** Proportional set size, MiB: shared pages count once over all processes. */
export function pssMiB(pid: number): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Pss:\s+(\d+) kB/mu.exec(text)?.[1] ?? 0) / 1024;
}

/** User and system time of a process so far, seconds. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

export const nameOf = (pid: number): string => {
  const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  if (line.includes('localnet')) return 'localnet';
  if (line.includes('cli/main.ts')) return 'tenure';
  if (/postgres/u.test(line)) return 'postgres';
  if (/redis|valkey/u.test(line)) return 'redis';
  return 'other';
};
