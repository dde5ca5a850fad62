import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rowsOf } from '../chaos/rows.ts';
import { fetchToken } from '../cli/commands/token.ts';
import { NODE_ENVIRONMENT, NODE_FLAGS } from '../src/main/node-flags.ts';
import { readRunState } from '../src/main/run-state.ts';
import type { RunState } from '../src/main/run-state.ts';
import type { ProbeOrder } from './probe.ts';
import { renewing } from './tokens.ts';

/** Tenure in processes of its own, started as by `make start`, but on free ports and in a temporary folder. */
export interface BenchWorld extends AsyncDisposable {
  readonly state: RunState;
  readonly dataDir: string;
  readonly pid: number;
  /** The milliseconds from `spawn` until Tenure is ready. */
  readonly startMs: number;
  /** Returns a token that is valid now, however long the world has existed. */
  token(who: 'provider' | 'user'): Promise<string>;
  /** Sends an order to the probe, if there is one. */
  order(order: ProbeOrder): Promise<void>;
}

export interface BenchOptions {
  /** Settings in addition to the usual ones. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether tenants have the default limits; otherwise, they have none. */
  readonly hasLimits?: boolean;
  /** Whether `bench/probe.ts` is loaded into the process of Tenure, and `pg_stat_statements` into PostgreSQL. */
  readonly isProbed?: boolean;
  /**
   * A folder that was used before or will be used later, and is therefore not deleted. @default a folder that is
   * deleted with the world
   */
  readonly dataDir?: string;
}

const PROBE = `--import=${fileURLToPath(new URL('probe.ts', import.meta.url))}`;

/** Settings that disable the limits of tenants. */
const NO_LIMITS = {
  TENURE_TENANT_RATE_LIMIT: '0',
  TENURE_RATE_LIMIT: '0',
  TENURE_RATE_LIMIT_ANONYMOUS: '0',
  TENURE_TENANT_READS: '0',
  TENURE_TENANT_WRITES: '0',
  TENURE_READ_TIME: '0',
  TENURE_TENANT_STREAMS: '0',
} as const;

async function startOnce(dataDir: string, options: BenchOptions) {
  const { env = {}, isProbed = false, hasLimits = false } = options;
  const began = performance.now();
  const flags = [...NODE_FLAGS, ...(isProbed ? [PROBE] : [])];
  const child = spawn(process.execPath, [...flags, 'cli/main.ts', 'run', '--free-ports'], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: {
      ...NODE_ENVIRONMENT,
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      TENURE_DATA_DIR: dataDir,
      TENURE_LOG_LEVEL: 'warn',
      // The limits are disabled by default, because all requests of a bench come from one tenant.
      ...(hasLimits ? {} : NO_LIMITS),
      BACKEND_PORT: '0',
      ...(process.env['REDIS_URL'] === undefined ? {} : { REDIS_URL: process.env['REDIS_URL'] }),
      ...env,
    },
  });
  const [message] = (await once(child, 'message')) as [{ failed?: string }];
  if (message.failed !== undefined) throw new Error(message.failed);
  return { child, startMs: performance.now() - began };
}

/** Makes the server count statements and their times after its next start. */
async function countStatements(dataDir: string): Promise<void> {
  const url = (await readRunState(dataDir))?.databaseUrl ?? '';
  await rowsOf(url, "alter system set shared_preload_libraries = 'pg_stat_statements'");
}

/** Starts a world. Its start time is that of a second start, because the first one initialises the database. */
export async function startBenchWorld(options: BenchOptions = {}): Promise<BenchWorld> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'tenure-bench-')));
  const first = await startOnce(dataDir, options);
  if (options.isProbed === true) await countStatements(dataDir);
  first.child.kill('SIGTERM');
  await once(first.child, 'exit');
  const { child, startMs } = await startOnce(dataDir, options);
  const state = await readRunState(dataDir);
  if (state?.localnet == null) throw new Error('the bench needs LocalNet');
  const { localnet } = state;
  const tokens = {
    provider: renewing(() => fetchToken(localnet, 'provider')),
    user: renewing(() => fetchToken(localnet, 'user')),
  };
  return {
    state,
    dataDir,
    pid: child.pid ?? 0,
    startMs,
    token: (who) => tokens[who](),
    order: async (order) => {
      const obeyed = once(child, 'message');
      child.send(order);
      await obeyed;
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await once(child, 'exit');
      if (options.dataDir !== undefined) return;
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

/** Returns the IDs of a process and of all its descendants. */
export const familyOf = (pid: number): number[] => [pid, ...childrenOf(pid).flatMap(familyOf)];

/** Returns the proportional set size of a process in MiB. In the sum over all processes, shared pages count once. */
function pssMiB(pid: number): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Pss:\s+(\d+) kB/mu.exec(text)?.[1] ?? 0) / 1024;
}

/** Returns the user and system time of a process so far in seconds, including that of its children that have ended. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return [11, 12, 13, 14].reduce((sum, n) => sum + Number(fields[n]), 0) / 100;
}

export function kindOf(pid: number): string {
  const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  if (line.includes('localnet')) return 'localnet';
  if (line.includes('cli/main.ts') || line.includes('/role.ts')) return 'tenure';
  if (/postgres/u.test(line)) return 'postgres';
  if (/redis|valkey/u.test(line)) return 'redis';
  return 'other';
}

/**
 * The time of all cores so far, in clock ticks: the total, and the part in which nothing ran. Waits for a disk belong
 * to this part.
 */
export interface CoresTime {
  readonly all: number;
  readonly idle: number;
}

export function coresTime(): CoresTime {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  // The values after these are times of guests, which are already contained in user time.
  const ticks = line.split(/\s+/u).slice(1, 9).map(Number);
  const [, , , idle = 0, waiting = 0] = ticks;
  return { all: ticks.reduce((sum, each) => sum + each, 0), idle: idle + waiting };
}

/** The processor time so far in seconds, by kind of process. This process counts as `client`. */
export type ProcessorTime = ReadonlyMap<string, number>;

export function processorTime(pid: number): ProcessorTime {
  const { user, system } = process.cpuUsage();
  const found = new Map([['client', (user + system) / 1e6]]);
  // When a process has ended, its time counts for its parent.
  const each = ofFamily(pid, (one) => ({ kind: kindOf(one), seconds: cpuSeconds(one) }));
  for (const { kind, seconds } of each) found.set(kind, (found.get(kind) ?? 0) + seconds);
  return found;
}

/** Calls `ask` for each process of a family. Processes that have ended are skipped. */
export function ofFamily<T>(pid: number, ask: (each: number) => T): T[] {
  return familyOf(pid).flatMap((each) => {
    try {
      return [ask(each)];
    } catch {
      return []; // The process has ended meanwhile.
    }
  });
}

/** Returns how much memory each kind of process uses. */
export function memoryOf(pid: number): { kind: string; pss: number; processes: number }[] {
  const found = ofFamily(pid, (each) => ({ kind: kindOf(each), pss: pssMiB(each) }));
  return [...Map.groupBy(found, ({ kind }) => kind)].map(([kind, all]) => ({
    kind,
    pss: all.reduce((sum, { pss }) => sum + pss, 0),
    processes: all.length,
  }));
}
