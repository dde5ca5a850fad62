import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cpus, totalmem } from 'node:os';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { Agent, setGlobalDispatcher } from 'undici';
import { rowsOf } from '../chaos/rows.ts';
import { BareLedger } from './bare-ledger.ts';
import { createLicense, makeInstalls } from './create-license.ts';
import { databaseWork, logTable, prepareDatabase, tablesTable } from './database-work.ts';
import { syncTimes } from './disk.ts';
import type { Figure } from './figures.ts';
import { runTable, spreadTable } from './figures.ts';
import { checkInvariants } from './invariants.ts';
import type { Figures } from './load.ts';
import { closedLoop, openLoop } from './load.ts';
import { coresTime, memoryOf, processorTime, startBenchWorld } from './world.ts';
import type { BenchWorld, CoresTime, ProcessorTime } from './world.ts';

/*
 * Measures the claims about speed and size: create-license over REST, which is answered after its projection. For
 * comparison, the same run measures a loop of bare SubmitAndWaitForTransaction calls on the same LocalNet. All
 * processes use the same machine, including this client. The bench fails if an invariant is violated, or if a process
 * loses a lease under full load, but never because of speed.
 *
 *   node bench/main.ts [--fast] [--queue postgres|redis] [--runs 3] [--seconds 10] [--operations 30000] [--tables]
 *   [--compare NAME=VALUE] every second run has this setting, and the figures of both are shown
 */

setGlobalDispatcher(new Agent({ connections: 256, pipelining: 1 }));

// Each world starts its own servers. The Redis that the shell's environment names is neither used nor examined.
delete process.env['REDIS_URL'];

const { values: given } = parseArgs({
  options: {
    fast: { type: 'boolean', default: false },
    queue: { type: 'string' },
    runs: { type: 'string' },
    seconds: { type: 'string' },
    operations: { type: 'string' },
    tables: { type: 'boolean', default: false },
    compare: { type: 'string' },
  },
});
const RUNS = Number(given.runs ?? (given.fast ? 1 : 3));
const SECONDS = Number(given.seconds ?? (given.fast ? 4 : 10));
/** The number of operations after which memory is measured, in the last run of each queue. */
const OPERATIONS = Number(given.operations ?? (given.fast ? 1_000 : 30_000));
const CALLERS = 50;
const RATE = 150;
const AT_ONCE = 100;
/**
 * How long load runs before the measurement. After some thousand operations, V8 has compiled the code of a process,
 * which then runs two to three times as fast.
 */
const WARM_SECONDS = given.fast ? 6 : 20;
const MEMORY_LOOKS = 4;

type Queue = 'postgres' | 'redis';

function queues(): readonly Queue[] {
  if (given.queue === 'postgres' || given.queue === 'redis') return [given.queue];
  const hasRedis = ['valkey-server', 'redis-server'].some(
    (program) => spawnSync(program, ['--version']).error === undefined,
  );
  if (hasRedis) return ['postgres', 'redis'];
  console.log('Not measured on Redis: neither valkey-server nor redis-server is installed');
  return ['postgres'];
}

/** A Tenure under load, with the commands that it has answered. */
interface Bench {
  readonly world: BenchWorld;
  readonly bare: BareLedger;
  /** IDs of the commands that were answered with 201. */
  readonly answered: string[];
}

/** Returns the figures. If operations have failed, prints how many, because the figures do not contain them. */
function told(what: string, found: Figures): Figures {
  const { failures, firstError } = found;
  if (failures > 0) console.log(`${what}: ${failures} failed, ${String(firstError)} for one`);
  return found;
}

/** Returns a function that creates licences. Each caller uses an install of its own. */
async function creating({ world, answered }: Bench, count: number) {
  const installs = await makeInstalls(world, count);
  return async (n: number): Promise<void> => {
    const commandId = randomUUID();
    await createLicense(world, installs[n % count] ?? '', commandId);
    answered.push(commandId);
  };
}

/** Returns a function that sends the same commands directly to the participant. */
async function creatingBare({ world, bare }: Bench, count: number) {
  return bare.callers(await makeInstalls(world, count));
}

async function alone(bench: Bench): Promise<Figure[]> {
  const createBare = await creatingBare(bench, 1);
  const bare = told('the bare loop alone', await closedLoop(1, SECONDS / 4, createBare));
  const create = await creating(bench, 1);
  const own = told('one at a time', await closedLoop(1, SECONDS / 2, create));
  return [
    { name: 'one at a time, p50, ms', goal: '', seen: own.p50, digits: 1, bare: bare.p50 },
    {
      name: "one at a time, p50 above the bare loop's p50, ms",
      goal: '≤ 8',
      seen: own.p50 - bare.p50,
      digits: 1,
    },
    {
      name: "one at a time, p99 above the bare loop's p50, ms",
      goal: '≤ 25',
      seen: own.p99 - bare.p50,
      digits: 1,
    },
  ];
}

async function paced(bench: Bench): Promise<Figure[]> {
  const create = await creating(bench, CALLERS);
  const found = told(`paced at ${RATE}/s`, await openLoop(RATE, SECONDS, create));
  return [{ name: `paced at ${RATE}/s, p99, ms`, goal: '≤ 60', seen: found.p99, digits: 0 }];
}

async function atOnce(bench: Bench): Promise<Figure[]> {
  const create = await creating(bench, 1);
  const began = performance.now();
  const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, () => create(0)));
  const seconds = (performance.now() - began) / 1_000;
  const failed = ended.filter((one) => one.status === 'rejected');
  const what = `${AT_ONCE} at once on one install`;
  if (failed.length > 0) console.log(`${what}: ${String(failed[0]?.reason)} for one`);
  return [
    { name: `${what}, succeeded`, goal: String(AT_ONCE), seen: AT_ONCE - failed.length, digits: 0 },
    { name: `${what}, s`, goal: '≤ 1.5', seen: seconds, digits: 2 },
  ];
}

/** Returns the processor time per operation by kind of process, milliseconds. */
function eachCost(before: ProcessorTime, after: ProcessorTime, operations: number) {
  return [...after].map(([kind, seconds]) => {
    const ms = ((seconds - (before.get(kind) ?? 0)) * 1_000) / operations;
    return { kind, ms };
  });
}

async function fullBare(bench: Bench): Promise<{ rate: number; figures: Figure[] }> {
  const create = await creatingBare(bench, CALLERS);
  const before = processorTime(bench.world.pid);
  const found = told('the bare loop', await closedLoop(CALLERS, SECONDS / 2, create));
  const costs = eachCost(before, processorTime(bench.world.pid), found.count);
  const localnet = costs.find(({ kind }) => kind === 'localnet')?.ms ?? 0;
  const name = "the bare loop's time in LocalNet, for each operation, ms";
  return { rate: found.perSecond, figures: [{ name, goal: '≤ 1.25', seen: localnet, digits: 2 }] };
}

/** Returns for each lease how often another process has taken it. */
const leaseEpochs = ({ state }: BenchWorld) =>
  rowsOf<{ name: string; epoch: string }>(
    state.databaseUrl,
    'select name, epoch::text as "epoch" from lease order by name',
  );

/** Does `work`. @throws Error if a process loses a lease during this, because load alone must not cause it */
async function keepingLeases<T>(world: BenchWorld, work: () => Promise<T>): Promise<T> {
  const before = await leaseEpochs(world);
  if (before.length === 0) throw new Error('no lease is held');
  const found = await work();
  const after = await leaseEpochs(world);
  if (isDeepStrictEqual(before, after)) return found;
  throw new Error(`leases changed hands: ${JSON.stringify(before)}, then ${JSON.stringify(after)}`);
}

const idlePercent = (before: CoresTime, after: CoresTime): number =>
  ((after.idle - before.idle) * 100) / (after.all - before.all);

/** Runs all callers at the same time, and measures the costs. */
async function fullLoad({ world }: Bench, create: (n: number) => Promise<void>) {
  const [before, coresBefore] = [processorTime(world.pid), coresTime()];
  const load = told(`${CALLERS} callers`, await closedLoop(CALLERS, SECONDS, create));
  const idle = idlePercent(coresBefore, coresTime());
  return { load, idle, costs: eachCost(before, processorTime(world.pid), load.count) };
}

async function full(bench: Bench, goal: string): Promise<Figure[]> {
  const { world } = bench;
  const bare = await fullBare(bench);
  const create = await creating(bench, CALLERS);
  // This call is answered only after all updates of the bare loop have been projected. Otherwise that work would be
  // part of the next measurement.
  await create(0);
  const work = () => keepingLeases(world, () => fullLoad(bench, create));
  const { found: whole, did } = await databaseWork(world.state.databaseUrl, work, given.tables);
  const { load: found, idle, costs } = whole;
  if (given.tables) {
    console.log(`${tablesTable(did, found.count)}\n${logTable(did, found.count)}`);
  }
  const together = costs.reduce((sum, { ms }) => sum + ms, 0);
  return [
    {
      name: `${CALLERS} callers, ${CALLERS} installs, per s`,
      goal,
      seen: found.perSecond,
      digits: 0,
      bare: bare.rate,
    },
    { name: `${CALLERS} callers, p99, ms`, goal: '', seen: found.p99, digits: 0 },
    { name: 'processor time of an operation, ms', goal: '≤ 6.5', seen: together, digits: 2 },
    ...costs.map(({ kind, ms }) => ({ name: `  of it ${kind}`, goal: '', seen: ms, digits: 2 })),
    { name: `cores idle at ${CALLERS} callers, %`, goal: '', seen: idle, digits: 1 },
    ...bare.figures,
    { name: 'commits of an operation', goal: '≤ 2', seen: did.commits / found.count, digits: 2 },
    {
      name: 'log of an operation without whole pages, KiB',
      goal: '≤ 15',
      seen: did.walBytes / 1_024 / found.count,
      digits: 1,
    },
    {
      name: '  whole pages besides, KiB',
      goal: '',
      seen: did.fullPageBytes / 1_024 / found.count,
      digits: 1,
    },
  ];
}

/**
 * Creates licences until `upTo` have been answered. @throws Error if no more are answered, because otherwise this would
 * never end
 */
async function answerUpTo(bench: Bench, upTo: number, create: (n: number) => Promise<void>) {
  while (bench.answered.length < upTo) {
    const found = told(`up to ${upTo} operations`, await closedLoop(CALLERS, 1, create));
    if (found.count === 0) throw new Error('nothing is answered', { cause: found.firstError });
  }
}

/**
 * Measures memory while operations continue. The last measurement is made after a third more operations than requested.
 */
async function memory(bench: Bench): Promise<Figure[]> {
  const create = await creating(bench, CALLERS);
  const figures: Figure[] = [];
  const step = OPERATIONS / (MEMORY_LOOKS - 1);
  for (let look = 1; look <= MEMORY_LOOKS; look += 1) {
    const upTo = Math.round(step * look);
    await answerUpTo(bench, upTo, create);
    const parts = memoryOf(bench.world.pid);
    const all = parts.reduce((sum, { pss }) => sum + pss, 0);
    const goal = OPERATIONS === 30_000 && look >= MEMORY_LOOKS - 1 ? '≤ 450' : '';
    const name = `memory of all processes after ${upTo} operations, MiB`;
    figures.push({ name, goal, seen: all, digits: 0 });
    if (look < MEMORY_LOOKS) continue;
    for (const { kind, pss, processes } of parts) {
      figures.push({ name: `  of it ${kind} (${processes})`, goal: '', seen: pss, digits: 0 });
    }
  }
  return figures;
}

/** Returns a Tenure that is ready for load, together with the bare loop. */
async function open(world: BenchWorld): Promise<Bench> {
  return { world, bare: await BareLedger.beside(world.state), answered: [] };
}

async function measure(
  queue: Queue,
  isLast: boolean,
  settings: Readonly<Record<string, string>>,
): Promise<Figure[]> {
  await using world = await startBenchWorld({
    // An empty value means that there is no Redis, even if a settings file names one.
    env: { REDIS_URL: queue === 'redis' ? 'local' : '', ...settings },
  });
  await prepareDatabase(world.state.databaseUrl);
  const { p50, p99 } = await syncTimes(world.dataDir);
  const bench = await open(world);
  const create = await creating(bench, CALLERS);
  told('warming up', await closedLoop(CALLERS, WARM_SECONDS, create));
  const goal = queue === 'redis' ? 'ratio ≥ 0.7' : 'ratio ≥ 0.6';
  const figures: Figure[] = [
    {
      name: 'start to ready, once initialised, s',
      goal: '≤ 1.8',
      seen: world.startMs / 1_000,
      digits: 2,
    },
    { name: 'fdatasync of 8 KiB, p50, ms', goal: '', seen: p50, digits: 2 },
    { name: 'fdatasync of 8 KiB, p99, ms', goal: '', seen: p99, digits: 2 },
    ...(await alone(bench)),
    ...(await paced(bench)),
    ...(await atOnce(bench)),
    ...(await full(bench, goal)),
    ...(isLast ? await memory(bench) : []),
  ];
  bench.bare.close();
  await checkInvariants(world, bench.answered);
  console.log(`${bench.answered.length} licences answered, each on the ledger once`);
  return figures;
}

const cpu = cpus();
console.log(
  `${cpu.length} × ${cpu[0]?.model ?? '?'}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${process.versions.node}, ` +
    `${RUNS} runs of ${SECONDS} s`,
);
const [setting, value = ''] = given.compare?.split('=') ?? [];
/** The settings that are compared, each with the title of its table. */
const VARIANTS: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ['', {}],
  ...(setting === undefined ? [] : [[`, ${setting}=${value}`, { [setting]: value }] as const]),
];
for (const queue of queues()) {
  const runs = VARIANTS.map((): Figure[][] => []);
  for (let run = 1; run <= RUNS; run += 1) {
    for (const [index, [title, settings]] of VARIANTS.entries()) {
      console.log(`\nQueue in ${queue}, run ${run}${title}`);
      const figures = await measure(queue, run === RUNS, settings);
      runs[index]?.push(figures);
      if (RUNS > 1) console.log(runTable(figures));
    }
  }
  for (const [index, [title]] of VARIANTS.entries()) {
    console.log(`\nQueue in ${queue}, ${RUNS} runs${title}`);
    console.log(spreadTable(runs[index] ?? []));
  }
}
