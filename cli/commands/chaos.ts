import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChaosReport } from '../../chaos/report.ts';
import { linesOf } from '../../chaos/report.ts';
import type { FaultKind } from '../../chaos/script.ts';
import { FIRST_CROWD, kindsOf } from '../../chaos/script.ts';
import type { Size } from '../../chaos/sizes.ts';
import { SIZES } from '../../chaos/sizes.ts';
import type { QueueKind } from '../../chaos/world.ts';
import { processEnvironment } from '../../src/main/config.ts';
import { errorText } from '../../src/domain/error-text.ts';

export interface ChaosCommand {
  readonly seed?: string;
  readonly size: string;
  readonly minutes: string;
  readonly queue?: string;
  readonly faults?: string;
  readonly actors: string;
  readonly crowd?: string;
  readonly json?: boolean;
  readonly report?: string;
  readonly keep?: boolean;
}

/**
 * Exit codes: 1 if an invariant was broken; 2 if the run was not possible, or the arguments are wrong; 130 if it was
 * interrupted.
 */
const BROKEN = 1;
const NOT_RUN = 2;
const INTERRUPTED = 130;

class UsageError extends Error {
  override readonly name = 'UsageError';
}

const SEEDS = 1_000_000;

function numberOf(name: string, text: string, low: number, high: number): number {
  const value = Number(text);
  if (Number.isFinite(value) && value >= low && value <= high) return value;
  throw new UsageError(`--${name} must be a number from ${low} to ${high}`);
}

function seedOf(text: string | undefined): number {
  if (text === undefined) return Math.floor(Math.random() * SEEDS) + 1;
  const seed = numberOf('seed', text, 0, Number.MAX_SAFE_INTEGER);
  if (Number.isInteger(seed)) return seed;
  throw new UsageError('--seed must be a whole number');
}

function sizeOf(text: string): Size {
  const size = SIZES.find((one) => one === text);
  if (size === undefined) throw new UsageError(`--size must be ${SIZES.join(' or ')}`);
  return size;
}

function queueOf(text: string | undefined, size: Size): QueueKind {
  if (text === undefined) return size === 'ha' ? 'redis' : 'postgres';
  if (text === 'postgres' || text === 'redis') return text;
  throw new UsageError('--queue must be postgres or redis');
}

function chosenOf(text: string | undefined, possible: readonly FaultKind[]): readonly FaultKind[] {
  if (text === undefined) return possible;
  return text.split(',').map((name) => {
    const kind = possible.find((one) => one === name.trim());
    if (kind === undefined) {
      throw new UsageError(`--faults takes some of ${possible.join(',')}, not ${name}`);
    }
    return kind;
  });
}

async function tell(report: ChaosReport, options: ChaosCommand): Promise<void> {
  const json = `${JSON.stringify(report, null, 2)}\n`;
  if (options.report !== undefined) await writeFile(options.report, json);
  if (options.json === true) process.stdout.write(json);
  else for (const line of linesOf(report)) console.log(line);
}

async function run(options: ChaosCommand, signal: AbortSignal): Promise<void> {
  const size = sizeOf(options.size);
  const queue = queueOf(options.queue, size);
  const asked = {
    seed: seedOf(options.seed),
    size,
    durationMs: numberOf('minutes', options.minutes, 0.05, 7 * 24 * 60) * 60_000,
    queue,
    kinds: chosenOf(options.faults, kindsOf(size, queue)),
    actors: numberOf('actors', options.actors, 1, 100),
    crowd: Math.round(numberOf('crowd', options.crowd ?? String(FIRST_CROWD), 1, 100_000)),
  };
  const folder = await mkdtemp(join(tmpdir(), 'tenure-chaos-'));
  let isKept = options.keep === true;
  try {
    const { runChaos } = await import('../../chaos/chaos.ts');
    const searchPath = processEnvironment()['PATH'] ?? '';
    // Progress is written to standard error, because a program may read the report on standard output.
    const say = (line: string): void => console.error(line);
    say(`chaos with seed ${asked.seed}`);
    const report = await runChaos({ ...asked, folder, searchPath, signal, say });
    await tell(report, options);
    if (report.broken.length > 0) {
      process.exitCode = BROKEN;
      isKept = true;
    }
  } finally {
    if (isKept) console.error(`logs and data are kept in ${folder}`);
    else await rm(folder, { recursive: true, force: true });
  }
}

/** Runs Tenure's processes in a temporary folder, and injects the faults that the seed determines. */
export async function chaos(options: ChaosCommand): Promise<void> {
  const stopping = new AbortController();
  const onSignal = (): void => stopping.abort(new Error('interrupted'));
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  try {
    await run(options, stopping.signal);
  } catch (error) {
    if (stopping.signal.aborted) {
      process.exitCode = INTERRUPTED;
      return;
    }
    console.error(`tenure: ${errorText(error)}`);
    process.exitCode = NOT_RUN;
  } finally {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  }
}
