import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from './caller.ts';
import { createCaller } from './caller.ts';
import type { Broken } from './broken.ts';
import { checkAtEnd, openOperations } from './checks.ts';
import { Director } from './director.ts';
import { drawsOf } from './draws.ts';
import { LedgerControl } from './ledger-control.ts';
import { Load } from './load.ts';
import { Records } from './records.ts';
import type { ChaosReport } from './report.ts';
import { effectsOf, lineOfBroken, operationsOf, spreadOf } from './report.ts';
import type { Act, FaultKind } from './script.ts';
import { PLACES, lineOfAct, scriptOf } from './script.ts';
import { watch } from './watch.ts';
import type { QueueKind, World } from './world.ts';
import { startWorld } from './world.ts';

export interface ChaosOptions {
  readonly seed: number;
  /** How long there are faults. */
  readonly durationMs: number;
  readonly queue: QueueKind;
  readonly kinds: readonly FaultKind[];
  /** Licence lives at a time. */
  readonly actors: number;
  /** An empty folder, for everything; stays the caller's. */
  readonly folder: string;
  /** The value of PATH. */
  readonly searchPath: string;
  readonly signal: AbortSignal;
  /** One line of what happens. */
  readonly say: (line: string) => void;
}

/** How long after the last fault everything may take to end: the longest backoffs and bounds of the path, twice. */
const SETTLE_MS = 120_000;
const LOOK_MS = 500;
/** What is promised, and a moment. */
const STOP_MS = 11_000;

/** Does what a script says, when it says it. */
async function perform(
  acts: readonly Act[],
  durationMs: number,
  director: Director,
  signal: AbortSignal,
  say: (line: string) => void,
): Promise<void> {
  const began = performance.now();
  const until = (atMs: number) =>
    sleep(Math.max(0, began + atMs - performance.now()), undefined, { signal });
  for (const act of acts) {
    await until(act.atMs);
    say(lineOfAct(act));
    director.do(act);
  }
  await until(durationMs);
}

/** Waits until nothing is open any more, or too long. */
async function settle(world: World, load: Promise<void>, signal: AbortSignal): Promise<Broken[]> {
  const giveUpMs = performance.now() + SETTLE_MS;
  const late = sleep(SETTLE_MS, 'late' as const, { signal });
  const lives = await Promise.race([load, late]);
  const broken: Broken[] =
    lives === 'late'
      ? [{ promise: 'every life goes on after the faults', evidence: 'some did not end' }]
      : [];
  while (performance.now() < giveUpMs) {
    const open = await openOperations(world.databaseUrl).catch(() => null);
    if (open?.length === 0) break;
    await sleep(LOOK_MS, undefined, { signal });
  }
  return broken;
}

/** Ends everything in order, and judges how long that took, also of those that were stopped on the way. */
async function stopAll(director: Director): Promise<{ broken: Broken[]; times: number[] }> {
  const onTheWay = director.happenings.flatMap(({ kind, to, tookMs }) =>
    kind === 'stop' && tookMs !== undefined ? [{ place: to, tookMs }] : [],
  );
  const stopped = [...onTheWay, ...(await director.stop())];
  return {
    times: stopped.map(({ tookMs }) => tookMs),
    broken: stopped
      .filter(({ tookMs }) => tookMs > STOP_MS)
      .map(({ place, tookMs }) => ({
        promise: 'an orderly stop ends within 10 s',
        evidence: `${place} took ${Math.round(tookMs)} ms`,
      })),
  };
}

const callerOf = (world: World, signal: AbortSignal): Caller => {
  const front = world.members.find(({ name }) => name === 'api')?.front;
  return createCaller({
    apiUrl: () => `http://127.0.0.1:${front?.port}`,
    addresses: () => world.addresses,
    signal,
  });
};

/**
 * Runs Tenure in real processes under load while a seeded script kills, stops, cuts and wipes, and holds what came of it
 * against what was promised. Nothing is left running, however it ends.
 *
 * @throws Error when it could not be begun, or was interrupted
 */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { seed, durationMs, queue, kinds, folder, searchPath, signal, say } = options;
  const acts = scriptOf({ seed, durationMs, queue, kinds });
  await using world = await startWorld({ folder, queue, searchPath, signal });
  for (const [name, roles] of Object.entries(PLACES)) await world.add(name, roles);
  const over = new AbortController();
  const running = AbortSignal.any([signal, over.signal]);
  try {
    const records = new Records();
    const control = new LedgerControl(() => world.addresses.networkUrl);
    const director = new Director({ world, records, control, signal: running, say });
    await director.begin();
    say(
      `everything runs in ${folder}: ${acts.length} acts in ${(durationMs / 1_000).toFixed(0)} s`,
    );
    const broken: Broken[] = [];
    const onBroken = (one: Broken): void => {
      broken.push(one);
      say(lineOfBroken(one));
    };
    const caller = callerOf(world, running);
    const drain = new AbortController();
    const calm = new AbortController();
    const load = new Load({
      world,
      caller,
      records,
      draws: drawsOf(`load ${seed}`),
      actors: options.actors,
      prefix: `chaos-${seed}`,
      drain: drain.signal,
      signal: running,
      onBroken,
    });
    const lives = load.run();
    // Awaited below; it may fail before.
    lives.catch(() => undefined);
    const watching = watch({
      world,
      control,
      signal: AbortSignal.any([running, calm.signal]),
      nowMs: () => records.nowMs(),
      onBroken,
    });
    await Promise.race([perform(acts, durationMs, director, running, say), lives]);
    const faultsMs = records.nowMs();
    drain.abort();
    await director.heal();
    say('no more faults: everything that was begun has to end');
    const late = await settle(world, lives, running);
    const settledMs = records.nowMs() - faultsMs;
    calm.abort();
    await watching;
    const atEnd = await checkAtEnd(world, caller, records, load, control);
    const stops = await stopAll(director);
    return {
      seed,
      queue,
      faultsMs: Math.round(faultsMs),
      settledMs: Math.round(settledMs),
      operations: operationsOf(records),
      ...effectsOf(director.happenings, records),
      stops: spreadOf(stops.times),
      broken: [...broken, ...late, ...atEnd, ...stops.broken],
    };
  } finally {
    over.abort(new Error('the chaos is over'));
  }
}
