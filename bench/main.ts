import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { Agent, setGlobalDispatcher } from 'undici';
import { BareLedger } from './bare-ledger.ts';
import { createLicense, makeInstalls } from './create-license.ts';
import { databaseWork, logTable, prepareDatabase, tablesTable } from './database-work.ts';
import { syncTimes } from './disk.ts';
import type { Figure } from './figures.ts';
import { runTable, spreadTable } from './figures.ts';
import { checkInvariants } from './invariants.ts';
import { closedLoop, openLoop } from './load.ts';
import { memoryOf, processorTime, startBenchWorld } from './world.ts';
import type { BenchWorld, ProcessorTime } from './world.ts';

/*
 * What is claimed about speed and size, measured: create-license over REST, answered after its projection, beside a
 * bare SubmitAndWaitForTransaction loop on the same LocalNet in the same run. Everything, this client too, shares the
 * machine. Fails when an invariant breaks, never for speed.
 *
 *   node bench/main.ts [--fast] [--queue postgres|redis] [--runs 3] [--seconds 10] [--operations 30000] [--tables]
 */

setGlobalDispatcher(new Agent({ connections: 256, pipelining: 1 }));

const { values: given } = parseArgs({
  options: {
    fast: { type: 'boolean', default: false },
    queue: { type: 'string' },
    runs: { type: 'string' },
    seconds: { type: 'string' },
    operations: { type: 'string' },
    tables: { type: 'boolean', default: false },
  },
});
const RUNS = Number(given.runs ?? (given.fast ? 1 : 3));
const SECONDS = Number(given.seconds ?? (given.fast ? 4 : 10));
/** After so many the memory is looked at, in the last run of each queue. */
const OPERATIONS = Number(given.operations ?? (given.fast ? 1_000 : 30_000));
const CALLERS = 50;
const RATE = 150;
const AT_ONCE = 100;
/** A process runs its code two to three times as fast once V8 has compiled it: after some thousand operations. */
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

/** One Tenure under load, and what it has answered. */
interface Bench {
  readonly world: BenchWorld;
  readonly bare: BareLedger;
  /** Command IDs that were answered with 201. */
  readonly answered: string[];
  /** What was answered otherwise, or not: too late for instance. */
  readonly others: string[];
}

/** Has each caller create licences of an install of its own. */
async function creating({ world, answered, others }: Bench, count: number) {
  const installs = await makeInstalls(world, count);
  return async (n: number): Promise<void> => {
    const commandId = randomUUID();
    try {
      await createLicense(world, installs[n % count] ?? '', commandId);
      answered.push(commandId);
    } catch (error) {
      others.push(String(error));
      throw error;
    }
  };
}

/** The same straight at the participant. */
async function creatingBare({ world, bare }: Bench, count: number) {
  const current = await makeInstalls(world, count);
  return async (n: number): Promise<void> => {
    current[n] = await bare.createLicense(current[n] ?? '');
  };
}

async function alone(bench: Bench): Promise<Figure[]> {
  const bare = await closedLoop(1, SECONDS / 4, await creatingBare(bench, 1));
  const own = await closedLoop(1, SECONDS / 2, await creating(bench, 1));
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
  const found = await openLoop(RATE, SECONDS, await creating(bench, CALLERS));
  return [{ name: `paced at ${RATE}/s, p99, ms`, goal: '≤ 60', seen: found.p99, digits: 0 }];
}

async function atOnce(bench: Bench): Promise<Figure[]> {
  const create = await creating(bench, 1);
  const began = performance.now();
  const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, () => create(0)));
  const seconds = (performance.now() - began) / 1_000;
  const succeeded = ended.filter(({ status }) => status === 'fulfilled').length;
  const what = `${AT_ONCE} at once on one install`;
  return [
    { name: `${what}, succeeded`, goal: String(AT_ONCE), seen: succeeded, digits: 0 },
    { name: `${what}, s`, goal: '≤ 1.5', seen: seconds, digits: 2 },
  ];
}

/** Processor time of each operation, by kind of process; milliseconds. */
function eachCost(before: ProcessorTime, after: ProcessorTime, operations: number) {
  return [...after].map(([kind, seconds]) => {
    const ms = ((seconds - (before.get(kind) ?? 0)) * 1_000) / operations;
    return { kind, ms };
  });
}

async function fullBare(bench: Bench): Promise<{ rate: number; figures: Figure[] }> {
  const create = await creatingBare(bench, CALLERS);
  const before = processorTime(bench.world.pid);
  const { perSecond, count } = await closedLoop(CALLERS, SECONDS / 2, create);
  const costs = eachCost(before, processorTime(bench.world.pid), count);
  const localnet = costs.find(({ kind }) => kind === 'localnet')?.ms ?? 0;
  const name = "the bare loop's time in LocalNet, for each operation, ms";
  return { rate: perSecond, figures: [{ name, goal: '≤ 1.25', seen: localnet, digits: 2 }] };
}

async function full(bench: Bench, goal: string): Promise<Figure[]> {
  const { world } = bench;
  const bare = await fullBare(bench);
  const create = await creating(bench, CALLERS);
  let costs: ReturnType<typeof eachCost> = [];
  const load = async () => {
    const before = processorTime(world.pid);
    const done = await closedLoop(CALLERS, SECONDS, create);
    costs = eachCost(before, processorTime(world.pid), done.count);
    return done;
  };
  const { found, did } = await databaseWork(world.state.databaseUrl, load, given.tables);
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

/** Memory while operations go on, the last time after a third more than were asked for. */
async function memory(bench: Bench): Promise<Figure[]> {
  const create = await creating(bench, CALLERS);
  const figures: Figure[] = [];
  const step = OPERATIONS / (MEMORY_LOOKS - 1);
  for (let look = 1; look <= MEMORY_LOOKS; look += 1) {
    const upTo = Math.round(step * look);
    while (bench.answered.length < upTo) await closedLoop(CALLERS, 1, create);
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

/** Ready to be loaded, with the bare loop beside it. */
async function open(world: BenchWorld): Promise<Bench> {
  const { addresses, localnet, providerParty } = world.state;
  const address = addresses.find(({ name }) => name === 'provider, Ledger API')?.url ?? '';
  const bare = await BareLedger.open(address, localnet?.providerTokenUrl ?? '', providerParty);
  return { world, bare, answered: [], others: [] };
}

async function measure(queue: Queue, isLast: boolean): Promise<Figure[]> {
  await using world = await startBenchWorld({
    env: queue === 'redis' ? { REDIS_URL: 'local' } : {},
  });
  await prepareDatabase(world.state.databaseUrl);
  const { p50, p99 } = await syncTimes(world.dataDir);
  const bench = await open(world);
  await closedLoop(CALLERS, WARM_SECONDS, await creating(bench, CALLERS));
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
  if (bench.others.length > 0) {
    console.log(`${bench.others.length} answered otherwise, ${bench.others[0]} for one`);
  }
  return figures;
}

const cpu = cpus();
console.log(
  `${cpu.length} × ${cpu[0]?.model ?? '?'}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${process.versions.node}, ` +
    `${RUNS} runs of ${SECONDS} s`,
);
for (const queue of queues()) {
  const runs: Figure[][] = [];
  for (let run = 1; run <= RUNS; run += 1) {
    console.log(`\nQueue in ${queue}, run ${run}`);
    const figures = await measure(queue, run === RUNS);
    runs.push(figures);
    if (RUNS > 1) console.log(runTable(figures));
  }
  console.log(`\nQueue in ${queue}, ${RUNS} runs`);
  console.log(spreadTable(runs));
}
