import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from './caller.ts';
import { createCaller } from './caller.ts';
import type { Broken } from './broken.ts';
import { checkAtEnd, openOperations } from './checks.ts';
import { Director } from './director.ts';
import { drawsOf } from './draws.ts';
import { Desk } from './desk.ts';
import type { LicenseEvidence } from './fates.ts';
import { endedByPolicy, licensesIn } from './fates.ts';
import { Inbox, untoldIn } from './inbox.ts';
import { Keeper } from './keeper.ts';
import { LedgerControl } from './ledger-control.ts';
import { Load } from './load.ts';
import { Records } from './records.ts';
import { loseOperations } from './restore.ts';
import type { ChaosReport } from './report.ts';
import { effectsOf, lineOfBroken, operationsOf, spreadOf, toldOf } from './report.ts';
import type { Act, FaultKind } from './script.ts';
import { lineOfAct, scriptOf } from './script.ts';
import type { Size } from './sizes.ts';
import { PLACES } from './sizes.ts';
import { watch } from './watch.ts';
import type { QueueKind, World } from './world.ts';
import { startWorld } from './world.ts';

export interface ChaosOptions {
  readonly seed: number;
  readonly size: Size;
  /** For how long faults are begun, in milliseconds. */
  readonly durationMs: number;
  readonly queue: QueueKind;
  readonly kinds: readonly FaultKind[];
  readonly crowd: number;
  /** The number of licence lives that run at the same time. */
  readonly actors: number;
  /** An empty folder for all files of the run. The caller has to delete it. */
  readonly folder: string;
  /** The value of PATH. */
  readonly searchPath: string;
  readonly signal: AbortSignal;
  /** Receives one line of text for each event of the run. */
  readonly say: (line: string) => void;
}

/**
 * The time after the last fault within which all operations must end. It is twice the longest backoffs and limits on
 * their path.
 */
const SETTLE_MS = 240_000;
const LOOK_MS = 500;
/** The number of polls between two messages about operations that are still open. */
const LOOKS_UNTOLD = 20;
/** The number of licences, in addition to those of the load, that are created to lapse one after another. */
const LAPSING = 6;
/** The time within which a process must stop: the promised 10 s, and one second more. */
const STOP_MS = 11_000;

/** Performs each act of a script at its time. */
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

/** Returns a description of the operations that have not ended; `null` if all have ended. */
async function openIn({ databaseUrl }: World, load: Load): Promise<string | null> {
  const open = await openOperations(databaseUrl);
  if (open.length > 0) return `operations are open: ${JSON.stringify(open)}`;
  if (load.fates.areOpen(await licensesIn(databaseUrl)))
    return 'licences have lapsed and are there';
  const untold = await untoldIn(databaseUrl);
  return untold === 0 ? null : `${untold} events have not been told`;
}

/** Waits until all operations have ended. Reports a broken promise if that takes longer than `SETTLE_MS`. */
async function settle(
  world: World,
  load: Load,
  lives: Promise<unknown>,
  { signal, say }: Pick<ChaosOptions, 'signal' | 'say'>,
): Promise<Broken[]> {
  const promise = 'everything goes on after the faults';
  const giveUpMs = performance.now() + SETTLE_MS;
  const late = sleep(SETTLE_MS, 'late' as const, { signal });
  if ((await Promise.race([lives, late])) === 'late') {
    return [{ promise, evidence: 'some lives did not end' }];
  }
  for (let looks = 0; ; looks += 1) {
    const open = await openIn(world, load).catch(String);
    if (open === null) return [];
    if (performance.now() > giveUpMs) return [{ promise, evidence: open }];
    if (looks % LOOKS_UNTOLD === 0) say(open);
    await sleep(LOOK_MS, undefined, { signal });
  }
}

/** Stops all processes in order. Checks how long these stops and the stops during the run took. */
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
  const fronts = world.members
    .filter(({ roles }) => roles.split(',').includes('api'))
    .map(({ front }) => front);
  let calls = 0;
  // Calls go to one API process after another, as through a load balancer.
  const next = (): number => fronts[(calls += 1) % fronts.length]?.port ?? 0;
  return createCaller({
    apiUrl: () => `http://127.0.0.1:${next()}`,
    addresses: () => world.addresses,
    signal,
  });
};

/** Creates a webhook for all events of each of the two parties. */
async function subscribe(caller: Caller, inbox: Inbox): Promise<void> {
  for (const who of ['provider', 'user'] as const) {
    const { status, body } = await caller.ask(who, 'POST', '/webhooks', { url: inbox.urlFor(who) });
    if (status !== 201) throw new Error(`a webhook was answered ${status} ${JSON.stringify(body)}`);
    inbox.expect(who, body.id, body.secret);
  }
}

interface CrowdParts extends Pick<ChaosOptions, 'seed' | 'durationMs' | 'actors' | 'signal'> {
  readonly world: World;
  readonly caller: Caller;
  readonly records: Records;
  readonly drain: AbortSignal;
  readonly onBroken: (broken: Broken) => void;
}

/** Creates all users of the system, and what must exist before the first fault: licences, a policy and webhooks. */
async function gather(parts: CrowdParts) {
  const { caller, seed, durationMs, drain } = parts;
  const prefix = `chaos-${seed}`;
  await using stack = new AsyncDisposableStack();
  const load = new Load({ ...parts, prefix, draws: drawsOf(`load ${seed}`) });
  const keeper = new Keeper(caller);
  const inbox = stack.use(new Inbox(drawsOf(`inbox ${seed}`), durationMs));
  await inbox.open();
  await Promise.all([keeper.set(false), subscribe(caller, inbox)]);
  const license = await load.prepare(LAPSING, durationMs, drawsOf(`prepare ${seed}`));
  const desk = new Desk({ ...parts, prefix, license, draws: drawsOf(`desk ${seed}`) });
  inbox.begin();
  const keeping = keeper.run(drawsOf(`keeper ${seed}`), drain);
  const lives = Promise.all([load.run(), desk.run(), keeping]);
  // This promise is awaited later. Without a handler, a rejection before that would end the process.
  lives.catch(() => undefined);
  stack.move();
  return { prefix, load, keeper, inbox, desk, lives };
}

const summaryOf = (
  { happenings }: Director,
  records: Records,
  { desk, inbox }: Awaited<ReturnType<typeof gather>>,
  licenses: readonly LicenseEvidence[],
) => ({
  operations: operationsOf(records),
  ...effectsOf(happenings, records),
  expired: endedByPolicy(licenses),
  acts: desk.acts,
  webhooks: toldOf(inbox),
});

/**
 * Runs Tenure in real processes under load. Meanwhile a script, which depends on a seed, kills, stops and disconnects
 * processes and wipes the queue. Compares the results with Tenure's promises. All processes have ended when the
 * function returns or throws.
 * @throws Error if the run could not begin, or was interrupted
 */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { seed, size, durationMs, queue, folder, signal, say } = options;
  const acts = scriptOf(options);
  await using world = await startWorld(options);
  for (const [name, roles] of Object.entries(PLACES[size])) await world.add(name, roles);
  const over = new AbortController();
  const running = AbortSignal.any([signal, over.signal]);
  try {
    const records = new Records();
    const control = new LedgerControl(() => world.addresses.networkUrl);
    const callers = (): Load => crowd.load;
    const director = new Director({ world, records, control, callers, signal: running, say });
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
    const gathered = { ...options, world, caller, records, onBroken, signal: running };
    const crowd = await gather({ ...gathered, drain: drain.signal });
    await using inbox = crowd.inbox;
    const { load, lives } = crowd;
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
    inbox.calm();
    await director.heal();
    say('no more faults: everything that was begun has to end');
    const late = await settle(world, load, lives, { signal: running, say });
    const settledMs = records.nowMs() - faultsMs;
    calm.abort();
    await watching;
    const licenses = await licensesIn(world.databaseUrl);
    const atEnd = await checkAtEnd({ ...crowd, world, caller, records, control, licenses });
    const restored = await loseOperations({ ...options, world, director, caller, signal: running });
    const { broken: badStops, times } = await stopAll(director);
    return {
      seed,
      queue,
      faultsMs: Math.round(faultsMs),
      settledMs: Math.round(settledMs),
      ...summaryOf(director, records, crowd, licenses),
      stops: spreadOf(times),
      broken: [...broken, ...late, ...atEnd, ...restored, ...badStops],
    };
  } finally {
    over.abort(new Error('the chaos is over'));
  }
}
